"""Slices of vectors against the oracle, and every carrier, valid or not."""

# amaranth: UnusedElaboratable=no
import random

import pytest

from fabricgen.errors import Unsupported
from fabricgen.hsg.resource import ResourceTiming
from fabricgen.hsg.semantics import DirectField, direct_value, semantic_field
from fabricgen.hsg.slice_carrier import SliceSetting
from fabricgen.hsg.vector_params import FixedVectorSliceAlignMergeParams
from fabricgen.rtl.providers import vector_slice
from fabricgen.rtl.providers.registry import provider
from fabricgen.schema.operation_actor import OperationActor
from fabricgen.schema.payload import StaticPosition
from fabricgen.schema.types import VectorType
from fabricgen.vocab.dataflow import OperationSchemaId as O
from fabricgen.vocab.families import ImplementationFamilyId as F
from tests.support.hsg import FF, I8, INDEX32, W, X, resource
from tests.support.netlist import Netlist, cell_counts
from tests.support.position_bench import wrong
from tests.support.vector_bench import results

SLICE = F.FIXED_VECTOR_SLICE_ALIGN_MERGE
#: Two indices, three widths of elements, containers of any number of bytes up to 17.
WIDE = FixedVectorSliceAlignMergeParams((W.I8, W.I16), (FF.F32,), 136, 72, 2, (X.I32,))


def wide(*operations, latency=1):
    return resource(
        SLICE,
        *operations,
        params=WIDE,
        inputs=(136, 136, 32, 40),
        outputs=(144,),
        timing=ResourceTiming(latency),
    )


def carrier_of(op):
    field = semantic_field(op)
    assert isinstance(field, DirectField)
    return field.carrier


@pytest.mark.parametrize("latency", [1, 2])
def test_every_extract_and_insert(latency):
    assert wrong(wide(latency=latency), 150) == []


@pytest.mark.parametrize("operation", [O.VECTOR_EXTRACT, O.VECTOR_INSERT])
def test_one_operation_alone(operation):
    assert wrong(wide(operation), 80) == []


@pytest.mark.parametrize(
    ("params", "inputs", "outputs"),
    [
        (FixedVectorSliceAlignMergeParams((W.I1,), (), 12, 6), (12, 12), (12,)),
        (FixedVectorSliceAlignMergeParams((W.I8,), (), 15, 15), (32, 32), (32,)),
        (FixedVectorSliceAlignMergeParams((), (FF.F64,), 192, 128), (200, 130), (150,)),
        (FixedVectorSliceAlignMergeParams((W.I8,), (), 64, 64, 1, (X.I64,)), (64, 64, 64), (64,)),
        (FixedVectorSliceAlignMergeParams((W.I1,), (), 1, 1, 1, (X.I32,)), (1, 1, 32), (1,)),
        (FixedVectorSliceAlignMergeParams((W.I1,), (), 1, 1), (1, 1), (1,)),
        (FixedVectorSliceAlignMergeParams((W.I64,), (FF.F16,), 64, 64), (64, 64), (64,)),
    ],
)
@pytest.mark.parametrize("operations", [(O.VECTOR_EXTRACT,), (O.VECTOR_INSERT,), ()])
def test_any_elements_and_ports(params, inputs, outputs, operations):
    op = resource(SLICE, *operations, params=params, inputs=inputs, outputs=outputs)
    assert wrong(op, 30) == []


def _expected(setting, operands, indices):
    """Result by the numbers of a setting, where the position lies in 128 bits."""
    position = setting.offset_bits + sum(
        index * stride for index, stride in zip(indices, setting.stride_bits, strict=True)
    )
    ones = (1 << setting.slice_bits) - 1
    if setting.operation is O.VECTOR_EXTRACT:
        return operands[0] >> position & ones
    return operands[1] & ~(ones << position) | (operands[0] & ones) << position


@pytest.mark.parametrize("latency", [1, 2])
def test_each_valid_carrier_means_its_numbers_and_no_other_stalls(latency):
    op = resource(SLICE, timing=ResourceTiming(latency))
    carrier, drawn = carrier_of(op), random.Random(4)
    jobs, expected = [], []
    values = {drawn.getrandbits(carrier.bit_count) for _ in range(60)}
    near = [SliceSetting(O.VECTOR_INSERT, 8 * at, 8, (8,)) for at in range(16)]
    near += [SliceSetting(O.VECTOR_EXTRACT, 24 * at, 24, (each,)) for at, each in ((1, 48), (2, 0))]
    near += [SliceSetting(O.VECTOR_EXTRACT, 4, 12, (8,)), SliceSetting(O.VECTOR_INSERT, 0, 3, (5,))]
    for value in [*values, *map(carrier.encode_setting, near)]:
        setting = carrier.decode(value)
        # What its bits say counts: whether an input is used never depends on validity.
        used = [0]
        used += [1] if setting.operation is O.VECTOR_INSERT else []
        used += [2] if setting.stride_bits[0] >= 8 else []
        operands = [drawn.getrandbits(128), drawn.getrandbits(128), drawn.randrange(2)]
        jobs.append((value, used, [tuple(operands[port] for port in used)] * 2))
        indices = operands[2:]
        valid = carrier.is_valid(value)
        fits = setting.offset_bits + indices[0] * setting.stride_bits[0] + setting.slice_bits <= 128
        expected.append(_expected(setting, operands, indices) if valid and fits else None)
    found = results(provider(op), jobs)
    assert sum(each is not None for each in expected) >= 16
    for (value, *_), wanted, got in zip(jobs, expected, found, strict=True):
        assert wanted is None or got == [wanted] * 2, carrier.decode(value)


@pytest.mark.parametrize("index", [16, 17, 64, 2**31, 2**32 - 1])
def test_an_index_beyond_the_vector_inserts_nothing(index):
    op = resource(SLICE)
    vector = VectorType((16,), I8)
    actor = OperationActor(
        O.VECTOR_INSERT, (I8, vector, INDEX32), (vector,), StaticPosition((None,))
    )
    operands = (0xA5, 0x0123456789ABCDEF0011223344556677, index)
    job = (direct_value(op, actor), (0, 1, 2), [operands])
    assert results(provider(op), [job]) == [[operands[1]]]


def test_bits_above_an_extracted_slice_are_zero():
    op = resource(SLICE)
    value = carrier_of(op).encode_setting(SliceSetting(O.VECTOR_EXTRACT, 32, 16, (0,)))
    assert results(provider(op), [(value, (0,), [(2**128 - 1,)])]) == [[0xFFFF]]


def test_no_bit_is_undefined(tmp_path):
    assert Netlist(provider(wide()), tmp_path).undefined_bits == 0


def test_one_rotator_serves_both_operations(tmp_path):
    def choices(*operations):
        return cell_counts(provider(wide(*operations)), tmp_path)["$mux"]

    both, one = choices(), choices(O.VECTOR_INSERT)
    # Besides the direction of the rotation, both have the choices of an insert.
    assert both <= one + 2


def test_a_rotation_in_the_wrong_direction_is_noticed(monkeypatch):
    monkeypatch.setattr(vector_slice, "Mux", lambda test, left, right: right)
    assert wrong(resource(SLICE), 20)


@pytest.mark.parametrize("timing", [ResourceTiming(3), ResourceTiming(1, 2)])
def test_another_timing_is_unsupported(timing):
    with pytest.raises(Unsupported, match="provider-timing"):
        provider(resource(SLICE, timing=timing))
