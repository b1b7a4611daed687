"""AXI4 in front of and behind a memory occurrence."""
