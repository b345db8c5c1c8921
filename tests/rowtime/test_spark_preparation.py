"""Spark is prepared in the background after the first run: at most once, and not in CI."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from rowtime.commands import spark_preparation
from rowtime.commands.spark_preparation import SWITCH, main, prepare_spark_once
from spark_backend.runtime import class_archive
from spark_backend.runtime.class_archive import NoArchiveError, folder_of_archives


def _set_terminal(monkeypatch: pytest.MonkeyPatch, *, there: bool) -> None:
    def isatty(_: object) -> bool:
        return there

    monkeypatch.setattr(f"{type(sys.stderr).__module__}.{type(sys.stderr).__name__}.isatty", isatty)


@pytest.fixture(autouse=True)
def started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> list[Sequence[str]]:
    """The commands that are started; a person works in a new virtual environment."""
    assert capsys.readouterr().err == "", "`sys.stderr` is of the type that the tests read"
    found: list[Sequence[str]] = []

    def popen(command: Sequence[str], **options: Any) -> None:
        assert options["process_group"] == 0, "Ctrl-C must not reach the process"
        found.append(command)

    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    _set_terminal(monkeypatch, there=True)
    monkeypatch.setattr(subprocess, "Popen", popen)
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.delenv(SWITCH, raising=False)
    return found


def test_the_first_run_prepares_spark_and_says_so(
    started: list[Sequence[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    prepare_spark_once()
    assert [each[-1] for each in started] == [spark_preparation.__name__]
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err == (
        "Spark will start sooner next time: rowtime prepare-spark runs in the background, once"
        " (ROWTIME_PREPARE_SPARK=0 prevents this)\n"
    )


def test_a_second_run_does_nothing_even_if_the_first_preparation_has_failed(
    started: list[Sequence[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    prepare_spark_once()
    capsys.readouterr()
    prepare_spark_once()
    assert len(started) == 1
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("hindrance", ["terminal", "ci", "switch", "system", "archive", "folder"])
def test_nothing_is_started_and_nothing_is_written(
    hindrance: str,
    started: list[Sequence[str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    match hindrance:
        case "terminal":
            _set_terminal(monkeypatch, there=False)
        case "ci":
            monkeypatch.setenv("CI", "true")
        case "switch":
            monkeypatch.setenv(SWITCH, "0")
        case "system":  # it belongs to all programs of the machine
            monkeypatch.setattr(sys, "base_prefix", str(tmp_path))
        case "archive":
            folder_of_archives().mkdir(parents=True)
            (folder_of_archives() / "spark-1-2.jsa").write_text("classes")
        case _:  # a folder cannot be made there, as in an environment that is only read
            (tmp_path / "share").write_text("a file")
    before = sorted(tmp_path.rglob("*"))
    prepare_spark_once()
    assert started == []
    assert sorted(tmp_path.rglob("*")) == before
    assert capsys.readouterr().err == ""


def test_the_process_ends_as_prepare_spark_does(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyspark")
    nices: list[int] = []

    def fails(_: Sequence[str]) -> Path:
        raise NoArchiveError("no memory")

    monkeypatch.setattr(os, "nice", nices.append)
    monkeypatch.setattr(class_archive, "write_class_archive", fails)
    with pytest.raises(SystemExit, match="1"):
        main()
    assert nices == [19]
