"""The tests that `make release-check` runs on the wheel can run there.

Each import can be changed to the wheel's name of the module, and the wheel has the module.
"""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from hatch_build import moved_inside
from tests.wheel.environments import ROOT
from tests.wheel.moved_tests import FOLDERS
from tests.wheel.test_release import NOT_OF_THE_WHEEL, TESTS

#: Packages of the checkout that the wheel leaves out, and tools that the environment does not have:
#: also PySpark, and so the module that starts it.
ABSENT: Final = (
    *("engines", "docs", "rowtime.score", "playwright", "duckdb", "sqlglot", "bytewax"),
    *("pyspark", "spark_backend.runtime.session"),
)


def _imported(path: Path) -> Iterator[str]:
    """The modules that a file imports, in functions, too."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{each.name}" for each in node.names)
        elif isinstance(node, ast.Import):
            yield from (each.name for each in node.names)


@cache
def absent_modules(path: Path) -> frozenset[str]:
    """The modules in `ABSENT` that a file imports, itself or by a module of the tests."""
    found: set[str] = set()
    for name in _imported(path):
        if any(name == each or name.startswith(f"{each}.") for each in ABSENT):
            found.add(name)
        helper = ROOT / f"{name.replace('.', '/')}.py"
        if name.startswith("tests.") and helper.is_file() and helper != path:
            found |= absent_modules(helper)
    return frozenset(found)


def test_the_tests_of_the_wheel_import_what_is_there() -> None:
    left_out = [ROOT / "tests" / each for each in NOT_OF_THE_WHEEL]
    wrong = {
        str(path.relative_to(ROOT)): sorted(absent)
        for name in TESTS
        for path in sorted((ROOT / "tests" / name).rglob("*.py"))
        if not any(path.is_relative_to(each) for each in left_out)
        if (absent := absent_modules(path))
    }
    assert wrong == {}


def test_the_imports_of_all_tests_can_be_changed_to_the_names_of_the_wheel() -> None:
    for folder in FOLDERS:
        for path in (ROOT / folder).rglob("*.py"):
            moved_inside(path.read_text("utf-8"), str(path))


def test_what_is_left_out_is_there() -> None:
    """And the check above finds a module that is absent."""
    assert [each for each in NOT_OF_THE_WHEEL if not (ROOT / "tests" / each).exists()] == []
    assert absent_modules(ROOT / "tests/tck/pages/test_browser.py") >= {"playwright.sync_api"}
