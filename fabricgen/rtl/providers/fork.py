"""One firing that publishes on several channels."""

from collections.abc import Sequence

from amaranth.hdl import Module, Signal, Value

from fabricgen.rtl.channel import Channel
from fabricgen.rtl.logic import any_bit

__all__ = ["publish"]


def publish(
    m: Module,
    firing: Value,
    results: Sequence[tuple[Channel, Value]],
    *,
    may_end: Value | None = None,
) -> Signal:
    """Offer a firing on each channel that it wants until that channel takes it, once.

    No valid depends on any ready, so channels that one consumer joins cannot wait for each
    other. The firing must stay until it is done.

    Parameters
    ----------
    m
        Module of the provider.
    firing
        A firing is there.
    results
        Channels and, per channel, whether the firing publishes there.
    may_end
        The firing waits for this, too; only with several channels.

    Returns
    -------
    Signal
        The firing is there, has all of its results taken, the last ones in this cycle, and may
        end; also where it wants none.
    """
    done = Signal(name="publication_done")
    waits: list[Value] = [] if may_end is None else [~may_end]
    for ordinal, (channel, wanted) in enumerate(results):
        if len(results) == 1:
            m.d.comb += channel.valid.eq(firing & wanted)
            waits.append(wanted & ~channel.ready)
            continue
        sent = Signal(name=f"sent_{ordinal}")
        m.d.comb += channel.valid.eq(firing & wanted & ~sent)
        m.d.sync += sent.eq(firing & ~done & (sent | channel.ready))
        waits.append(wanted & ~sent & ~channel.ready)
    m.d.comb += done.eq(firing & ~any_bit(waits))
    return done
