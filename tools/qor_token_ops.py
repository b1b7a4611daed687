"""Token and loop providers to measure: payloads of 32 bits."""

from fabricgen.hsg.params import CapabilityParams
from fabricgen.hsg.ports import PhysicalPorts
from fabricgen.hsg.registry import FAMILIES
from fabricgen.hsg.resource import FabricOp, ResourceTiming
from fabricgen.hsg.token_params import (
    LoopStreamParams,
    PayloadCapacityParams,
    RoutedTokenParams,
    TokenPlaneParams,
)
from fabricgen.rtl.providers.stream_step import step_intervals
from fabricgen.vocab.families import ImplementationFamilyId as F
from fabricgen.vocab.hardware import IntegerWidth
from fabricgen.vocab.operations import IntegerPredicate, StreamStepKind
from tools.qor_ops import OpCase

__all__ = ["TOKEN_OPS"]

_BITS = 32
_LANES = (_BITS,) * 4


def _token(
    name: str,
    family: F,
    params: CapabilityParams,
    inputs: tuple[int, ...],
    outputs: tuple[int, ...],
    timing: tuple[int, int] = (1, 1),
    members: str = "any image of up to four lanes",
) -> OpCase:
    enabled = FAMILIES[family].admitted_operation_schema_ids
    ports = PhysicalPorts(inputs, outputs)
    op = FabricOp.of(family, enabled, params, ports, ResourceTiming(*timing))
    return OpCase(name, op, members=members)


def _streams(kind: StreamStepKind) -> list[OpCase]:
    """A step kind at each interval that it may have, with every predicate."""
    params = LoopStreamParams((IntegerWidth.I32,), kind, tuple(IntegerPredicate))
    return [
        _token(
            f"stream_{kind.name.lower()}",
            F.LOOP_STREAM,
            params,
            (_BITS,) * 3,
            (_BITS, 1),
            (1, interval),
            "every predicate",
        )
        for interval in step_intervals(kind, _BITS)
    ]


_ROUTED = RoutedTokenParams(_BITS, len(_LANES))
#: A selector of more than two lanes is an index.
_SELECTOR = 32

TOKEN_OPS = (
    _token(
        "token_constant",
        F.TOKEN_CONSTANT,
        PayloadCapacityParams(_BITS),
        (0,),
        (_BITS,),
        members="any constant",
    ),
    _token("token_sync", F.TOKEN_SYNC, _ROUTED, _LANES, _LANES),
    _token("token_mux", F.TOKEN_MUX, _ROUTED, (_SELECTOR, *_LANES), (_BITS,)),
    _token("token_demux", F.TOKEN_DEMUX, _ROUTED, (_SELECTOR, _BITS), _LANES),
    *(case for kind in StreamStepKind for case in _streams(kind)),
    _token(
        "loop_carry",
        F.LOOP_CARRY,
        TokenPlaneParams(),
        (1, _BITS, _BITS),
        (_BITS,),
        (0, 1),
        "one behaviour",
    ),
    _token(
        "loop_invariant",
        F.LOOP_INVARIANT,
        TokenPlaneParams(),
        (1, _BITS),
        (_BITS,),
        (0, 1),
        "one behaviour",
    ),
    _token(
        "loop_gate",
        F.LOOP_GATE,
        TokenPlaneParams(),
        (1, _BITS),
        (1, _BITS),
        (0, 1),
        "one behaviour",
    ),
)
