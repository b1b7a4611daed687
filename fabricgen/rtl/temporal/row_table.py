"""From the carrier to the static controls of every resident row (spec: Operation Rows)."""

from collections.abc import Iterable, Mapping

from amaranth.hdl import Cat, Const, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fabricgen.config.inventory import source_connections
from fabricgen.config.layout import carrier_layout
from fabricgen.records.fabric import NamedMemory
from fabricgen.rtl.logic import any_bit, count_ones, named, select
from fabricgen.rtl.port_shape import RolePath
from fabricgen.rtl.row_decoder import RowDecoder
from fabricgen.rtl.temporal.engine_shape import (
    PublicationGroup,
    publication_groups,
    temporal_engine,
    temporal_shape,
)
from fabricgen.rtl.temporal.row_signatures import (
    group_rows_signature,
    port_rows_signature,
    scale_bits,
)
from fabricgen.vocab.dataflow import ServiceValueRole

__all__ = ["RowTable"]


class RowTable(wiring.Component):
    """Decode every row of the carrier, once, into what ports and publishers must know of it.

    The carrier is static while a row is active, so decoding costs no time on any data path. What
    is decoded follows the carrier by 1 cycle; tags are the carrier's own bits wherever they need
    no choice. Reset makes every row Unused.

    Parameters
    ----------
    named
        The memory; one with a Temporal engine.

    Members
    -------
    configuration : In(carrier width)
        The occurrence's whole carrier.
    coming_<port> : In(range(rows + 1))
        Active rows that the port may soon have: while they are more, the reserve is theirs.
    port_<port> : Out(port_rows_signature(shape))
    group_<group> : Out(group_rows_signature(shape, group))
    """

    configuration: Signal

    def __init__(self, named: NamedMemory) -> None:
        engine, contract = temporal_engine(named)
        self.named = named
        self.engine = engine
        self.rows = contract.resident_context_count
        self.shapes = tuple(temporal_shape(named, port) for port in range(len(engine.ports)))
        self.groups = publication_groups(named)
        self.layout = carrier_layout(named)
        members: dict[str, wiring.Member] = {"configuration": In(self.layout.width)}
        for ordinal, shape in enumerate(self.shapes):
            members[f"coming_{ordinal}"] = In(range(self.rows + 1))
            members[f"port_{ordinal}"] = Out(port_rows_signature(shape))
        for ordinal, group in enumerate(self.groups):
            members[f"group_{ordinal}"] = Out(group_rows_signature(self.shapes[0], group))
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        """Decode each row for each port, then register the bits of all rows together."""
        m = Module()
        decoded = [
            [self._row(row, port) for row in range(self.rows)] for port in range(len(self.shapes))
        ]
        for ordinal, rows in enumerate(decoded):
            port = getattr(self, f"port_{ordinal}")
            count = named(m, count_ones([row["enabled"] for row in rows]), f"active_{ordinal}")
            m.d.sync += [
                port.active_rows.eq(count),
                port.coming_rows.eq(getattr(self, f"coming_{ordinal}")),
            ]
            for name in port.signature.members:
                if name not in ("active_rows", "coming_rows"):
                    # Tags need no decoding: they are the carrier's own bits.
                    domain = m.d.comb if name.startswith("tag_") else m.d.sync
                    domain += getattr(port, name).eq(Cat(row[name] for row in rows))
        for ordinal, group in enumerate(self.groups):
            self._publication(m, group, getattr(self, f"group_{ordinal}"), decoded)
        return m

    def _field(self, row: int, name: str) -> Value:
        field = self.layout.rows[row][name]
        return self.configuration[field.offset : field.offset + field.width]

    def _row(self, row: int, port: int) -> dict[str, Value]:
        """What one row is to one port, by member name."""
        fields = {name: self._field(row, name) for name in self.layout.rows[row]}
        shape, here = self.shapes[port], self.configuration[self.layout.active.offset]
        enabled = here & fields["valid"] & _equals(fields.get("port"), port)
        decoder = RowDecoder(
            self.named,
            port,
            shape.port,
            fields=fields,
            active=enabled,
            context=Const(1 << row, self.rows),
        )
        values = decoder.controls()
        found: dict[str, Value] = {"enabled": enabled}
        for path, connections in zip(shape.port.inputs, shape.connections, strict=True):
            found |= self._sources(fields, enabled, path, connections, values)
            found[f"tag_{path.name}"] = fields[f"source_tag_{path.name}"]
        for path in shape.port.results:
            sinks = values[f"sink_{path.name}"]
            found |= {f"sink_{path.name}_{end}": sinks[at] for at, end in enumerate(path.endpoints)}
        for position, target in enumerate(shape.targets):
            chosen = enabled & _equals(fields.get("service_target"), target)
            found[f"target_{position}"] = chosen
        found["scale"] = values["scale"][: scale_bits(shape)]
        if shape.port.requester.volatile:
            managed = any_bit(
                found[f"target_{position}"]
                for position, channel in enumerate(shape.channels)
                if channel.managed
            )
            found["single"] = managed & values["volatile"]
        return found

    @staticmethod
    def _sources(
        fields: Mapping[str, Value],
        enabled: Value,
        path: RolePath,
        connections: tuple[int, ...],
        values: Mapping[str, Value],
    ) -> dict[str, Value]:
        """Where one input role of a row gets its tokens; code 0 is the bound endpoint."""
        code = fields.get(f"source_{path.name}")
        bound = values[f"source_{path.name}"]
        external = _equals(code, 0)
        found = {
            f"selects_{path.name}_{end}": bound[at] & external
            for at, end in enumerate(path.endpoints)
        }
        for position, connection in enumerate(connections):
            chosen = enabled & _equals(code, 1 + position)
            found[f"consumes_{path.name}_{connection}"] = chosen
        found[f"needed_{path.name}"] = any_bit(found.values())
        return found

    def _publication(
        self,
        m: Module,
        group: PublicationGroup,
        rows: wiring.PureInterface,
        decoded: list[list[dict[str, Value]]],
    ) -> None:
        """Destinations and tags of every row of one group."""
        for row in range(self.rows):
            destinations = [
                any_bit(sink for sink, _ in self._sinks(group, end, row, decoded))
                for end in group.outputs
            ]
            destinations += [
                any_bit(self._forwards(group, connection, row, decoded))
                for connection in group.connections
            ]
            m.d.sync += getattr(rows, f"selected_{row}").eq(Cat(destinations))
        for end in group.outputs:
            choices = [list(self._sinks(group, end, row, decoded)) for row in range(self.rows)]
            if len(self._roles_at(group, end)) == 1:
                m.d.comb += getattr(rows, f"tag_{end}").eq(Cat(row[0][1] for row in choices))
            else:
                tags = [select(row, self.shapes[0].tag_width) for row in choices]
                m.d.sync += getattr(rows, f"tag_{end}").eq(Cat(tags))

    def _roles_at(self, group: PublicationGroup, end: int) -> set[ServiceValueRole]:
        """Result roles that some alternative binds to an output."""
        return {
            path.role
            for port in group.ports
            for path in self.shapes[port].port.results
            if end in path.endpoints
        }

    def _sinks(
        self, group: PublicationGroup, end: int, row: int, decoded: list[list[dict[str, Value]]]
    ) -> Iterable[tuple[Value, Value]]:
        """Each result role that some port binds to an output: is it published there; its tag."""
        for port in group.ports:
            for path in self.shapes[port].port.results:
                if end in path.endpoints:
                    sink = decoded[port][row][f"sink_{path.name}_{end}"]
                    yield sink, self._field(row, f"expose_tag_{path.name}")

    def _forwards(
        self,
        group: PublicationGroup,
        connection: int,
        row: int,
        decoded: list[list[dict[str, Value]]],
    ) -> Iterable[Value]:
        """Each result role that may start a connection: does the row forward it there."""
        for port in group.ports:
            record = self.engine.ports[port]
            for path in self.shapes[port].port.results:
                if connection in source_connections(self.named.occurrence, record, path.role):
                    chosen = self._field(row, f"forward_{path.name}_{connection}")
                    yield decoded[port][row]["enabled"] & chosen


def _equals(field: Value | None, value: int) -> Value:
    """Comparison with one choice; a field that has one choice has no bits and is absent."""
    return Value.cast(int(value == 0)) if field is None else field == value
