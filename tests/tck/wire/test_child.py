"""A backend in a process of its own cannot take the kit with it, and leaves nothing behind."""

# ruff: noqa: E501 - a line of a table is a line

import json
import os
import shlex
import sys
import time
import uuid
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

import psutil
import pytest
from typer.testing import CliRunner

from tck.backends import RunningBackend, Wiring, start_backend
from tck.cli import app
from tck.corpus.case import Case
from tck.exit_codes import EXIT_FAILURES
from tck.judging.verdict import NOT_RUN, Outcome, Result
from tck.protocol import Open, Output, Rows
from tck.run import RESTARTS, run_cases
from tck.wire.faults import BackendFault, BackendStartError, UnknownBackendError
from tests.tck.corpora import load_cases, write_cases
from tests.tck.test_run import GOOD, Listening

SCRIPT: Final = Path(__file__).with_name("hostile_commands.py")
#: The variable by which the processes of a test are found.
TEST: Final = "ROWTIME_TEST"
QUERY: Final = Open("", "SELECT STREAM * FROM Orders")


def command(fault: str) -> str:
    """The backend with a fault."""
    return f"cmd:{shlex.join([sys.executable, '-S', '-E', str(SCRIPT), fault])}"


def started_by(test: str) -> list[int]:
    """The processes that the backends of a test have left."""
    found: list[int] = []
    for each in psutil.process_iter():
        try:
            if each.environ().get(TEST) == test and each.status() != psutil.STATUS_ZOMBIE:
                found.append(each.pid)
        except (psutil.Error, OSError):
            continue
    return found


@pytest.fixture(autouse=True)
def _nothing_is_left(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No process, which has the name of the test from the environment, and no descriptor."""
    test = str(uuid.uuid4())
    monkeypatch.setenv(TEST, test)
    files = len(os.listdir("/proc/self/fd"))
    yield
    assert started_by(test) == []
    assert len(os.listdir("/proc/self/fd")) == files


#: The seconds after which a test no longer waits for an answer that never comes.
FEW_SECONDS: Final = 1.5


def running(fault: str, seconds: float = 10.0) -> RunningBackend:
    return start_backend(command(fault), Wiring(seconds=seconds))


@pytest.mark.parametrize(
    ("fault", "reason", "detail"),
    [
        ("sleeps", "poll was not answered within 1.5 s", ("stdout: going to sleep",)),
        ("exits-0", "the process ended with exit status 0 when it was to poll", ("stderr: all is well",)),
        ("exits-3", "the process ended with exit status 3 when it was to poll", ()),
        ("segfaults", "the process ended by SIGSEGV when it was to poll", ()),
        ("stops-itself", "poll was not answered within 1.5 s", ()),
        ("closes", "the process ended its answers (descriptor 3 is closed) when it was to poll", ()),
        ("babbles", "poll: a line is not JSON", ()),
        ("not-utf-8", "poll: a line is not UTF-8", ()),
        ("other-number", "poll has the sequence number 3, its answer 4", ()),
        ("no-number", "poll has the sequence number 3, its answer null", ()),
        ("twice", "poll gave more than one line", ()),
        ("endless-line", "poll gave an answer of more than 32 MiB", ()),
        ("leaves-a-daemon", "the process ended with exit status 1 when it was to poll", ()),
        ("leaves-a-child", "the process ended with exit status 1 when it was to poll", ()),
    ],
)  # fmt: skip
def test_a_child_that_does_not_answer_is_killed(
    fault: str, reason: str, detail: tuple[str, ...]
) -> None:
    backend = running(fault, seconds=FEW_SECONDS if "within" in reason else 10.0)
    backend.backend.open(QUERY)
    begun = time.monotonic()
    with pytest.raises(BackendFault) as caught:
        backend.backend.poll()
    assert caught.value.reason.startswith(reason)
    assert caught.value.detail == detail
    assert caught.value.over
    assert time.monotonic() - begun < 9.0


def test_an_answer_that_a_process_wrote_before_its_end_is_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The answer and the end come after the kit has waited, and before it looks at the process."""
    backend = running("answers-and-exits")
    backend.backend.open(QUERY)
    look = os.waitid

    def wait(kind: int, process: int, options: int) -> object:
        return look(kind, process, options & ~os.WNOHANG)

    monkeypatch.setattr(os, "waitid", wait)
    assert backend.backend.poll() == Output()
    monkeypatch.undo()
    backend.stop()


@pytest.mark.parametrize("fault", ["answers-on-stdout", "answers-on-stdout-and-exits"])
def test_an_answer_on_standard_output_is_pointed_out_at_once(fault: str) -> None:
    backend = running(fault, seconds=60.0)
    backend.backend.open(QUERY)
    begun = time.monotonic()
    with pytest.raises(BackendFault) as caught:
        backend.backend.poll()
    assert time.monotonic() - begun < 10.0
    assert caught.value.reason.startswith("poll was answered on standard output: write answers to")
    assert "(>&3 in a shell, /dev/fd/3 as a file in Java)" in caught.value.reason
    assert (caught.value.code, caught.value.over) == ("breach", True)


def test_a_copy_of_an_answer_on_standard_output_is_allowed() -> None:
    backend = running("copies-to-stdout")
    backend.backend.open(QUERY)
    assert backend.backend.poll() == Output()
    backend.stop()


def test_of_a_flood_on_stdout_the_last_lines_are_shown() -> None:
    backend = running("floods-stdout", seconds=FEW_SECONDS)
    backend.backend.open(QUERY)
    with pytest.raises(BackendFault, match="poll was not answered within") as caught:
        backend.backend.poll()
    *whole, last = caught.value.detail
    assert whole == ["stdout: noise"] * 15
    assert "stdout: noise".startswith(last)


def test_too_many_rows_are_a_fault_and_the_child_lives_on() -> None:
    backend = running("many-rows")
    backend.backend.open(QUERY)
    with pytest.raises(BackendFault, match="poll gave 100001 rows, at most 100000 are allowed"):
        backend.backend.poll()
    backend.backend.close()
    backend.stop()


def test_what_the_engine_prints_does_not_get_into_the_protocol() -> None:
    """More than a pipe holds."""
    backend = running("prints")
    backend.backend.open(QUERY)
    assert backend.backend.poll() == Output()
    backend.stop()


def test_requests_are_longer_than_a_pipe() -> None:
    backend = running("none")
    backend.backend.open(QUERY)
    backend.backend.feed(Rows("ORDERS", (("2015-02-15 10:00:00", 1, 1),) * 50_000))
    assert backend.backend.poll() == Output()
    backend.stop()


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("dies-at-once", "the process ended with exit status 5 when it was to start"),
        ("version-99", "the backend speaks version 99 of the protocol, the kit 1 to 3"),
        ("sleeps-at-start", "start was not answered within 1.5 s"),
    ],
)
def test_a_child_that_does_not_start_is_reported(fault: str, reason: str) -> None:
    with pytest.raises(BackendStartError) as caught:
        running(fault, seconds=FEW_SECONDS)
    assert reason in str(caught.value)
    assert caught.value.detail == (("stderr: no licence",) if fault == "dies-at-once" else ())


@pytest.mark.parametrize(
    ("spec", "error", "reason"),
    [
        ("cmd:no-such-command --x", BackendStartError, "no-such-command cannot be started: No such file"),
        ("cmd:", UnknownBackendError, "there is no command"),
        ("cmd:'", UnknownBackendError, "is not a command: No closing quotation"),
    ],
)  # fmt: skip
def test_a_command_that_is_none_is_reported(spec: str, error: type[Exception], reason: str) -> None:
    with pytest.raises(error, match=reason):
        start_backend(spec)


def test_a_child_that_does_not_stop_is_killed() -> None:
    backend = running("sleeps-at-stop")
    begun = time.monotonic()
    backend.stop()
    assert time.monotonic() - begun < 10.0


def cases(folder: Path, count: int) -> tuple[Case, ...]:
    texts = [GOOD.replace("id: good", f"id: good-{place}") for place in range(count)]
    return load_cases(folder, *texts)


def run(
    fault: str, chosen: tuple[Case, ...], *, seconds: float = 10.0, until: float | None = None
) -> list[Result]:
    backend = running(fault, seconds=seconds)
    try:
        return list(run_cases(backend, chosen, Listening(), {}, until=until))
    finally:
        backend.stop()


def test_after_restarts_in_a_row_the_rest_is_not_run(tmp_path: Path) -> None:
    results = run("exits-3", cases(tmp_path, RESTARTS + 3))
    assert {each.verdict.outcome for each in results} == {Outcome.ERROR}
    assert [each.verdict.reason.startswith(NOT_RUN) for each in results] == (
        [False] * (RESTARTS + 1) + [True] * 2
    )


def test_cases_that_are_not_asked_are_no_crashes(tmp_path: Path) -> None:
    """One crash and then gaps: the backend has crashed once, and is asked the next case."""
    gaps = [f"{GOOD}needs: [hop]".replace("id: good", f"id: gap-{n}") for n in range(RESTARTS + 1)]
    after = [GOOD.replace("id: good", f"id: after-{n}") for n in range(2)]
    backend = running("exits-3", seconds=5.0)
    lacking = replace(backend.hello, gaps={"hop": "no windows"})
    backend.hello = lacking
    results = list(run_cases(backend, load_cases(tmp_path, GOOD, *gaps), Listening(), {}))
    assert [each.verdict.outcome for each in results[1:]] == [Outcome.SKIP] * (RESTARTS + 1)
    assert backend.crashes == 1
    backend.hello = replace(lacking, gaps={})
    results = list(run_cases(backend, load_cases(tmp_path, *after), Listening(), {}))
    assert [each.verdict.not_run for each in results] == [False, False]
    backend.stop()


def test_that_the_rest_is_not_run_is_reported_once(tmp_path: Path) -> None:
    texts = [GOOD.replace("id: good", f"id: good-{place}") for place in range(RESTARTS + 3)]
    write_cases(tmp_path / "cases", *texts)
    arguments = ["run", "-b", command("exits-3"), "-c", str(tmp_path / "cases")]
    result = CliRunner().invoke(app, arguments, env={"COLUMNS": "500"})
    lines = [line for line in result.output.splitlines() if NOT_RUN in line]
    reason = f"{NOT_RUN}the backend has crashed in {RESTARTS + 1} cases in a row"
    assert [line.endswith(reason) for line in lines] == [True, False]
    assert lines[1].endswith(f"{reason}: 2 cases")
    assert result.exit_code == EXIT_FAILURES


def test_a_wrong_answer_in_between_is_a_success_of_the_process(tmp_path: Path) -> None:
    """It emits no rows, which is wrong, but it answers."""
    results = run("none", cases(tmp_path, 2))
    assert {each.verdict.outcome for each in results} == {Outcome.FAIL}


def test_after_the_time_of_the_run_no_case_begins(tmp_path: Path) -> None:
    begun = time.monotonic()
    results = run("sleeps", cases(tmp_path, 20), seconds=FEW_SECONDS, until=begun + 2.0)
    assert time.monotonic() - begun < 10.0
    assert len(results) == 20
    assert results[-1].verdict.reason == f"{NOT_RUN}the time of the run is over"


def test_a_class_runs_in_a_process_of_its_own_with_its_output_shown() -> None:
    backend = start_backend("tests.tck.wire.hostile_classes:Prints", Wiring(seconds=20.0))
    backend.backend.open(QUERY)
    with pytest.raises(BackendFault) as caught:
        backend.backend.poll()
    assert caught.value.reason == "the process ended by SIGABRT when it was to poll"
    assert caught.value.detail[0] == "stdout: about to die in process of its own: True"
    assert any("hostile_classes.py" in line for line in caught.value.detail)


def test_the_protocol_of_a_class_is_that_of_a_command() -> None:
    """Python's own words for what it gave in place of a message."""
    backend = start_backend("tests.tck.wire.hostile_classes:GivesNone", Wiring(seconds=20.0))
    backend.backend.open(QUERY)
    with pytest.raises(BackendFault) as caught:
        backend.backend.poll()
    assert (caught.value.reason, caught.value.over) == ("poll must give Output, gave None", False)
    backend.backend.close()
    backend.stop()


def test_messages_of_a_class_are_plain_json(tmp_path: Path) -> None:
    """What the kit and a class say, recorded by a command between them."""
    record = tmp_path / "record"
    serve = shlex.join([sys.executable, "-m", "tck.wire.serve", "tests.tck.toy:Faithful"])
    backend = start_backend(f"cmd:sh -c 'tee {record} | {serve}'", Wiring(seconds=20.0))
    assert backend.hello.name == "toy"
    backend.stop()
    first = json.loads(record.read_text().splitlines()[0])
    assert first == {
        "seq": 1,
        "request": "start",
        "protocol": 3,
        "most_rows": 100_000,
        "most_bytes": 32 * 2**20,
    }
