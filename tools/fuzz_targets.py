"""What :mod:`tools.fuzz_decoders` fuzzes: six decoders, their encoders, and real records as seeds."""

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from fabricgen.abi import image
from fabricgen.abi.image import decode_image, encode_image
from fabricgen.atoms import dataflow
from fabricgen.author.fabric import parse_fabric
from fabricgen.author.mapping import read_mapping
from fabricgen.check import fabric as check_fabric
from fabricgen.config import codec as config_codec
from fabricgen.errors import FabricError, Invalid
from fabricgen.plan.realisation import unsupported
from fabricgen.records import (
    access_codec,
    actor_codec,
    fabric_codec,
    resource_codec,
    service_codec,
)
from fabricgen.records.access import ACCESS_STRUCTURAL
from fabricgen.records.fabric import Fabric
from fabricgen.records.occurrence import MemoryOccurrence
from fabricgen.relation import codec as relation_codec
from fabricgen.schema.memory import MEMORY_SCHEMAS

__all__ = ["TARGETS", "Target", "check", "tokens"]

_EXAMPLES = Path(str(resources.files("fabricgen.examples")))
_OPS = Path(__file__).parents[1] / "tests" / "support" / "ops.toml"
_DIGEST_BYTES = 32
#: The memory of the fabric that images are read against: both schedules' fields are in its codec.
_IMAGE_EXAMPLE = "temporal-local"
#: What its datapath resources are configured to do: a finite key, a value, and both lane images.
_SETTINGS = """
[op.scalar_integer_compare_min_max]
operation = "arith.cmpi"
operands = ["i16", "i16"]
results = ["i1"]
predicate = "ult"

[op.payload_capacity]
operation = "dataflow.constant"
operands = ["none"]
results = ["i64"]
value = 81985529216486895

[op.fixed_vector_slice_align_merge]
operation = "vector.insert"
operands = ["i8", "vector<2x4xi8>", "index32"]
results = ["vector<2x4xi8>"]
positions = ["dynamic", 3]

[op.fixed_vector_shuffle]
operation = "vector.shuffle"
operands = ["vector<2xi8>", "vector<2xi8>"]
results = ["vector<3xi8>"]
mask = [3, -1, 1]
"""


@dataclass(frozen=True)
class Target:
    """A decoder, its encoder, and bytes of real records.

    ``decode`` raises a ``FabricError`` for whatever it refuses.
    """

    decode: Callable[[bytes], Any]
    encode: Callable[[Any], bytes]
    seeds: Callable[[], Iterable[bytes]]


def check(target: Target, data: bytes) -> None:
    """Hold one input: refused as it should be, or the one encoding of what it decodes to."""
    try:
        record = target.decode(data)
    except FabricError:
        return
    again = target.encode(record)
    if again != data:
        raise AssertionError(
            f"An accepted input must be its record's encoding, not {data.hex()} for {again.hex()}"
        )


def _once(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Derive what follows from one fabric once: it takes ten times as long as reading an image."""
    known: dict[int, tuple[Any, Any]] = {}

    def derived(argument: Any) -> Any:
        if id(argument) not in known:
            known[id(argument)] = (argument, function(argument))
        return known[id(argument)][1]

    return derived


@cache
def _fabrics() -> dict[str, Fabric]:
    """The shipped fabrics by name."""
    folders = sorted(path for path in _EXAMPLES.iterdir() if (path / "fabric.toml").is_file())
    return {each.name: parse_fabric((each / "fabric.toml").read_text()) for each in folders}


def _occurrences() -> list[MemoryOccurrence]:
    return [named.occurrence for fabric in _fabrics().values() for named in fabric.memories]


def _decode_fabric(data: bytes) -> Fabric:
    """Decode, and look at the fabric as commands do: neither may fail on a decoded fabric."""
    fabric = fabric_codec.decode(data)
    if not check_fabric.findings(fabric):
        unsupported(fabric)
    return fabric


def _ops() -> Fabric:
    """A datapath resource of each parameter record."""
    return parse_fabric(_OPS.read_text())


def _fabric_seeds() -> list[bytes]:
    """The shipped fabrics, and one of datapath resources."""
    return [fabric_codec.encode(fabric) for fabric in (*_fabrics().values(), _ops())]


def _decode_relation(data: bytes) -> tuple[Any, ...]:
    """Decode the shared relation; an access domain reads its rows and may refuse their atoms."""
    rows = relation_codec.decode(data, ACCESS_STRUCTURAL)
    try:
        domain = access_codec.decode(data)
    except Invalid:
        return rows
    if domain.rows != rows:
        raise AssertionError("An access domain must have the rows of its relation, not others")
    return rows


def _relation_seeds() -> list[bytes]:
    return [
        access_codec.encode(domain)
        for each in _capabilities()
        if (domain := each.parameterized_access_domain) is not None
    ]


def _actor_seeds() -> list[bytes]:
    return [actor_codec.encode(each.actor_contract_domain) for each in _capabilities()]


def _capabilities() -> list[Any]:
    return [
        alternative
        for occurrence in _occurrences()
        if occurrence.engine is not None
        for port in occurrence.engine.ports
        for alternative in port.capability_alternatives
    ]


def _resource_seeds() -> list[bytes]:
    return [
        resource_codec.encode(contract)
        for occurrence in _occurrences()
        for contract in (
            *(port.resource_contract for port in getattr(occurrence.engine, "ports", ())),
            *(each.resource_contract for each in _services(occurrence)),
        )
    ]


def _service_seeds() -> list[bytes]:
    return [service_codec.encode(each) for o in _occurrences() for each in _services(o)]


def _services(occurrence: MemoryOccurrence) -> list[Any]:
    service = occurrence.local_service
    return [] if service is None else [service.memory_service_contract]


@cache
def _image_fabric() -> Fabric:
    image.programming_unit = _once(image.programming_unit)
    image.fabric_identity = _once(image.fabric_identity)
    image.carrier_layout = config_codec.carrier_layout = _once(config_codec.carrier_layout)
    return replace(_fabrics()[_IMAGE_EXAMPLE], ops=_ops().ops)


def _decode_image(data: bytes) -> bytes:
    """Read an image as it is, and what precedes its last 32 bytes under the digest that it needs.

    Nobody finds a digest by changing bytes, so the second reading is what reaches the carrier.
    """
    record = data[:-_DIGEST_BYTES]
    sealed = record + hashlib.sha256(record).digest()
    _hold_image(sealed)
    if data != sealed:
        decode_image(_image_fabric(), data)
    return data


def _hold_image(data: bytes) -> None:
    fabric = _image_fabric()
    configuration = decode_image(fabric, data)
    if (again := encode_image(fabric, configuration)) != data:
        raise AssertionError(f"An image must be re-encoded as it is, not as {again.hex()}")


def _image_seeds() -> list[bytes]:
    fabric = _image_fabric()
    mappings = sorted((_EXAMPLES / _IMAGE_EXAMPLE).glob("mapping*.toml"))
    return [
        encode_image(fabric, read_mapping(path.read_text() + settings, fabric).configuration)
        for path in mappings
        for settings in ("", _SETTINGS)
    ]


TARGETS: dict[str, Target] = {
    "fabric": Target(_decode_fabric, fabric_codec.encode, _fabric_seeds),
    "relation": Target(_decode_relation, relation_codec.encode, _relation_seeds),
    "actor": Target(actor_codec.decode, actor_codec.encode, _actor_seeds),
    "resource": Target(resource_codec.decode, resource_codec.encode, _resource_seeds),
    "service": Target(service_codec.decode, service_codec.encode, _service_seeds),
    "image": Target(_decode_image, lambda data: data, _image_seeds),
}


def tokens() -> list[bytes]:
    """Atoms and counts that a mutation would hardly find."""
    tables = (
        (dataflow.ACCESS_FORMS, dataflow.MemoryAccessForm),
        (dataflow.ADDRESS_FORMS, dataflow.MemoryAddressForm),
        (dataflow.ORDERINGS, dataflow.AtomicOrdering),
        (dataflow.RMW_KINDS, dataflow.AtomicRmwKind),
        (dataflow.GRANULARITIES, (None, *dataflow.VectorAtomicGranularity)),
        (dataflow.BOOLEANS, (False, True)),
    )
    atoms = [table.atom(value) for table, values in tables for value in values]
    schemas = [dataflow.SCHEMA_IDS.atom(each) for each in MEMORY_SCHEMAS]
    counts = [value.to_bytes(8, "big") for value in (0, 1, 2, 2**32 - 1, 2**63, 2**64 - 1)]
    return [*atoms, *schemas, *(len(a).to_bytes(8, "big") + a for a in atoms), *counts]
