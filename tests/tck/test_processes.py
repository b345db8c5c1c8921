"""Runs of several backends: the first verdict at once, and cases divided among processes."""

import signal
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from tck.backends import Wiring
from tck.corpus.load import load_corpus
from tck.judging.verdict import Outcome, Result
from tck.processes import NotStarted, RunPlan, Started, run_in_processes
from tck.report.record import read_record
from tck.wire.faults import BackendStartError
from tests.tck.corpora import write_cases
from tests.tck.test_cli import GOOD, REFUSED, backend, tck
from tests.tck.test_run import Listening


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    """Six cases in two chapters: each third is refused."""
    kinds = [GOOD, REFUSED, GOOD]
    for chapter in ("one", "two"):
        texts = [
            each.replace("id: ", f"id: {chapter}-{place}-", 1) for place, each in enumerate(kinds)
        ]
        write_cases(tmp_path / "cases", *texts, name=f"{chapter}/subject.yaml")
    return tmp_path / "cases"


def plan(cases: Path, *names: str) -> RunPlan:
    return RunPlan(tuple(map(backend, names)), load_corpus([cases]).cases, {}, 30.0)


def test_the_results_of_two_processes_are_those_of_one(cases: Path, tmp_path: Path) -> None:
    found: list[list[tuple[str, str, str]]] = []
    for count in (1, 2):
        file = tmp_path / f"{count}.jsonl"
        options = ["-b", backend("Faithful"), "-b", backend("Drops"), "-c", cases]
        assert tck("run", *options, "--processes", count, "--jsonl", file).exit_code == 1
        entries = read_record(file).entries
        found.append(sorted((e.backend, e.case, e.verdict.outcome) for e in entries))
    assert len(found[0]) == 12
    assert found[0] == found[1]


@pytest.mark.parametrize("count", [1, 2])
def test_the_first_verdict_stands_before_the_second_backend_runs(cases: Path, count: int) -> None:
    options = ["-b", backend("Faithful"), "-b", backend("Drops"), "-c", cases]
    output = tck("run", *options, "--processes", count).output
    verdict = output.index(f"{backend('Faithful')}: 6 passed")
    assert "┏" in output[:verdict]
    assert verdict < output.index("FAIL WRONG_ROWS")
    assert output.count("┏") > output[:verdict].count("┏")


def test_a_process_that_dies_leaves_an_error_for_each_case_without_a_result(cases: Path) -> None:
    listener = Listening()
    in_process = replace(plan(cases, "Dies"), wiring=Wiring(in_process=True))
    results = [
        each for each in run_in_processes(in_process, listener, 2) if isinstance(each, Result)
    ]
    assert sorted(each.case.id for each in results) == sorted(
        each.id for each in load_corpus([cases]).cases
    )
    errors = [each for each in results if each.verdict.outcome is Outcome.ERROR]
    assert {"one-1-refused", "two-1-refused"} <= {each.case.id for each in errors}
    assert {each.verdict.reason for each in errors} == {"its process ended with exit status 7"}


def test_a_backend_that_does_not_start_is_reported_once(cases: Path) -> None:
    progress = list(run_in_processes(plan(cases, "Unstartable", "Faithful"), Listening(), 2))
    assert [type(each) for each in progress[:2]] == [NotStarted, Started]
    first = progress[0]
    assert isinstance(first, NotStarted)
    assert isinstance(first.error, BackendStartError)
    assert str(first.error).startswith(backend("Unstartable"))
    assert len(progress) == 8


def test_an_interrupt_loses_no_answer_of_any_process_that_a_query_is_unsupported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two processes have an unsupported query each, and hang in the next one when Ctrl-C comes."""
    asked = tmp_path / "asked"
    monkeypatch.setenv("TOY_ASKED", str(asked))
    filtered = GOOD.replace("FROM Orders", "FROM Orders WHERE units > 5")
    texts = [filtered.replace("id: ", f"id: {n}-", 1) for n in (0, 1)]
    texts += [GOOD.replace("id: ", f"id: {n}-", 1) for n in (2, 3)]
    write_cases(tmp_path / "cases", *texts)
    hanging = replace(plan(tmp_path / "cases", "HangsAfterLacks"), wiring=Wiring(in_process=True))

    def interrupt(*_: object) -> None:
        if asked.exists() and len(asked.read_bytes()) == 2:
            raise KeyboardInterrupt
        signal.setitimer(signal.ITIMER_REAL, 0.05)

    before = signal.signal(signal.SIGALRM, interrupt)
    found: list[object] = []
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(KeyboardInterrupt):
            found.extend(run_in_processes(hanging, Listening(), 2))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    results = [each for each in found if isinstance(each, Result)]
    assert sorted((each.case.id[0], each.verdict.missing) for each in results) == [
        ("0", True),
        ("1", True),
    ]


def test_another_hello_in_another_process_is_an_error_said_once(
    cases: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOY_TURNS", str(tmp_path / "turns"))
    found = tck("run", "-b", backend("SaysOtherwise"), "-c", cases, "--processes", 2)
    assert found.exit_code == 3
    reason = "has another hello in one process than in another"
    assert found.output.count(reason) == 1


@pytest.mark.parametrize("first", ["starts", "fails"])
def test_a_backend_that_starts_in_one_process_alone_is_judged_there_alone(
    cases: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: str
) -> None:
    monkeypatch.setenv("TOY_TURNS", str(tmp_path / "turns"))
    monkeypatch.setenv("TOY_FIRST", first)
    in_process = replace(plan(cases, "StartsInTurn"), wiring=Wiring(in_process=True))
    progress = list(run_in_processes(in_process, Listening(), 2))
    assert type(progress[0]) is (Started if first == "starts" else NotStarted)
    assert [type(each) for each in progress].count(Started) == 1
    (error,) = (each.error for each in progress if isinstance(each, NotStarted))
    assert "no engine in this turn" in str(error)
    results = [each for each in progress if isinstance(each, Result)]
    assert [each.verdict.outcome for each in results] == [Outcome.PASS, Outcome.PASS, Outcome.PASS]


def test_a_backend_that_starts_in_one_process_alone_fails_the_run(
    cases: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOY_TURNS", str(tmp_path / "turns"))
    found = tck("run", "-b", backend("StartsInTurn"), "-c", cases, "--processes", 2)
    assert found.exit_code == 3
    assert found.output.count("no engine in this turn") == 1


def test_a_backend_whose_processes_die_at_its_start_is_reported(cases: Path) -> None:
    in_process = replace(plan(cases, "DiesAtStart"), wiring=Wiring(in_process=True))
    (only,) = run_in_processes(in_process, Listening(), 2)
    assert isinstance(only, NotStarted)
    assert "its process ended with exit status 7" in str(only.error)


def test_one_process_of_the_same_backend_is_no_fault(
    cases: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOY_TURNS", str(tmp_path / "turns"))
    assert tck("run", "-b", backend("SaysOtherwise"), "-c", cases).exit_code == 0


def test_no_process_is_left_of_what_backends_have_started(
    cases: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pids = tmp_path / "pids"
    monkeypatch.setenv("TOY_PIDS", str(pids))
    in_process = replace(plan(cases, "LeavesBehind"), wiring=Wiring(in_process=True))
    progress = list(run_in_processes(in_process, Listening(), 2))
    assert len(progress) == 7
    started = list(map(int, pids.read_text().split()))
    assert len(started) == 2
    for pid in started:
        gone = not psutil.pid_exists(pid)
        assert gone or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
