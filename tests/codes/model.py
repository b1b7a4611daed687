"""Inputs of the codes of ``model``: workloads without one outcome, or for another memory."""

from dataclasses import replace

from fabricgen.model.execute import execute
from fabricgen.plan.roles import active_roles
from fabricgen.plan.rows import Active, Disabled, OperationRow, ResultDestination, RoleSource
from fabricgen.records.access import PointerAddressed, PointerFormat
from fabricgen.records.connectivity import ManagerEndpointTarget
from fabricgen.schema.actor import CanonicalActorProjection
from fabricgen.vocab.dataflow import AtomicRmwKind, MemoryAddressForm
from tests.support import actors
from tests.support.actor_memories import machine
from tests.support.actors import RMW
from tests.support.memories import ELEMENT, LOAD, ROLE, hybrid_memory, view
from tests.support.networks import net
from tests.support.temporal import manager_memory, temporal_memory, temporal_row, temporal_table

HYBRID = hybrid_memory()
CONTENTS = bytes(range(256)) * 16
RD_MASK, RD_DATA = 1, 7


def offered(streams, contents=CONTENTS):
    """Tokens and bytes for a memory that is switched off."""
    return lambda: execute(HYBRID, Disabled(), streams, contents)


def run(made, **tokens):
    return execute(made.named, made.configuration, made.streams(**tokens), CONTENTS[:256])


def race():
    """Nothing orders the store and the load of one word."""
    return run(net("SL"), a0=[0], d0=[7], c0=[0], a1=[0], c1=[0])


def unconsumed():
    """One of three loaded words is stored; the slot before the store has room for one more."""
    made = net("LS", [("0.data", "1.data")], bases=[0, 128])
    return run(made, a0=[0, 1, 2], c0=[0] * 3, a1=[0], c1=[0])


def two_rows_on_one_tag():
    """Two rows load different words and publish them with tag 9."""
    tags = [dict.fromkeys(("address", "control", "completion"), row) for row in (0, 1)]
    rows = [
        temporal_row(row, 0, LOAD, view(ELEMENT), base=0, tags=tags[row] | {"data": 9})
        for row in (0, 1)
    ]
    streams = {(0, row): [row] for row in (0, 1)} | {(2, row): [0] for row in (0, 1)}
    return execute(temporal_memory(), temporal_table(*rows), streams, CONTENTS)


def behind_a_manager():
    return execute(manager_memory(), Disabled(), {}, b"", {0: {0: 256}})


def broken_promise():
    """A pointer of an atomic object of 32 bits that is no multiple of 4."""
    pointer = PointerFormat(0, 32, 32)
    pointed = replace(
        actors.atomic_access(RMW, element=(32,)),
        address_form=MemoryAddressForm.POINTER_ADDRESSED,
        address_domain=PointerAddressed.of(pointer),
    )
    chosen = replace(
        view(ELEMENT),
        address_form=MemoryAddressForm.POINTER_ADDRESSED,
        address_pointer_format=pointer,
    )
    return one_row(actors.actors(RMW), pointed, actors.exact(RMW), chosen, address=6)


def unknown_float():
    """A sum of floats of 8 bits."""
    contract = replace(actors.exact(RMW).contract, kind=AtomicRmwKind.FADD)
    domain = actors.actors(RMW, kinds=[AtomicRmwKind.FADD])
    actor = CanonicalActorProjection(RMW, contract)
    return one_row(domain, actors.atomic_access(RMW), actor, view(ELEMENT, element=8), address=0)


def one_row(domain, access_class, actor, chosen, *, address):
    """One firing of an actor at a manager."""
    named = machine([(RMW, domain, [access_class], 0)])
    chosen = replace(chosen, source_alignment_bytes=4)
    (port,) = named.occurrence.engine.ports
    inputs, results = active_roles(port.capability_alternatives[0], actor, chosen)
    row = OperationRow(
        0,
        0,
        0,
        actor,
        chosen,
        0,
        tuple((role, RoleSource()) for role, _ in inputs),
        tuple((role, ResultDestination(expose=True)) for role, _ in results),
        ManagerEndpointTarget(0),
    )
    tokens = {(end, None): [address if role is ROLE.ADDRESS else 0] for role, end in inputs}
    return execute(named, Active((row,)), tokens, b"")


PRODUCERS = {
    "workload-race": race,
    "workload-unconsumed": unconsumed,
    "workload-atomic-alignment": broken_promise,
    "model-float-format": unknown_float,
    "workload-output-order": two_rows_on_one_tag,
    "stream-not-an-input": offered({(RD_DATA, None): [0]}),
    "stream-token-width": offered({(RD_MASK, None): [16]}),
    "stream-tag-width": offered({(RD_MASK, 0): [0]}),
    "memory-contents-size": offered({}, b""),
    "beat-not-a-subordinate": lambda: execute(HYBRID, Disabled(), {}, CONTENTS, requests={0: ()}),
    "manager-contents": behind_a_manager,
}
