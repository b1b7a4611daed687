"""Shuffles of vectors against the oracle, and every carrier, valid or not."""

# amaranth: UnusedElaboratable=no
import random
from dataclasses import replace

import pytest
from amaranth.hdl import Const

from fabricgen.errors import Unsupported
from fabricgen.hsg.resource import ResourceTiming
from fabricgen.hsg.semantics import DirectField, semantic_field
from fabricgen.hsg.shuffle_carrier import ShuffleSetting
from fabricgen.hsg.vector_params import FixedVectorShuffleParams
from fabricgen.rtl.providers import vector_shuffle
from fabricgen.rtl.providers.registry import provider
from fabricgen.vocab.families import ImplementationFamilyId as F
from tests.support.hsg import FF, W, resource
from tests.support.netlist import cell_counts
from tests.support.position_bench import wrong
from tests.support.vector_bench import results

SHUFFLE = F.FIXED_VECTOR_SHUFFLE


def bytes_of(bits, block, sources, blocks, elements=(W.I8,), formats=()):
    return FixedVectorShuffleParams(elements, formats, bits, bits, block, sources, blocks)


def shuffler(params, inputs=None, outputs=None, latency=1):
    return resource(
        SHUFFLE, params=params, inputs=inputs, outputs=outputs, timing=ResourceTiming(latency)
    )


def carrier_of(op):
    field = semantic_field(op)
    assert isinstance(field, DirectField)
    return field.carrier


@pytest.mark.parametrize("latency", [1, 2])
def test_blocks_of_up_to_four_bytes(latency):
    assert wrong(resource(SHUFFLE, timing=ResourceTiming(latency)), 120) == []


def test_every_byte_of_128_bits():
    assert wrong(shuffler(bytes_of(128, 64, 32, 16)), 100) == []


@pytest.mark.parametrize(
    ("params", "inputs", "outputs"),
    [
        (bytes_of(12, 6, 20, 12, (W.I1,)), None, None),
        (bytes_of(64, 8, 2, 1), None, None),
        (bytes_of(8, 8, 2, 1), (8, 8), (8,)),
        (FixedVectorShuffleParams((W.I8,), (), 8, 32, 8, 2, 4), (8, 8), (32,)),
        (bytes_of(72, 24, 5, 3), (72, 40), (60,)),
        (bytes_of(128, 128, 4, 2, (W.I32,), (FF.F16,)), (96, 128), (128,)),
        (FixedVectorShuffleParams((W.I8,), (), 32, 128, 16, 6, 16), (32, 32), (128,)),
        (FixedVectorShuffleParams((), (FF.F64,), 256, 64, 64, 9, 1), (256, 64), (64,)),
    ],
)
def test_any_blocks_and_ports(params, inputs, outputs):
    assert wrong(shuffler(params, inputs, outputs), 60) == []


def _expected(setting, operands):
    bits, left = setting.block_bits, setting.left_blocks
    ones = (1 << bits) - 1
    blocks = [
        (operands[1] >> (at - left) * bits if at >= left else operands[0] >> at * bits) & ones
        for at in setting.selectors[: setting.result_blocks]
    ]
    return sum(block << at * bits for at, block in enumerate(blocks))


@pytest.mark.parametrize("latency", [1, 2])
def test_each_valid_carrier_means_its_numbers_and_no_other_stalls(latency):
    op = resource(SHUFFLE, timing=ResourceTiming(latency))
    carrier, drawn = carrier_of(op), random.Random(4)
    values = [drawn.getrandbits(carrier.bit_count) for _ in range(60)]
    near = [ShuffleSetting(8 * w, 1, 4, (7, 0, 3, 1)) for w in (1, 2, 3, 4)]
    near += [ShuffleSetting(12, 2, 1, (1, 0, 0, 0)), ShuffleSetting(8, 8, 4, (7, 6, 5, 4))]
    near += [ShuffleSetting(16, 4, 2, (5, 3, 0, 0)), ShuffleSetting(8, 7, 1, (7, 0, 0, 1))]
    jobs, settings = [], []
    for value in [*values, *map(carrier.encode_setting, near)]:
        jobs.append((value, (0, 1), [(drawn.getrandbits(128), drawn.getrandbits(128))] * 2))
        settings.append(carrier.decode(value) if carrier.is_valid(value) else None)
    found = results(provider(op), jobs)
    checked = 0
    for (*_, given), setting, got in zip(jobs, settings, found, strict=True):
        if setting is not None:
            ones = (1 << setting.block_bits * setting.result_blocks) - 1
            assert [each & ones for each in got] == [_expected(setting, given[0])] * 2, setting
            checked += 1
    assert 0 < checked < len(jobs)


def test_a_unit_chooses_among_those_only_that_it_can_come_from(tmp_path):
    def choices(params):
        return cell_counts(provider(shuffler(params)), tmp_path)["$mux"]

    # Four blocks of 32 bits, each one of up to 7 of an operand, of which 4 fit: 7 choices each.
    words = bytes_of(128, 32, 8, 4, (W.I32,))
    assert choices(words) <= 4 * 7 + 4 * 2 + 8
    assert choices(words) < choices(bytes_of(128, 32, 8, 4))


def test_a_block_of_the_wrong_operand_is_noticed(monkeypatch):
    real = vector_shuffle.FixedVectorShuffle._block

    def never_right(self, m, at):
        return replace(real(self, m, at), is_right=Const(0, 1))

    monkeypatch.setattr(vector_shuffle.FixedVectorShuffle, "_block", never_right)
    assert wrong(resource(SHUFFLE), 20)


@pytest.mark.parametrize("timing", [ResourceTiming(3), ResourceTiming(1, 2)])
def test_another_timing_is_unsupported(timing):
    with pytest.raises(Unsupported, match="provider-timing"):
        provider(resource(SHUFFLE, timing=timing))
