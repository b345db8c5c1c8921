"""Rows of a pipe are read as they are written; Ctrl-C does not wait for the writer (S-607.p)."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path
from typing import IO, Final

import pytest

from algebra.catalog import Profile, Stream
from algebra.prepare import prepare
from algebra.records.pipeline import connection_of
from reference.engine.pipes import Pipe

pytestmark = pytest.mark.usefixtures("folder")

ROWTIME: Final = str(Path(sys.executable).with_name("rowtime"))
COLUMNS: Final = "(rowtime TIMESTAMP(3) ASCENDING, name VARCHAR(20))"
#: Rows of each format, each with the text that the console prints of it.
ROWS: Final = {
    "csv": [("2026-01-01 10:00:00,a\n", "a"), ('2026-01-01 10:00:01,"b\nc,d"\n', '"b')],
    "json": [
        ('{"rowtime": "2026-01-01 10:00:00", "name": "a"}\n', "a"),
        ('{"rowtime": "2026-01-01 10:00:01", "name": "b"}\n', "b"),
    ],
}


def script(path: str, format: str) -> None:
    """Write a pipeline from a pipe to the console."""
    Path("p.sql").write_text(
        f"CREATE FOREIGN STREAM X {COLUMNS} OPTIONS (path '{path}', format '{format}');"
        f"CREATE FOREIGN STREAM Y {COLUMNS} OPTIONS (format 'console');"
        "INSERT INTO Y SELECT STREAM * FROM X;"
    )


@pytest.fixture(params=["-", "/dev/stdin", "pipe"])
def path(request: pytest.FixtureRequest) -> str:
    """The path of a pipe: standard input, by both of its names, or a named pipe."""
    name = str(request.param)
    if name == "pipe":
        os.mkfifo("pipe")
    return name


class Run:
    """A pipeline that reads a pipe, and the writer's end of the pipe."""

    def __init__(self, path: str, format: str) -> None:
        script(path, format)
        named = path == "pipe"
        command = [ROWTIME, "run", "p.sql", "--trigger", "50ms"]
        stdin = subprocess.DEVNULL if named else subprocess.PIPE
        self.process = subprocess.Popen(
            command, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self.writer: IO[str] = open(path, "w") if named else _known(self.process.stdin)  # noqa: SIM115

    def write(self, text: str) -> None:
        """Write a part of the input."""
        self.writer.write(text)
        self.writer.flush()

    def line(self) -> str:
        """The next line of the output, for which the run is waited for."""
        return _known(self.process.stdout).readline()


def _known(stream: IO[str] | None) -> IO[str]:
    assert stream is not None
    return stream


@pytest.fixture
def runs() -> Generator[list[Run]]:
    """The pipelines of a test, which end with it."""
    started: list[Run] = []
    yield started
    for each in started:
        each.process.kill()
        each.process.wait()
        _known(each.process.stdout).close()
        with suppress(BrokenPipeError):
            each.writer.close()


@pytest.mark.parametrize("format", ROWS)
def test_a_row_is_emitted_while_the_writer_is_still_writing(
    path: str, format: str, runs: list[Run]
) -> None:
    run = Run(path, format)
    runs.append(run)
    if format == "csv":
        run.write("rowtime,name\n")
    for place, (row, printed) in enumerate(ROWS[format]):
        run.write(row[:9])
        time.sleep(0.1)
        run.write(row[9:])
        if not place:
            assert run.line() == "ROWTIME,NAME\n"
        assert run.line().split(",", 1)[1].rstrip("\n") == printed
    run.writer.close()
    assert run.process.wait(30) == 0


def test_ctrl_c_does_not_wait_for_the_writer(path: str, runs: list[Run]) -> None:
    run = Run(path, "csv")
    runs.append(run)
    run.write("rowtime,name\n2026-01-01 10:00:00,a\n")
    assert run.line() == "ROWTIME,NAME\n"
    run.process.send_signal(signal.SIGINT)
    assert run.process.wait(30) == 130


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"rowtime,name\n2026-01-01 10:00:00,a\nx,b\n", "\n-:3\n"),
        (b'rowtime,name\n2026-01-01 10:00:00,"a\n', "not CSV"),
        (b"rowtime,name\n2026-01-01 10:00:00,\xe9\n", "2: not UTF-8 text: the byte 0xE9"),
        (b"rowtime,nam\n2026-01-01 10:00:00,a\n", "there is no column NAME"),
    ],
)
def test_a_fault_of_a_pipe_has_its_line(content: bytes, message: str) -> None:
    script("-", "csv")
    done = subprocess.run([ROWTIME, "run", "p.sql"], input=content, capture_output=True, timeout=60)
    assert (done.returncode, done.stdout.count(b"\n") <= 2) == (1, True)
    assert message in done.stderr.decode()


def test_the_end_of_a_pipe_may_lack_a_line_feed_and_may_be_a_file() -> None:
    script("-", "csv")
    Path("in.csv").write_text("rowtime,name\n2026-01-01 10:00:00,a")
    with Path("in.csv").open() as file:
        done = subprocess.run(
            [ROWTIME, "run", "p.sql"], stdin=file, capture_output=True, timeout=60, text=True
        )
    assert (done.returncode, done.stdout) == (0, "ROWTIME,NAME\n2026-01-01 10:00:00,a\n")


@pytest.mark.parametrize("format", ROWS)
def test_a_pipe_gives_the_values_of_the_columns_that_are_needed(format: str) -> None:
    os.mkfifo("pipe")
    script("pipe", format)
    text = "rowtime,name\n" if format == "csv" else ""
    stream = prepare(Path("p.sql").read_text(), None, Profile.CALCITE).catalog.objects[("X",)]
    assert isinstance(stream, Stream)
    pipe = Pipe(connection_of(stream), stream.columns, frozenset({0}))
    # A pipe holds that much without a reader.
    Path("pipe").write_text(text + "".join(row for row, _ in ROWS[format]))
    batch = pipe.take()
    pipe.close()
    assert batch is not None
    assert batch.values == [(1_767_261_600_000, None), (1_767_261_601_000, None)]
