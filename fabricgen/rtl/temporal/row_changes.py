"""Which rows a new configuration of a Temporal memory disturbs (spec: Configurable Dispatch)."""

from functools import reduce
from operator import or_

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fabricgen.config.inventory import sink_connections, source_connections
from fabricgen.config.layout import CarrierField, carrier_layout
from fabricgen.plan.capacity import port_input_roles, port_result_roles
from fabricgen.records.fabric import NamedMemory
from fabricgen.rtl.logic import any_bit, count_ones
from fabricgen.rtl.temporal.engine_shape import temporal_engine

__all__ = ["RowChanges"]


class RowChanges(wiring.Component):
    """Compare the carrier that is in force with the one that will follow it, row by row.

    Affected is every row whose bits change, and every row that shares an internal connection with
    one: what it selects before or after the change. All other rows work as if nothing happened.

    ``affected`` and ``coming`` follow ``following`` by 1 cycle. Reset: none is affected.

    Parameters
    ----------
    named
        The memory; one with a Temporal engine.

    Members
    -------
    configuration : In(carrier width), following : In(carrier width)
        The carrier in force, and the next one.
    pending : In(1)
        The next one may be made active.
    affected : Out(rows)
        Rows that must be quiescent for that.
    coming_<port> : Out(range(rows + 1))
        While ``pending``: rows that are Active on the port in the next one (combinational).
    """

    configuration: Signal
    following: Signal
    pending: Signal
    affected: Signal

    def __init__(self, named: NamedMemory) -> None:
        engine, contract = temporal_engine(named)
        self.named = named
        self.engine = engine
        self.rows = contract.resident_context_count
        self.layout = carrier_layout(named)
        count = range(self.rows + 1)
        super().__init__(
            {
                "configuration": In(self.layout.width),
                "following": In(self.layout.width),
                "pending": In(1),
                "affected": Out(self.rows),
                **{f"coming_{port}": Out(count) for port in range(len(engine.ports))},
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Differences first, which are registered; then what shares a connection with them."""
        m = Module()
        active = self.layout.active
        toggles = _bits(self.configuration, active) ^ _bits(self.following, active)
        changed = Signal(self.rows)
        for row, fields in enumerate(self.layout.rows):
            pairs = [
                (_bits(self.configuration, field), _bits(self.following, field))
                for field in fields.values()
            ]
            m.d.sync += changed[row].eq(toggles | any_bit((a ^ b).any() for a, b in pairs))
        m.d.comb += self.affected.eq(reduce(or_, self._beside(m, changed), changed))

        for port in range(len(self.engine.ports)):
            enabled = [self._enabled(self.following, row, port) for row in range(self.rows)]
            count: Signal = getattr(self, f"coming_{port}")
            m.d.comb += count.eq(Mux(self.pending, count_ones(enabled), 0))
        return m

    def _beside(self, m: Module, changed: Signal) -> list[Value]:
        """For each connection, the rows that select it, if one of these changes."""
        found: list[Value] = []
        for ordinal in range(len(self.named.occurrence.connectivity.internal_connections)):
            uses = Signal(self.rows, name=f"uses_{ordinal}")
            for row in range(self.rows):
                before, after = (
                    any_bit(self._selects(carrier, row, ordinal))
                    for carrier in (self.configuration, self.following)
                )
                m.d.sync += uses[row].eq(before | after)
            found.append(uses & (uses & changed).any().replicate(self.rows))
        return found

    def _enabled(self, carrier: Signal, row: int, port: int) -> Value:
        """The row is Active on this port."""
        fields = self.layout.rows[row]
        here = _bits(carrier, self.layout.active) & _bits(carrier, fields["valid"])
        # A field that has one choice has no bits.
        return here & (_bits(carrier, fields["port"]) == port) if "port" in fields else here

    def _selects(self, carrier: Signal, row: int, connection: int) -> list[Value]:
        """Each way in which a row may take tokens from a connection, or send them there."""
        occurrence, fields = self.named.occurrence, self.layout.rows[row]
        found: list[Value] = []
        for ordinal, port in enumerate(self.engine.ports):
            enabled = self._enabled(carrier, row, ordinal)
            for role in port_input_roles(port):
                sinks = sink_connections(occurrence, port, role)
                if connection in sinks:
                    code = _bits(carrier, fields[f"source_{role.name.lower()}"])
                    found.append(enabled & (code == 1 + sinks.index(connection)))
            for role in port_result_roles(port):
                if connection in source_connections(occurrence, port, role):
                    field = fields[f"forward_{role.name.lower()}_{connection}"]
                    found.append(enabled & _bits(carrier, field))
        return found


def _bits(carrier: Signal, field: CarrierField) -> Value:
    return carrier[field.offset : field.offset + field.width]
