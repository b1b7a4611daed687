"""Anchors: same-ingress Temporal matching, and one tag per role of a vector token.

Spec: Validation Anchors, Persistent Capability Schema, Temporal Ports And Resident Capacity.
"""

import pytest

from fabricgen.check.fabric import findings
from fabricgen.errors import Invalid
from fabricgen.records.fabric import Fabric
from tests.support.memories import (
    ABSENT,
    CONTIGUOUS,
    DYNAMIC,
    LOAD,
    access_class,
    alternative,
    capability,
    memory,
    port,
    service,
)

VECTORS = (access_class(CONTIGUOUS, LOAD, elements=(32,), lanes=(4,), masks=(ABSENT, DYNAMIC)),)
ENDS = {"address": 32, "control": 0, "data": 128, "done": 0}
#: Address and mask at one ingress.
SHARED = {"address": 0, "mask": 0, "control": 1, "data": 2, "completion": 3}


def loading(contexts, **roles):
    """Codes of one vector-load port; Spatial where ``contexts`` is ``None``."""
    load = alternative(LOAD, roles, VECTORS)
    ports = (port(load, contexts=contexts or 1, depth=1),)
    local = service(capability(LOAD, VECTORS, (0,)), requesters=1)
    named = memory(ENDS, 2, ports, local, contexts=contexts)
    return [finding.code for finding in findings(Fabric("anchor", (named,)))]


def test_input_roles_of_a_temporal_row_may_share_one_ingress():
    assert loading(4, **SHARED) == []
    assert loading(None, **SHARED) == ["role-endpoint-shared"]


def test_two_results_of_one_firing_do_not_share_one_egress():
    with pytest.raises(Invalid, match=r"\[alternative-result-endpoints\]"):
        loading(4, **{**SHARED, "completion": 2})
