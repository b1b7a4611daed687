"""The rules of AXI4 between a manager and a subordinate, watched cycle by cycle."""

from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = [
    "PAYLOADS",
    "Axi4Rules",
    "Transaction",
    "bus_pins",
    "bus_values",
    "lite_fixed",
    "passing",
    "transfer_bytes",
]

_REQUEST = ("id", "addr", "len", "size", "burst", "lock", "cache", "prot", "qos")
#: Payload of each channel.
PAYLOADS: dict[str, tuple[str, ...]] = {
    "aw": tuple(f"aw{name}" for name in _REQUEST),
    "w": ("wdata", "wstrb", "wlast"),
    "b": ("bid", "bresp"),
    "ar": tuple(f"ar{name}" for name in _REQUEST),
    "r": ("rid", "rdata", "rresp", "rlast"),
}
_SIDES = ("valid", "ready")
_FIXED, _INCR, _WRAP = 0, 1, 2
_BLOCK = 4096


@dataclass
class Transaction:
    """One burst: its request, and how far it is."""

    identifier: int
    address: int
    length: int
    size: int
    burst: int
    beats: int = 0
    is_complete: bool = False

    @property
    def count(self) -> int:
        """Transfers."""
        return self.length + 1


def bus_pins(dut: Any, prefix: str) -> dict[str, Any]:
    """Signals that a bus has, by name."""
    names = (
        name
        for channel, payload in PAYLOADS.items()
        for name in (f"{channel}valid", f"{channel}ready", *payload)
    )
    return {
        name: pin for name in names if (pin := getattr(dut, f"{prefix}_{name}", None)) is not None
    }


def bus_values(
    bus: Mapping[str, Any],
    number: Callable[[Any], int] = int,
    fixed: Mapping[str, int] | None = None,
) -> dict[str, int]:
    """What stands on the channels that the bus has, by signal; payloads count only while valid.

    ``number`` makes a number of a payload; ``int`` refuses what is unknown. ``fixed`` are values of
    signals that the bus lacks.
    """
    values: dict[str, int] = {}
    for channel, names in PAYLOADS.items():
        if f"{channel}valid" in bus:
            values |= {channel + side: int(bus[channel + side].value) for side in _SIDES}
            is_there = values[f"{channel}valid"]
            for name in names:
                if name in bus:
                    values[name] = number(bus[name].value) if is_there else 0
                else:
                    values[name] = (fixed or {})[name]
    return values


def passing(values: Mapping[str, int]) -> set[str]:
    """Channels on which something is taken in this cycle."""
    return {
        channel
        for channel in PAYLOADS
        if values.get(f"{channel}valid") and values[f"{channel}ready"]
    }


def lite_fixed(data_bytes: int) -> dict[str, int]:
    """What a transfer of AXI4-Lite is in AXI4, by the signals that its bus lacks."""
    size = data_bytes.bit_length() - 1
    request = {"id": 0, "len": 0, "size": size, "burst": _INCR, "lock": 0, "cache": 0, "qos": 0}
    fixed = {
        f"{channel}{name}": value for channel in ("aw", "ar") for name, value in request.items()
    }
    return fixed | {"wlast": 1, "bid": 0, "rid": 0, "rlast": 1}


def transfer_bytes(item: Transaction, number: int) -> range:
    """Addresses of the bytes that transfer ``number`` of a burst may touch."""
    step = 1 << item.size
    aligned = item.address // step * step
    if item.burst == _FIXED or number == 0:
        return range(item.address, aligned + step)
    start = aligned + number * step
    if item.burst == _WRAP:
        span = step * item.count
        low = item.address // span * span
        start = low + (start - low) % span
    return range(start, start + step)


@dataclass
class Axi4Rules:
    """Collect what breaks the protocol.

    ``sample`` takes the values of all signals of the bus just before a clock edge. Channels of a
    direction that the bus lacks are left out.

    Parameters
    ----------
    data_bytes
        Width of the bus.
    faults
        One line for each broken rule.
    reads, writes
        Bursts that were asked for, in order.
    """

    data_bytes: int
    faults: list[str] = field(default_factory=list)
    reads: list[Transaction] = field(default_factory=list)
    writes: list[Transaction] = field(default_factory=list)
    _offered: dict[str, tuple[int, ...]] = field(default_factory=dict)
    _reading: dict[int, deque[Transaction]] = field(default_factory=lambda: defaultdict(deque))
    _writing: dict[int, deque[Transaction]] = field(default_factory=lambda: defaultdict(deque))
    #: Bursts that wait for data, and strobes that came before their burst.
    _unwritten: deque[Transaction] = field(default_factory=deque)
    _early: deque[tuple[int, int]] = field(default_factory=deque)

    def sample(self, values: Mapping[str, int]) -> None:
        """Look at one cycle."""
        for channel, names in PAYLOADS.items():
            if f"{channel}valid" in values:
                self._is_stable(channel, tuple(values[name] for name in names), values)
        fires = passing(values)
        # A response follows what was taken in an earlier cycle.
        if "b" in fires:
            self._response(values)
        if "r" in fires:
            self._read(values)
        for channel, listed in (("ar", self.reads), ("aw", self.writes)):
            if channel in fires:
                item = Transaction(
                    *(values[f"{channel}{name}"] for name in ("id", "addr", "len", "size", "burst"))
                )
                self.faults += [f"{channel}: {fault}" for fault in self._request_faults(item)]
                listed.append(item)
                (self._reading if channel == "ar" else self._writing)[item.identifier].append(item)
                if channel == "aw":
                    self._unwritten.append(item)
        if "w" in fires:
            self._early.append((values["wstrb"], values["wlast"]))
        while self._early and self._unwritten:
            self._write(*self._early.popleft())

    @property
    def unwritten(self) -> Transaction | None:
        """The burst that waits for data."""
        return self._unwritten[0] if self._unwritten else None

    @property
    def early(self) -> int:
        """Transfers of data that wait for their burst."""
        return len(self._early)

    @property
    def outstanding(self) -> int:
        """Bursts without their last response."""
        listed = (*self._reading.values(), *self._writing.values())
        return sum(map(len, listed))

    def close(self) -> None:
        """At the end nothing may be open."""
        if self.outstanding:
            self.faults.append(f"{self.outstanding} bursts were never answered")
        if self._early:
            self.faults.append(f"{len(self._early)} transfers of data have no burst")
        if self._offered:
            self.faults.append(f"{', '.join(self._offered)}: offers were never taken")

    def _is_stable(self, channel: str, payload: tuple[int, ...], values: Mapping[str, int]) -> None:
        valid, ready = values[f"{channel}valid"], values[f"{channel}ready"]
        if channel in self._offered:
            if not valid:
                self.faults.append(f"{channel}: valid must stay until ready")
            elif payload != self._offered[channel]:
                self.faults.append(f"{channel}: payload must stay until ready")
        if valid and not ready:
            self._offered[channel] = payload
        else:
            self._offered.pop(channel, None)

    def _request_faults(self, item: Transaction) -> Iterator[str]:
        step = 1 << item.size
        if step > self.data_bytes:
            yield f"a transfer of {step} bytes is wider than the bus"
        if item.burst not in (_FIXED, _INCR, _WRAP):
            yield "the burst type is reserved"
        if item.burst != _INCR and item.count > 16:
            yield f"a burst of {item.count} transfers must be INCR"
        if item.burst == _WRAP and (item.count not in (2, 4, 8, 16) or item.address % step):
            yield "a WRAP burst must be aligned and have 2, 4, 8 or 16 transfers"
        last = item.address // step * step + step * item.count - 1
        if item.burst == _INCR and last // _BLOCK != item.address // _BLOCK:
            yield f"a burst from {item.address:#x} crosses 4 KiB"

    def _write(self, strobe: int, last: int) -> None:
        item = self._unwritten[0]
        allowed = sum(1 << at % self.data_bytes for at in transfer_bytes(item, item.beats))
        if strobe & ~allowed:
            self.faults.append("w: strobes lie outside the bytes of the transfer")
        item.beats += 1
        if bool(last) != (item.beats == item.count):
            self.faults.append("w: wlast must stand at the last transfer, and only there")
        if item.beats == item.count:
            item.is_complete = True
            self._unwritten.popleft()

    def _response(self, values: Mapping[str, int]) -> None:
        queue = self._writing[values["bid"]]
        if not queue or not queue[0].is_complete:
            self.faults.append("b: a response must follow its address and its last data")
        else:
            queue.popleft()

    def _read(self, values: Mapping[str, int]) -> None:
        queue = self._reading[values["rid"]]
        if not queue:
            self.faults.append("r: nothing was asked under this identifier")
            return
        queue[0].beats += 1
        is_last = queue[0].beats == queue[0].count
        if bool(values["rlast"]) != is_last:
            self.faults.append("r: rlast must stand at the last transfer, and only there")
        if is_last:
            queue.popleft()
