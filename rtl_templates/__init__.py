"""Hand-written text that goes with the emitted Verilog."""
