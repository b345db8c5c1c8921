"""The smoke test without a backend says whether the kit itself is sound."""

from pathlib import Path
from typing import Final

import pytest
from typer.testing import CliRunner, Result

from tck.cli import app
from tck.corpus.load import load_corpus
from tck.exit_codes import EXIT_ENGINE, EXIT_HARNESS, EXIT_OK
from tck.smoke import installation

#: A case of one row, which the reference answers by 1.
CASE: Final = """\
subject: one row
given: []
cases:
- id: one
  why: a row of VALUES is the result
  cites: [CAL-001]
  sql: SELECT x FROM (VALUES (1)) AS t (x)
  rows: [[{}]]
"""


def smoke() -> Result:
    return CliRunner().invoke(app, ["smoke"])


def use(monkeypatch: pytest.MonkeyPatch, cases: Path) -> None:
    """The kit has these cases, no release requires any other, and the core is empty."""
    monkeypatch.setattr(installation, "kit_corpus", lambda: load_corpus([cases]))
    requirements = cases.parent / "requirements"
    requirements.mkdir()
    monkeypatch.setattr(installation, "kit_requirements", lambda: requirements)
    (core := requirements / "core.yaml").write_text("core: {}\n")
    monkeypatch.setattr(installation, "kit_core", lambda: core)


def test_the_kit_is_sound() -> None:
    result = smoke()
    assert result.exit_code == EXIT_OK
    assert "the reference answers in a process of its own" in result.output
    assert result.output.endswith("this installation of rowtime is sound\n")


def test_without_cases_the_kit_is_broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, tmp_path / "cases")
    result = smoke()
    assert result.exit_code == EXIT_HARNESS
    assert "there is no such file or folder" in result.output
    assert "this installation of rowtime is broken" in result.output


@pytest.mark.parametrize(("row", "code"), [("1", EXIT_OK), ("2", EXIT_ENGINE)])
def test_a_reference_that_fails_a_case_is_broken(
    row: str, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cases" / "chapter").mkdir(parents=True)
    (tmp_path / "cases" / "chapter" / "one.yaml").write_text(CASE.format(row), "utf-8")
    use(monkeypatch, tmp_path / "cases")
    assert smoke().exit_code == code
