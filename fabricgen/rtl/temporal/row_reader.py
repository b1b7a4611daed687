"""The access of the row that fires, decoded in the cycle after its selection."""

from amaranth.hdl import Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fabricgen.config.layout import CarrierField, carrier_layout
from fabricgen.records.fabric import NamedMemory
from fabricgen.rtl.logic import choose
from fabricgen.rtl.row_control import RowControls, controls_signature
from fabricgen.rtl.row_decoder import RowDecoder
from fabricgen.rtl.temporal.engine_shape import TemporalShape, temporal_shape

__all__ = ["RowReader", "access_signature"]

#: Controls of one firing; the others say where its tokens come from and go to.
_FIRING = (
    "base",
    "lanes",
    "masked",
    "store",
    "rmw",
    "exchange",
    "fence",
    "rmw_kind",
    "ordering",
    "failure_ordering",
    "scope",
    "weak",
    "mode",
    "regions",
    "scale",
    "reach",
    "pointer",
    "walk",
    "volatile",
)


def access_signature(shape: TemporalShape) -> wiring.Signature:
    """Controls of one firing, as in :func:`fabricgen.rtl.row_control.controls_signature`."""
    members = controls_signature(shape.port).members
    return wiring.Signature({name: members[name] for name in members if name in _FIRING})


class RowReader(wiring.Component):
    """Decode the access of the selected row for one port.

    The fields of all rows are chosen from first and decoded once. Purely combinational.

    Parameters
    ----------
    named
        The memory.
    ordinal
        Operation port.

    Members
    -------
    configuration : In(carrier width)
        The occurrence's whole carrier; static.
    row : In(rows)
        One-hot: a row that is Active on this port.
    controls : Out(access_signature(shape))
    """

    configuration: Signal
    row: Signal
    controls: RowControls

    def __init__(self, named: NamedMemory, ordinal: int) -> None:
        self.named = named
        self.ordinal = ordinal
        self.shape = temporal_shape(named, ordinal)
        self.layout = carrier_layout(named)
        super().__init__(
            {
                "configuration": In(self.layout.width),
                "row": In(self.shape.rows),
                "controls": Out(access_signature(self.shape)),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Choose each field, then decode."""
        m = Module()
        fields: dict[str, Value] = {}
        for name, first in self.layout.rows[0].items():
            fields[name] = field = Signal(first.width, name=f"field_{name}")
            choices = [self._field(row[name]) for row in self.layout.rows]
            m.d.comb += field.eq(choose(self.row, choices))
        decoder = RowDecoder(
            self.named,
            self.ordinal,
            self.shape.port,
            fields=fields,
            active=Value.cast(1),
            context=self.row,
        )
        values = decoder.controls()
        for name in self.controls.signature.members:
            m.d.comb += getattr(self.controls, name).eq(values[name])
        return m

    def _field(self, field: CarrierField) -> Value:
        return self.configuration[field.offset : field.offset + field.width]
