"""Classes of plain accesses accept alignment 1; those of other actors need not."""

from dataclasses import replace

import pytest

from fabricgen.atoms.alignment import AlignmentDomain
from fabricgen.atoms.unsigned import UnsignedDomain
from fabricgen.check.alignments import alignment_findings
from fabricgen.check.template import template_findings
from fabricgen.records.access import ParameterizedMemoryAccessDomain
from fabricgen.records.actor import LoadStorePlain, MemoryActorContractDomain
from fabricgen.records.engine import memory_engine_template
from tests.codes.inputs import one_actor
from tests.support.actors import LOAD, alternative, atomic_access, clause
from tests.support.records import ELEMENT, access, accesses, load_fabric
from tests.support.records import LOAD as LOADS
from tests.support.records import ReadSubwordSemantics as READ

RECORD = load_fabric().memories[0].occurrence
WORDS = access(ELEMENT, (32,), read=READ.ZERO_EXTEND)
BYTES = access(ELEMENT, (8,), read=READ.ZERO_EXTEND)


def aligned(access_class, *exponents):
    return replace(access_class, source_alignment=AlignmentDomain(UnsignedDomain.of(*exponents)))


def found(occurrence):
    return [(each.where, each.code) for each in alignment_findings(occurrence, "m")]


def served(*classes):
    """The good occurrence with a service of these classes."""
    local = RECORD.local_service
    contract = local.memory_service_contract
    (only,) = contract.capabilities
    changed = replace(only, access_domain=accesses(*classes))
    contract = replace(contract, capabilities=(changed,))
    return replace(RECORD, local_service=replace(local, memory_service_contract=contract))


@pytest.mark.parametrize(
    ("exponents", "admits"),
    [
        ([0], True),
        ([0, 2], True),
        ([(0, 63)], True),
        ([1], False),
        ([(1, 63)], False),
        ([63], False),
    ],
)
def test_a_served_class_of_plain_accesses_accepts_alignment_one(exponents, admits):
    where = "m.local_service.capabilities[0].access_domain.access_classes[0].source_alignment"
    expected = [] if admits else [(where, "plain-alignment-missing")]
    assert found(served(aligned(WORDS, *exponents))) == expected


def test_each_class_is_looked_at():
    where = "m.local_service.capabilities[0].access_domain.access_classes"
    assert found(served(aligned(BYTES, 0), aligned(WORDS, (2, 63)))) == [
        (f"{where}[1].source_alignment", "plain-alignment-missing")
    ]


def ported(*clauses):
    """A load port of these contracts, whose accesses are aligned to words."""
    classes = aligned(atomic_access(LOAD, element=(32,)), (2, 63))
    return one_actor(
        alternative(LOAD, classes, domain=MemoryActorContractDomain.of(LOADS, *clauses)),
        loads=True,
    ).occurrence


PLAIN = LoadStorePlain.of(False)


@pytest.mark.parametrize(
    ("clauses", "count"), [([clause(LOAD)], 0), ([PLAIN], 1), ([PLAIN, clause(LOAD)], 1)]
)
def test_only_contracts_that_are_not_plain_may_want_more(clauses, count):
    expected = [("m.port[0].alternative[0].access[0].source_alignment", "plain-alignment-missing")]
    record = ported(*clauses)
    assert found(record) == expected * count
    codes = [each.code for each in template_findings(memory_engine_template(record), "t")]
    assert codes == ["plain-alignment-missing"] * count


def test_a_domain_alone_may_hold_any_alignment():
    """It has no actors: the accesses of registers, for one."""
    assert ParameterizedMemoryAccessDomain.of(aligned(WORDS, 2)).access_classes
