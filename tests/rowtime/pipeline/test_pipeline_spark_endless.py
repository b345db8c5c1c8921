"""Sources on Spark that have no end: a rate, and a socket, until one stops the pipeline."""

from pathlib import Path

import pytest

from tests.rowtime.pipelines import COLUMNS, run_until, script, served

pytestmark = pytest.mark.spark


def test_the_rows_of_a_rate_come_by_their_numbers(folder: Path) -> None:
    """Whatever its columns are called; none is late."""
    text = script("format 'rate', rows_per_second 400", query="SELECT STREAM * FROM Orders;")
    text = text.replace(COLUMNS, '(rowtime TIMESTAMP(3) ASCENDING, "the number" BIGINT)')
    done = run_until(text, lambda progress: progress.sources[0].rows >= 600, checkpoint=None)
    assert (done.sources[0].dropped, done.sources[0].rows >= 600) == (0, True)
    rows = [line.split(",") for line in (folder / "out.csv").read_text().splitlines()[1:]]
    assert len(rows) >= 300
    assert [int(number) for _, number in rows] == list(range(len(rows)))
    assert [at for at, _ in rows] == sorted(at for at, _ in rows)


def test_the_lines_of_a_socket_come_as_they_were_sent(folder: Path) -> None:
    """Spark deals them out to its tasks; one that is behind those before it is late."""
    lines = [f"2015-02-15 10:{i // 60:02}:{i % 60:02},{i},{i}" for i in range(900)]
    late = "2015-02-15 10:00:00,-1,-1"
    with served([*lines[:500], "", late, *lines[500:]]) as port:
        text = script(f"format 'socket', host '127.0.0.1', port {port}")
        done = run_until(text, lambda progress: progress.sources[0].rows >= 901, checkpoint=None)
    assert (done.sources[0].rows, done.sources[0].dropped) == (901, 1)
    given = (folder / "out.csv").read_text().splitlines()[1:]
    # The last may wait for a row of its own time.
    assert given in (lines, lines[:-1])
