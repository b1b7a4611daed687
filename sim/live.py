"""What the rows of running hardware wait for, from words read over the programming port."""

from collections.abc import Sequence

from fabricgen.abi.status import input_roles, waits_findings
from fabricgen.errors import Invalid
from fabricgen.model.network import Network, NetworkRow
from fabricgen.plan.rows import MemoryConfiguration
from fabricgen.records.connectivity import ManagerEndpointTarget
from fabricgen.records.fabric import NamedMemory
from sim.endpoints import label
from sim.wait_for import RowLinks, Surroundings, Wait, row_state, wait_for

__all__ = ["live_waits"]


def live_waits(
    named: NamedMemory, configuration: MemoryConfiguration, words: Sequence[int]
) -> tuple[Wait, ...]:
    """What each Active row waits for.

    Parameters
    ----------
    named, configuration
        The memory, which has the implementation option ``counters``, and the rows it runs.
    words
        The ``waits`` registers, row 0 first; ``Invalid`` where they cannot be theirs.
    """
    if found := tuple(waits_findings(named, words)):
        raise Invalid(*found)
    network = Network(named.occurrence, configuration)
    roles = [role.name for role in input_roles(named)]
    rows = [row for _, row in sorted(network.rows.items())]
    states = {
        row.ordinal: row_state(
            words[row.ordinal], roles, [source.role.name for source in row.sources]
        )
        for row in rows
    }
    return wait_for([_links(named, network, row) for row in rows], states, Surroundings())


def _links(named: NamedMemory, network: Network, row: NetworkRow) -> RowLinks:
    names, target = named.names, row.row.service_target
    return RowLinks(
        row=row.ordinal,
        port=names.ports[row.row.port],
        target=names.managers[target.ordinal]
        if isinstance(target, ManagerEndpointTarget)
        else "local",
        external={
            source.role.name: label(names.endpoints[source.stream[0]], source.stream[1])
            for source in row.sources
            if source.stream is not None
        },
        internal={
            source.role.name: (source.connection, network.producer(source).row)
            for source in row.sources
            if source.connection is not None
        },
        exposed=tuple(
            label(names.endpoints[destination.exposed[0]], destination.exposed[1])
            for destination in row.destinations
            if destination.exposed is not None
        ),
    )
