"""`make check` runs the tests and the cases that changed files concern."""

import subprocess
from pathlib import Path

import pytest

from tests.check import ROOT, case_files_of, changed_files, files_to_test


@pytest.mark.parametrize(
    ("path", "among", "not_among"),
    [
        ("tests/tck/corpus/test_load.py", "tests/tck/corpus/test_load.py", "test_series.py"),
        ("tck/corpus/load.py", "tests/tck/corpus/test_series.py", "tests/tck/test_cli.py"),
        ("tck/corpus/selected/digest.py", "tests/tck/corpus/test_load.py", "test_cli.py"),
        ("tck/run.py", "tests/tck/test_run.py", "tests/tck/corpus/test_load.py"),
        ("tests/tck/corpora.py", "tests/tck/test_run.py", "tests/tck/corpus/test_load.py"),
        ("tck/corpus/rows.py", "tck/corpus/rows.py", "tests/tck/test_cli.py"),
    ],
)
def test_the_tests_of_a_file(path: str, among: str, not_among: str) -> None:
    found = list(map(str, files_to_test([Path(path)])))
    assert among in found
    assert not any(each.endswith(not_among) for each in found)


@pytest.mark.parametrize(
    "path", ["README.md", "benchmarks/make_orders.py", "tests/strategies.py", "Makefile"]
)
def test_a_file_of_the_whole_project_has_no_tests_of_its_own(path: str) -> None:
    assert not files_to_test([Path(path)])


def test_all_tests_are_files_that_are_there() -> None:
    modules = [path.relative_to(ROOT) for path in (ROOT / "spark_backend").rglob("*.py")]
    found = files_to_test(modules)
    assert len(found) > 20
    assert all((ROOT / each).is_file() for each in found)


def test_the_cases_of_a_case_file() -> None:
    case_file = Path("tck/cases/over/frames/rows.yaml")
    others = [Path("tck/fixtures/orders.yaml"), Path("tck/cases/result-types.json")]
    assert case_files_of([case_file, *others]) == [case_file]


def test_changes_are_those_since_main_committed_or_not(tmp_path: Path) -> None:
    def git(*arguments: str) -> None:
        who = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
        subprocess.run(["git", *who, *arguments], cwd=tmp_path, check=True, capture_output=True)

    def write(name: str, text: str) -> None:
        (tmp_path / name).write_text(text)

    git("init", "--initial-branch=main")
    for name in ("kept.py", "edited.py", "removed.py"):
        write(name, "1")
    git("add", ".")
    git("commit", "--message=first")
    assert changed_files(tmp_path) == []
    git("switch", "--create=other")
    write("committed.py", "2")
    git("add", ".")
    git("commit", "--message=second")
    write("edited.py", "2")
    write("added.py", "2")
    (tmp_path / "removed.py").unlink()
    names = [path.name for path in changed_files(tmp_path)]
    assert names == ["added.py", "committed.py", "edited.py"]
