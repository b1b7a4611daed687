"""Bad mappings and images of datapath resources for the table of bad inputs."""

import hashlib
from collections.abc import Iterator

from fabricgen.abi.image import encode_image
from fabricgen.author.fabric import parse_fabric
from fabricgen.plan.configuration import FabricConfiguration
from tests.support.bad_input import Case
from tests.support.documents import changed, toml

__all__ = ["FABRIC", "MAPPING", "op_images", "op_mappings"]

FABRIC = toml(
    {
        "fabric": {"name": "alu"},
        "op": [
            {
                "name": "alu",
                "family": "ScalarIntegerAddSub",
                "op_list": ["arith.addi", "arith.subi"],
                "hw_params": {"integer_widths": [8, 32]},
                "ports": {"inputs": [32, 32], "outputs": [32]},
                "timing": {"latency_cycles": 1, "initiation_interval_cycles": 1},
            }
        ],
    }
)
_SUM = {"operation": "arith.subi", "operands": ["i32", "i32"], "results": ["i32"]}
MAPPING = {"fabric": "alu", "op": {"alu": _SUM}}


def op_mappings() -> Iterator[Case]:
    """The table of one adder, with one value changed."""

    def case(title, at, value, *expected):
        files = {"fabric.toml": FABRIC, "mapping.toml": toml(changed(MAPPING, at, value))}
        return Case("mapping", title, files, ("check", "fabric.toml", "mapping.toml"), expected)

    alu = ("op", "alu")
    yield case(
        "actor of an op that the fabric does not have",
        ("op", "adder"),
        _SUM,
        'op.adder: The name must be one of alu, not "adder" [unknown-name]',
    )
    yield case(
        "operation that is not enabled",
        (*alu, "operation"),
        "arith.muli",
        "op.alu.operation: The name must be one of arith.addi, arith.subi, "
        'not "arith.muli" (did you mean arith.subi?) [op-not-enabled]',
    )
    yield case(
        "type that is not one",
        (*alu, "operands", 1),
        "int32",
        'op.alu.operands[1]: The type must have a type at character 1, not "int32" '
        "[value-type-text]",
    )
    yield case(
        "integer that the op has no datapath for",
        ("op", "alu"),
        _SUM | {"operands": ["i16", "i16"], "results": ["i16"]},
        "op.alu.results[0]: The integer must be one of i8, i32, not i16 [admission-width]",
    )
    yield case(
        "key of another operation",
        (*alu, "predicate"),
        "slt",
        "op.alu.predicate: The key must be one of operands, operation, overflow, results, "
        'not "predicate" [unknown-key]',
    )


def op_images() -> Iterator[Case]:
    """An image whose adder has a code that no key has."""
    fabric = parse_fabric(FABRIC)
    image = bytearray(encode_image(fabric, FabricConfiguration.inactive(fabric))[:-32])
    image[-1] = 0b100
    data = bytes(image) + hashlib.sha256(image).digest()
    yield Case(
        "image",
        "code of an op that no behaviour has",
        {"fabric.toml": FABRIC, "bad.image": data},
        ("image", "fabric.toml", "--read", "bad.image"),
        ("op[0].configuration: The value must be the code of one of 2 keys, not 0x2 [op-code]",),
    )
