import pytest

from fabricgen.errors import Diagnostic, Invalid, Unsupported
from fabricgen.errors.place import placed


def test_a_container_places_what_its_part_reported():
    inner = Invalid(Diagnostic("domain-empty", "size_bytes", "The size must be positive, not 0"))
    assert str(inner.under("service.regions[2]")) == (
        "service.regions[2].size_bytes: The size must be positive, not 0 [domain-empty]"
    )


def test_an_error_has_a_finding():
    with pytest.raises(ValueError, match=r"^Invalid needs at least one diagnostic, not 0$"):
        Invalid()


@pytest.mark.parametrize("kind", [Invalid, Unsupported])
def test_a_place_keeps_the_kind_of_failure(kind):
    with pytest.raises(kind, match=r"^ports\[1\]\.size: The size"), placed("ports[1]"):
        raise kind(Diagnostic("domain-empty", "size", "The size must be positive, not 0"))
