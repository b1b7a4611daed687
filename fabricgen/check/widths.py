"""Endpoint widths against every admitted access of every class, by checked products.

No geometry is enumerated: the extreme points of a product of domains decide, and residues modulo
8 where whole bytes are due. Spec: Endpoint Width Ownership And Vector Admission.
"""

from collections.abc import Iterator

from fabricgen.atoms.unsigned import UnsignedDomain
from fabricgen.check.endpoints import role_place
from fabricgen.errors import Diagnostic
from fabricgen.records.access import MemoryAccessClass
from fabricgen.records.occurrence import MemoryOccurrence
from fabricgen.schema.memory import MEMORY_SCHEMAS, MemoryActorSchema
from fabricgen.vocab.dataflow import MemoryAccessForm, MemoryMaskForm, ServiceValueRole
from fabricgen.vocab.fabric import ReadSubwordSemantics, WriteSubwordSemantics

__all__ = ["width_findings"]

#: Roles whose tokens are as wide as the memory contents.
_DATA_ROLES = (
    ServiceValueRole.DATA,
    ServiceValueRole.UPDATE,
    ServiceValueRole.EXPECTED,
    ServiceValueRole.DESIRED,
    ServiceValueRole.OLD,
)


def width_findings(occurrence: MemoryOccurrence, where: str) -> Iterator[Diagnostic]:
    """Say which payloads of admitted accesses their endpoints cannot carry as declared."""
    if occurrence.engine is None:
        return
    widths = [endpoint.payload_width for endpoint in occurrence.endpoints]
    for ordinal, port in enumerate(occurrence.engine.ports):
        for key, alternative in enumerate(port.capability_alternatives):
            domain = alternative.parameterized_access_domain
            if domain is None:
                continue
            bound = {
                role: widths[endpoint]
                for role, endpoint in alternative.role_to_endpoint
                if 0 <= endpoint < len(widths)
            }
            place = f"{where}.port[{ordinal}].alternative[{key}]"
            schema = MEMORY_SCHEMAS[alternative.actor_contract_domain.actor_schema]
            for index, access in enumerate(domain.access_classes):
                yield from _class_findings(schema, access, bound, place, index)


def _class_findings(
    schema: MemoryActorSchema,
    access: MemoryAccessClass,
    bound: dict[ServiceValueRole, int],
    where: str,
    index: int,
) -> Iterator[Diagnostic]:
    place = f"{where}.access[{index}]"
    for role, field, width, meaning in _payloads(access):
        if role in bound and width > bound[role]:
            yield Diagnostic(
                f"{role.name.lower()}-endpoint-narrow",
                f"{place}.{field}",
                f"Every payload must fit the {bound[role]} bits of {role_place(where, role)}, "
                f"not take {meaning}",
            )
    # A direction that the actor lacks is NotApplicable, so it says neither Exact nor ByteEnable.
    if ReadSubwordSemantics.EXACT in access.read_subword:
        for data in (bound[role] for role in schema.read_roles if role in bound):
            yield from _exact_findings(access, data, "read", place)
    if WriteSubwordSemantics.EXACT in access.write_subword:
        for data in (bound[role] for role in schema.write_roles if role in bound):
            yield from _exact_findings(access, data, "write", place)
    if WriteSubwordSemantics.BYTE_ENABLE in access.write_subword:
        yield from _byte_findings(access, place)


def _payloads(access: MemoryAccessClass) -> Iterator[tuple[ServiceValueRole, str, int, str]]:
    """Role, deciding field, width and wording of the widest payload of each kind."""
    index = _highest(access.address_lane_widths)
    element, lanes = _highest(access.element_width_bits), _highest(access.flattened_lane_count)
    addresses = lanes if access.access_form is MemoryAccessForm.INDEXED else 1
    yield (
        ServiceValueRole.ADDRESS,
        "address_domain",
        index * addresses,
        f"{index * addresses} bits ({addresses} of {index})",
    )
    for role in _DATA_ROLES:
        yield (
            role,
            "element_width_bits",
            element * lanes,
            f"{element * lanes} bits ({lanes} of {element})",
        )
    yield ServiceValueRole.SUCCESS, "flattened_lane_count", lanes, f"{lanes} bits"
    if any(form is MemoryMaskForm.DYNAMIC for form, _ in access.mask_inactive_pairs):
        yield ServiceValueRole.MASK, "flattened_lane_count", lanes, f"{lanes} bits"


def _exact_findings(
    access: MemoryAccessClass, data: int, direction: str, where: str
) -> Iterator[Diagnostic]:
    element, lanes = access.element_width_bits, access.flattened_lane_count
    least, most = _lowest(element) * _lowest(lanes), _highest(element) * _highest(lanes)
    if not least == most == data:
        found = f"{least}" if least == most else f"{least} to {most}"
        yield Diagnostic(
            f"{direction}-subword-exact",
            f"{where}.{direction}_subword",
            f"Exact requires payloads of the data endpoint's {data} bits, not of {found} bits",
        )


def _byte_findings(access: MemoryAccessClass, where: str) -> Iterator[Diagnostic]:
    for element in _residues(access.element_width_bits):
        for lanes in _residues(access.flattened_lane_count):
            if element * lanes % 8:
                yield Diagnostic(
                    "write-subword-byte-enable",
                    f"{where}.write_subword",
                    f"ByteEnable requires payloads of whole bytes, not {element * lanes % 8} bits "
                    f"beyond them",
                )
                return


def _residues(domain: UnsignedDomain) -> list[int]:
    """Remainders modulo 8 that the values of a domain leave."""
    found = {
        value % 8
        for interval in domain.intervals
        for value in range(interval.lower, min(interval.upper, interval.lower + 7) + 1)
    }
    return sorted(found)


def _lowest(domain: UnsignedDomain) -> int:
    return domain.intervals[0].lower


def _highest(domain: UnsignedDomain) -> int:
    return domain.intervals[-1].upper
