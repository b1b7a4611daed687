"""Wrong parts of the Local Memory Service, one for each check that must see the fault."""

from amaranth.hdl import Module, Signal

from fabricgen.rtl.arbiter import Arbiter


class HastyArbiter(Arbiter):
    """The cursor moves in every cycle, granted or not."""

    def elaborate(self, platform: object) -> Module:
        m = Module()
        count = len(self.participants)
        cursor = Signal(range(count))
        m.d.sync += cursor.eq((cursor + 1) % count)
        with m.Switch(cursor):
            for start in range(count):
                with m.Case(start):
                    for at in reversed([*range(start, count), *range(start)]):
                        with m.If(self.request[at]):
                            m.d.comb += self.grant.eq(1 << at)
        return m
