import pytest

from fabricgen.errors import Diagnostic, Invalid


def test_a_container_places_what_its_part_reported():
    inner = Invalid(Diagnostic("domain-empty", "size_bytes", "The size must be positive, not 0"))
    assert str(inner.under("service.regions[2]")) == (
        "service.regions[2].size_bytes: The size must be positive, not 0 [domain-empty]"
    )


def test_an_error_has_a_finding():
    with pytest.raises(ValueError, match=r"^Invalid needs at least one diagnostic, not 0$"):
        Invalid()
