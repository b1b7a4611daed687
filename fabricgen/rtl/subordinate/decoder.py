"""Bounded provider decode: which configured row a beat matches (spec: Configurable Dispatch)."""

from collections.abc import Mapping, Sequence

from amaranth.hdl import Cat, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fabricgen.config.layout import CarrierField
from fabricgen.rtl.logic import any_bit, select

__all__ = ["ProviderDecoder"]

_ADDRESS_BITS = 64


class ProviderDecoder(wiring.Component):
    """Compare a beat with every decode row; the first row that matches gives its base offset.

    A row matches a beat if all its match fields do, a range or a prefix both the first and the
    last byte. The end of a range and the bits of a prefix are held in registers, so a new
    configuration counts from the second cycle on. Otherwise combinational.

    Parameters
    ----------
    rows
        Carrier fields of each row, by name.

    Members
    -------
    configuration : In(width)
        The decode rows in the carrier, from the first bit of the first row.
    first, last : In(64)
        Addresses of the first and of the last byte.
    address_space : In(32), context : In(64), absent where no row has the field
    matched : Out(1)
    offset : Out(64), absent without a transform
        Base offset of the first row that matches; zero where none does.
    """

    configuration: Signal
    first: Signal
    last: Signal
    address_space: Signal
    context: Signal
    matched: Signal
    offset: Signal

    def __init__(self, rows: Sequence[Mapping[str, CarrierField]]) -> None:
        self.rows = rows
        self.names = tuple(rows[0])
        members: dict[str, wiring.Member] = {
            "configuration": In(sum(field.width for row in rows for field in row.values())),
            "first": In(_ADDRESS_BITS),
            "last": In(_ADDRESS_BITS),
            "matched": Out(1),
        }
        for name in ("address_space", "context"):
            if name in self.names:
                members[name] = In(rows[0][name].width)
        if "base_offset" in self.names:
            members["offset"] = Out(_ADDRESS_BITS)
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        """All rows side by side, then the first one."""
        m = Module()
        start = self.rows[0]["valid"].offset
        hits: list[Value] = []
        chosen: list[tuple[Value, Value]] = []
        for ordinal, row in enumerate(self.rows):
            fields = {
                name: self.configuration[field.offset - start :][: field.width]
                for name, field in row.items()
            }
            hit = Signal(name=f"hit_{ordinal}")
            m.d.comb += hit.eq(Cat(*self._matches(m, ordinal, fields)).all())
            if "base_offset" in fields:
                chosen.append((hit & ~any_bit(hits), fields["base_offset"]))
            hits.append(hit)
        m.d.comb += self.matched.eq(any_bit(hits))
        if chosen:
            m.d.comb += self.offset.eq(select(chosen, _ADDRESS_BITS))
        return m

    def _matches(self, m: Module, ordinal: int, fields: Mapping[str, Value]) -> list[Value]:
        found = [fields["valid"]]
        if "range_base" in fields:
            end = Signal(_ADDRESS_BITS, name=f"end_{ordinal}", reset_less=True)
            m.d.sync += end.eq(fields["range_base"] + fields["range_size"])
            found += [self.first >= fields["range_base"], self.last < end]
        if "prefix_value" in fields:
            top = Signal(_ADDRESS_BITS, name=f"prefix_{ordinal}", reset_less=True)
            length = fields["prefix_length"]
            m.d.sync += top.eq(
                Cat(length > _ADDRESS_BITS - 1 - bit for bit in range(_ADDRESS_BITS))
            )
            found += [
                ((address ^ fields["prefix_value"]) & top) == 0
                for address in (self.first, self.last)
            ]
        for name in ("address_space", "context"):
            if name in fields:
                found.append(getattr(self, name) == fields[name])
        return found
