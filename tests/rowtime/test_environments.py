"""The same command gives the same bytes under each hash seed, time zone, locale and folder."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from tck.corpus.load import kit_cases
from tests.examples import scaled

ORDERS: Final = """rowtime,productId,units
2015-02-15 10:17:00,30,4
2015-02-15 10:17:05,10,1
2015-02-15 11:02:00,10,6
"""

HOURS: Final = (
    "SELECT STREAM TUMBLE_END(rowtime, INTERVAL '1' HOUR) AS rowtime, UPPER(MAX('i')) AS u, "
    "SUM(units) AS s FROM 'orders.csv' GROUP BY TUMBLE(rowtime, INTERVAL '1' HOUR)"
)

UNIT_TEST: Final = """
script: orders.sql
date: 2026-02-15
cases:
- id: passes
  sql: SELECT STREAM UPPER('i') AS u FROM Orders WHERE units > 3
  steps:
  - feed: {Orders: [['10:17:00', 4], ['10:18:00', 3]]}
    emit: [[I]]
- id: fails
  sql: SELECT STREAM units FROM Orders
  steps:
  - feed: {Orders: [['10:17:00', 4]]}
    emit: [[5]]
"""

#: Of the kit's cases only the files of one chapter are read: a process reads all in a second.
CHAPTER: Final = ("--cases", str(kit_cases() / "group_sort" / "tumbling"))
SOME_CASES: Final = ("tck", "run", *CHAPTER, "--only", "tumble-hour-by-product*", "--no-variants")

#: Commands that read a file, bind, draw, judge cases, and fail.
COMMANDS: Final[Sequence[Sequence[str]]] = (
    ("run", HOURS),
    ("sql", "-c", "SELECT UPPER('i'), LOWER('I'), TIMESTAMP '2015-02-15 10:17:00'; SELECT nothing"),
    ("explain", "--metadata", "SELECT STREAM * FROM Orders WHERE units > 3"),
    ("trace", "--case", "tumble-hour-by-product-emission"),
    (*SOME_CASES, "--backend", "reference"),
    ("lint", "script.sql"),
    ("test", "unit.test.yaml"),
)

#: Commands that write files.
WRITERS: Final[Sequence[Sequence[str]]] = (
    ("fmt", "script.sql"),
    ("tck", "report", "run.jsonl", *CHAPTER, "--output", "pages"),
)

#: Variables of the environment (empty: not set), and options of Python.
ENVIRONMENTS: Final[Sequence[tuple[Mapping[str, str], Sequence[str]]]] = (
    (
        {
            "PYTHONHASHSEED": "1",
            "TZ": "America/New_York",
            "LC_ALL": "tr_TR.UTF-8",
            "HOME": "/nonexistent",
            "TMPDIR": "/nonexistent",
            "PATH": "",
        },
        ("-OO",),
    ),
    ({"PYTHONHASHSEED": "2", "TZ": "nowhere", "LC_ALL": "C", "HOME": ""}, ("-O",)),
    *(({"PYTHONHASHSEED": str(seed)}, ()) for seed in range(3, 23)),
    *(({"TZ": zone}, ()) for zone in ("Pacific/Apia", "Europe/Dublin", "Antarctica/Troll")),
    *(({"LC_ALL": locale}, ()) for locale in ("POSIX", "C.UTF-8", "de_DE.UTF-8")),
)

#: Of `make test`, and of `make test-nightly`.
NUMBERS: Final = (1, len(ENVIRONMENTS))


class Outcome(NamedTuple):
    """The exit status of a command, the bytes that it has printed, and the files after it."""

    status: int
    out: bytes
    err: bytes
    files: Mapping[str, bytes]


#: The seconds that a unit test took.
_SECONDS: Final = re.compile(rb"\(\d+\.\d+ s\)")


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A file of results, which the pages of a report show."""
    folder = tmp_path_factory.mktemp("results")
    done = outcome((*SOME_CASES, "--jsonl", "run.jsonl"), folder, {}, b"")
    return done.files["run.jsonl"]


@pytest.fixture(scope="module")
def usual(results: bytes, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Outcome]:
    """The outcome of a command in the usual environment, in which each is run once."""

    @cache
    def of(command: Sequence[str]) -> Outcome:
        return outcome(command, tmp_path_factory.mktemp("usual"), {}, results)

    return of


def outcome(
    command: Sequence[str],
    folder: Path,
    more: Mapping[str, str],
    results: bytes,
    options: Sequence[str] = (),
) -> Outcome:
    """The outcome of a command in this environment."""
    shutil.rmtree(folder / "pages", ignore_errors=True)
    write_files(folder, results)
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "PYTHONPATH") if name in os.environ}
    env = {**kept, "TERM": "dumb", "COLUMNS": "120", **more}
    done = subprocess.run(
        [sys.executable, *options, "-m", "rowtime", *command],
        cwd=folder,
        env={name: value for name, value in env.items() if value},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    files = [each for each in folder.rglob("*") if each.is_file()]
    named = {str(each.relative_to(folder)): each.read_bytes() for each in files}
    return Outcome(done.returncode, _SECONDS.sub(b"(time)", done.stdout), done.stderr, named)


def write_files(folder: Path, results: bytes) -> None:
    """Write the files that the commands read."""
    (folder / "orders.csv").write_text(ORDERS)
    (folder / "script.sql").write_text("SELECT STREAM * FROM Orders; SELECT nothing")
    (folder / "unit.test.yaml").write_text(UNIT_TEST, "utf-8")
    ddl = "CREATE STREAM Orders (rowtime TIMESTAMP(3) ASCENDING, units INTEGER)"
    (folder / "orders.sql").write_text(ddl)
    (folder / "run.jsonl").write_bytes(results)


@pytest.mark.parametrize("command", [*COMMANDS, *WRITERS], ids=lambda each: " ".join(each[:2]))
def test_the_environment_changes_nothing(
    command: Sequence[str], results: bytes, usual: Callable[..., Outcome], tmp_path: Path
) -> None:
    expected = usual(command)
    assert b"Traceback" not in expected.err
    assert expected.status in (0, 1), expected.err  # not 2: the command is written as it should be
    for more, options in ENVIRONMENTS[: scaled(*NUMBERS)]:
        assert outcome(command, tmp_path, more, results, options) == expected, (more, options)


#: A shell in which no file can grow: neither one of the user nor a temporary one.
FULL: Final = ("/bin/sh", "-c", 'ulimit -f 0; exec "$@"', "sh", sys.executable, "-m", "rowtime")


@pytest.mark.parametrize("command", COMMANDS, ids=lambda each: each[0])
def test_full_disks_change_nothing_of_a_command_that_writes_no_file(
    command: Sequence[str], results: bytes, usual: Callable[..., Outcome], tmp_path: Path
) -> None:
    write_files(tmp_path, results)
    env = {**os.environ, "TERM": "dumb", "COLUMNS": "120", "HOME": str(tmp_path)}
    done = subprocess.run(
        [*FULL, *command],
        cwd=tmp_path,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    printed = _SECONDS.sub(b"(time)", done.stdout)
    expected = usual(command)
    assert (done.returncode, printed, done.stderr) == (expected.status, expected.out, expected.err)


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (("run", "SELECT * FROM 'orders.csv'", "-o", "out.csv"), "out.csv: File too large"),
        (("sql", "a.db", "-c", "CREATE TABLE t (n INTEGER)"), "a.db: disk I/O error"),
        (("trace", "--case", "tumble-hour-by-product-emission", "--svg", "a.svg"), "a.svg: "),
        (("tck", "example", "node", "-o", "engine"), "engine"),
        ((*SOME_CASES, "--jsonl", "a.jsonl"), "a.jsonl: "),
        ((*SOME_CASES, "--junit", "a.xml"), "a.xml: "),
        (("tck", "export", "-o", "cases.json"), "cases.json: "),
        (("test", "unit.test.yaml", "--junit", "a.xml"), "a.xml: "),
        (("fmt", "query.sql"), "query.sql: "),
        (("lint", "--fix", "query.sql"), "query.sql: "),
    ],
    ids=lambda each: each if isinstance(each, str) else " ".join(each[:2]),
)
def test_a_full_disk_is_an_error_of_a_command_that_writes_a_file(
    command: Sequence[str], message: str, tmp_path: Path
) -> None:
    (tmp_path / "orders.csv").write_text(ORDERS)
    (tmp_path / "unit.test.yaml").write_text(UNIT_TEST, "utf-8")
    (tmp_path / "orders.sql").write_text(
        "CREATE STREAM Orders (rowtime TIMESTAMP(3) ASCENDING, units INTEGER)"
    )
    (tmp_path / "query.sql").write_text(
        "create stream Orders (units INTEGER);\nSELECT STREAM unit FROM Orders"
    )
    done = subprocess.run(
        [*FULL, *command], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    assert message in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr
    assert "bug" not in done.stderr


#: A query and its closed or full streams, as a shell redirects them, with the expected exit status.
REDIRECTIONS: Final[Sequence[tuple[str, int]]] = (
    ("<&-", 0),
    ("2>&-", 0),
    (">&-", 1),
    (">/dev/full", 1),
    (">&- -o out.csv", 0),
)


@pytest.mark.parametrize(("redirection", "status"), REDIRECTIONS)
def test_a_stream_that_is_closed_or_full(redirection: str, status: int, tmp_path: Path) -> None:
    (tmp_path / "orders.csv").write_text(ORDERS)
    command = f"{sys.executable} -m rowtime run \"SELECT * FROM 'orders.csv'\" {redirection}"
    done = subprocess.run(
        ["/bin/sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == status
    assert ("output: " in done.stderr) == bool(status)
    assert "bug" not in done.stderr


@pytest.mark.parametrize(
    ("command", "redirection"),
    [("tck list", ">/dev/full"), ("tck run --only tumble-hour*", ">&-")],
)
def test_no_result_that_is_lost_is_a_success(
    command: str, redirection: str, tmp_path: Path
) -> None:
    done = subprocess.run(
        [
            "/bin/sh",
            "-c",
            f"{sys.executable} -m rowtime {command} {shlex.join(CHAPTER)} {redirection}",
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("output: ")
