"""Inputs of the codes of ``schema``: actors, their accesses, types and payloads."""

from dataclasses import replace

from fabricgen.atoms.pointer import PointerFormat
from fabricgen.schema.actor import CanonicalActorProjection, PlainContract, access_findings
from fabricgen.schema.operations import operation_named
from fabricgen.schema.payload import (
    Disjoint,
    FloatingPoint,
    IntegerOverflowFlags,
    NoPayload,
    ShuffleMask,
    SpecialMathAccuracy,
)
from fabricgen.schema.type_text import parse_type
from fabricgen.schema.types import IntegerType
from fabricgen.vocab.dataflow import AtomicOrdering, MemoryAddressForm
from fabricgen.vocab.dataflow import OperationSchemaId as O
from fabricgen.vocab.operations import FastMath, RoundingMode, SpecialMathAccuracyTier
from tests.support.actors import (
    CAS,
    FENCE,
    LANE,
    LOAD,
    RMW,
    STORE,
    TARGET,
    actors,
    exact,
)
from tests.support.hsg import F32, I8, I16, actor
from tests.support.memories import CONTIGUOUS, DYNAMIC, ELEMENT, view

ORDER = AtomicOrdering
PLAIN = CanonicalActorProjection(LOAD, PlainContract())
WORD = replace(view(ELEMENT), source_alignment_bytes=4)
POINTER = PointerFormat(0, 32, 32)


def ordering(schema, wrong):
    return lambda: exact(schema, ordering=wrong)


PRODUCERS = {
    "access-view-range": lambda: view(ELEMENT, element=0),
    "access-view-overflow": lambda: view(CONTIGUOUS, element=2**31, lanes=2**33),
    "access-view-alignment": lambda: exact(LOAD, alignment=3),
    "access-view-lanes": lambda: view(ELEMENT, lanes=2),
    "access-view-mask": lambda: view(ELEMENT, mask=DYNAMIC),
    "access-view-pointer": lambda: replace(
        view(ELEMENT), address_form=MemoryAddressForm.POINTER_ADDRESSED
    ),
    "operation-unknown": lambda: operation_named("ArithAdd", "op"),
    "value-type-text": lambda: parse_type("vector<4i8>", "operands[0]"),
    "value-type-range": lambda: IntegerType(0),
    "payload-range": lambda: ShuffleMask(()),
    "payload-accuracy-needs-afn": lambda: SpecialMathAccuracy(
        FastMath.NNAN, SpecialMathAccuracyTier.MAX_1_ULP
    ),
    "actor-payload-case": lambda: actor(O.ARITH_ADDI, (I8, I8), (I8,), NoPayload()),
    "actor-shape": lambda: actor(O.ARITH_ADDI, (I8, I16), (I8,), IntegerOverflowFlags()),
    "actor-payload-flag": lambda: actor(O.LLVM_OR_DISJOINT, (I8, I8), (I8,), Disjoint(False)),
    "actor-rounding": lambda: actor(
        O.ARITH_NEGF, (F32,), (F32,), FloatingPoint(rounding=RoundingMode.UPWARD)
    ),
    "actor-contract-kind": lambda: CanonicalActorProjection(FENCE, PlainContract()),
    "load-ordering": ordering(LOAD, ORDER.RELEASE),
    "store-ordering": ordering(STORE, ORDER.ACQUIRE),
    "rmw-ordering": ordering(RMW, ORDER.UNORDERED),
    "compare-exchange-success-ordering": ordering(CAS, ORDER.UNORDERED),
    "compare-exchange-failure-ordering": lambda: actors(
        CAS, orderings=[(ORDER.SEQ_CST, ORDER.RELEASE)]
    ),
    "fence-ordering": ordering(FENCE, ORDER.MONOTONIC),
    "sync-scope-target": lambda: actors(LOAD, scopes=[TARGET]),
    "fence-access": lambda: access_findings(exact(FENCE), WORD),
    "access-missing": lambda: access_findings(exact(LOAD), None),
    "plain-alignment": lambda: access_findings(PLAIN, WORD),
    "atomic-alignment": lambda: access_findings(exact(LOAD, alignment=8), WORD),
    "atomic-pointer-data": lambda: access_findings(
        exact(CAS), replace(WORD, data_pointer_format=POINTER)
    ),
    "atomic-granularity-form": lambda: access_findings(exact(LOAD, granularity=LANE), WORD),
    "atomic-element-width": lambda: access_findings(exact(LOAD), replace(WORD, element_bits=24)),
}
