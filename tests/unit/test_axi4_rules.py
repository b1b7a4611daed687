"""The monitor of AXI4: a good trace, and one change for each rule."""

import pytest

from sim.axi4_rules import Axi4Rules, Transaction, transfer_bytes

QUIET = {
    f"{channel}{side}": 0 for channel in ("aw", "w", "b", "ar", "r") for side in ("valid", "ready")
}
REQUEST = {"lock": 0, "cache": 0, "prot": 0, "qos": 0, "burst": 1, "size": 2, "len": 0, "id": 0}
EMPTY = {
    **QUIET,
    **{f"{c}{name}": 0 for c in ("aw", "ar") for name in (*REQUEST, "addr")},
    **dict.fromkeys(("wdata", "wstrb", "wlast", "bid", "bresp"), 0),
    **dict.fromkeys(("rid", "rdata", "rresp", "rlast"), 0),
}


def go(channel, *, ready=1, **payload):
    values = dict.fromkeys((f"{channel}valid",), 1) | {f"{channel}ready": ready}
    if channel in ("aw", "ar"):
        payload = REQUEST | payload
    return values | {f"{channel}{name}": value for name, value in payload.items()}


def watch(*cycles):
    rules = Axi4Rules(4)
    for values in cycles:
        rules.sample(EMPTY | values)
    rules.close()
    return rules.faults


#: A write of two transfers and a read of two, with a pause on every channel.
GOOD = {
    "waits": go("aw", ready=0, addr=0x10, len=1),
    "address": go("aw", addr=0x10, len=1),
    "data": go("w", data=1, strb=15, last=0),
    "slow": go("w", ready=0, data=2, strb=15, last=1),
    "end": go("w", data=2, strb=15, last=1),
    "answer": go("b", id=0, resp=0),
    "asks": go("ar", addr=0xFF8, len=1, id=1),
    "first": go("r", id=1, data=5, resp=0, last=0),
    "holds": go("r", ready=0, id=1, data=6, resp=0, last=1),
    "second": go("r", id=1, data=6, resp=0, last=1),
}


def changed(place, **values):
    return list((GOOD | {place: GOOD[place] | values}).values())


def test_a_good_trace_has_no_fault():
    assert watch(*GOOD.values()) == []


def test_data_may_come_before_its_address():
    order = ("data", "end", "address", "answer")
    assert watch(*(GOOD[name] for name in order)) == []


@pytest.mark.parametrize(
    ("cycles", "fault"),
    [
        (changed("address", awaddr=0x20), "aw: payload must stay until ready"),
        (changed("address", awvalid=0), "aw: valid must stay until ready"),
        (changed("end", wdata=3), "w: payload must stay until ready"),
        (changed("second", rvalid=0), "r: valid must stay until ready"),
        (changed("second", rdata=7), "r: payload must stay until ready"),
        (changed("asks", arlen=2), "ar: a burst from 0xff8 crosses 4 KiB"),
        (changed("asks", arsize=3), "ar: a transfer of 8 bytes is wider than the bus"),
        (changed("asks", arburst=3), "ar: the burst type is reserved"),
        (changed("asks", arburst=0, arlen=16), "ar: a burst of 17 transfers must be INCR"),
        (
            changed("asks", arburst=2, arlen=2),
            "ar: a WRAP burst must be aligned and have 2, 4, 8 or 16 transfers",
        ),
        (changed("data", wlast=1), "w: wlast must stand at the last transfer, and only there"),
        (
            [go("aw", addr=0x11, size=0), go("w", data=0, strb=1, last=1)],
            "w: strobes lie outside the bytes of the transfer",
        ),
        ([GOOD["answer"]], "b: a response must follow its address and its last data"),
        (
            [GOOD["address"], GOOD["data"], GOOD["answer"]],
            "b: a response must follow its address and its last data",
        ),
        (changed("answer", bid=1), "b: a response must follow its address and its last data"),
        (changed("first", rid=0), "r: nothing was asked under this identifier"),
        (changed("first", rlast=1), "r: rlast must stand at the last transfer, and only there"),
        ([GOOD["asks"]], "1 bursts were never answered"),
        ([GOOD["end"]], "1 transfers of data have no burst"),
        ([GOOD["waits"]], "aw: offers were never taken"),
    ],
)
def test_each_rule_is_broken_by_one_change(cycles, fault):
    assert fault in watch(*cycles)


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        (Transaction(0, 0x11, 2, 2, 1), [(0x11, 0x14), (0x14, 0x18), (0x18, 0x1C)]),
        (Transaction(0, 0x11, 1, 2, 0), [(0x11, 0x14), (0x11, 0x14)]),
        (
            Transaction(0, 0x38, 3, 2, 2),
            [(0x38, 0x3C), (0x3C, 0x40), (0x30, 0x34), (0x34, 0x38)],
        ),
        (Transaction(0, 0x13, 1, 0, 1), [(0x13, 0x14), (0x14, 0x15)]),
    ],
)
def test_bytes_of_each_transfer(item, expected):
    found = [transfer_bytes(item, number) for number in range(item.count)]
    assert [(each.start, each.stop) for each in found] == expected
