from collections import Counter
from importlib import import_module
from pkgutil import iter_modules

import pytest

from fabricgen.errors import Diagnostic, Invalid, Unsupported, catalog
from fabricgen.errors.place import placed


def test_a_container_places_what_its_part_reported():
    inner = Invalid(Diagnostic("domain-empty", "size_bytes", "The size must be positive, not 0"))
    assert str(inner.under("service.regions[2]")) == (
        "service.regions[2].size_bytes: The size must be positive, not 0 [domain-empty]"
    )


def test_a_finding_has_a_code_of_the_catalogue():
    with pytest.raises(ValueError, match=r"^Diagnostic code must stand in the catalogue, not 'x'$"):
        Diagnostic("x", "where", "message")


def test_an_error_has_a_finding():
    with pytest.raises(ValueError, match=r"^Invalid needs at least one diagnostic, not 0$"):
        Invalid()


def test_a_finding_is_one_printable_line():
    finding = Diagnostic("domain-empty", "a\nb", "The name must be plain, not \x1b[2J\udcff é")
    assert str(finding) == (r"a\nb: The name must be plain, not \x1b[2J\udcff é [domain-empty]")


@pytest.mark.parametrize("kind", [Invalid, Unsupported])
def test_a_place_keeps_the_kind_of_failure(kind):
    with pytest.raises(kind, match=r"^ports\[1\]\.size: The size"), placed("ports[1]"):
        raise kind(Diagnostic("domain-empty", "size", "The size must be positive, not 0"))


def test_each_code_has_one_rule():
    modules = [
        import_module(f"{catalog.__name__}.{m.name}") for m in iter_modules(catalog.__path__)
    ]
    codes = Counter(code for module in modules for code in getattr(module, "RULES", ()))
    assert [code for code, count in codes.items() if count > 1] == []
    assert set(codes) == set(catalog.CATALOG)
