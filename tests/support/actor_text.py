"""Actors as somebody would write them: the other direction of reading the table of a mapping."""

from fabricgen.schema.payload import (
    Exact,
    FloatCompare,
    FloatingPoint,
    IntegerCompare,
    IntegerOverflowFlags,
    NonNegative,
    ShuffleMask,
    SpecialMathAccuracy,
    StaticPosition,
    StreamRecurrence,
    TypedConstant,
)
from fabricgen.schema.types import VectorType
from fabricgen.vocab.words import word
from tests.support.hsg import first_lanes


def actor_values(actor):
    """Plain values of one table; a routed token takes the first lanes."""
    table = {
        "operation": word(actor.schema_id),
        "operands": list(map(str, actor.operands)),
        "results": list(map(str, actor.results)),
        **payload_values(actor.payload),
    }
    lanes = first_lanes(actor)
    return table if lanes is None else table | {"lanes": list(lanes)}


def payload_values(payload):
    match payload:
        case IntegerOverflowFlags(flags):
            return {"overflow": names(flags)}
        case Exact(exact):
            return {"exact": exact}
        case NonNegative(non_negative):
            return {"non_negative": non_negative}
        case IntegerCompare(predicate):
            return {"predicate": predicate.name.lower()}
        case FloatCompare(predicate, flags):
            return {"predicate": predicate.name.lower(), "fast_math": names(flags)}
        case FloatingPoint(flags, rounding):
            mode = {} if rounding is None else {"rounding": rounding.name.lower()}
            return {"fast_math": names(flags)} | mode
        case SpecialMathAccuracy(flags, tier):
            return {"fast_math": names(flags), "accuracy": tier.name.lower()}
        case TypedConstant(kind, lanes):
            return {"bits": list(lanes) if isinstance(kind, VectorType) else lanes[0]}
        case StreamRecurrence(step, predicate):
            return {"step": step.name.lower(), "predicate": predicate.name.lower()}
        case StaticPosition(components):
            return {"positions": ["dynamic" if each is None else each for each in components]}
        case ShuffleMask(selectors):
            return {"mask": list(selectors)}
        case _:
            return {}


def names(flags):
    return [each.name.lower() for each in type(flags) if each in flags and each.value]
