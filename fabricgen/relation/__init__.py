"""The reduced ordered relation: normal form, membership, overlap, wire."""
