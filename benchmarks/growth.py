"""How time and memory of the reference grow: with length, width, keys, producers and depth.

    python -m benchmarks.growth [--rows 1000000] [--svg docs/growth.svg]

Each point is a process of its own, fed by a generator, so that its memory is the engine's.  Printed
are the CPU time a row and the peak memory above that before the first row, and their slopes on
logarithmic scales: of a time a row 0 is linear time in all, of memory 0 is constant.
"""

import argparse
import json
import math
import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final, Protocol, TypeVar

import rowtime
from algebra.catalog import Profile
from algebra.prepare import prepare
from benchmarks.plots import Line as DrawnLine
from benchmarks.plots import Panel, picture
from benchmarks.streams import DDL, ORDERS, START, TRADES
from benchmarks.test_streaming import JOIN, TUMBLE, sliding
from reference.engine.session import Session
from reference.fast.forms import FAST
from reference.relation import Row

TRAIN: Final = 1_000
KEYS: Final = 50
#: MiB below which a peak is the allocator's, not the engine's.
LEAST_MEMORY: Final = 0.5


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the plot: the thing that grows, and the values that it takes.

    ``query`` names what runs.
    """

    grows: str
    query: str
    values: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Point:
    """Microseconds of CPU a row, and peak KiB above those before the first row."""

    value: int
    micros: float
    kib: int


def lines(rows: int) -> Sequence[Line]:
    """The measurements, if the longest stream has that many rows."""
    lengths = (rows // 10, rows // 3, rows)
    return (
        Line("rows of the stream", "tumble", lengths),
        Line("rows of the stream", "sliding", lengths),
        Line("rows of the stream", "join", lengths),
        Line("rows of a frame", "width", (10, 100, 1_000, 10_000)),
        Line("keys", "keys", (10, 100, 1_000, 10_000)),
        Line("queries within one another", "depth", (1, 4, 16, 64)),
        Line("producers", "producers", (1, 10, 100, 1_000)),
    )


def orders(keys: int, seed: int) -> Iterator[Row]:
    """Orders without end, 10 ms apart on average."""
    dice, at, place = random.Random(seed), START, 0
    while True:
        yield at, place, dice.randint(1, keys), dice.randint(1, 9)
        at, place = at + dice.randint(0, 20), place + 1


def nested(depth: int) -> str:
    """A query that adds 1 at each of that many levels."""
    query = "SELECT STREAM rowtime, units FROM Orders WHERE units > 3"
    for _ in range(depth - 1):
        query = f"SELECT STREAM rowtime, units + 1 AS units FROM ({query}) WHERE units > 3"
    return query


def measured(query: str, value: int, rows: int) -> Point:
    """One point, in this process."""
    if query == "producers":
        return _of_producers(value, min(rows // 10, 20_000))
    few = max(rows // 10, 20_000)
    sql, keys, count = TUMBLE, KEYS, value
    match query:
        case "sliding":
            sql = sliding(2)
        case "join":
            sql = JOIN
        case "width":
            sql, keys, count = sliding(value / 100), 1, max(few, 5 * value)
        case "keys":
            keys, count = value, few
        case "depth":
            sql, count = nested(value), few
        case _:
            pass
    session = Session(prepare(DDL, sql, Profile.CALCITE), forms=FAST)
    assert session.flow is not None
    sides = [(ORDERS, orders(keys, 1))]
    sides += [(TRADES, orders(keys, 2))] if query == "join" else []
    memory, spent = _peak(), 0.0
    for _ in range(count // TRAIN // len(sides)):
        for name, rest in sides:
            train = list(islice(rest, TRAIN))
            begun = time.process_time()
            session.enter(name, train, passing=True)
            session.flow.drained()
            spent += time.process_time() - begun
    return Point(value, spent / count * 1e6, _peak() - memory)


def _of_producers(count: int, rows: int) -> Point:
    """Rows of many producers in turn, into a stream of the embedded engine that is counted."""
    with rowtime.connect() as db:
        db.executescript(DDL)
        counts = db.execute(TUMBLE)
        producers = [db.prepare("INSERT INTO Orders VALUES (?, ?, ?, ?)") for _ in range(count)]
        made = orders(KEYS, 1)
        first = rowtime.Timestamp(2015, 1, 1)
        memory, begun = _peak(), time.process_time()
        for place, (at, order, product, units) in enumerate(islice(made, rows)):
            assert isinstance(at, int)
            moment = first + rowtime.Timestamp.resolution * ((at - START) * 1_000)
            producers[place % count].execute((moment, order, product, units))
            if place % TRAIN == 0:
                counts.fetch_available()
        return Point(count, (time.process_time() - begun) / rows * 1e6, _peak() - memory)


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def slope(values: Sequence[float], found: Sequence[float]) -> float:
    """The slope of the line through the points on logarithmic scales, by least squares."""
    xs, ys = [math.log(each) for each in values], [math.log(max(each, 1e-9)) for each in found]
    x, y = sum(xs) / len(xs), sum(ys) / len(ys)
    over = sum((a - x) * (b - y) for a, b in zip(xs, ys, strict=True))
    return over / sum((a - x) ** 2 for a in xs)


def main() -> None:
    """Measure all points, print a table of each line, and draw them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--svg", type=Path)
    parser.add_argument("--point", nargs=2, metavar=("QUERY", "VALUE"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.point:
        point = measured(given.point[0], int(given.point[1]), given.rows)
        print(json.dumps([point.value, point.micros, point.kib]))
        return
    print("| grows | query | from | to | µs a row | slope | peak MiB | slope |")
    print("|---|---|---:|---:|---|---:|---|---:|")

    def points(line: Line) -> Sequence[Point]:
        return [_in_process(line.query, value, given.rows) for value in line.values]

    draw(lines(given.rows), points, _memory, given.svg, "µs a row")


def _memory(values: Sequence[int], points: Sequence[Point]) -> str:
    """The cells of the peak memory, and its slope."""
    mebis = [each.kib / 1024 for each in points]
    flat = [max(each, LEAST_MEMORY) for each in mebis]
    return f"{', '.join(f'{each:.1f}' for each in mebis)} | {slope(values, flat):.2f}"


class Timed(Protocol):
    """A point of any line."""

    @property
    def micros(self) -> float:
        """Microseconds of CPU a row."""
        ...


#: The points of a line.
P = TypeVar("P", bound=Timed)


def draw(
    lines: Iterable[Line],
    points: Callable[[Line], Sequence[P]],
    cells: Callable[[Sequence[int], Sequence[P]], str],
    svg: Path | None,
    label: str,
) -> None:
    """Print a row of the table for each line, with its own last ``cells``, and draw all lines."""
    panels: dict[str, list[DrawnLine]] = {}
    for line in lines:
        found = points(line)
        micros = [each.micros for each in found]
        print(
            f"| {line.grows} | {line.query} | {line.values[0]:,} | {line.values[-1]:,} |"
            f" {', '.join(f'{each:.1f}' for each in micros)} | {slope(line.values, micros):.2f} |"
            f" {cells(line.values, found)} |",
            flush=True,
        )
        drawn = DrawnLine(line.query, list(zip(line.values, micros, strict=True)))
        panels.setdefault(line.grows, []).append(drawn)
    if svg:
        titled = [Panel(f"{label} by {grows}", drawn) for grows, drawn in panels.items()]
        svg.write_text(picture(titled), "utf-8")


def _in_process(query: str, value: int, rows: int) -> Point:
    command = [sys.executable, "-m", "benchmarks.growth", "--rows", str(rows)]
    done = subprocess.run(
        [*command, "--point", query, str(value)], check=True, capture_output=True, text=True
    )
    return Point(*json.loads(done.stdout))


if __name__ == "__main__":
    main()
