"""Whatever a backend does, the run ends, each verdict is right, and no process is left.

Each backend has two cases.  Most misbehave in the first, which comes to rows; the second, a query
that must be refused, shows that the run continues with a new process.
"""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tck.backends import Wiring
from tck.corpus.case import Case
from tck.judging.verdict import Result
from tck.processes import NotStarted, RunPlan, run_backends
from tests.tck.corpora import load_cases
from tests.tck.hostile.engine import FAULTS
from tests.tck.hostile.processes import living, new_mark
from tests.tck.test_cli import REFUSED
from tests.tck.test_run import Listening

GOOD = """
id: good
cites: [CAL-010]
sql: SELECT STREAM * FROM Orders
steps:
- feed: {Orders: [['10:00', 10, 4]]}
  emit: [['10:00', 10, 4]]
- feed: {Orders: [['10:05', 10, 7]]}
  emit: [['10:05', 10, 7]]
- end: true
"""

#: Seconds for an answer: enough to start Python on a machine that does other things, too.
SECONDS = 10.0
#: The same where a process never answers.
FEW_SECONDS = 2.0


@dataclass(frozen=True)
class Expected:
    """The labels of the verdicts on both cases, and what the reason of the first contains.

    The labels are empty if the backend cannot be started.
    """

    labels: tuple[str, ...]
    reason: str = ""
    seconds: float = SECONDS


def error(reason: str, seconds: float = SECONDS) -> Expected:
    """The first case is an error, the second passes."""
    return Expected(("ERROR", "PASS"), reason, seconds)


def never(reason: str, seconds: float = SECONDS) -> Expected:
    """The backend is not started."""
    return Expected((), reason, seconds)


RIGHT = Expected(("PASS", "PASS"))

ENGINES: dict[str, Expected] = {
    "none": RIGHT,
    "sleeps-in-start": never("start was not answered within 2 s", FEW_SECONDS),
    "sleeps-in-open": Expected(("ERROR", "ERROR"), "open was not answered within 2 s", FEW_SECONDS),
    "sleeps-in-feed": error("rows was not answered within 2 s", FEW_SECONDS),
    "sleeps-in-poll": error("poll was not answered within 2 s", FEW_SECONDS),
    "sleeps-in-close": error("close was not answered within 2 s", FEW_SECONDS),
    "exits-0": error("the process ended with exit status 0 when it was to poll"),
    "exits-1": error("the process ended with exit status 1 when it was to poll"),
    "exits-0-at-once": never("the process ended with exit status 0 when it was to start"),
    "kills-itself": error("the process ended by SIGKILL when it was to poll"),
    "stops-itself": error("poll was not answered within 2 s", FEW_SECONDS),
    "gigabyte-line": error("poll gave an answer of more than 32 MiB"),
    "not-utf-8": error("a line is not UTF-8"),
    "not-json": error("a line is not JSON"),
    "empty-line": error("a line is not JSON"),
    "array": error("a line must be a JSON object"),
    "null": error("a line must be a JSON object"),
    "nan": error("a line is not JSON"),
    "deep": error("a line is not JSON"),
    "lone-surrogate": error("half of a surrogate pair"),
    "wrong-sequence": error("poll has the sequence number"),
    "no-sequence": error("poll has the sequence number"),
    "sequence-as-fraction": error("poll has the sequence number"),
    "half-and-exit": error("the process ended with exit status 0 when it was to poll"),
    "half-and-close": error("the process ended its answers (descriptor 3 is closed)"),
    "twice": never("start gave more than one line"),
    "unasked": error("rows"),  # two answers to it, or one with a wrong number
    "other-answer": error("poll must be answered by output"),
    "unknown-answer": error("did you mean output?"),
    "null-rows": error("rows"),
    "other-width": error("output.rows[0] has 1 value, the result 3 columns"),
    "rows-of-texts": error("rows"),
    "infinite-value": error("rows"),
    "infinite-bound": error("bound"),
    "infinite-sequence": error("poll has the sequence number"),
    "infinite-span": Expected(("ERROR", "ERROR"), 'has an unknown field "at"'),
    "million-columns": Expected(("ERROR", "ERROR"), "columns"),
    "many-million-rows": error("poll"),
    "in-halves": RIGHT,
    "dribbles": error("poll was not answered within 2 s", FEW_SECONDS),
    "fills-memory": error("the process ended with exit status 1 when it was to poll"),
    "nasty-bound": error(r"<script>alert(1)</script>\u001b[31m"),
    "nasty-refusal": Expected(
        ("FAIL REFUSED", "FAIL WRONG_CODE"), r"<script>alert(1)</script>\x1b[31m\u202e\x00"
    ),
    "version-99": never("the backend speaks version 99 of the protocol, the kit 1 to 3"),
    "unknown-tier": never("sooner"),
    "unknown-gap": never("did you mean tumble?"),
    "no-name": never("hello.name is empty"),
    "floods-stdout": RIGHT,
    "floods-stderr": RIGHT,
    "closes-descriptors": error("the process ended its answers", FEW_SECONDS),
    "never-ends": RIGHT,
    "leaves-a-daemon": RIGHT,
    "leaves-processes": RIGHT,
    "hands-over": error("the process ended with exit status 0 when it was to poll"),
}

IN_PYTHON: dict[str, Expected] = {
    "Faithful": RIGHT,
    "Segfaults": error("the process ended by SIGSEGV when it was to poll"),
    "RaisesGeneratorExit": error("GeneratorExit"),
    "RaisesKeyboardInterrupt": error("the process ended by SIGINT when it was to poll"),
    "RaisesSystemExit": error("SystemExit: 0"),
    "Recurses": error("RecursionError"),
    "RunsOutOfMemory": error("MemoryError"),
    "EmitsTenMillionRows": error("poll gave 10000000 rows, at most 100000 are allowed"),
    "EmitsWithoutEnd": error("rows"),
    "GivesNone": error("poll must give Output, gave None"),
    "GivesDict": Expected(
        ("ERROR", "ERROR"), "open must give Accepted or Refused or Unsupported, gave dict"
    ),
    "GivesText": never("start must give Hello, gave str"),
    "GivesObjects": error("rows"),
    "Prints": RIGHT,
    "BoundsLie": Expected(("FAIL FALSE_BOUND", "PASS")),
    "Markup": Expected(("FAIL WRONG_SCHEMA", "PASS"), r"VARCHAR(99) \x1b[31m\u202e\x00"),
    "ExitsInProcess": error("the process ended with exit status 0 when it was to poll"),
    "CannotBeMade": never("GeneratorExit: in the constructor"),
}


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> tuple[Case, ...]:
    return load_cases(tmp_path_factory.mktemp("cases"), GOOD, REFUSED)


@pytest.fixture
def mark(monkeypatch: pytest.MonkeyPatch) -> str:
    return new_mark(monkeypatch)


def test_every_fault_has_its_verdict() -> None:
    assert set(ENGINES) == set(FAULTS)


def test_a_living_process_is_found(mark: str) -> None:
    """So that the tests below can fail."""
    engine = Path(__file__).parent / "engine.py"
    process = os.posix_spawn(
        sys.executable, [sys.executable, "-S", str(engine), "none"], os.environ
    )
    try:
        assert list(living(mark)) == [process]
    finally:
        os.kill(process, 9)
        os.waitpid(process, 0)
    assert list(living(mark)) == []


@pytest.mark.parametrize("name", ENGINES)
def test_an_engine_that_breaks_the_protocol(name: str, cases: tuple[Case, ...], mark: str) -> None:
    engine = Path(__file__).parent / "engine.py"
    check(f"cmd:{sys.executable} -S -E {engine} {name}", ENGINES[name], cases, mark)


@pytest.mark.parametrize("name", ["gigabyte-line", "million-columns", "many-million-rows"])
def test_the_memory_of_the_kit_is_bounded(name: str, tmp_path: Path) -> None:
    """Its process, in which each answer is read, takes no more than a gigabyte."""
    file = tmp_path / "case.yaml"
    file.write_text(GOOD)
    engine = Path(__file__).parent / "engine.py"
    command = [sys.executable, "-m", "rowtime", "tck", "run", "--cases", str(file), "--backend"]
    command += [f"cmd:{sys.executable} -S -E {engine} {name}", "--quiet", "--no-variants"]
    # A child counts with the memory of the process that starts it: of a small one in between.
    measured = [sys.executable, "-c", _MEASURED, *command]
    told = subprocess.run(measured, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    status, kilobytes = map(int, told.stdout.split())
    assert status == 2  # an ERROR
    assert kilobytes < 1_000_000


#: Runs a command, and prints its exit status and the greatest memory of its process.
_MEASURED = """
import resource, subprocess, sys
status = subprocess.call(sys.argv[1:], stdout=subprocess.DEVNULL)
print(status, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


@pytest.mark.parametrize("name", IN_PYTHON)
def test_a_backend_in_python_that_misbehaves(name: str, cases: tuple[Case, ...], mark: str) -> None:
    check(f"tests.tck.hostile.backends:{name}", IN_PYTHON[name], cases, mark)


def check(spec: str, expected: Expected, cases: tuple[Case, ...], mark: str) -> None:
    """Run the cases, and compare the verdicts with those expected."""
    plan = RunPlan((spec,), cases, {}, slow=1000.0, wiring=Wiring(seconds=expected.seconds))
    progress = list(run_backends(plan, Listening()))
    assert list(living(mark)) == []
    results = [each for each in progress if isinstance(each, Result)]
    failures = [str(each.error) for each in progress if isinstance(each, NotStarted)]
    reasons = [*failures, *(each.verdict.reason for each in results)]
    assert tuple(each.verdict.label for each in results) == expected.labels, reasons
    assert bool(failures) == (not expected.labels)
    assert expected.reason in reasons[0]
    for result in results:
        texts = (result.verdict.reason, *result.verdict.detail, *result.why)
        assert all(text.isprintable() for text in texts)
