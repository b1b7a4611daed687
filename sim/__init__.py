"""Simulation of emitted fabrics: job, benches, monitors, tools. Ships in the wheel."""
