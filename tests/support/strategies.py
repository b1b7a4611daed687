"""Hypothesis strategies that build only canonical records."""

from hypothesis import strategies as st

from fabricgen.records.connectivity import (
    InternalConnection,
    LocalMemoryServiceTarget,
    ManagerEndpointTarget,
    MemoryConnectivityContract,
    OperationPortDispatch,
    SubordinateDispatch,
)
from fabricgen.vocab.dispatch import AddressTransform, MatchField

U64 = st.integers(0, 2**64 - 1)


@st.composite
def subordinate_dispatches(draw: st.DrawFn) -> SubordinateDispatch:
    """Any legal record; the dependent bound is drawn after what it depends on."""
    fields = draw(st.sets(st.sampled_from(MatchField)))
    ordinals = draw(st.sets(U64, max_size=4))
    local = draw(st.booleans()) or not ordinals
    return SubordinateDispatch(
        max_exposed_bindings=draw(st.integers(1, 2**64 - 1)) if fields else 1,
        match_fields=tuple(sorted(fields, key=lambda field: field.value)),
        address_transform=draw(st.sampled_from(AddressTransform)),
        targets=(
            *((LocalMemoryServiceTarget(),) if local else ()),
            *map(ManagerEndpointTarget, sorted(ordinals)),
        ),
    )


@st.composite
def connectivity_contracts(draw: st.DrawFn) -> MemoryConnectivityContract:
    """Any legal connectivity, without regard to an occurrence."""
    target = st.just(LocalMemoryServiceTarget()) | st.builds(ManagerEndpointTarget, U64)
    domains = st.lists(st.sets(target, min_size=1, max_size=3), max_size=3)
    return MemoryConnectivityContract(
        operation_ports=tuple(
            OperationPortDispatch.of(*port) for port in draw(st.lists(domains, max_size=3))
        ),
        subordinate_endpoints=tuple(draw(st.lists(subordinate_dispatches(), max_size=2))),
        internal_connections=tuple(
            sorted(draw(st.sets(st.builds(InternalConnection, U64, U64), max_size=3)))
        ),
    )
