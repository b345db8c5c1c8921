"""What a pipeline leaves when something dies or fails: a process and a JVM of its own."""

import os
import random
import signal
import subprocess
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import chdir, contextmanager
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from benchmarks.kill_pipeline import (
    STATEMENTS,
    agreed,
    batches_done,
    files,
    kill,
    killed,
    pipeline,
    start,
)
from rowtime.cli import app
from tests.examples import NIGHTLY, scaled

pytestmark = pytest.mark.spark


#: A sink of each kind: a folder, a file, and changes.  Nightly all, one of a statement of four
#: stages; `test_partial_aggregates` restores the rows that stages retain, too.
_SINKS = tuple(STATEMENTS) if NIGHTLY else ("sums", "totals.json", "units")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Files of orders, and the pipeline of `benchmarks.kill_pipeline`."""
    files(tmp_path, batches=scaled(4, 6), rows=20)
    (tmp_path / "spark.sql").write_text(pipeline("spark", _SINKS))
    (tmp_path / "spark").mkdir()
    return tmp_path


def finished(folder: Path) -> Result:
    """A run to the end, in this process."""
    with chdir(folder):
        command = ["run", "spark.sql", "--backend", "spark", "--checkpoint", "checkpoint", "--once"]
        return CliRunner().invoke(app, command)


@contextmanager
def running(folder: Path) -> Generator["subprocess.Popen[bytes]"]:
    """A run that follows its source, and is no more in the end."""
    process = start(folder)
    try:
        yield process
    finally:
        if process.poll() is None:
            kill(process)


def wait_for(what: Callable[[], bool]) -> None:
    """Wait until something is so; five minutes are too long."""
    for _ in range(15_000):
        if what():
            return
        time.sleep(0.02)
    raise AssertionError("it has not come to that")


def test_a_killed_pipeline_goes_on_and_ctrl_c_stops_it_cleanly(folder: Path) -> None:
    """Killed, then stopped by hand, then run to its end: each row once, in order."""
    seed = random.Random(7)
    for last in range(1, 1 + scaled(1, 2)):
        killed(folder, seed, last)
    done = batches_done(folder)
    with running(folder) as process:
        wait_for(lambda: batches_done(folder) > done or process.poll() is not None)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=300) == 130
    lines = (folder / "said").read_text()
    assert "interrupted\n" in lines
    assert "complete below 2015-01-0" in lines
    assert "Traceback" not in lines
    ended = finished(folder)
    assert ended.exit_code == 0, ended.stderr
    assert agreed(folder, _SINKS)


@pytest.fixture
def small(folder: Path) -> Iterator[Path]:
    """A file system of its own that is soon full."""
    path = folder / "small"
    path.mkdir()
    call = ["mount", "-t", "tmpfs", "-o", "size=160k", "tmpfs", str(path)]
    if os.geteuid() or subprocess.run(call, check=False, capture_output=True).returncode:
        pytest.skip("no file system can be mounted here")
    yield path
    subprocess.run(["umount", str(path)], check=True)


@pytest.mark.usefixtures("file_by_file")
def test_a_full_disk_ends_the_run_and_loses_nothing(folder: Path, small: Path) -> None:
    """Checkpoint and sinks have no room after some micro-batches; then it is made."""
    for name in ("spark", "checkpoint"):
        (small / name).mkdir()
        if (folder / name).is_dir():
            (folder / name).rmdir()
        (folder / name).symlink_to(small / name)
    done = finished(folder)
    assert batches_done(folder) > 0
    assert done.exit_code == 1, done.stderr
    assert "No space left on device" in done.stderr
    assert "Traceback" not in done.stderr
    subprocess.run(["mount", "-o", "remount,size=64m", str(small)], check=True)
    again = finished(folder)
    assert again.exit_code == 0, again.stderr
    assert agreed(folder, _SINKS)
