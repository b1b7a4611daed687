"""What a concrete resource is configured to be: one member of its semantic field, or nothing.

A resource whose field is ``None`` has the value ``None``; a finite field has a key; a direct one
has its carrier.
"""

from fabricgen.errors import Diagnostic, Invalid
from fabricgen.hsg.keys import BehaviorKey
from fabricgen.hsg.resource import FabricOp
from fabricgen.hsg.semantics import (
    DirectField,
    FiniteField,
    behavior_key,
    direct_value,
    semantic_field,
)
from fabricgen.hsg.token_params import RoutedTokenParams
from fabricgen.hsg.vector_params import FixedVectorSliceAlignMergeParams
from fabricgen.schema.operation_actor import OperationActor

__all__ = ["OpValue", "configured_value", "inactive_value"]

#: Key of a finite field, carrier of a direct one, ``None`` where there is no field.
OpValue = BehaviorKey | int | None


def configured_value(
    op: FabricOp, actor: OperationActor, lanes: tuple[int, ...] | None = None
) -> OpValue:
    """Value under which a resource does what an actor that it admits does.

    Parameters
    ----------
    op
        The resource.
    actor
        One exact actor.
    lanes
        Physical lanes of a routed token in the order of its software lanes; nothing for the
        resources of other families.

    Raises
    ------
    Invalid
        The resource does not admit the actor, or its lanes are no canonical image of it.
    """
    if lanes is not None and not isinstance(op.hw_params, RoutedTokenParams):
        raise Invalid(
            Diagnostic(
                "lanes-not-routed",
                "lanes",
                f"The lanes must be those of a routed token or absent, not {lanes}",
            )
        )
    match semantic_field(op):
        case FiniteField():
            return behavior_key(op, actor, lanes)
        case DirectField():
            return direct_value(op, actor)
        case None:  # exhaustive
            return _nothing(op, actor, lanes)


def inactive_value(op: FabricOp) -> OpValue:
    """Value of a resource that no actor uses: its first key, or its inactive carrier."""
    match semantic_field(op):
        case FiniteField(keys):
            return keys[0]
        case DirectField(carrier):
            return carrier.inactive
        case None:  # exhaustive
            return None


def _nothing(op: FabricOp, actor: OperationActor, lanes: tuple[int, ...] | None) -> None:
    """Judge an actor of a resource that has nothing to configure."""
    if isinstance(op.hw_params, FixedVectorSliceAlignMergeParams):
        if missing := op.admission(actor):
            raise Invalid(*missing)
        return
    behavior_key(op, actor, lanes)
