"""Faults of the machine at each system call that writes: what was committed is there, and whole.

`make faults` runs these; they need strace and faketime, and start hundreds of processes.
"""

import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Final

import pytest

import rowtime

pytestmark = [
    pytest.mark.faults,
    pytest.mark.skipif(not shutil.which("strace"), reason="needs strace"),
]

ROWS: Final = 40
COLUMNS: Final = "(rowtime TIMESTAMP(3) ASCENDING, a INTEGER)"
PIPELINE: Final = f"""\
CREATE FOREIGN STREAM S {COLUMNS} OPTIONS (path 'in.csv');
CREATE FOREIGN STREAM F {COLUMNS} OPTIONS (path 'out.csv');
CREATE FOREIGN STREAM P {COLUMNS} OPTIONS (path 'parts', format 'csv');
INSERT INTO F SELECT STREAM * FROM S;
INSERT INTO P SELECT STREAM * FROM S;
"""
PIPE: Final = (str(Path(sys.executable).with_name("rowtime")), "run", "p.sql", "--once")
#: Writes rows into a database, and says of each that it is written.
WRITER: Final = """
import sys, rowtime
db = rowtime.connect("file.db")
rows = db.prepare("INSERT INTO S VALUES (?, ?)")
for number in range(6):
    try:
        rows.execute((f"2026-01-01 00:00:{number:02}", number))
    except rowtime.Error as error:
        sys.exit(f"{type(error).__name__}: {error}")
    print(number, flush=True)
db.close()
"""


def run(
    command: Sequence[str], folder: Path, fault: str, calls: str
) -> "subprocess.CompletedProcess[str]":
    """A command whose system calls meet a fault."""
    traced = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={calls}"]
    inject = ["-e", f"inject={calls}:{fault}"]
    return subprocess.run(
        [*traced, *inject, *command], cwd=folder, capture_output=True, text=True, check=False
    )


def number_of(command: Sequence[str], folder: Path, calls: str) -> int:
    """How many system calls of a kind a command makes."""
    log = folder / "calls"
    traced = ["strace", "-f", "-qq", "-o", str(log), "-e", f"trace={calls}", *command]
    subprocess.run(traced, cwd=folder, capture_output=True, check=True)
    return len(re.findall(rf"\b{calls}\(", log.read_text(errors="replace")))


def records(path: Path) -> list[str]:
    """The records of a file, which must be whole; none, if there is no file."""
    text = path.read_text() if path.exists() else ""
    assert text == "" or text.endswith("\n"), text[-80:]
    return text.splitlines()[1:]


@pytest.fixture
def lines(tmp_path: Path) -> list[str]:
    """The records of the input that the folder has."""
    found = [f"2026-01-01 00:00:{n:02},{n}" for n in range(ROWS)]
    (tmp_path / "in.csv").write_text("\n".join(["rowtime,a", *found, ""]))
    (tmp_path / "p.sql").write_text(PIPELINE)
    return found


@pytest.mark.parametrize("fault", ["signal=KILL", "error=ENOSPC", "error=EIO"])
@pytest.mark.parametrize("calls", ["write", "rename"])
def test_a_pipeline_leaves_whole_records_at_each_fault(
    tmp_path: Path, lines: list[str], fault: str, calls: str
) -> None:
    failed = 0
    for call in range(1, number_of(PIPE, tmp_path, calls) + 1):
        (tmp_path / "out.csv").unlink(missing_ok=True)
        shutil.rmtree(tmp_path / "parts", ignore_errors=True)
        done = run(PIPE, tmp_path, f"{fault}:when={call}", calls)
        failed += done.returncode != 0
        written = records(tmp_path / "out.csv")
        assert written == lines[: len(written)]
        parts = [records(each) for each in sorted((tmp_path / "parts").glob("part-*.csv"))]
        whole = [line for part in parts for line in part]
        assert whole == lines[: len(whole)]
        assert "Traceback" not in done.stderr, (call, done.stderr)
    assert failed > 0, "no fault has met the pipeline"


@pytest.mark.parametrize("fault", ["signal=KILL", "error=ENOSPC", "error=EIO"])
def test_a_database_has_each_row_that_was_acknowledged(tmp_path: Path, fault: str) -> None:
    for call in count(1):  # up to the first run that no fault has met
        (tmp_path / "file.db").unlink(missing_ok=True)
        for each in ("file.db-wal", "file.db-shm"):
            (tmp_path / each).unlink(missing_ok=True)
        with rowtime.connect(tmp_path / "file.db") as db:
            db.executescript(f"CREATE STREAM S {COLUMNS} WITH HISTORY")
        command = [sys.executable, "-c", WRITER]
        done = run(command, tmp_path, f"{fault}:when={call}", "pwrite64")
        acknowledged = len(done.stdout.split())
        with rowtime.connect(tmp_path / "file.db") as db:
            found = [a for (a,) in db.execute("SELECT a FROM S").fetchall()]
        assert found == list(range(len(found)))
        assert len(found) in (acknowledged, acknowledged + 1)
        if fault.startswith("error"):
            assert "Traceback" not in done.stderr, done.stderr
            assert len(found) == acknowledged, "what failed is not kept"
        if done.returncode == 0 and acknowledged == 6:
            break


@pytest.mark.usefixtures("lines")
def test_a_folder_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    """A folder of /proc, because a superuser can write in all others."""
    text = PIPELINE.replace("'out.csv'", "'/proc/self/out.csv'")
    (tmp_path / "p.sql").write_text(text)
    done = subprocess.run(PIPE, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "/proc/self/out.csv" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(not shutil.which("faketime"), reason="needs faketime")
@pytest.mark.parametrize(
    "clock", ["@2026-01-01 00:00:00 i3600", "@2000-01-01 00:00:00 x1000", "-9y"]
)
def test_a_clock_that_jumps_changes_no_result(tmp_path: Path, lines: list[str], clock: str) -> None:
    command = [str(Path(sys.executable).with_name("rowtime")), "run", "p.sql", "--once"]
    done = subprocess.run(
        ["faketime", "-f", clock, *command],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert records(tmp_path / "out.csv") == lines
