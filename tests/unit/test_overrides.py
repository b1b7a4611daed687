"""A wrong design of a test that replaces a method of a right one takes what that takes.

Whoever calls the method calls both alike; else the test ends in a ``TypeError`` and says nothing of
what the design does wrong, and where it is slow nobody sees that for long.
"""

import ast
import importlib
import inspect
from pathlib import Path

TESTS = Path(__file__).parents[1]
PACKAGES = ("fabricgen", "sim", "tools")


def product_classes(tree):
    """Classes of the product that a module imports, by the name that they have there."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in PACKAGES:
            module = importlib.import_module(node.module)
            for alias in node.names:
                value = getattr(module, alias.name, None)
                if inspect.isclass(value):
                    found[alias.asname or alias.name] = value
    return found


def differing(tree):
    """Methods that take other positional arguments than the ones that they replace."""
    known = product_classes(tree)
    for node in ast.walk(tree):
        if not isinstance(node, ast.ClassDef):
            continue
        names = [base.id for base in node.bases if isinstance(base, ast.Name)]
        for base in (known[name] for name in names if name in known):
            # What replaces a part of this class may be replaced in turn.
            known.setdefault(node.name, base)
            for method in node.body:
                if not isinstance(method, ast.FunctionDef) or method.name == "__init__":
                    continue
                replaced = inspect.getattr_static(base, method.name, None)
                replaced = getattr(replaced, "__func__", replaced)
                if inspect.isfunction(replaced) and _differ(method.args, replaced):
                    yield f"{node.name}.{method.name}"


def _differ(given, replaced):
    wanted = inspect.signature(replaced).parameters.values()
    count = sum(each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD) for each in wanted)
    return given.vararg is None and len(given.posonlyargs) + len(given.args) != count


def test_what_replaces_a_method_takes_its_arguments():
    found = {
        str(path.relative_to(TESTS)): [*differing(ast.parse(path.read_text()))]
        for path in TESTS.rglob("*.py")
    }
    assert {path: methods for path, methods in found.items() if methods} == {}


def test_the_check_sees_a_missing_argument():
    text = (
        "from fabricgen.rtl.temporal.port import TemporalPort\n"
        "class Late(TemporalPort):\n    def _stalls(self, m, front): ...\n"
        "class Later(Late):\n    def _watch(self, m): ...\n"
        "class Fine(TemporalPort):\n    def _watch(self, *parts): ...\n"
    )
    assert [*differing(ast.parse(text))] == ["Late._stalls", "Later._watch"]
