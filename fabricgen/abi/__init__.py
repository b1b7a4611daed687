"""Physical placement of the configuration: words, addresses, image bytes."""
