"""Turn records, rows, tokens and the model's answer into a job for the benches."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from fabricgen.abi.program import AxiLiteRead, AxiLiteStep, programming_sequence
from fabricgen.abi.unit import programming_unit
from fabricgen.model.execute import Execution
from fabricgen.model.network import TokenKey
from fabricgen.plan.capacity import port_capacities
from fabricgen.plan.geometry import bank_geometry
from fabricgen.plan.roles import RoleBindings, active_roles
from fabricgen.plan.rows import Active, MemoryConfiguration, OperationRow
from fabricgen.records.fabric import Fabric, NamedMemory
from fabricgen.records.port import MemoryOperationPort
from fabricgen.vocab.dataflow import MemoryAccessForm, ServiceValueRole
from fabricgen.vocab.fabric import EndpointDirection
from sim.job import EgressJob, IngressJob, Job, MemoryJob, Registers, RowJob, Run, Step

__all__ = ["make_job"]

#: Cycles from an accepted operand to its publication where nothing waits, with some to spare.
_PIPELINE_CYCLES = 16


def make_job(
    fabric: Fabric,
    configuration: MemoryConfiguration,
    streams: Mapping[TokenKey, Sequence[int]],
    before: bytes,
    execution: Execution,
    image: bytes,
    banks: Sequence[str],
    runs: Sequence[Run],
) -> Job:
    """Describe one simulation of a fabric with one memory.

    Parameters
    ----------
    fabric, configuration, image
        The design, its rows, and the image that programs them.
    streams, before, execution
        Tokens by input endpoint and tag, initial contents, and what the model made of them.
    banks
        Path of each bank's array inside the top.
    runs
        Stall patterns and seeds.
    """
    (named,) = fabric.memories
    uses = _uses(named, configuration)
    registers = programming_unit(fabric).registers
    geometry = bank_geometry(named)
    address_mask = (1 << geometry.address_bits) - 1
    ingresses = tuple(_ingresses(named, uses, streams, execution))
    return Job(
        rows=tuple(_rows(named, configuration, execution)),
        ingresses=ingresses,
        egresses=tuple(_egresses(named, uses, execution)),
        memory=MemoryJob(before, execution.memory, geometry.beat_bytes, tuple(banks)),
        program=tuple(map(_step, programming_sequence(fabric, image))),
        registers=Registers(
            registers.flags,
            registers.words["out_of_range_row"],
            tuple(
                address
                for name, address in registers.words.items()
                if name.startswith("out_of_range_address")
            ),
        ),
        faults=tuple((each.row, each.address & address_mask) for each in execution.out_of_range),
        is_quiescent=all(
            ingress.role is None or ingress.taken == execution.firings[ingress.row or 0]
            for ingress in ingresses
        ),
        bound=_progress_bound(named, configuration),
        runs=tuple(runs),
    )


_Use = tuple[int, ServiceValueRole]


def _active_rows(
    named: NamedMemory, configuration: MemoryConfiguration
) -> Iterator[tuple[int, OperationRow, MemoryOperationPort, RoleBindings, RoleBindings]]:
    engine = named.occurrence.engine
    if engine is None or not isinstance(configuration, Active):
        return
    for ordinal, row in enumerate(configuration.operation_rows):
        if row is not None:
            port = engine.ports[row.port]
            alternative = port.capability_alternatives[row.capability_alternative]
            yield ordinal, row, port, *active_roles(alternative, row.actor, row.access)


def _uses(named: NamedMemory, configuration: MemoryConfiguration) -> dict[int, _Use]:
    """Row and role of every endpoint that some Active row uses."""
    return {
        endpoint: (ordinal, role)
        for ordinal, _, _, inputs, results in _active_rows(named, configuration)
        for role, endpoint in (*inputs, *results)
    }


def _rows(
    named: NamedMemory, configuration: MemoryConfiguration, execution: Execution
) -> Iterator[RowJob]:
    for ordinal, row, port, inputs, _ in _active_rows(named, configuration):
        capacities = port_capacities(port)
        depths = dict(capacities.operand_depth)
        yield RowJob(
            row=ordinal,
            port=named.names.ports[row.port],
            depths={role.name: depths[role] for role, _ in inputs},
            in_flight=min(capacities.in_flight, capacities.result_holding),
            firings=execution.firings[ordinal],
        )


def _ingresses(
    named: NamedMemory,
    uses: Mapping[int, _Use],
    streams: Mapping[TokenKey, Sequence[int]],
    execution: Execution,
) -> Iterator[IngressJob]:
    engine = named.occurrence.engine
    for ordinal, name, width in _endpoints(named, EndpointDirection.IN):
        tokens = tuple(streams.get((ordinal, None), ()))
        if engine is None or ordinal not in uses:
            yield IngressJob(name, width, tokens, 0)
            continue
        row, role = uses[ordinal]
        depth = dict(port_capacities(engine.ports[row]).operand_depth)[role]
        taken = execution.firings[row] + min(execution.leftover[ordinal, None], depth)
        yield IngressJob(name, width, tokens, taken, row, role.name)


def _egresses(
    named: NamedMemory, uses: Mapping[int, _Use], execution: Execution
) -> Iterator[EgressJob]:
    for ordinal, name, width in _endpoints(named, EndpointDirection.OUT):
        row, role = uses.get(ordinal, (None, None))
        role_name = None if role is None else role.name
        yield EgressJob(name, width, execution.outputs[ordinal, None], row, role_name)


def _endpoints(named: NamedMemory, direction: EndpointDirection) -> Iterable[tuple[int, str, int]]:
    for ordinal, endpoint in enumerate(named.occurrence.endpoints):
        if endpoint.direction is direction:
            yield ordinal, named.names.endpoints[ordinal], endpoint.payload_width


def _step(step: AxiLiteStep) -> Step:
    is_write = not isinstance(step, AxiLiteRead)
    return Step(is_write, step.address, step.data, step.response.name)


def _progress_bound(named: NamedMemory, configuration: MemoryConfiguration) -> int:
    """Cycles within which something moves, if anything can.

    At worst every firing that fits inside waits for one bank, which serves one beat a cycle.
    """
    beat_bytes = bank_geometry(named).beat_bytes
    beats = 0
    for _, row, port, _, _ in _active_rows(named, configuration):
        capacities = port_capacities(port)
        depth = max((depth for _, depth in capacities.operand_depth), default=0)
        firings = depth + capacities.in_flight
        if row.access.form is MemoryAccessForm.INDEXED:
            per_lane = row.access.element_bits // 8 // beat_bytes + 2
            beats += firings * row.access.lane_count * per_lane
        else:
            beats += firings * (row.access.data_bits // 8 // beat_bytes + 2)
    return _PIPELINE_CYCLES + beats
