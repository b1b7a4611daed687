"""Bounds of what is realised that several parts of a fabric share."""

__all__ = ["BEAT_WIDTH_LIMIT", "ENDPOINT_LIMIT"]

#: Bits of the widest token; each is a wire of a port, and of several registers behind it.
ENDPOINT_LIMIT = 16384

#: Bits of the widest beat of a manager or subordinate.
BEAT_WIDTH_LIMIT = 4096
