"""Streams with tags, operands that are fed inside, and memory behind managers."""

import copy
import tomllib

import pytest

from fabricgen.author.fabric import parse_fabric
from fabricgen.author.mapping import parse_mapping
from fabricgen.author.streams import TokenUses, endpoint_uses
from fabricgen.author.workload import parse_workload
from fabricgen.errors import Invalid
from fabricgen.plan.rows import Disabled
from tests.support.documents import toml
from tests.support.examples import folder


class Source:
    """One example with its workload as plain values, by memory-less endpoint names."""

    def __init__(self, name, suffix=""):
        at = folder(name)
        self.folder = at
        self.fabric = parse_fabric((at / "fabric.toml").read_text())
        self.rows = parse_mapping((at / f"mapping{suffix}.toml").read_text(), self.fabric).memories
        self.document = tomllib.loads((at / f"workload{suffix}.toml").read_text())
        self.names = self.fabric.memories[0].names.endpoints

    def parsed(self, **changes):
        text = toml(self.document | changes)
        return parse_workload(text, self.fabric, self.rows, self.folder)

    def refused(self, **changes):
        with pytest.raises(Invalid) as error:
            self.parsed(**changes)
        return str(error.value)

    def with_streams(self, *streams):
        """All streams of the example but for those of the same endpoint and tag as one here."""
        new = {(each["endpoint"], each.get("tag")) for each in streams}
        kept = [s for s in self.document["stream"] if (s["endpoint"], s.get("tag")) not in new]
        return [*kept, *streams]


LOCAL, VECTOR = Source("temporal-local"), Source("temporal-vector")
COPY, CHASE = Source("memcpy-local"), Source("memcpy-local", "-chase")


def stream(endpoint, tokens, tag=None):
    tagged = {} if tag is None else {"tag": tag}
    return {"endpoint": f"mem0.{endpoint}", **tagged, "tokens": tokens}


def test_each_tag_of_an_endpoint_is_a_stream():
    at = LOCAL.names.index("rd_in")
    streams = LOCAL.parsed().streams
    assert {tag for _, end, tag in streams if end == at} == {1, 3, 4, 5, 8, 9}
    assert streams[0, at, 8] == tuple(range(0, 256, 4))
    # A control token has no payload, whatever its channel has.
    assert streams[0, at, 9] == (0,) * 64


def test_a_row_whose_data_come_from_inside_needs_no_stream_for_them():
    at = LOCAL.names.index("wr_data")
    assert not [end for _, end, _ in LOCAL.parsed().streams if end == at]


def test_expectations_have_tags_too():
    at = LOCAL.names.index("rd_data")
    assert {tag for _, end, tag in LOCAL.parsed().expected if end == at} == {1, 5}


def test_fill_counts_the_firings_of_the_rows_before():
    """chk_done has as many tokens as the copies before it, which have an address each."""
    at = COPY.names.index("chk_done")
    streams = COPY.with_streams(stream("src_addr", [0, 4, 8]))
    assert COPY.parsed(stream=streams, expect=[stream("chk_done", {"fill": True})]).expected == {
        (0, at, None): (0, 0, 0)
    }
    # The row in the middle stops the one behind it, too.
    streams = COPY.with_streams(stream("dst_addr", [0]))
    assert COPY.parsed(stream=streams, expect=[stream("chk_done", {"fill": True})]).expected == {
        (0, at, None): (0,)
    }


def test_a_row_that_is_fed_by_one_without_tokens_does_not_fire():
    at = CHASE.names.index("chk_data")
    streams = [s for s in CHASE.document["stream"] if not s["endpoint"].startswith("mem0.src")]
    filled = CHASE.parsed(stream=streams, expect=[stream("chk_data", {"fill": True})])
    assert filled.expected == {(0, at, None): ()}


def test_rows_that_feed_one_another_never_fire():
    fabric_text = (folder("memcpy-local") / "fabric.toml").read_text()
    ring = fabric_text.replace(
        "connections = [", 'connections = [{ from = "dst_done", to = "src_ctrl" }, '
    )
    mapping = tomllib.loads((folder("memcpy-local") / "mapping.toml").read_text())
    first = mapping["memory"]["mem0"]["row"][0]
    first["inputs"] = {"control": {"from": "write.completion"}}
    source = copy.copy(COPY)
    source.fabric = parse_fabric(ring)
    source.rows = parse_mapping(toml(mapping), source.fabric).memories
    streams = [s for s in COPY.document["stream"] if s["endpoint"] != "mem0.src_ctrl"]
    filled = source.parsed(stream=streams, expect=[stream("dst_done", {"fill": True})])
    assert filled.expected == {(0, source.names.index("dst_done"), None): ()}


def test_memory_behind_a_manager_has_addresses_of_64_bits():
    image = [{"hex": "0102", "at": 2**64 - 2}, {"words": [7], "bits": 32, "at": 2**63}]
    workload = VECTOR.parsed(memory={"mem0": {"ext0": {"image": image}}})
    assert workload.managers == ({0: ((2**63, b"\7\0\0\0"), (2**64 - 2, b"\1\2"))},)
    assert workload.memories == ((),)
    assert LOCAL.parsed().managers == ({},)


USED = "an active row uses at mem0.rd_in, 1, 3, 4, 5, 8, 9"
BAD = [
    (
        LOCAL,
        [stream("rd_in", [1])],
        "stream[{}].tag: A tag must be given for mem0.rd_in, which belongs to a temporal memory, "
        "not absent [stream-tag]",
    ),
    (
        LOCAL,
        [stream("rd_in", [1], 2)],
        f"stream[{{}}].tag: The tag must be one that {USED}, not 2 [stream-without-row]",
    ),
    (
        LOCAL,
        [stream("rd_in", [1], 16)],
        f"stream[{{}}].tag: The tag must be one that {USED}, not 16 [stream-without-row]",
    ),
    (
        LOCAL,
        [stream("wr_data", [[1, 2, 3, 4]], 1)],
        "stream[{}].tag: The tag must be one that an active row uses at mem0.wr_data, where there "
        "is none, not 1 [stream-without-row]",
    ),
    (
        COPY,
        [stream("src_addr", [1], 0)],
        "stream[{}].tag: A tag must be absent for mem0.src_addr, which belongs to a spatial "
        "memory, not 0 [stream-tag]",
    ),
    (
        COPY,
        [stream("dst_data", [[1, 2, 3, 4]])],
        "stream[{}].endpoint: The endpoint must be one that is not left to an internal "
        "connection, not mem0.dst_data [stream-internal]",
    ),
]


@pytest.mark.parametrize(("source", "streams", "expected"), BAD)
def test_a_bad_stream_gets_its_exact_finding(source, streams, expected):
    others = source.document["stream"]
    found = source.refused(stream=[*others, *streams])
    assert found == expected.format(len(others))


def test_a_tag_has_one_stream():
    others = LOCAL.document["stream"]
    first = next(i for i, s in enumerate(others) if (s["endpoint"], s["tag"]) == ("mem0.rd_in", 8))
    assert LOCAL.refused(stream=[*others, stream("rd_in", [1], 8)]) == (
        f"stream[{len(others)}].endpoint: A tag of an endpoint must have one stream, not "
        f"mem0.rd_in tag 8 in stream[{first}] as well [stream-repeated]"
    )


def test_a_row_must_get_tokens_on_all_its_tags():
    streams = [s for s in LOCAL.document["stream"] if s.get("tag") != 7]
    first = next(i for i, s in enumerate(streams) if (s["endpoint"], s["tag"]) == ("mem0.rd_in", 1))
    assert LOCAL.refused(stream=streams) == (
        f"stream[{first}]: Every operand of the row must have a stream, not without mem0.rd_mask "
        "tag 7 [stream-missing]"
    )


def test_a_result_that_stays_inside_cannot_be_expected():
    assert COPY.refused(expect=[stream("src_data", [[1, 2, 3, 4]])]) == (
        "expect[0].endpoint: The endpoint must be one that is not left to an internal connection, "
        "not mem0.src_data [stream-internal]"
    )


def test_images_belong_to_a_service_of_the_memory():
    assert VECTOR.refused(memory={"mem0": {"local": {"image": {"hex": "", "at": 0}}}}) == (
        'memory.mem0.local: The name must be one of ext0, not "local" [unknown-name]'
    )
    assert LOCAL.refused(memory={"mem0": {"ext0": {"image": {"hex": "", "at": 0}}}}) == (
        'memory.mem0.ext0: The name must be one of local, not "ext0" [unknown-name]'
    )
    outside = {"mem0": {"ext0": {"image": {"hex": "0102", "at": 2**64 - 1}}}}
    assert VECTOR.refused(memory=outside) == (
        "memory.mem0.ext0.image: The image must end within the 18446744073709551616 bytes of the "
        "service, not at 18446744073709551617 [image-outside-capacity]"
    )


def test_a_disabled_memory_takes_and_gives_nothing():
    at = folder("temporal-local")
    fabric = parse_fabric((at / "fabric.toml").read_text())
    assert endpoint_uses(fabric, [Disabled()]) == TokenUses()
