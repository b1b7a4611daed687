"""Codes of the ``abi`` layer."""

from fabricgen.errors.catalog.rule import Rule

__all__ = ["RULES"]

_SECTION = "Ownership And Derived Configuration"

RULES: dict[str, Rule] = {
    "image-truncated": Rule("An image has every byte that it announces.", _SECTION),
    "image-trailing": Rule("An image ends with its digest.", _SECTION),
    "image-digest": Rule("An image ends in the SHA-256 of its record.", _SECTION),
    "image-header": Rule("The header is canonical JSON with exactly its four fields.", _SECTION),
    "image-abi": Rule("The image was made for this placement of carriers.", _SECTION),
    "image-unit": Rule("The image names the fabric's one programming unit.", _SECTION),
    "image-other-fabric": Rule(
        "The image was made for this fabric: same records, same implementation options.",
        _SECTION,
    ),
    "image-bit-count": Rule("The image has as many payload bits as the fabric.", _SECTION),
    "image-payload-size": Rule("The payload has exactly the bytes of its bit count.", _SECTION),
    "image-padding": Rule("Bits past the payload's bit count are zero.", _SECTION),
    "waits-without-counters": Rule(
        "What rows wait for is readable where the implementation option `counters` is on.",
        _SECTION,
    ),
    "waits-word-count": Rule("There is one waiting word per row of the table.", _SECTION),
    "waits-word-range": Rule("A waiting word has the bits of its row and no others.", _SECTION),
    "image-reserved-bit": Rule("Bit 0 of the payload is reserved and zero.", _SECTION),
}
