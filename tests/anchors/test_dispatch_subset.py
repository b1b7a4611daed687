"""Anchor: fixed H_dispatch versus Mapping-selected C_dispatch.

Spec: Validation Anchors, and Configurable Service Dispatch: the record owns which targets exist
for each alternative, a row selects one of them, and nothing else is accepted anywhere.
"""

from dataclasses import replace

import pytest

from fabricgen.config.codec import decode_configuration, encode_configuration
from fabricgen.config.layout import carrier_layout
from fabricgen.errors import Invalid
from fabricgen.plan.row_check import configuration_findings
from fabricgen.records.connectivity import ManagerEndpointTarget, OperationPortDispatch
from fabricgen.records.endpoint import ServiceEndpoint
from tests.support.memories import ELEMENT, LOAD, replaced, row, table, view
from tests.support.records import LOCAL, load_fabric

ROW = row(0, LOAD, view(ELEMENT))
MANAGERS = (ServiceEndpoint(32), ServiceEndpoint(64))


def memory_with(*targets):
    """The one-port memory with two managers, of which the alternative may reach ``targets``."""
    named = load_fabric().memories[0]
    dispatch = replace(
        named.occurrence.connectivity, operation_ports=(OperationPortDispatch((targets,)),)
    )
    return replaced(named, connectivity=dispatch, manager_endpoints=MANAGERS)


def codes(named, target):
    rows = table(replace(ROW, service_target=target))
    return [finding.code for finding in configuration_findings(named, rows)]


ALL = (LOCAL, ManagerEndpointTarget(0), ManagerEndpointTarget(1))


@pytest.mark.parametrize("domain", [ALL, ALL[:1], ALL[1:], (ALL[0], ALL[2])])
def test_a_row_may_select_exactly_what_h_dispatch_declares(domain):
    named = memory_with(*domain)
    for target in (*ALL, ManagerEndpointTarget(2)):
        assert codes(named, target) == ([] if target in domain else ["row-target"]), target


def test_the_width_of_the_selector_is_fixed_by_the_occurrence_not_by_the_domain():
    # Three targets exist, so the index has two bits although this row may only select one.
    for domain in (ALL, ALL[:1]):
        assert carrier_layout(memory_with(*domain)).rows[0]["service_target"].width == 2


def test_the_selector_counts_local_first_and_then_the_managers():
    named = memory_with(*ALL)
    field = carrier_layout(named).rows[0]["service_target"]
    for code, target in enumerate(ALL):
        bits = encode_configuration(named, table(replace(ROW, service_target=target)))
        assert field.get(bits) == code
        (decoded,) = decode_configuration(named, bits).operation_rows
        assert decoded.service_target == target


@pytest.mark.parametrize(("selector", "code"), [(2, "row-target"), (3, "carrier-index-range")])
def test_a_carrier_cannot_reach_past_h_dispatch(selector, code):
    named = memory_with(LOCAL, ManagerEndpointTarget(0))
    field = carrier_layout(named).rows[0]["service_target"]
    bits = encode_configuration(named, table(ROW)) & ~field.mask | selector << field.offset
    with pytest.raises(Invalid) as error:
        decode_configuration(named, bits)
    assert [finding.code for finding in error.value.diagnostics] == [code]
