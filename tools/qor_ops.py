"""Datapath providers to measure: every family that has one, beside what rivals take for the same."""

from dataclasses import dataclass, replace

from fabricgen.hsg.keys import BehaviorKey
from fabricgen.hsg.params import CapabilityParams
from fabricgen.hsg.ports import PhysicalPorts
from fabricgen.hsg.profile import IntegerCastRelation
from fabricgen.hsg.registry import FAMILIES
from fabricgen.hsg.resource import FabricOp, ResourceTiming
from fabricgen.hsg.scalar_params import (
    ScalarBitReinterpretParams,
    ScalarIntegerCastParams,
    ScalarIntegerCompareMinMaxParams,
    ScalarIntegerParams,
    ScalarValueSelectParams,
)
from fabricgen.hsg.semantics import behaviors
from fabricgen.hsg.vector_params import FixedVectorIntegerCompareMinMaxParams
from fabricgen.vocab.dataflow import OperationSchemaId as O
from fabricgen.vocab.families import ImplementationFamilyId as F
from fabricgen.vocab.hardware import FloatFormat, IntegerWidth
from fabricgen.vocab.operations import IntegerPredicate

__all__ = ["SCALAR_OPS", "OpCase", "Target", "members_alone"]


@dataclass(frozen=True)
class Target:
    """What a provider is to reach: most COMB and MULT18, least MHz."""

    comb: int | None = None
    mhz: int | None = None
    mult: int | None = None

    def __str__(self) -> str:
        parts = []
        if self.comb is not None:
            parts.append(f"<= {self.comb} COMB")
        if self.mult is not None:
            parts.append(f"<= {self.mult} MULT18")
        if self.mhz is not None:
            parts.append(f">= {self.mhz} MHz")
        return ", ".join(parts)

    def is_met(self, comb: int | None, mhz: float | None, mult: int) -> bool:
        """Tell whether figures reach it; what was not measured does not."""
        return (
            (self.comb is None or (comb is not None and comb <= self.comb))
            and (self.mhz is None or (mhz is not None and mhz >= self.mhz))
            and (self.mult is None or mult <= self.mult)
        )


@dataclass(frozen=True)
class OpCase:
    """A resource to measure, and what the smallest comparable rivals take, in COMB and MHz."""

    name: str
    op: FabricOp
    rival: str = "-"
    members: str = "every member"
    target: Target | None = None

    @property
    def parameters(self) -> str:
        """What of the resource its name does not say."""
        widths = self.op.ports.inputs
        inputs = " + ".join(f"{width}" for width in widths)
        return f"inputs of {inputs} bits, {self.members}"


def members_alone(op: FabricOp) -> list[FabricOp]:
    """The resource with each of its members alone; one of members that behave alike.

    Nothing for a resource of a single behaviour, which shares nothing.
    """
    found: dict[tuple[BehaviorKey | O, ...], FabricOp] = {}
    for member in op.op_list:
        params = _params_alone(op.hw_params, member)
        alone = replace(op, op_list=(member,), hw_params=params)
        found.setdefault(behaviors(alone) or (member,), alone)
    return list(found.values()) if len(found) > 1 else []


def _params_alone(params: CapabilityParams, member: O) -> CapabilityParams:
    """Parameters without what another member alone needs."""
    match params:
        case ScalarIntegerCompareMinMaxParams() | FixedVectorIntegerCompareMinMaxParams() if (
            member is not O.ARITH_CMPI
        ):
            return replace(params, predicates=())
        case ScalarIntegerCastParams(relation):
            narrows = member is O.ARITH_TRUNCI
            pairs = tuple(
                (source, result)
                for source, result in relation.width_pairs
                if narrows == (source.bits > result.bits)
            )
            return ScalarIntegerCastParams(replace(relation, width_pairs=pairs))
        case _:
            return params


def _integer(
    name: str,
    family: F,
    params: CapabilityParams | None = None,
    *,
    inputs: tuple[int, ...] = (32, 32),
    timing: tuple[int, int] = (1, 1),
    rival: str = "-",
    members: str = "every member",
    target: Target | None = None,
) -> OpCase:
    """A scalar family with 32 bits; index casts are left out, which resemble the others."""
    enabled = set(FAMILIES[family].admitted_operation_schema_ids) - _LEFT_OUT
    record = ScalarIntegerParams((IntegerWidth.I32,)) if params is None else params
    ports = PhysicalPorts(inputs, (32,))
    op = FabricOp.of(family, enabled, record, ports, ResourceTiming(*timing))
    return OpCase(name, op, rival, members, target)


_LEFT_OUT = {O.LLVM_GET_ELEMENT_PTR, O.ARITH_INDEX_CAST, O.ARITH_INDEX_CASTUI}
_I8, _I32 = IntegerWidth.I8, IntegerWidth.I32

_ADD_SUB = Target(comb=75, mhz=150)
_SATURATING = Target(comb=140, mhz=150)
_SHIFT = Target(comb=330, mhz=130)
_MULTIPLY = Target(comb=300, mhz=100, mult=4)
_DIVIDE = Target(comb=400, mhz=120)

SCALAR_OPS = (
    _integer(
        "integer_add_sub",
        F.SCALAR_INTEGER_ADD_SUB,
        rival="70, 208 MHz, no handshake",
        target=_ADD_SUB,
    ),
    _integer(
        "integer_saturating_add_sub",
        F.SCALAR_INTEGER_SATURATING_ADD_SUB,
        rival="137, 156 MHz, no handshake",
        target=_SATURATING,
    ),
    _integer("integer_logic", F.SCALAR_INTEGER_LOGIC),
    _integer(
        "integer_shift",
        F.SCALAR_INTEGER_SHIFT,
        rival="509, 138 MHz (left alone: 216, 172 MHz), no handshake",
        target=_SHIFT,
    ),
    _integer(
        "integer_compare_min_max",
        F.SCALAR_INTEGER_COMPARE_MIN_MAX,
        ScalarIntegerCompareMinMaxParams((_I32,), tuple(IntegerPredicate)),
        rival="75 + 286, 184 and 130 MHz, no handshake",
    ),
    _integer(
        "value_select",
        F.SCALAR_VALUE_SELECT,
        ScalarValueSelectParams((_I32,), (FloatFormat.F32,)),
        inputs=(1, 32, 32),
    ),
    _integer(
        "integer_cast",
        F.SCALAR_INTEGER_CAST,
        ScalarIntegerCastParams(IntegerCastRelation(((_I8, _I32), (_I32, _I8)))),
        inputs=(32,),
        members="8 to 32 and 32 to 8 bits, no index",
    ),
    _integer(
        "bit_reinterpret",
        F.SCALAR_BIT_REINTERPRET,
        ScalarBitReinterpretParams((_I32,), (FloatFormat.F32,)),
        inputs=(32,),
    ),
    *(
        _integer(
            "integer_multiply",
            F.SCALAR_INTEGER_MULTIPLY,
            timing=(latency, 1),
            rival="293 + 4 MULT18, 107 MHz, 3 stages (38 + 3, 94 MHz, combinational)",
            target=_MULTIPLY,
        )
        for latency in (1, 2, 3)
    ),
    _integer(
        "signed_integer_div_rem",
        F.SCALAR_SIGNED_INTEGER_DIV_REM,
        timing=(34, 34),
        rival="598, 118 MHz, 36 cycles (quotient alone: 363, 144 MHz, 33 to 35 cycles)",
        target=_DIVIDE,
    ),
    _integer(
        "unsigned_integer_div_rem",
        F.SCALAR_UNSIGNED_INTEGER_DIV_REM,
        timing=(33, 33),
        rival="598, 118 MHz, 36 cycles, signed too",
        target=_DIVIDE,
    ),
    _integer("signed_integer_div_rem", F.SCALAR_SIGNED_INTEGER_DIV_REM, timing=(34, 1)),
    _integer("unsigned_integer_div_rem", F.SCALAR_UNSIGNED_INTEGER_DIV_REM, timing=(33, 1)),
    _integer(
        "integer_count_zeros",
        F.SCALAR_INTEGER_COUNT_ZEROS,
        inputs=(32,),
        rival="82 + 78, 158 and 164 MHz, no handshake",
    ),
)
