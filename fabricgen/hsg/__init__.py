"""Hardware sharing groups: families, their parameters, admission, derived semantic fields."""
