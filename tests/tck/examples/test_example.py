"""`rowtime tck example` writes the examples out of the package."""

import ast
from importlib.resources import files
from pathlib import Path
from typing import Final

import pytest
from typer.testing import CliRunner, Result

from tck import examples
from tck.cli import app
from tck.commands.example import EXAMPLES

EXAMPLES_FOLDER: Final = Path(str(files(examples)))


def example(*arguments: str) -> Result:
    """The result of a call."""
    return CliRunner().invoke(app, ["example", *arguments])


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_files_are_written_as_they_are(name: str, tmp_path: Path) -> None:
    result = example(name, "-o", str(tmp_path / "new"))
    assert result.exit_code == 0, result.output
    for path in EXAMPLES[name].files:
        written = tmp_path / "new" / Path(path).name
        assert written.read_bytes() == (EXAMPLES_FOLDER / path).read_bytes()


def test_the_known_failures_are_those_of_the_backend_that_is_named(tmp_path: Path) -> None:
    assert example("sqlite", "-o", str(tmp_path)).exit_code == 0
    known = (tmp_path / "known.yaml").read_text("utf-8")
    assert f"\n{EXAMPLES['sqlite'].backend}:\n" in f"\n{known}"


def test_no_file_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "known.yaml").write_text("mine")
    result = example("sqlite", "-o", str(tmp_path))
    assert result.exit_code == 2
    assert "known.yaml is there already" in result.output
    assert [each.name for each in tmp_path.iterdir()] == ["known.yaml"]


def test_without_a_name_the_examples_are_listed() -> None:
    listed = example().stdout.splitlines()
    assert [line.partition(":")[0] for line in listed] == list(EXAMPLES)
    assert example("cobol").exit_code == 2


def test_the_engine_in_node_is_short_and_stands_alone() -> None:
    """It imports nothing but Node's own modules."""
    lines = (EXAMPLES_FOLDER / "node" / "engine.mjs").read_text("utf-8").splitlines()
    assert len(lines) < 210
    imported = [line.split("'")[1] for line in lines if line.startswith("import ")]
    assert imported
    assert all(name.startswith("node:") for name in imported)


@pytest.mark.parametrize("name", ["sqlite_backend.py", "upsert_backend.py"])
def test_a_backend_in_python_sees_the_protocol_alone(name: str) -> None:
    text = (EXAMPLES_FOLDER / name).read_text("utf-8")
    assert len(text.splitlines()) < 150
    tree = ast.parse(text)
    modules = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert modules - {"collections", "collections.abc"} == {"rowtime.protocol"}
