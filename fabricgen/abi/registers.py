"""The programming map as plain data: what drivers and the register-map file are made from."""

from fabricgen.abi.fields import unit_fields
from fabricgen.abi.identity import fabric_identity, identity_word
from fabricgen.abi.image import ABI_REF, UNIT_ID
from fabricgen.abi.meaning import field_meaning
from fabricgen.abi.unit import WORD_BITS, ProgrammingUnit, programming_unit
from fabricgen.records.fabric import Fabric

__all__ = ["register_map"]

_Json = dict[str, object]


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
        "registers": _registers(fabric, unit),
        "fields": _fields(fabric, unit),
    }


def _registers(fabric: Fabric, unit: ProgrammingUnit) -> list[_Json]:
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
            "bit 0: out_of_range, sticky, cleared by writing 1; bit 1: quiescent, live",
        ),
        ("out_of_range_row", at.out_of_range_row, "read", "row of the first fault"),
        (
            "out_of_range_address",
            at.out_of_range_address,
            "read",
            "low 32 bits of the byte address of the first fault",
        ),
    ]
    return [
        {"name": name, "address": address, "access": access, "meaning": meaning}
        for name, address, access, meaning in rows
    ]


def _fields(fabric: Fabric, unit: ProgrammingUnit) -> list[_Json]:
    return [
        {
            "name": each.path,
            "bit": each.field.offset,
            "width": each.field.width,
            "address": each.field.offset // WORD_BITS * 4,
            "shift": each.field.offset % WORD_BITS,
            "storable": f"{each.field.get(unit.storable_mask):#x}",
            "meaning": field_meaning(each.field.name),
        }
        for each in unit_fields(fabric)
    ]
