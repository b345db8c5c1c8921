"""How time and state of pipelines on Spark grow: with length, width, keys, stages and producers.

    python -m benchmarks.growth_spark [--rows 10000000] [--svg docs/growth-spark.svg]

A run is a process with a Spark of its own, which reads a file of `FILE` rows in each micro-batch.
Printed are the CPU time a row, of Python, the JVM and the workers together, the median of `SOME`
micro-batches after the first `FIRST`, in which code is compiled; the rows retained then; and the
memory of all these processes.  Slopes are on logarithmic scales: of a time a row 0 is linear time
in all, of retained rows 0 is constant.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Final

import psutil

from algebra.catalog import Profile
from algebra.records.pipeline import PipelineProgress, Settings
from benchmarks.growth import Line, draw, slope
from benchmarks.test_spark_stages import staged
from benchmarks.test_spark_stream import QUESTIONS, Data, script, sliding
from rowtime.pipeline.engines import pipeline
from spark_backend.runtime.session import spark_session
from spark_backend.stream.connectors.listing import FILES_A_BATCH
from spark_backend.stream.connectors.pipeline import SparkEngine

FILE: Final = 250_000
FIRST: Final = 3
SOME: Final = 5
#: A day is a file, so that all of its keys are in a micro-batch.
KEYS: Final = (
    "SELECT STREAM TUMBLE_END(rowtime, INTERVAL '1' DAY) AS rowtime, MOD(orderId, {0}) AS k,"
    " SUM(units) AS u FROM Orders GROUP BY TUMBLE(rowtime, INTERVAL '1' DAY), MOD(orderId, {0})"
)
#: Where this grows, one run has all points.
_LENGTH: Final = "rows of the stream"
_STREAMS: Final = ("ORDERS", "TRADES", "TICKS")


@dataclass(frozen=True, slots=True)
class Point:
    """Microseconds of CPU a row, the rows retained, and MiB of memory."""

    micros: float
    retained: int
    mebis: int


def lines(rows: int) -> Sequence[Line]:
    """The measurements, if the longest stream has that many rows."""
    lengths = (rows // 5, rows // 2, rows)
    return (
        *(Line(_LENGTH, each, lengths) for each in ("tumble", "over", "join")),
        Line("rows of a frame", "width", (10, 100, 1_000, 10_000)),
        Line("keys", "keys", (10, 1_000, 100_000)),
        Line("stages", "stages", (1, 2, 3, 4, 5)),
        Line("producers", "producers", (1, 4, 16)),
    )


def query(name: str, value: int) -> tuple[str, Sequence[str], str]:
    """A query, the streams that it reads, and statements that come before it."""
    match name:
        case "tumble":
            return QUESTIONS["tumble by key"].sql, ["ORDERS"], ""
        case "join":
            return QUESTIONS["interval join"].sql, ["ORDERS", "TRADES"], ""
        case "over":
            return sliding(100), ["TICKS"], ""
        case "width":
            return sliding(value), ["TICKS"], ""
        case "keys":
            return KEYS.format(value), ["ORDERS"], ""
        case "stages":
            return staged(value), ["ORDERS"], ""
        case "producers":
            return staged(1).replace("FROM Orders", "FROM Merged"), ["ORDERS"], _producers(value)
        case _:
            raise AssertionError(name)


def _producers(count: int) -> str:
    """So many statements that each bring their part of the orders into one stream."""
    inserts = (
        "INSERT INTO Merged SELECT STREAM rowtime, orderId, units FROM Orders"
        f" WHERE MOD(orderId, {count}) = {place};\n"
        for place in range(count)
    )
    columns = "rowtime TIMESTAMP(3) ASCENDING, orderId BIGINT, units INTEGER"
    return f"CREATE STREAM Merged ({columns});\n{''.join(inserts)}"


# --- a run, in a process of its own -------------------------------------------------------------


def measured(name: str, value: int, data: Path, places: Sequence[int]) -> Iterator[Point]:
    """The points of a run at which that many micro-batches are done."""
    session = spark_session(conf={FILES_A_BATCH: "1"})
    sql, names, before = query(name, value)
    with tempfile.TemporaryDirectory() as folder:
        text = script(sql, Data(session, data, names, 0, 0), Path(folder), before)
        made = pipeline(text, Profile.CALCITE, ())
        steps: list[tuple[float, int, int]] = []

        def told(done: PipelineProgress) -> None:
            tree = [psutil.Process(), *psutil.Process().children(recursive=True)]
            memory = sum(each.memory_info().rss for each in tree) >> 20
            steps.append((sum(map(_spent, tree)), done.state, memory))

        settings = Settings(True, 0, f"{folder}/checkpoint", lambda: "2015-02-15 00:00:00")
        SparkEngine().run(made, settings, told, lambda: False)
    for place in places:
        spent = [cpu for cpu, _, _ in steps[place - SOME : place + 1]]
        each = [after - begun for begun, after in pairwise(spent)]
        yield Point(statistics.median(each) / FILE * 1e6, steps[place][1], steps[place][2])


def _spent(process: psutil.Process) -> float:
    """The CPU time of a process and of its children that have ended."""
    times = process.cpu_times()
    return times.user + times.system + times.children_user + times.children_system


# --- all runs -------------------------------------------------------------------------------------


def write(folder: Path, files: int) -> None:
    """The files of the longest stream, and folders with fewer of them."""
    Data(spark_session(), folder / "all", _STREAMS, files, FILE)
    for stream in _STREAMS:
        parts = sorted((folder / "all" / stream).glob("*.parquet"), key=os.path.getmtime)
        few = folder / "few" / stream
        few.mkdir(parents=True)
        for part in parts[: FIRST + SOME + 1]:
            os.link(part, few / part.name)


def points(line: Line, folder: Path) -> Sequence[Point]:
    """The points of a line, each of a process of its own, or all of one that continues."""
    if line.grows == _LENGTH:
        places = [value // FILE - 1 for value in line.values]
        return _in_process(line.query, 0, folder / "all", places)
    found: list[Point] = []
    for value in line.values:
        found += _in_process(line.query, value, folder / "few", [FIRST + SOME])
    return found


def _in_process(name: str, value: int, data: Path, places: Sequence[int]) -> Sequence[Point]:
    command = [sys.executable, "-m", "benchmarks.growth_spark", "--data", str(data)]
    numbers = [str(value), *map(str, places)]
    done = subprocess.run(
        [*command, "--point", name, *numbers], check=True, capture_output=True, text=True
    )
    return [Point(*each) for each in json.loads(done.stdout.splitlines()[-1])]


def main() -> None:
    """Measure all points, print a table of each line, and draw them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--svg", type=Path)
    parser.add_argument("--only", default="", help="what grows, if not all")
    parser.add_argument("--data", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--point", nargs="+", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.point:
        name, value, *places = given.point
        made = measured(name, int(value), given.data, [int(each) for each in places])
        print(json.dumps([(each.micros, each.retained, each.mebis) for each in made]))
        return
    print("| grows | query | from | to | µs a row | slope | rows retained | slope | MiB |")
    print("|---|---|---:|---:|---|---:|---|---:|---|")
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder), given.rows // FILE)
        chosen = [line for line in lines(given.rows) if given.only in line.grows]
        draw(chosen, lambda line: points(line, Path(folder)), _state, given.svg, "µs of CPU a row")


def _state(values: Sequence[int], points: Sequence[Point]) -> str:
    """The cells of the rows retained, their slope, and the memory."""
    rows = [each.retained for each in points]
    return (
        f"{', '.join(f'{each:,}' for each in rows)} |"
        f" {slope(values, [max(each, 1) for each in rows]):.2f} |"
        f" {', '.join(f'{each.mebis:,}' for each in points)}"
    )


if __name__ == "__main__":
    main()
