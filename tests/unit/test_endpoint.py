import pytest

from fabricgen.errors import Invalid
from fabricgen.records.endpoint import ServiceEndpoint, TransportEndpoint
from fabricgen.vocab.fabric import EndpointDirection


def test_a_control_endpoint_has_no_payload():
    assert TransportEndpoint(EndpointDirection.IN, 0).tag_width is None


@pytest.mark.parametrize(
    ("fields", "where", "code"),
    [
        ((-1, None), "payload_width", "endpoint-width-range"),
        ((2**64, None), "payload_width", "endpoint-width-range"),
        ((8, 0), "tag_width", "endpoint-tag-width-range"),
        ((8, 2**64), "tag_width", "endpoint-tag-width-range"),
    ],
)
def test_widths_are_bounded(fields, where, code):
    with pytest.raises(Invalid) as caught:
        TransportEndpoint(EndpointDirection.OUT, *fields)
    assert [(finding.where, finding.code) for finding in caught.value.diagnostics] == [
        (where, code)
    ]


@pytest.mark.parametrize("width", [0, -8, 2**64])
def test_a_service_endpoint_has_a_beat(width):
    with pytest.raises(Invalid, match=rf"not {width} \[service-endpoint-beat-width\]$"):
        ServiceEndpoint(width)
