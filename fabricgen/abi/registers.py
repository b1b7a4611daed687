"""The programming map as plain data: what drivers and the register-map file are made from."""

from fabricgen.abi.fields import OpField, UnitField, op_fields, unit_fields
from fabricgen.abi.identity import fabric_identity, identity_word
from fabricgen.abi.image import ABI_REF, UNIT_ID
from fabricgen.abi.meaning import field_meaning
from fabricgen.abi.op_meaning import op_field_meaning
from fabricgen.abi.status import WORD_BITS, StatusShape, StatusWord, flag_bits
from fabricgen.abi.unit import ProgrammingUnit, programming_unit
from fabricgen.records.fabric import Fabric, NamedMemory
from fabricgen.vocab.fabric import EndpointDirection

__all__ = ["register_map", "register_names"]

_Json = dict[str, object]

#: What is counted of a row.
_COUNTED = {
    "firings": "firings published",
    "operand_stalls": "cycles without an operand of the next firing",
    "claim_stalls": "cycles with all operands and without claims",
    "dispatch_stalls": "cycles with operands and claims in which no firing was issued",
    "service_stalls": "cycles in which the oldest firing in flight was not complete",
    "publication_stalls": "cycles in which a complete firing was not published",
}

#: What a word with one bit for each row says.
_OF_ROWS = {
    "drain": "rows that begin no firing with a token from an endpoint",
    "busy": "rows with a token or a firing inside, live",
    "partial": "rows with some tokens of a firing, not all of them, live",
}


def register_map(fabric: Fabric) -> _Json:
    """Describe payload words, registers and fields; JSON values only, in a fixed order.

    A field's ``bit`` counts from bit 0 of the payload; ``address`` and ``shift`` place its lowest
    bit in a word. ``storable`` is the mask of the field's bits that any configuration may set.
    """
    unit = programming_unit(fabric)
    return {
        "fabric": fabric.name,
        "abi": ABI_REF,
        "unit": UNIT_ID,
        "identity": fabric_identity(fabric).hex(),
        "word_bits": WORD_BITS,
        "payload_bits": unit.payload_bits,
        "payload_words": unit.word_count,
        "storable_words": [
            f"{unit.storable_mask >> WORD_BITS * i & (1 << WORD_BITS) - 1:#010x}"
            for i in range(unit.word_count)
        ],
        "registers": [
            {"name": name, "address": address, "access": access, "meaning": meaning}
            for name, address, access, meaning in _registers(fabric, unit)
        ],
        "fields": _fields(fabric, unit),
    }


def register_names(fabric: Fabric) -> dict[int, str]:
    """Names of the registers by their byte address; ``payload`` stands at its first word only."""
    rows = _registers(fabric, programming_unit(fabric))
    return {address: name for name, address, _, _ in rows}


def _registers(fabric: Fabric, unit: ProgrammingUnit) -> list[tuple[str, int, str, str]]:
    """Name, byte address, access and meaning of each register."""
    at = unit.registers
    rows: list[tuple[str, int, str, str]] = [
        (
            "payload",
            0,
            "read-write",
            f"{unit.word_count} words; a write goes to the shadow, a read shows the active image",
        ),
        ("commit", at.commit, "write", "bit 0: make the complete shadow the active image"),
        ("status", at.status, "read", "bit 0: every byte of the shadow was written"),
        (
            "identity",
            at.identity,
            "read-write",
            f"reads {identity_word(fabric):#010x}; must be written before each commit",
        ),
        (
            "flags",
            at.flags,
            "read, write 1 to clear",
            _flags(unit.reports),
        ),
    ]
    words = {word.name: word for word in unit.reports.words()}
    rows += [
        (
            name,
            address,
            "read-write" if words[name].is_writable else "read",
            _word(fabric, unit.reports, words[name]),
        )
        for name, address in at.words.items()
    ]
    return rows


def _flags(reports: StatusShape) -> str:
    """Words for each bit of the flags register."""
    bits = sorted((bit, name) for name, bit in flag_bits(reports).items())
    kinds = {"quiescent": "live"}
    return "; ".join(f"bit {bit}: {name}, {kinds.get(name, 'sticky')}" for bit, name in bits)


def _word(fabric: Fabric, reports: StatusShape, word: StatusWord) -> str:
    """Words for one read-only register."""
    (named,) = fabric.memories
    low, high = word.shift, word.shift + word.width - 1
    if word.member == "counts":
        name, _, row = word.name.rpartition("_")
        return f"{_COUNTED[name]} of row {row} since reset, modulo 2^32"
    if word.member == "waits":
        bits = ", ".join(f"bit {bit}: {name}" for bit, name in enumerate(reports.waits))
        return f"state of row {word.shift // len(reports.waits)}, live; {bits}"
    if word.member in _OF_ROWS:
        return f"{_OF_ROWS[word.member]}, bit 0: row {low}"
    if word.member == "unmatched":
        names = named.names.endpoints[low : high + 1]
        bits = ", ".join(f"bit {bit}: {name}" for bit, name in enumerate(names))
        return f"sticky with the flag, a token had a tag that no row matches; {bits}"
    if word.member == "unpublished_destinations":
        bits = ", ".join(
            f"bit {i}: {name}" for i, name in enumerate(_destinations(named)[low : high + 1])
        )
        return f"destinations that stayed unready while a row waited, first event; {bits}"
    _, _, detail = word.member.rpartition("_")
    if detail == "address":
        return f"bits {high}..{low} of the byte address of the first event"
    return "row of the first event"


def _destinations(named: NamedMemory) -> list[str]:
    """Output endpoints, then internal connections, as the report counts them."""
    occurrence = named.occurrence
    outputs = [
        name
        for name, endpoint in zip(named.names.endpoints, occurrence.endpoints, strict=True)
        if endpoint.direction is EndpointDirection.OUT
    ]
    return outputs + [
        f"{named.names.endpoints[c.source_endpoint_ordinal]} to "
        f"{named.names.endpoints[c.sink_endpoint_ordinal]}"
        for c in occurrence.connectivity.internal_connections
    ]


def _fields(fabric: Fabric, unit: ProgrammingUnit) -> list[_Json]:
    carriers = [_field(each, unit, field_meaning(each.field.name)) for each in unit_fields(fabric)]
    return carriers + [
        _field(each, unit, op_field_meaning(fabric.ops[each.op].op)) for each in op_fields(fabric)
    ]


def _field(each: UnitField | OpField, unit: ProgrammingUnit, meaning: str) -> _Json:
    return {
        "name": each.path,
        "bit": each.field.offset,
        "width": each.field.width,
        "address": each.field.offset // WORD_BITS * 4,
        "shift": each.field.offset % WORD_BITS,
        "storable": f"{each.field.get(unit.storable_mask):#x}",
        "meaning": meaning,
    }
