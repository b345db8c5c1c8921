"""The exit status of the command is never 0 unless the run reached its end."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tck.report.record import read_record
from tests.tck.corpora import write_cases
from tests.tck.hostile.processes import living, new_mark
from tests.tck.test_cli import GOOD, REFUSED

ROWTIME = Path(sys.executable).parent / "rowtime"
ROOT = Path(__file__).parents[3]


@pytest.fixture
def run(tmp_path: Path) -> list[str]:
    """The command that runs two cases in its own process, without the backend."""
    cases = write_cases(tmp_path / "cases", REFUSED, GOOD)
    files = ["--jsonl", f"{tmp_path}/r.jsonl", "--junit", f"{tmp_path}/r.xml"]
    return [str(ROWTIME), "tck", "run", "--in-process", "-c", str(cases), *files, "-b"]


@pytest.fixture
def mark(monkeypatch: pytest.MonkeyPatch) -> str:
    return new_mark(monkeypatch)


@pytest.mark.parametrize(
    ("name", "status", "message"),
    [
        ("Faithful", 0, "2 passed"),
        (
            "ExitsInProcess",
            4,
            "the run did not reach its end: its process ended with exit status 0",
        ),
        ("Segfaults", 4, "the run did not reach its end: its process ended by SIGSEGV"),
        ("RaisesSystemExit", 1, "SystemExit: 0"),
        ("RaisesGeneratorExit", 1, "GeneratorExit"),
        ("RaisesKeyboardInterrupt", 130, "interrupted"),
    ],
)
def test_a_backend_in_the_process_of_the_run_does_not_make_it_green(
    name: str, status: int, message: str, run: list[str], tmp_path: Path
) -> None:
    spec = f"tests.tck.hostile.backends:{name}"
    done = subprocess.run([*run, spec], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stdout + done.stderr
    assert message in done.stdout + done.stderr
    record = read_record(tmp_path / "r.jsonl")
    ended = status in (0, 1)
    assert record.exit == (status if ended else None)
    assert [entry.case for entry in record.entries] == ["refused", "good"][: 2 if ended else 1]
    listed = [each.get("name") for each in ElementTree.parse(tmp_path / "r.xml").iter("testcase")]
    assert listed == (["refused", "good"] if ended else ["refused", "run"])


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGINT])
def test_a_run_that_is_killed_has_what_was_judged_before(
    number: signal.Signals, run: list[str], tmp_path: Path, mark: str
) -> None:
    """When it is resumed, what is missing is run.

    Only where it is killed without a chance to do anything, a process of the backend is left.
    """
    command = [each for each in run if each != "--in-process"]
    engine = f"cmd:{sys.executable} -S {ROOT}/tests/tck/hostile/engine.py"
    process = subprocess.Popen(
        [*command, f"{engine} sleeps-in-poll"], cwd=ROOT, stdout=subprocess.DEVNULL
    )
    lines = tmp_path / "r.jsonl"
    until = time.monotonic() + 60
    while not (lines.exists() and '"refused"' in lines.read_text()):
        assert process.poll() is None
        assert time.monotonic() < until
        time.sleep(0.02)
    os.kill(process.pid, number)
    assert process.wait() == (-number if number is signal.SIGKILL else 130)
    left = list(living(mark))
    for each in left:
        os.kill(each, signal.SIGKILL)
    assert len(left) <= (number is signal.SIGKILL)  # one that sleeps does not see its input end
    assert read_record(lines).exit is None
    assert [entry.case for entry in read_record(lines).entries] == ["refused"]
    if number is not signal.SIGKILL:
        return  # the files are those that a killed run leaves
    resumed = [*command, f"{engine} sleeps-in-poll", "--timeout", "1"]
    resumed[resumed.index("--jsonl")] = "--resume"
    done = subprocess.run(resumed, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stdout + done.stderr
    assert [entry.case for entry in read_record(lines).entries] == ["refused", "good"]
    assert "1 error, 1 passed" in done.stdout
