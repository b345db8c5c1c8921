"""`--timeout`, `--max-memory` and `--max-rows`: a query that needs more ends with an error."""

import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest

from algebra.records.pipeline import RunError
from rowtime.limits.resource_limits import ResourceLimits, limited, memory_size
from rowtime.process.interrupts import uninterrupted

#: Ten thousand million pairs.
BOMB: Final = "SELECT COUNT(*) FROM 'numbers.csv' AS a, 'numbers.csv' AS b WHERE a.n < b.n"

COMMANDS: Final = (["run"], ["sql", "-c"])


def rowtime(arguments: Sequence[str], folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "rowtime", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a file of 100,000 numbers."""
    (tmp_path / "numbers.csv").write_text("n\n" + "".join(f"{n}\n" for n in range(100_000)))
    return tmp_path


def test_a_query_ends_when_its_time_is_over(folder: Path) -> None:
    done = rowtime(["run", BOMB, "--timeout", "1"], folder)
    assert done.stderr.splitlines()[-1] == "the query was ended: it has run for 1 s (--timeout)"
    assert (done.returncode, done.stdout) == (1, "")


def test_a_query_ends_when_it_needs_more_memory(folder: Path) -> None:
    pairs = BOMB.replace("COUNT(*)", "*")
    done = rowtime(["run", pairs, "--max-memory", "400MB", "-o", "out.csv"], folder)
    message = "the query was ended: it needs more than 400 MB of memory (--max-memory)"
    assert done.stderr.splitlines()[-1] == message
    assert (done.returncode, done.stdout) == (1, "")
    assert not (folder / "out.csv").exists()


@pytest.mark.parametrize("command", COMMANDS, ids=lambda each: each[0])
@pytest.mark.parametrize(("allowed", "status"), [(3, 0), (2, 1)])
def test_a_result_may_have_as_many_rows_as_are_allowed(
    command: list[str], allowed: int, status: int, tmp_path: Path
) -> None:
    done = rowtime([*command, "VALUES (1), (2), (3)", "--max-rows", str(allowed)], tmp_path)
    assert done.returncode == status
    assert ("more than 2 rows (--max-rows)" in done.stderr) == bool(status)
    assert bool(done.stdout) == (not status)


def test_in_the_shell_the_next_statement_has_the_same_limits_again(tmp_path: Path) -> None:
    numbers = "WITH d AS (VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)) "
    bomb = f"{numbers} SELECT COUNT(*) FROM d AS a, d AS b, d AS c, d AS e, d AS f, d AS g, d AS h"
    done = rowtime(["sql", "--timeout", "1", "-c", f"VALUES (7); {bomb}; VALUES (8)"], tmp_path)
    assert "the query was ended: it has run for 1 s (--timeout)" in done.stderr
    assert ("7" in done.stdout, "8" in done.stdout) == (True, False)
    assert done.returncode == 1


@pytest.mark.parametrize(
    "option", [["--timeout", "1"], ["--max-memory", "1GB"], ["--max-rows", "1"]]
)
def test_a_pipeline_has_no_such_limits(option: list[str], tmp_path: Path) -> None:
    (tmp_path / "pipe.sql").write_text("CREATE TABLE t (n INTEGER);")
    done = rowtime(["run", "pipe.sql", *option], tmp_path)
    assert f"{option[0]} goes with a query, not with a pipeline" in " ".join(done.stderr.split())
    assert done.returncode == 2


@pytest.mark.parametrize(
    ("text", "size"),
    [("500MB", 500_000_000), ("2 gb", 2 * 10**9), ("1.5KB", 1500), ("70000", 70_000)],
)
def test_sizes_of_memory(text: str, size: int) -> None:
    assert memory_size(text) == size


@pytest.mark.parametrize("text", ["", "GB", "1TB", "-1MB", "0", "0.0GB"])
def test_what_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="write a size"):
        memory_size(text)


#: Nine million pairs; then a statement that needs little.
_IN_LITTLE_MEMORY: Final = """
import resource, rowtime
db = rowtime.connect()
db.execute("CREATE TABLE T (n INTEGER)")
db.cursor().executemany("INSERT INTO T VALUES (?)", [(n,) for n in range(3000)])
resource.setrlimit(resource.RLIMIT_DATA, (160_000_000, resource.RLIM_INFINITY))
for _ in range(2):
    try:
        db.execute("SELECT * FROM T AS a, T AS b")
    except rowtime.OutOfMemory as error:
        print(error)
    print(len(db.execute("SELECT * FROM T AS a, (SELECT n FROM T WHERE n < 100) AS b").fetchall()))
"""


def test_a_statement_of_the_driver_that_needs_more_memory_ends_alone() -> None:
    program = [sys.executable, "-c", _IN_LITTLE_MEMORY]
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    message = "the statement needs more memory than this process can get"
    assert done.stdout.splitlines() == [message, "300000"] * 2, done.stderr


def test_an_event_is_done_whole_before_its_time_is_over() -> None:
    done: list[str] = []

    def event() -> None:
        with limited(ResourceLimits(seconds=60)), uninterrupted():
            signal.raise_signal(signal.SIGALRM)
            done.append("whole")

    with pytest.raises(RunError, match="has run for 60 s"):
        event()
    assert done == ["whole"]
