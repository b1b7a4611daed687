"""Documents that people write: fabric, mapping and workload, and what they expand to."""
