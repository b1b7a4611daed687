"""Wire form of :mod:`fabricgen.hsg.resource`, in the record's field order.

==========  ====================================================================================
family      framed ASCII keyword
op_list     u64be count; each a framed operation-schema atom
hw_params   framed parameter record (:mod:`fabricgen.hsg.params_codec`)
ports       u64be count of inputs; each u32be width in bits; the same for outputs
timing      u32be latency, u32be initiation interval, in cycles
==========  ====================================================================================
"""

from fabricgen.atoms.dataflow import OPERATION_SCHEMA_IDS
from fabricgen.errors.place import placed
from fabricgen.hsg import params_codec
from fabricgen.hsg.params_codec import encode_set, read_set
from fabricgen.hsg.ports import PhysicalPorts
from fabricgen.hsg.registry import family_keyword, family_named
from fabricgen.hsg.resource import FabricOp, ResourceTiming
from fabricgen.wire.frame import Reader, frame, u32be, u64be

__all__ = ["decode", "encode"]


def encode(record: FabricOp) -> bytes:
    """Encode a record; total, because a record cannot hold an illegal value."""
    return b"".join(
        [
            frame(family_keyword(record.family).encode("ascii")),
            encode_set(OPERATION_SCHEMA_IDS, record.op_list),
            frame(params_codec.encode(record.hw_params)),
            _encode_widths(record.ports.inputs),
            _encode_widths(record.ports.outputs),
            u32be(record.timing.latency_cycles),
            u32be(record.timing.initiation_interval_cycles),
        ]
    )


def decode(data: bytes) -> FabricOp:
    """Decode strictly: every frame, atom and order, and the rules of a concrete resource."""
    reader = Reader(data)
    # Bytes that are no ASCII become characters that no keyword has.
    family = family_named(reader.frame().decode("latin-1"), "family")
    op_list = read_set(OPERATION_SCHEMA_IDS, reader, "op_list")
    params = reader.frame()
    ports = PhysicalPorts(_read_widths(reader), _read_widths(reader))
    latency, interval = reader.u32(), reader.u32()
    reader.end()
    with placed("timing"):
        timing = ResourceTiming(latency, interval)
    with placed("hw_params"):
        hw_params = params_codec.decode(params)
    return FabricOp(family, op_list, hw_params, ports, timing)


def _encode_widths(widths: tuple[int, ...]) -> bytes:
    return u64be(len(widths)) + b"".join(map(u32be, widths))


def _read_widths(reader: Reader) -> tuple[int, ...]:
    return tuple(reader.u32() for _ in range(reader.count(4)))
