"""What `make formal` lists is complete: each proof has a property, each property a mutant."""

import ast
from pathlib import Path
from types import SimpleNamespace

from tests.support import formal_report

TESTS = Path(__file__).parents[1]


def text(argument, tree):
    """The string of an argument, or of the constant of the module that it names."""
    if isinstance(argument, ast.Name):
        (argument,) = (
            node.value
            for node in tree.body
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == argument.id
        )
    return ast.literal_eval(argument)


def marked(kind):
    """Properties that markers of one kind name, and the functions that have any marker."""
    names, functions = set(), set()
    for path in TESTS.rglob("test_*.py"):
        tree = ast.parse(path.read_text())
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                for decorator in node.decorator_list:
                    if isinstance(decorator, ast.Call) and ast.unparse(decorator.func).endswith(
                        f"mark.{kind}"
                    ):
                        names |= {text(arg, tree) for arg in decorator.args}
                        functions.add((path.name, node.name))
    return names, functions


def test_every_proved_property_has_a_mutant_that_its_proof_must_reject():
    proved, rejected = marked("proves")[0], marked("rejects")[0]
    assert proved == rejected, "a property needs both `proves` and `rejects` markers"


def test_every_formal_test_names_a_property():
    named = marked("proves")[1] | marked("rejects")[1]
    for path in (TESTS / "formal").glob("test_*.py"):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                assert (path.name, node.name) in named, "mark it with `proves` or `rejects`"


def report(test, passed, **said):
    item = SimpleNamespace(
        name=test,
        iter_markers=lambda kind: [SimpleNamespace(args=said.get(kind, ()))],
    )
    values = formal_report.json.dumps(formal_report.recorded(item))
    return SimpleNamespace(passed=passed, user_properties=[("formal", values)])


def test_a_row_says_what_was_proved_and_what_was_rejected():
    formal_report.runs[:] = [formal_report.Proof("Ring", "induction", 20)]
    reports = [
        report("a", True, proves=["order"]),
        report("b", False, proves=["order", "claims"]),
        report("c", True, rejects=["claims"]),
        SimpleNamespace(passed=True, user_properties=[]),
    ]
    formal_report.runs.clear()
    common = {"design": "Ring", "method": "induction", "depth": 20, "proved": False}
    assert formal_report.rows(reports) == [
        {"property": "claims", **common, "mutant_rejected": True, "mutants": 1},
        {"property": "order", **common, "mutant_rejected": False, "mutants": 0},
    ]
