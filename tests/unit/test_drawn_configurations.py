"""Drawn memories of both schedules: bytes, rules, and carriers of their tables."""

from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st

from fabricgen.check.fabric import findings
from fabricgen.config.codec import decode_configuration, encode_configuration
from fabricgen.config.layout import carrier_layout
from fabricgen.config.storable import storable_mask
from fabricgen.errors import FabricError
from fabricgen.plan.realisation import unsupported
from fabricgen.plan.row_check import configuration_findings
from fabricgen.records import fabric_codec, occurrence_codec
from fabricgen.records.fabric import Fabric
from tests.support.drawn_memories import memories, tables
from tests.support.wires import flip, reads_as_itself

#: Without shrinking: it takes minutes, and a drawn memory is small already.
PHASES = [Phase.explicit, Phase.reuse, Phase.generate]


@settings(max_examples=40, phases=PHASES)
@given(memories(), st.data())
def test_a_drawn_memory_is_legal_and_has_one_encoding(named, data):
    fabric = Fabric("drawn", (named,))
    assert findings(fabric) == ()
    assert fabric_codec.decode(fabric_codec.encode(fabric)) == fabric
    reads_as_itself(occurrence_codec, flip(occurrence_codec.encode(named.occurrence), data))


@settings(max_examples=60, phases=PHASES)
@given(memories(), st.data())
def test_a_drawn_table_has_one_carrier(named, data):
    assume(not unsupported(Fabric("drawn", (named,))))
    configuration = data.draw(tables(named))
    assert configuration_findings(named, configuration) == ()
    bits = encode_configuration(named, configuration)
    assert decode_configuration(named, bits) == configuration
    assert bits & ~storable_mask(named) == 0
    width = carrier_layout(named).width
    flips = data.draw(st.sets(st.integers(0, width - 1), min_size=1, max_size=3))
    changed = bits ^ sum(1 << at for at in flips)
    try:
        other = decode_configuration(named, changed)
    except FabricError:
        return
    assert encode_configuration(named, other) == changed
    assert changed & ~storable_mask(named) == 0
