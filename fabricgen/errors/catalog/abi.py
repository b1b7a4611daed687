"""Codes of the ``abi`` layer."""

from fabricgen.errors.catalog.rule import Rule

__all__ = ["RULES"]

_IMAGE = "docs/decisions.md, Plan, carrier and image"
_REGISTERS = "docs/decisions.md, Programming registers"

RULES: dict[str, Rule] = {
    "image-truncated": Rule("An image has every byte that it announces.", _IMAGE),
    "image-trailing": Rule("An image ends with its digest.", _IMAGE),
    "image-digest": Rule("An image ends in the SHA-256 of its record.", _IMAGE),
    "image-header": Rule("The header is canonical JSON with exactly its four fields.", _IMAGE),
    "image-abi": Rule("The image was made for this placement of carriers.", _IMAGE),
    "image-unit": Rule("The image names the fabric's one programming unit.", _IMAGE),
    "image-other-fabric": Rule(
        "The image was made for this fabric: same records, same implementation options.",
        _IMAGE,
    ),
    "image-bit-count": Rule("The image has as many payload bits as the fabric.", _IMAGE),
    "image-payload-size": Rule("The payload has exactly the bytes of its bit count.", _IMAGE),
    "image-padding": Rule("Bits past the payload's bit count are zero.", _IMAGE),
    "waits-without-counters": Rule(
        "What rows wait for is readable where the implementation option `counters` is on.",
        _REGISTERS,
    ),
    "waits-word-count": Rule("There is one waiting word per row of the table.", _REGISTERS),
    "waits-word-range": Rule("A waiting word has the bits of its row and no others.", _REGISTERS),
    "image-reserved-bit": Rule("Bit 0 of the payload is reserved and zero.", _IMAGE),
}
