"""Access classes, views and memories whose addresses or data are pointers."""

from dataclasses import replace

from fabricgen.records.access import OrdinaryData, PointerAddressed, PointerFormat
from fabricgen.schema.actor import CanonicalMemoryAccessView
from fabricgen.vocab.dataflow import MemoryAddressForm
from tests.support.memories import (
    ABSENT,
    CONTIGUOUS,
    DYNAMIC,
    ELEMENT,
    INDEXED,
    LOAD,
    STORE,
    access_class,
    alternative,
    capability,
    memory,
    port,
    service,
)

#: Space, representation bits, address bits.
WIDE, NEAR, BYTE = PointerFormat(0, 64, 48), PointerFormat(1, 32, 16), PointerFormat(0, 8, 8)
ORDINARY = (OrdinaryData(),)
CAPACITY = 256
HALF = CAPACITY // 2

ENDPOINTS = {
    "rd_addr": 128,
    "rd_mask": 4,
    "rd_ctrl": 0,
    "wr_addr": 128,
    "wr_data": 128,
    "wr_ctrl": 0,
    "rd_data": 128,
    "rd_done": 0,
    "wr_done": 0,
}
READ = {"address": 0, "mask": 1, "control": 2, "data": 6, "completion": 7}
WRITE = {"address": 3, "data": 4, "control": 5, "completion": 8}


def pointer_class(form, schema, formats, *, data=ORDINARY, **fields):
    return replace(
        access_class(form, schema, **fields),
        address_form=MemoryAddressForm.POINTER_ADDRESSED,
        address_domain=PointerAddressed.of(*formats),
        data_pointer_formats=data,
    )


def pointer_view(form, address, *, element=32, lanes=1, mask=ABSENT, data=None):
    return CanonicalMemoryAccessView(
        form,
        MemoryAddressForm.POINTER_ADDRESSED,
        element,
        lanes,
        mask,
        address.representation_bits,
        1,
        address,
        data,
    )


def loads(*formats):
    """Elements and vectors through pointers."""
    return (
        pointer_class(ELEMENT, LOAD, formats, elements=(8, 32), lanes=(1,)),
        pointer_class(CONTIGUOUS, LOAD, formats, elements=(32,), lanes=(4,)),
        pointer_class(INDEXED, LOAD, formats, elements=(16,), lanes=(2,), masks=(ABSENT, DYNAMIC)),
    )


def indices():
    """Elements of two bytes by indices of 8 or 16 bits."""
    return (access_class(ELEMENT, LOAD, elements=(16,), lanes=(1,), index=(8, 16)),)


def stores():
    """Elements through one kind of pointers; some are pointers themselves."""
    data = (OrdinaryData(), WIDE)
    return (pointer_class(ELEMENT, STORE, (WIDE,), data=data, elements=(64,), lanes=(1,)),)


def pointer_memory(*, contexts=None, mixed=True, **options):
    """A read port of pointers of both kinds, and of indices if mixed; a write port of pointers.

    Loads through NEAR pointers reach the lower half of 256 bytes, those through WIDE ones the upper
    half; so do stores of pointers. All else reaches everything.
    """
    reading = (*loads(NEAR, WIDE), *(indices() if mixed else ()))
    (storing,) = stores()
    limits = {"inputs": 3}
    if contexts is not None:
        limits |= {"contexts": contexts, "depth": 1, "in_flight": (2, 2 * contexts)}
        limits["result_holding"] = limits["in_flight"]
    local = service(
        capability(LOAD, loads(NEAR), (0,), regions=(0,)),
        capability(LOAD, loads(WIDE), (0,), regions=(1,)),
        *([capability(LOAD, indices(), (0,), regions=(0, 1))] if mixed else ()),
        capability(STORE, (replace(storing, data_pointer_formats=(WIDE,)),), (1,), regions=(1,)),
        capability(STORE, (replace(storing, data_pointer_formats=ORDINARY),), (1,), regions=(0, 1)),
        requesters=2,
        capacity=CAPACITY,
        # A gap keeps the halves two regions.
        regions=((0, HALF), (HALF + 1, HALF - 1)),
    )
    ports = (
        port(alternative(LOAD, READ, reading), **limits),
        port(alternative(STORE, WRITE, (storing,)), **limits),
    )
    return memory(ENDPOINTS, 6, ports, local, contexts=contexts, **options)
