"""Inputs of the codes of ``rtl``: resources that no provider realises."""

from fabricgen.rtl.providers.registry import provider
from tests.support.hsg_ops import add_sub, sine

PRODUCERS = {
    "family-without-provider": lambda: provider(sine()),
    "provider-timing": lambda: provider(add_sub(latency=2)),
}
