"""Which provider realises which family: the one table (spec: Normative Family Registry)."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

from fabricgen.errors import Diagnostic, Unsupported
from fabricgen.hsg.registry import family_keyword
from fabricgen.hsg.resource import FabricOp
from fabricgen.hsg.semantics import semantic_field
from fabricgen.records.fabric import Fabric
from fabricgen.rtl.providers import (
    integer_add_sub,
    integer_compare,
    integer_count_zeros,
    integer_divide,
    integer_logic,
    integer_multiply,
    integer_shift,
    loop_control,
    loop_stream,
    parallelize,
    scalar_values,
    serialize,
    token_route,
    vector_adapter,
    vector_add_sub,
    vector_compare,
    vector_count_zeros,
    vector_logic,
    vector_multiply,
    vector_shift,
    vector_shuffle,
    vector_slice,
)
from fabricgen.rtl.providers.timed import TimedProvider
from fabricgen.vocab.families import ImplementationFamilyId

__all__ = ["PROVIDERS", "provider", "without_provider"]

#: Family to provider, which builds the component of a resource; each module lists its own.
PROVIDERS: Mapping[ImplementationFamilyId, type[TimedProvider]] = MappingProxyType(
    {
        **integer_add_sub.PROVIDERS,
        **integer_logic.PROVIDERS,
        **integer_divide.PROVIDERS,
        **integer_shift.PROVIDERS,
        **integer_multiply.PROVIDERS,
        **integer_count_zeros.PROVIDERS,
        **integer_compare.PROVIDERS,
        **loop_control.PROVIDERS,
        **loop_stream.PROVIDERS,
        **parallelize.PROVIDERS,
        **scalar_values.PROVIDERS,
        **serialize.PROVIDERS,
        **token_route.PROVIDERS,
        **vector_adapter.PROVIDERS,
        **vector_add_sub.PROVIDERS,
        **vector_compare.PROVIDERS,
        **vector_count_zeros.PROVIDERS,
        **vector_logic.PROVIDERS,
        **vector_multiply.PROVIDERS,
        **vector_shift.PROVIDERS,
        **vector_shuffle.PROVIDERS,
        **vector_slice.PROVIDERS,
    }
)


def provider(op: FabricOp) -> TimedProvider:
    """Build the component of a resource; ``Unsupported`` where its family or timing has none."""
    if found := tuple(_missing(op)):
        raise Unsupported(*found)
    return PROVIDERS[op.family](op)


def without_provider(fabric: Fabric) -> tuple[Diagnostic, ...]:
    """Report every resource of a fabric that has no provider; builds nothing."""
    return tuple(
        replace(finding, where=f"op[{ordinal}].{finding.where}")
        for ordinal, named in enumerate(fabric.ops)
        for finding in _missing(named.op)
    )


def _missing(op: FabricOp) -> Iterator[Diagnostic]:
    """Say why a resource has no provider."""
    realised = PROVIDERS.get(op.family)
    if realised is None:
        yield Diagnostic(
            "family-without-provider",
            "family",
            f"The family must have a provider, not be {family_keyword(op.family)}",
        )
        return
    try:
        yield from realised.timing_findings(op)
        semantic_field(op)
    except Unsupported as error:
        yield from error.diagnostics
