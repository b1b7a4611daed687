"""What the configured rows are to one port, and to one group of ports."""

from typing import Protocol

from amaranth.hdl import Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import Out

from fabricgen.rtl.temporal.engine_shape import PublicationGroup, TemporalShape

__all__ = ["PortRows", "group_rows_signature", "port_rows_signature", "scale_bits"]


class PortRows(Protocol):
    """Interface object of what the rows are to one port; members without bits are absent."""

    signature: wiring.Signature
    enabled: Signal
    active_rows: Signal
    coming_rows: Signal
    single: Signal
    scale: Signal


def port_rows_signature(shape: TemporalShape) -> wiring.Signature:
    """What the rows are to one port, seen from the table. Bit ``r`` of a vector is row ``r``.

    Members
    -------
    enabled : Out(rows)
        The row is Active on this port.
    active_rows : Out(range(rows + 1))
        How many are.
    coming_rows : Out(range(rows + 1))
        How many may soon be.
    needed_<role> : Out(rows)
        A firing of the row takes a token of this input role.
    selects_<role>_<endpoint> : Out(rows)
        It takes it from this endpoint.
    consumes_<role>_<connection> : Out(rows)
        It takes it from this internal connection.
    tag_<role> : Out(rows * tag_width)
        The tag that it matches there, row 0 lowest.
    sink_<role>_<endpoint> : Out(rows)
        This result role of the row is published there.
    target_<position> : Out(rows), absent with one target
        The row's requests go to the target at this position of the port's targets.
    scale : Out(rows * bits), absent with one element size
        Position of the row's element size among those of the port.
    single : Out(rows), absent without volatile accesses
        The row has one firing in flight at most: it is volatile, and its target a manager.
    """
    rows = shape.rows
    members: dict[str, wiring.Member] = {
        "enabled": Out(rows),
        "active_rows": Out(range(rows + 1)),
        "coming_rows": Out(range(rows + 1)),
    }
    for path, connections in zip(shape.port.inputs, shape.connections, strict=True):
        members[f"needed_{path.name}"] = Out(rows)
        members |= {f"selects_{path.name}_{end}": Out(rows) for end in path.endpoints}
        members |= {f"consumes_{path.name}_{c}": Out(rows) for c in connections}
        members[f"tag_{path.name}"] = Out(rows * shape.tag_width)
    for path in shape.port.results:
        members |= {f"sink_{path.name}_{end}": Out(rows) for end in path.endpoints}
    if len(shape.targets) > 1:
        members |= {f"target_{position}": Out(rows) for position in range(len(shape.targets))}
    if (bits := scale_bits(shape)) > 0:
        members["scale"] = Out(rows * bits)
    if shape.port.requester.volatile:
        members["single"] = Out(rows)
    return wiring.Signature(members)


def scale_bits(shape: TemporalShape) -> int:
    """Bits that tell the port's element sizes apart."""
    return (len(shape.port.element_bytes) - 1).bit_length()


def group_rows_signature(shape: TemporalShape, group: PublicationGroup) -> wiring.Signature:
    """What the rows are to one group of ports, seen from the table.

    Members
    -------
    selected_<row> : Out(group.destinations)
        Where the row's results go, one bit per output of the group, then per connection.
    tag_<output> : Out(rows * tag_width)
        The tag with which each row publishes there, row 0 lowest.
    """
    members = {f"selected_{row}": Out(group.destinations) for row in range(shape.rows)}
    members |= {f"tag_{end}": Out(shape.rows * shape.tag_width) for end in group.outputs}
    return wiring.Signature(members)
