"""2,000 records of each kind that others are built of, of ports, occurrences, files and images."""

import hashlib
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st

from fabricgen.abi.image import decode_image, encode_image
from fabricgen.atoms.alignment import AlignmentDomain
from fabricgen.atoms.data_format import DATA_FORMATS, POINTER_FORMATS, OrdinaryData
from fabricgen.atoms.dataflow import SYNC_SCOPES
from fabricgen.atoms.finite import FiniteDomain
from fabricgen.atoms.pointer import PointerFormat
from fabricgen.atoms.sync_scope import SyncScope
from fabricgen.atoms.unsigned import U64_MAX, UnsignedDomain
from fabricgen.errors import FabricError
from fabricgen.plan.configuration import FabricConfiguration
from fabricgen.plan.realisation import unsupported
from fabricgen.records import fabric_codec, occurrence_codec, port_codec
from fabricgen.records.connectivity import MemoryConnectivityContract
from fabricgen.records.endpoint import ServiceEndpoint, TransportEndpoint
from fabricgen.records.fabric import Fabric
from fabricgen.records.occurrence import MemoryOccurrence
from fabricgen.relation import codec as relation_codec
from fabricgen.schema.payload_codec import decode_payload, encode_payload
from fabricgen.vocab.dataflow import SyncScopeKind
from fabricgen.vocab.fabric import EndpointDirection
from fabricgen.wire.frame import Reader, frame, u32be, u64be
from tests.support.drawn_memories import memories, tables
from tests.support.wires import flip, reads_as_itself
from tests.unit.test_schema_payload import PAYLOADS

pytestmark = pytest.mark.slow
#: Without shrinking: it takes minutes for a memory, and the rest is small.
MANY = settings(
    max_examples=2000,
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=list(HealthCheck),
)

U32, U64 = st.integers(0, 2**32 - 1), st.integers(0, U64_MAX)
NAMES = st.text(min_size=1, max_size=6)


def near(high):
    """Integers, with both ends and small ones often."""
    return st.integers(0, high) | st.integers(0, min(high, 6)) | st.integers(max(0, high - 6), high)


def spans(high):
    pair = st.tuples(near(high), near(high)).map(lambda bounds: tuple(sorted(bounds)))
    return st.lists(pair, min_size=1, max_size=5).map(lambda parts: UnsignedDomain.of(*parts))


def pointers():
    return st.tuples(U32, st.integers(1, 2**32 - 1), U32).map(
        lambda words: PointerFormat(words[0], words[1], 1 + words[2] % words[1])
    )


def scopes():
    plain = st.sampled_from([SyncScopeKind.SYSTEM, SyncScopeKind.SINGLE_THREAD]).map(SyncScope)
    return plain | st.builds(lambda a, b: SyncScope(SyncScopeKind.TARGET, a, b), NAMES, NAMES)


def endpoints(direction):
    tags = st.none() | st.integers(1, U64_MAX)
    return st.lists(st.builds(TransportEndpoint, st.just(direction), U64, tags), max_size=3)


def edges():
    """An occurrence of nothing but its endpoint records."""
    service = st.lists(st.integers(1, U64_MAX).map(ServiceEndpoint), max_size=3).map(tuple)
    return st.builds(
        lambda ins, outs, managers, subordinates: MemoryOccurrence(
            (*ins, *outs), None, None, managers, subordinates,
            MemoryConnectivityContract((), (), ()),
        ),
        endpoints(EndpointDirection.IN),
        endpoints(EndpointDirection.OUT),
        service,
        service,
    )  # fmt: skip


def field_codec(of=lambda domain: domain, inside=lambda record: record):
    """Bytes of one domain: the relation of one field and one row."""
    return SimpleNamespace(
        encode=lambda record: relation_codec.encode(((inside(record),),)),
        decode=lambda wire: of(relation_codec.decode(wire, (False,))[0][0]),
    )


def atom_codec(table):
    return SimpleNamespace(encode=table.atom, decode=lambda atom: table.read(atom, "atom"))


def read_frames(wire):
    reader = Reader(wire)
    frames = [reader.frame() for _ in range(reader.count(8))]
    words = (reader.u32(), reader.u64())
    reader.end()
    return frames, words


FRAMES = SimpleNamespace(
    encode=lambda record: (
        u64be(len(record[0]))
        + b"".join(map(frame, record[0]))
        + u32be(record[1][0])
        + u64be(record[1][1])
    ),
    decode=read_frames,
)
DRAWN = memories()
FILES = st.lists(DRAWN, max_size=2).map(lambda named: Fabric("drawn", tuple(named)))
PORTS = DRAWN.flatmap(lambda named: st.sampled_from(named.occurrence.engine.ports))

CODECS = [
    pytest.param(field_codec(), spans(U64_MAX), id="unsigned domain"),
    pytest.param(
        field_codec(AlignmentDomain, lambda record: record.accepted_log2_byte_alignments),
        spans(63).map(AlignmentDomain),
        id="alignment domain",
    ),
    pytest.param(
        field_codec(),
        st.sets(st.binary(max_size=4), min_size=1, max_size=4).map(lambda a: FiniteDomain.of(*a)),
        id="finite domain",
    ),
    pytest.param(atom_codec(POINTER_FORMATS), pointers(), id="pointer format"),
    pytest.param(atom_codec(DATA_FORMATS), st.just(OrdinaryData()) | pointers(), id="data format"),
    pytest.param(atom_codec(SYNC_SCOPES), scopes(), id="sync scope"),
    pytest.param(
        FRAMES,
        st.tuples(st.lists(st.binary(max_size=8), max_size=4), st.tuples(U32, U64)),
        id="wire frames",
    ),
    pytest.param(occurrence_codec, edges(), id="endpoints"),
    pytest.param(port_codec, PORTS, id="port"),
    pytest.param(occurrence_codec, DRAWN.map(lambda named: named.occurrence), id="occurrence"),
    pytest.param(fabric_codec, FILES, id="fabric file"),
]


def hold(codec, record, data):
    """Round trip; damage is refused or is the encoding of another record."""
    wire = codec.encode(record)
    assert codec.decode(wire) == record
    if wire:
        reads_as_itself(codec, flip(wire, data))
        reads_as_itself(codec, wire[: data.draw(st.integers(0, len(wire) - 1))])
    reads_as_itself(codec, wire + data.draw(st.binary(min_size=1, max_size=9)))


@pytest.mark.parametrize(("codec", "records"), CODECS)
def test_every_part_round_trips_and_has_one_encoding(codec, records):
    @MANY
    @given(records, st.data())
    def check(record, data):
        hold(codec, record, data)

    check()


@pytest.mark.parametrize("case", PAYLOADS, ids=lambda case: case.name)
def test_every_payload_round_trips_and_has_one_encoding(case):
    codec = SimpleNamespace(encode=encode_payload, decode=lambda wire: decode_payload(case, wire))

    @MANY
    @given(PAYLOADS[case], st.data())
    def check(record, data):
        hold(codec, record, data)

    check()


def test_every_image_round_trips_and_has_one_encoding():
    @MANY
    @given(memories(), st.data())
    def check(named, data):
        fabric = Fabric("drawn", (named,))
        assume(not unsupported(fabric))
        configuration = data.draw(tables(named))
        wire = encode_image(fabric, FabricConfiguration((configuration,)))
        assert decode_image(fabric, wire) == FabricConfiguration((configuration,))
        # Under its digest no change of a record is noticed by the digest alone.
        record = wire[:-32]
        record = data.draw(
            st.sampled_from([flip(record, data), record[:-1], record + b"\0", record])
        )
        damaged = record + hashlib.sha256(record).digest()
        if data.draw(st.booleans()):
            damaged = flip(damaged, data)
        try:
            other = decode_image(fabric, damaged)
        except FabricError:
            return
        assert encode_image(fabric, other) == damaged

    check()


def test_damage_that_a_codec_accepts_under_another_spelling_is_noticed():
    """A pointer codec that takes any longer atom."""
    table = atom_codec(POINTER_FORMATS)
    lax = SimpleNamespace(encode=table.encode, decode=lambda atom: table.decode(atom[:16]))

    @given(pointers(), st.data())
    def check(record, data):
        hold(lax, record, data)

    with pytest.raises(AssertionError):
        check()
