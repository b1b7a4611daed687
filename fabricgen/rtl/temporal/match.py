"""Tag match of one ingress of a Temporal port."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Match"]


class Match(wiring.Component):
    """Find the row and role of the tag that stands at one ingress.

    One comparator for each row and role that may be bound here. A configuration never selects one
    tag twice at one ingress, so at most one bit of all ``match`` is set (spec: Temporal Ports And
    Resident Capacity). Combinational, from the tag and static inputs alone.

    Parameters
    ----------
    rows
        Resident rows.
    tag_width
        Bits of a Physical Tag.
    roles
        Ordinals of the roles that may be bound here.

    Members
    -------
    tag : In(tag_width)
    tags_<role> : In(rows * tag_width)
        Tag of each row's role.
    selects_<role> : In(rows)
        The row's role is fed from here.
    match_<role> : Out(rows)
        The tag is that of the row's role.
    """

    tag: Signal

    def __init__(self, rows: int, tag_width: int, roles: tuple[int, ...]) -> None:
        self.rows = rows
        self.tag_width = tag_width
        self.roles = roles
        members: dict[str, wiring.Member] = {"tag": In(tag_width)}
        for role in roles:
            members |= {
                f"tags_{role}": In(rows * tag_width),
                f"selects_{role}": In(rows),
                f"match_{role}": Out(rows),
            }
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        """Compare with every row's tag at once."""
        m = Module()
        for role in self.roles:
            tags: Signal = getattr(self, f"tags_{role}")
            selects: Signal = getattr(self, f"selects_{role}")
            equal = [self.tag == tags.word_select(row, self.tag_width) for row in range(self.rows)]
            m.d.comb += getattr(self, f"match_{role}").eq(Cat(*equal) & selects)
        return m
