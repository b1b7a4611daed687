"""Which provider realises which family: the one table (spec: Normative Family Registry)."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from amaranth.lib import wiring

from fabricgen.errors import Diagnostic, Unsupported
from fabricgen.hsg.registry import family_keyword
from fabricgen.hsg.resource import FabricOp
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
from fabricgen.vocab.families import ImplementationFamilyId

__all__ = ["PROVIDERS", "Provider", "provider"]

#: Builds the component of a resource; ``Unsupported`` where it has no such latency or shape.
Provider = Callable[[FabricOp], wiring.Component]

#: Family to provider; each module of providers lists its own.
PROVIDERS: Mapping[ImplementationFamilyId, Provider] = MappingProxyType(
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


def provider(op: FabricOp) -> wiring.Component:
    """Build the component of a resource; ``Unsupported`` where its family has no provider."""
    build = PROVIDERS.get(op.family)
    if build is None:
        raise Unsupported(
            Diagnostic(
                "family-without-provider",
                "family",
                f"The family must have a provider, not be {family_keyword(op.family)}",
            )
        )
    return build(op)
