"""Tables and listings that people look at."""
