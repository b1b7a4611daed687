"""The semantic field of a concrete resource: the one derivation of what is configured.

``None`` where every admitted actor needs the same behaviour; a finite set of keys; or a carrier
that holds the actor's own numbers. Nobody else decodes these (spec: Normative Family Registry).
"""

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from functools import lru_cache

from fabricgen.errors import Diagnostic, Invalid, Unsupported
from fabricgen.hsg.admission_rules import fit_findings
from fabricgen.hsg.behavior import behavior
from fabricgen.hsg.bits import choice_bits
from fabricgen.hsg.constant_carrier import ConstantCarrier
from fabricgen.hsg.keys import BehaviorKey, encode_key
from fabricgen.hsg.lanes import MAX_KEYS, effective_widths, lane_images, require_canonical_image
from fabricgen.hsg.resource import FabricOp
from fabricgen.hsg.shuffle_carrier import ShuffleCarrier
from fabricgen.hsg.slice_carrier import SliceCarrier
from fabricgen.hsg.token_params import PayloadCapacityParams, RoutedTokenParams
from fabricgen.hsg.vector_params import (
    FixedVectorShuffleParams,
    FixedVectorSliceAlignMergeParams,
)
from fabricgen.schema.operation_actor import OperationActor
from fabricgen.vocab.dataflow import OperationSchemaId
from fabricgen.vocab.families import ImplementationFamilyId

__all__ = [
    "DirectField",
    "FiniteField",
    "SemanticField",
    "behavior_key",
    "behaviors",
    "direct_value",
    "semantic_field",
]

_F = ImplementationFamilyId
#: Derivations that are kept, since each is asked for again for every actor and every image.
_KEPT = 256
#: Families in which a component counts if it varies at all, not only within one role.
_CONTROL = (
    _F.LOOP_STREAM,
    _F.FIXED_VECTOR_PARALLELIZE,
    _F.FIXED_VECTOR_SERIALIZE,
)
_COMPONENTS = tuple(
    each.name for each in fields(BehaviorKey) if each.name not in ("family", "role")
)


@dataclass(frozen=True, slots=True)
class FiniteField:
    """Two keys or more in the order of their bytes; the first is the inactive one."""

    keys: tuple[BehaviorKey, ...]

    @property
    def bit_count(self) -> int:
        """Bits of a dense ordinal."""
        return choice_bits(len(self.keys))

    def ordinal(self, key: BehaviorKey) -> int:
        """Dense ordinal of a key in canonical order; an unknown one is a ``ValueError``."""
        return self.keys.index(key)

    def decode(self, data: bytes, where: str) -> BehaviorKey:
        """Find the key with these bytes; any others are ``Invalid``."""
        for key in self.keys:
            if encode_key(key) == data:
                return key
        raise Invalid(
            Diagnostic(
                "semantic-key-unknown",
                where,
                f"The bytes must be one of the resource's {len(self.keys)} keys, "
                f"not {data[:64].hex() or 'none'}",
            )
        )


@dataclass(frozen=True, slots=True)
class DirectField:
    """A carrier that is configured as it stands."""

    carrier: ConstantCarrier | SliceCarrier | ShuffleCarrier

    @property
    def bit_count(self) -> int:
        """Width of the carrier."""
        return self.carrier.bit_count


SemanticField = FiniteField | DirectField | None


@lru_cache(maxsize=_KEPT)
def semantic_field(resource: FabricOp) -> SemanticField:
    """Derive the field of a resource; one with more than 4,096 keys is ``Unsupported``."""
    carrier = _carrier(resource)
    if carrier is not None:
        return None if carrier.is_constant else DirectField(carrier)
    keys = sorted(_keys(resource), key=encode_key)
    return FiniteField(tuple(keys)) if len(keys) > 1 else None


def behaviors(resource: FabricOp) -> tuple[BehaviorKey, ...]:
    """The behaviours of a resource with all their components, in the order of their ordinals.

    A component that its key leaves out has one value here, which the hardware needs all the same.
    A field of ``None`` has one behaviour, a direct carrier none.
    """
    if _carrier(resource) is not None:
        return ()
    keys = _keys(resource)
    return tuple(keys[short] for short in sorted(keys, key=encode_key))


def behavior_key(
    resource: FabricOp, actor: OperationActor, lanes: tuple[int, ...] | None = None
) -> BehaviorKey:
    """Key that realises an actor which the resource admits; an actor that it lacks is ``Invalid``.

    ``lanes`` are the physical lanes of a routed token in the order of its software lanes; other
    families have none.
    """
    if missing := resource.admission(actor):
        raise Invalid(*missing)
    if isinstance(resource.hw_params, RoutedTokenParams):
        return _routed_key(resource, resource.hw_params, actor, lanes or ())
    key = behavior(resource.family, resource.hw_params, actor)
    return _without(key, _fixed_components(resource, key.role))


def direct_value(resource: FabricOp, actor: OperationActor) -> int:
    """Carrier that realises an actor which the resource admits; another actor is ``Invalid``."""
    carrier = _carrier(resource)
    if carrier is None:
        raise TypeError(f"Resource must have a direct carrier, not be {resource!r}")
    if missing := resource.admission(actor):
        raise Invalid(*missing)
    return carrier.encode(actor)


def _carrier(resource: FabricOp) -> ConstantCarrier | SliceCarrier | ShuffleCarrier | None:
    ports = resource.ports
    match resource.hw_params:
        case PayloadCapacityParams() as params:
            return ConstantCarrier.of(params, ports)
        case FixedVectorSliceAlignMergeParams() as params:
            return SliceCarrier(params, ports, resource.op_list)
        case FixedVectorShuffleParams() as params:
            return ShuffleCarrier(params, ports)
        case _:
            return None


def _keys(resource: FabricOp) -> dict[BehaviorKey, BehaviorKey]:
    """Each key, and with all its components the behaviour that it stands for."""
    if isinstance(resource.hw_params, RoutedTokenParams):
        (operation,) = resource.op_list
        images = lane_images(operation, resource.hw_params, resource.ports)
        keys = [BehaviorKey(resource.family, lanes=image) for image in images]
        return dict(zip(keys, keys, strict=True))
    found = _behaviors(resource)
    roles = {key.role for key in found}
    groups = {role: _fixed_among(resource, found, role) for role in roles}
    return {_without(key, groups[key.role]): key for key in found}


def _behaviors(resource: FabricOp) -> set[BehaviorKey]:
    """Reachable behaviours with all their components; the first one too many is refused."""
    found: set[BehaviorKey] = set()
    for actor in resource.reachable():
        found.add(behavior(resource.family, resource.hw_params, actor))
        if len(found) > MAX_KEYS:
            raise Unsupported(
                Diagnostic(
                    "semantic-keys-too-many",
                    "hw_params",
                    f"The resource must have at most {MAX_KEYS} behaviours, not {len(found)} or "
                    "more",
                )
            )
    return found


@lru_cache(maxsize=_KEPT)
def _fixed_components(resource: FabricOp, role: str) -> frozenset[str]:
    return _fixed_among(resource, _behaviors(resource), role)


def _fixed_among(resource: FabricOp, found: Iterable[BehaviorKey], role: str) -> frozenset[str]:
    """Components that have one value among the behaviours of a role, or of the whole domain."""
    alike = [key for key in found if resource.family in _CONTROL or key.role == role]
    return frozenset(
        name for name in _COMPONENTS if len({getattr(key, name) for key in alike} - {None}) < 2
    )


def _without(key: BehaviorKey, names: frozenset[str]) -> BehaviorKey:
    return replace(key, **dict.fromkeys(names))


def _routed_key(
    resource: FabricOp,
    params: RoutedTokenParams,
    actor: OperationActor,
    lanes: tuple[int, ...],
) -> BehaviorKey:
    operation = actor.schema_id
    payloads = {
        OperationSchemaId.DATAFLOW_MUX: actor.operands[1:],
        OperationSchemaId.DATAFLOW_DEMUX: actor.results,
    }.get(operation, actor.operands)
    require_canonical_image(operation, params, resource.ports, lanes)
    if len(lanes) != len(payloads):
        raise Invalid(
            Diagnostic(
                "lane-count", "lanes", f"There must be {len(payloads)} lanes, not {len(lanes)}"
            )
        )
    widths = dict(effective_widths(operation, params, resource.ports))
    if narrow := tuple(
        finding
        for lane, kind in zip(lanes, payloads, strict=True)
        for finding in fit_findings("lanes", kind, widths[lane])
    ):
        raise Invalid(*narrow)
    is_set = operation is OperationSchemaId.DATAFLOW_SYNC
    return BehaviorKey(resource.family, lanes=tuple(sorted(lanes)) if is_set else lanes)
