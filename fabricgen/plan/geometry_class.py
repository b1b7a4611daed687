"""What people call a port by its access forms (spec: Canonical Engine Definition).

Derived for listings and never stored; it is no cost class.
"""

import enum

from fabricgen.records.port import MemoryOperationPort
from fabricgen.vocab.dataflow import MemoryAccessForm

__all__ = ["GeometryClass", "geometry_class"]


class GeometryClass(enum.Enum):
    """Forms that a port admits, whatever the type of one element is."""

    ELEMENT_ACCESS_ONLY = "ElementAccessOnly"
    VECTOR_ACCESS_ONLY = "VectorAccessOnly"
    ELEMENT_AND_VECTOR_ACCESS = "ElementAndVectorAccess"


def geometry_class(port: MemoryOperationPort) -> GeometryClass | None:
    """Derive the class of one port from all its alternatives; ``None`` for fences alone."""
    has_element = {
        access_class.access_form is MemoryAccessForm.ELEMENT
        for alternative in port.capability_alternatives
        if alternative.parameterized_access_domain is not None
        for access_class in alternative.parameterized_access_domain.access_classes
    }
    if not has_element:
        return None
    if len(has_element) > 1:
        return GeometryClass.ELEMENT_AND_VECTOR_ACCESS
    if True in has_element:
        return GeometryClass.ELEMENT_ACCESS_ONLY
    return GeometryClass.VECTOR_ACCESS_ONLY
