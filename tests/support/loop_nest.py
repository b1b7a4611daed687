"""Two loops, one in the other, as a small fabric of providers, and as Python runs them.

    for i in range(start, stop, step):
        for j in range(i, limit, stride):
            total += j + extra

Values that a loop leaves alone come from an invariant, which gives one more than there are
iterations; a gate passes those that have one. A carried value goes round through a carry, and a
demultiplexer takes it out of the loop when the phase is 0.

A queue cuts each way round through carries, where the result of a loop comes back. Another one
stands behind each invariant: its condition of one iteration gives the value of the next one, for
which the gate needs the next condition, and both have the same source.
"""

from collections.abc import Mapping, Sequence

from amaranth.hdl import Cat, Const, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fabricgen.rtl.channel import ChannelShape
from fabricgen.rtl.operand_queue import OperandQueue
from fabricgen.rtl.providers.fork import publish
from fabricgen.rtl.providers.registry import provider
from fabricgen.vocab.dataflow import OperationSchemaId as O
from fabricgen.vocab.families import ImplementationFamilyId as F
from fabricgen.vocab.operations import StreamStepKind as S
from tests.support import token_ops as ops
from tests.support.integer_ops import integer_op
from tests.support.transition_tables import ANY, Row, Table, negative

BITS = 8
#: Iterations of both loops together after which Python stops.
MOST = 60

#: One end of an edge: a node and the ordinal of its port.
End = tuple[str, int]


class Fork(wiring.Component):
    """A token to several consumers, to each as soon as it is ready."""

    def __init__(self, bits: int, count: int) -> None:
        shape = ChannelShape(bits).signature()
        outputs = {f"out{at}": Out(shape) for at in range(count)}
        super().__init__({"in0": In(shape), **outputs})
        self._count = count

    def elaborate(self, platform: object) -> Module:
        """One flag for each consumer."""
        m = Module()
        outputs = [getattr(self, f"out{at}") for at in range(self._count)]
        wanted = [(each, Const(1, 1)) for each in outputs]
        m.d.comb += self.in0.ready.eq(publish(m, self.in0.valid, wanted))
        m.d.comb += [each.data.eq(self.in0.data) for each in outputs]
        return m


class Fabric(wiring.Component):
    """Nodes with channels ``in0`` .. and ``out0`` .., wired one to many.

    Parameters
    ----------
    nodes
        Components by name.
    edges
        Where each output goes; one that goes nowhere is always taken.
    inputs, outputs
        Ports of nodes that are those of the fabric, in order.
    queued
        Ports of nodes with a queue of two in front, which cuts every path of valid and of ready.
    """

    def __init__(
        self,
        nodes: Mapping[str, wiring.Component],
        edges: Mapping[End, Sequence[End]],
        inputs: Sequence[End],
        outputs: Sequence[End],
        queued: Sequence[End],
    ) -> None:
        self._nodes, self._edges, self._queued = nodes, edges, queued
        self._inputs, self._outputs = inputs, outputs
        members = {}
        for side, ends, flow in (("in", inputs, In), ("out", outputs, Out)):
            for at, (name, port) in enumerate(ends):
                width = len(getattr(nodes[name], f"{side}{port}").data)
                members[f"{side}{at}"] = flow(ChannelShape(width).signature())
        members["quiescent"] = Out(1)
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        """Nodes, forks and queues."""
        m = Module()
        m.d.comb += self.quiescent.eq(Cat(*(each.quiescent for each in self._nodes.values())).all())
        for name, node in self._nodes.items():
            m.submodules[name] = node
        for at, (name, port) in enumerate(self._inputs):
            self._connect(m, getattr(self, f"in{at}"), (name, port))
        taken = {end: getattr(self, f"out{at}") for at, end in enumerate(self._outputs)}
        for name, node in self._nodes.items():
            ports = [each for each in node.signature.members if each.startswith("out")]
            for port in range(len(ports)):
                source = getattr(node, f"out{port}")
                ends = self._edges.get((name, port), [])
                if (name, port) in taken:
                    wiring.connect(m, source, wiring.flipped(taken[name, port]))
                elif not ends:
                    m.d.comb += source.ready.eq(1)
                elif len(ends) == 1:
                    self._connect(m, source, ends[0])
                else:
                    fork = Fork(len(source.data), len(ends))
                    m.submodules[f"{name}_{port}_fork"] = fork
                    wiring.connect(m, source, fork.in0)
                    for at, end in enumerate(ends):
                        self._connect(m, getattr(fork, f"out{at}"), end)
        return m

    def _connect(self, m: Module, source, end: End) -> None:
        name, port = end
        sink = getattr(self._nodes[name], f"in{port}")
        if end in self._queued:
            queue = OperandQueue(len(sink.data), 2)
            m.submodules[f"{name}_{port}_queue"] = queue
            self._wire(m, source, queue.i)
            source = queue.o
        self._wire(m, source, sink)

    @staticmethod
    def _wire(m: Module, source, sink) -> None:
        m.d.comb += [
            sink.valid.eq(source.valid),
            sink.data.eq(source.data),
            source.ready.eq(sink.ready),
        ]


def _adder() -> wiring.Component:
    return provider(integer_op(F.SCALAR_INTEGER_ADD_SUB, O.ARITH_ADDI, widths=(BITS,)))


def nest(**changed: wiring.Component) -> Fabric:
    """The fabric; ``changed`` nodes are others than they should be."""
    nodes: dict[str, wiring.Component] = {}
    for loop in ("outer", "inner"):
        nodes[f"{loop}_stream"] = provider(ops.stream(S.ADD, (BITS,), ("SLT",)))
        nodes[f"{loop}_carry"] = provider(ops.carry(BITS))
        nodes[f"{loop}_exit"] = provider(ops.demux((BITS, BITS)))
    kept = ["outer_limit", "outer_stride", "outer_extra", "inner_extra"]
    for name in kept:
        nodes[name] = provider(ops.invariant(BITS))
        nodes[f"{name}_gate"] = provider(ops.gate(BITS))
    nodes["add_index"], nodes["add_extra"] = _adder(), _adder()
    edges: dict[End, list[End]] = {(name, 0): [(f"{name}_gate", 1)] for name in kept}
    for loop in ("outer", "inner"):
        phases: list[End] = [(f"{loop}_carry", 0), (f"{loop}_exit", 0)]
        for name in kept:
            if name.startswith(loop):
                phases += [(name, 0), (f"{name}_gate", 0)]
        edges[f"{loop}_stream", 1] = phases
        edges[f"{loop}_carry", 0] = [(f"{loop}_exit", 1)]
    edges |= {
        ("outer_stream", 0): [("inner_stream", 0)],
        ("outer_limit_gate", 1): [("inner_stream", 1)],
        ("outer_stride_gate", 1): [("inner_stream", 2)],
        ("outer_extra_gate", 1): [("inner_extra", 1)],
        ("outer_exit", 1): [("inner_carry", 1)],
        ("inner_stream", 0): [("add_index", 1)],
        ("inner_exit", 1): [("add_index", 0)],
        ("add_index", 0): [("add_extra", 0)],
        ("inner_extra_gate", 1): [("add_extra", 1)],
        ("add_extra", 0): [("inner_carry", 2)],
        ("inner_exit", 0): [("outer_carry", 2)],
    }
    return Fabric(
        nodes | changed,
        edges,
        [
            ("outer_stream", 0),
            ("outer_stream", 1),
            ("outer_stream", 2),
            ("outer_limit", 1),
            ("outer_stride", 1),
            ("outer_extra", 1),
            ("outer_carry", 1),
        ],
        [("outer_exit", 0)],
        [("outer_carry", 2), ("inner_carry", 2), *((f"{name}_gate", 1) for name in kept)],
    )


def run(
    start: int, stop: int, step: int, limit: int, stride: int, extra: int, total: int
) -> tuple[int, int]:
    """Total, and how many iterations there were, at most :data:`MOST`; modulo the width."""
    count, outer = 0, start
    while negative(outer, BITS) < negative(stop, BITS):
        inner = outer
        while negative(inner, BITS) < negative(limit, BITS):
            total = (total + inner + extra) % (1 << BITS)
            inner = (inner + stride) % (1 << BITS)
            count += 1
            if count == MOST:
                return total, count
        outer = (outer + step) % (1 << BITS)
        count += 1
        if count == MOST:
            return total, count
    return total, count


def table() -> Table:
    """The whole nest as one actor."""
    row = Row(
        "nest", "", dict.fromkeys(range(7), ANY), "", lambda kept, heads: {0: [run(*heads)[0]]}
    )
    return Table([row], "")
