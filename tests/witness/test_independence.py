"""The witness shares no code with what it judges."""

import ast
from pathlib import Path
from typing import Final

import pytest

HERE: Final = Path(__file__).parent
#: What compares the two, and so knows both.
COMPARING: Final = {"comparison.py", "test_witness.py", "test_changing.py"}
PACKAGES: Final = {"grammar", "algebra", "reference", "spark_backend", "tck", "rowtime"}
WITNESS: Final = sorted({path.name for path in HERE.glob("*.py")} - COMPARING)


@pytest.mark.parametrize("name", WITNESS)
def test_the_witness_imports_nothing_of_the_project(name: str) -> None:
    """Neither itself nor by another module of the tests."""
    imported = _imported(HERE / name)
    assert not {each for each in imported if each.split(".")[0] in PACKAGES}
    own = {f"tests.witness.{other.removesuffix('.py')}" for other in WITNESS}
    assert {each for each in imported if each.startswith("tests")} <= own


def _imported(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        match node:
            case ast.Import(aliases):
                names |= {each.name for each in aliases}
            case ast.ImportFrom(str(module)):
                names.add(module)
            case _:
                pass
    return names
