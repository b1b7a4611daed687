"""Positions of names, which a document may ask for once for each of its rows."""

from fabricgen.author import findings
from fabricgen.author.findings import Findings


def test_a_name_stands_where_it_stands_first():
    assert Findings().places(("a", "b", "a")) == {"a": 0, "b": 1}
    assert Findings().places([]) == {}


def test_a_list_that_grows_is_looked_at_again():
    names, found = ["a"], Findings()
    assert found.places(names) == {"a": 0}
    names.append("b")
    assert found.places(names) == {"a": 0, "b": 1}


def test_positions_of_few_tuples_are_kept(monkeypatch):
    monkeypatch.setattr(findings, "_MOST_PLACES", 2)
    found, several = Findings(), [(f"name{number}", "last") for number in range(5)]
    for _ in range(2):
        for number, names in enumerate(several):
            assert found.places(names) == {f"name{number}": 0, "last": 1}
            assert found.places(names) is found.places(names)
            assert len(found._places) <= 2
