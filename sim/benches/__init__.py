"""Modules that cocotb loads inside the simulator."""
