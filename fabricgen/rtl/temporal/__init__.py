"""The Temporal operation engine: resident rows over tagged endpoints."""
