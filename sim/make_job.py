"""Turn records, rows, tokens and the model's answer into a job for the benches."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace

from fabricgen.abi.program import AxiLiteRead, AxiLiteStep, programming_sequence
from fabricgen.abi.unit import programming_unit
from fabricgen.model.beats import Beat
from fabricgen.model.execute import Execution
from fabricgen.model.network import Network, NetworkRow
from fabricgen.plan.beat_request import BeatRequest
from fabricgen.plan.capacity import PortCapacities, port_capacities
from fabricgen.plan.demand import ChannelKey, is_temporal
from fabricgen.plan.geometry import MANAGER_ADDRESS_BITS, bank_geometry, port_targets
from fabricgen.plan.rows import Active, MemoryConfiguration
from fabricgen.plan.subordinate_use import subordinate_use
from fabricgen.records.connectivity import (
    LocalMemoryServiceTarget,
    ManagerEndpointTarget,
    MemoryDispatchTarget,
)
from fabricgen.records.fabric import Fabric, NamedMemory
from fabricgen.records.occurrence import Temporal
from fabricgen.schema.contract import (
    AtomicContract,
    AtomicRmwContract,
    CompareExchangeContract,
    FenceContract,
    MemoryContract,
    PlainContract,
)
from fabricgen.vocab.dataflow import MemoryAccessForm, ServiceKind, ServiceValueRole
from fabricgen.vocab.dispatch import MatchField
from fabricgen.vocab.fabric import EndpointDirection, MemoryPortTransactionProjection
from fabricgen.vocab.words import word
from sim.job import (
    EgressJob,
    IngressJob,
    InternalOperand,
    Job,
    ManagerBeat,
    ManagerJob,
    MemoryJob,
    Registers,
    RowJob,
    Run,
    Step,
    SubordinateBeat,
    SubordinateJob,
)
from sim.manager_agent import LONGEST_LATENCY

__all__ = ["Stimulus", "make_job", "memory_parts", "programming_steps"]

#: What user signals say, lowest first.
_USER = (MatchField.ADDRESS_SPACE, MatchField.CONTEXT)

#: Cycles from an accepted operand to its publication where nothing waits, with some to spare.
_PIPELINE_CYCLES = 16


@dataclass(frozen=True, slots=True)
class Stimulus:
    """What goes into the occurrence.

    Parameters
    ----------
    streams
        Tokens by input endpoint and tag.
    memory
        Initial contents of the local service, its whole capacity.
    managers
        Initial bytes behind each manager, by ordinal and address.
    requests
        Beats of each subordinate that gets some, by ordinal.
    """

    streams: Mapping[ChannelKey, Sequence[int]]
    memory: bytes
    managers: Mapping[int, Mapping[int, int]] = field(default_factory=dict[int, Mapping[int, int]])
    requests: Mapping[int, Sequence[BeatRequest]] = field(
        default_factory=dict[int, Sequence[BeatRequest]]
    )


def make_job(
    fabric: Fabric,
    configuration: MemoryConfiguration,
    stimulus: Stimulus,
    execution: Execution,
    image: bytes,
    banks: Sequence[str],
    runs: Sequence[Run],
    instances: Sequence[str] = (),
) -> Job:
    """Describe one simulation of a fabric with one memory.

    Parameters
    ----------
    fabric, configuration, image
        The design, its rows, and the image that programs them.
    stimulus, execution
        What goes in, and what the model made of it.
    banks
        Path of each bank's array inside the top.
    runs
        Stall patterns and seeds.
    instances
        Path of each port inside the top, where there is a hierarchy.
    """
    (named,) = fabric.memories
    making = _Making(named, configuration, stimulus, execution, instances)
    return making.job(fabric, image, banks, runs)


def memory_parts(contents: Mapping[int, int]) -> tuple[tuple[int, bytes], ...]:
    """Bytes by address as ``(address, bytes)`` parts without gaps, in address order."""
    parts: list[tuple[int, bytearray]] = []
    for address in sorted(contents):
        if not parts or parts[-1][0] + len(parts[-1][1]) != address:
            parts.append((address, bytearray()))
        parts[-1][1].append(contents[address])
    return tuple((address, bytes(data)) for address, data in parts)


def _op_inputs(fabric: Fabric) -> Iterator[str]:
    """Inputs of the top that belong to its ops."""
    for named in fabric.ops:
        for ordinal, width in enumerate(named.op.ports.inputs):
            yield f"{named.name}_in{ordinal}_valid"
            if width:
                yield f"{named.name}_in{ordinal}_data"
        for ordinal in range(len(named.op.ports.outputs)):
            yield f"{named.name}_out{ordinal}_ready"


class _Making:
    """One memory with its rows resolved."""

    def __init__(
        self,
        named: NamedMemory,
        configuration: MemoryConfiguration,
        stimulus: Stimulus,
        execution: Execution,
        instances: Sequence[str],
    ) -> None:
        self._named = named
        self._instances = instances
        self._decode = configuration.provider_decode if isinstance(configuration, Active) else ()
        self._stimulus = stimulus
        self._execution = execution
        self._network = Network(named.occurrence, configuration)
        #: Targets that somebody may reach: no other is there in hardware.
        self._reached = {
            target
            for port, _ in enumerate(named.names.ports)
            for target in port_targets(named.occurrence, port)
        }
        if named.names.subordinates:
            self._reached.add(LocalMemoryServiceTarget())
        self._rows = [row for _, row in sorted(self._network.rows.items())]
        self._consumers: dict[ChannelKey, tuple[int, ServiceValueRole]] = {
            source.stream: (row.ordinal, source.role)
            for row in self._rows
            for source in row.sources
            if source.stream is not None
        }

    def job(self, fabric: Fabric, image: bytes, banks: Sequence[str], runs: Sequence[Run]) -> Job:
        named, execution = self._named, self._execution
        registers = programming_unit(fabric).registers
        at = "out_of_range_address"
        ingresses = tuple(self._ingresses())
        memory = None
        if LocalMemoryServiceTarget() in self._reached:
            word_bytes = bank_geometry(named).beat_bytes
            memory = MemoryJob(self._stimulus.memory, execution.memory, word_bytes, tuple(banks))
        return Job(
            rows=tuple(map(self._row, self._rows)),
            ingresses=ingresses,
            egresses=tuple(self._egresses()),
            memory=memory,
            program=programming_steps(fabric, image),
            registers=Registers(
                registers.flags,
                registers.words.get("out_of_range_row"),
                tuple(word for name, word in registers.words.items() if name.startswith(at)),
            ),
            faults=tuple(
                (fault.row, fault.address & (1 << self._address_bits(fault.row)) - 1)
                for fault in execution.out_of_range
            ),
            is_quiescent=not any(execution.held.values())
            and all(
                ingress.row is None or ingress.taken == execution.firings[ingress.row]
                for ingress in ingresses
            ),
            bound=self._progress_bound(),
            runs=tuple(runs),
            managers=tuple(self._managers()),
            subordinates=tuple(self._subordinates()),
            idle=tuple(_op_inputs(fabric)),
        )

    def _capacities(self, row: NetworkRow) -> PortCapacities:
        engine = self._named.occurrence.engine
        if engine is None:
            raise ValueError("Occurrence must have an operation engine, not None")
        return port_capacities(engine.ports[row.row.port])

    def _row(self, row: NetworkRow) -> RowJob:
        capacities = self._capacities(row)
        depths = dict(capacities.operand_depth)
        return RowJob(
            row=row.ordinal,
            port=self._named.names.ports[row.row.port],
            # A connection fills a slot only when it is empty.
            depths={
                source.role.name: depths[source.role] if source.connection is None else 1
                for source in row.sources
            },
            in_flight=capacities.slots_of(row.ordinal),
            firings=self._execution.firings[row.ordinal],
            internal=tuple(
                InternalOperand(
                    source.role.name, source.connection, self._network.producer(source).row
                )
                for source in row.sources
                if source.connection is not None
            ),
            target=self._target_name(row.row.service_target),
            instance=self._instances[row.row.port] if self._instances else "",
            bit=row.ordinal if is_temporal(self._named.occurrence) else 0,
        )

    def _target_name(self, target: MemoryDispatchTarget) -> str:
        if isinstance(target, ManagerEndpointTarget):
            return self._named.names.managers[target.ordinal]
        return "local"

    def _ingresses(self) -> Iterator[IngressJob]:
        execution, streams = self._execution, self._stimulus.streams
        keys = dict.fromkeys((*self._consumers, *streams))
        for ordinal, name, width, tag_width in self._endpoints(EndpointDirection.IN):
            for tag in self._tags(ordinal, tag_width, keys):
                key = (ordinal, tag)
                tokens = tuple(streams.get(key, ()))
                row, role = self._consumers.get(key, (None, None))
                if row is None or role is None:
                    yield IngressJob(name, width, tokens, 0, tag=tag, tag_width=tag_width)
                    continue
                depth = dict(self._capacities(self._network.rows[row]).operand_depth)[role]
                taken = execution.firings[row] + min(execution.leftover[key], depth)
                yield IngressJob(name, width, tokens, taken, row, role.name, tag, tag_width)

    def _egresses(self) -> Iterator[EgressJob]:
        outputs = self._execution.outputs
        for ordinal, name, width, tag_width in self._endpoints(EndpointDirection.OUT):
            for tag in self._tags(ordinal, tag_width, outputs):
                owners = [
                    (row.ordinal, destination.role.name)
                    for row in self._rows
                    for destination in row.destinations
                    if destination.exposed == (ordinal, tag)
                ]
                # What several rows publish under one tag belongs to none of them.
                row, role = owners[0] if len(owners) == 1 else (None, None)
                tokens = outputs.get((ordinal, tag), ())
                yield EgressJob(name, width, tokens, row, role, tag, tag_width)

    def _endpoints(self, direction: EndpointDirection) -> Iterator[tuple[int, str, int, int]]:
        named = self._named
        for ordinal, endpoint in enumerate(named.occurrence.endpoints):
            if endpoint.direction is direction:
                name = named.names.endpoints[ordinal]
                yield ordinal, name, endpoint.payload_width, endpoint.tag_width or 0

    @staticmethod
    def _tags(
        ordinal: int, tag_width: int, keys: Mapping[ChannelKey, object]
    ) -> Sequence[int | None]:
        """Tags of one endpoint that somebody uses; none where it has none."""
        if not tag_width:
            return [None]
        return sorted(tag for at, tag in keys if at == ordinal and tag is not None) or [None]

    def _managers(self) -> Iterator[ManagerJob]:
        execution, occurrence = self._execution, self._named.occurrence
        for ordinal, name in enumerate(self._named.names.managers):
            # A manager that no port may reach has no ports at the boundary.
            if ManagerEndpointTarget(ordinal) not in self._reached:
                continue
            yield ManagerJob(
                name=name,
                beat_bytes=occurrence.manager_endpoints[ordinal].beat_width_bits // 8,
                beats=tuple(
                    _manager_beat(beat, row.row.actor.contract)
                    for row in self._rows
                    if row.row.service_target == ManagerEndpointTarget(ordinal)
                    for beat in execution.beats[row.ordinal].elements()
                ),
                before=memory_parts(self._stimulus.managers.get(ordinal, {})),
                after=memory_parts(execution.managers[ordinal]),
                protocol=self._named.implementation.manager_protocol,
            )

    def _subordinates(self) -> Iterator[SubordinateJob]:
        decode = self._decode
        dispatches = self._named.occurrence.connectivity.subordinate_endpoints
        for ordinal, name in enumerate(self._named.names.subordinates):
            answers = self._execution.answers.get(ordinal, ())
            beats = self._stimulus.requests.get(ordinal, ())
            yield SubordinateJob(
                name,
                subordinate_use(self._named, ordinal).beat_bytes,
                tuple(
                    SubordinateBeat(**asdict(beat), answer=answer.data, error=answer.error)
                    for beat, answer in zip(beats, answers, strict=True)
                ),
                self._named.implementation.subordinate_protocol,
                # Rows move addresses each by its own offset.
                not decode or sum(row is not None for row in decode[ordinal]) < 2,
                tuple(word(each) for each in _USER if each in dispatches[ordinal].match_fields),
            )

    def _address_bits(self, row: int) -> int:
        if isinstance(self._network.rows[row].row.service_target, ManagerEndpointTarget):
            return MANAGER_ADDRESS_BITS
        return bank_geometry(self._named).address_bits

    def _progress_bound(self) -> int:
        """Cycles within which something moves, if anything can.

        At worst every firing that fits inside waits for one bank, which serves one beat a cycle;
        a manager is as slow as its agent. A Temporal engine looks at its rows in turn, and stays
        with each for as many cycles as it has rows.
        """
        cycles = _PIPELINE_CYCLES
        for row in self._rows:
            capacities = self._capacities(row)
            depth = max((depth for _, depth in capacities.operand_depth), default=0)
            cycles += (depth + capacities.row_slots) * self._most_beats(row)
        for ordinal, _ in enumerate(self._named.names.subordinates):
            use, beat_bytes = subordinate_use(self._named, ordinal), self._beat_bytes()
            cycles += use.slots * (use.beat_bytes // beat_bytes + 2)
        if self._named.names.managers:
            cycles += LONGEST_LATENCY
        engine = self._named.occurrence.engine
        if engine is not None and isinstance(engine.contract, Temporal):
            count = engine.contract.resident_context_count
            cycles += count * max(2, count)
        return cycles

    def _beat_bytes(self) -> int:
        return bank_geometry(self._named).beat_bytes

    def _most_beats(self, row: NetworkRow) -> int:
        access, target = row.row.access, row.row.service_target
        if access is None:
            return 1
        if isinstance(target, ManagerEndpointTarget):
            endpoint = self._named.occurrence.manager_endpoints[target.ordinal]
            beat_bytes = endpoint.beat_width_bits // 8
        else:
            beat_bytes = self._beat_bytes()
        engine = self._named.occurrence.engine
        semantics = engine.ports[row.row.port].operation_pattern_semantics if engine else ()
        walks = semantics[row.row.use_pattern] is not MemoryPortTransactionProjection.DIRECT
        if walks or access.form is MemoryAccessForm.INDEXED:
            return access.lane_count * (access.element_bits // 8 // beat_bytes + 2)
        return access.data_bits // 8 // beat_bytes + 2


#: Code of each kind of beats.
_KINDS = {
    ServiceKind.MEMORY_READ: 0,
    ServiceKind.MEMORY_WRITE: 1,
    ServiceKind.MEMORY_ATOMIC_RMW: 2,
    ServiceKind.MEMORY_COMPARE_EXCHANGE: 3,
    ServiceKind.MEMORY_FENCE: 4,
}


def _manager_beat(beat: Beat, contract: MemoryContract) -> ManagerBeat:
    """A beat of the model with what the actor's contract says of it."""
    made = ManagerBeat(
        _KINDS[beat.kind],
        beat.address,
        beat.strobe,
        beat.data or 0,
        contract.volatile,
        beat.expected or 0,
    )
    match contract:
        case PlainContract():
            return made
        case CompareExchangeContract(orderings=(success, failure)):
            return replace(
                made,
                ordering=success.value,
                failure_ordering=failure.value,
                scope=contract.scope.kind.value,
                weak=contract.weak,
            )
        case AtomicContract() | FenceContract() | AtomicRmwContract():
            kind = contract.kind.value if isinstance(contract, AtomicRmwContract) else 0
            return replace(
                made,
                rmw_kind=kind,
                ordering=contract.ordering.value,
                scope=contract.scope.kind.value,
            )


def programming_steps(fabric: Fabric, image: bytes) -> tuple[Step, ...]:
    """What a host does to make an image the active one, and what it must be answered."""
    return tuple(map(_step, programming_sequence(fabric, image)))


def _step(step: AxiLiteStep) -> Step:
    is_write = not isinstance(step, AxiLiteRead)
    return Step(is_write, step.address, step.data, step.response.name)
