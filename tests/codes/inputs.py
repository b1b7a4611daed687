"""Good inputs that several layers change in one thing."""

from dataclasses import replace

from fabricgen.atoms.pointer import PointerFormat
from fabricgen.records.access import OrdinaryData, PointerAddressed
from fabricgen.records.port import MemoryOperationPort
from fabricgen.vocab.dataflow import MemoryAddressForm
from fabricgen.vocab.dataflow import ServiceValueRole as ROLE
from fabricgen.vocab.fabric import MemoryPortTransactionProjection
from tests.support import capabilities
from tests.support.capabilities import contract
from tests.support.memories import memory

__all__ = ["NEAR", "POINTERS", "one_actor", "pointers"]

#: Results and payload bits of roles; the others are inputs of 64 bits.
_RESULTS = (ROLE.OLD, ROLE.SUCCESS, ROLE.COMPLETION)
_WIDTHS = {ROLE.CONTROL: 0, ROLE.COMPLETION: 0, ROLE.SUCCESS: 1}


def one_actor(alternative, widths=None, *, loads=False):
    """A memory of one port before one manager, with an endpoint for each role of an alternative.

    ``widths`` gives other payload bits to some roles. Data is an input but of loads.
    """
    results = (*_RESULTS, ROLE.DATA) if loads else _RESULTS
    order = [role for role, _ in alternative.role_to_endpoint]
    order.sort(key=lambda role: role in results)
    bound = tuple((role, order.index(role)) for role, _ in alternative.role_to_endpoint)
    port = MemoryOperationPort.of(
        range(len(order)),
        contract(1),
        (MemoryPortTransactionProjection.DIRECT,),
        (replace(alternative, role_to_endpoint=bound),),
    )
    bits = _WIDTHS | (widths or {})
    endpoints = {role.name.lower(): bits.get(role, 64) for role in order}
    inputs = sum(role not in results for role in order)
    return memory(endpoints, inputs, (port,), None, managers={"ext0": 64})


#: The format of the addresses, and of some of the data, of a load port.
NEAR = PointerFormat(0, 64, 48)


def pointers(*formats):
    """A port of loads through pointers of these formats; some of its data are pointers."""
    loads = replace(
        capabilities.access(element=(64,)),
        address_form=MemoryAddressForm.POINTER_ADDRESSED,
        address_domain=PointerAddressed.of(*formats),
        data_pointer_formats=(OrdinaryData(), NEAR),
    )
    return one_actor(capabilities.alternative(loads), loads=True)


POINTERS = pointers(NEAR)
