"""Changes a second of changelogs: the reference, a dictionary by hand, and bytewax, in one run.

``python -m benchmarks.changes`` prints a table of CPU time per row; ``--growth`` shows how the time
of a row grows with the number of rows before it, and the time of a change with the number of rows
of the stream WITH CHANGES that it is sent to.  Each row is an event of its own, after which the
answer is corrected; ``trains`` are events of 1,000 rows.
"""

import argparse
import random
import time
from bisect import insort
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

import bytewax.operators as op
from bytewax.dataflow import Dataflow
from bytewax.testing import TestingSink, TestingSource, run_main

import rowtime
from algebra.catalog import Profile
from algebra.plan import Changes
from algebra.prepare import prepare
from reference.dml.statements import environment
from reference.evaluate import World
from reference.fast.forms import FAST
from reference.incremental.changes.network import ChangesNetwork

#: A row of one of the streams R and S: the stream, the key, the number.
Order: TypeAlias = tuple[str, int, int]

#: The state of bytewax's maps: values by stream, and rows in order.
Sides: TypeAlias = dict[str, list[int]]
Sorted: TypeAlias = list[tuple[int, int]]

DDL: Final = "CREATE STREAM R (k INTEGER, v INTEGER); CREATE STREAM S (k INTEGER, v INTEGER)"
SUM: Final = "SELECT STREAM k, SUM(v) AS s FROM R GROUP BY k EMIT CHANGES"
JOIN: Final = "SELECT STREAM R.k, R.v, S.v AS w FROM R JOIN S ON R.k = S.k EMIT CHANGES"
TOP: Final = "SELECT STREAM k, v FROM R ORDER BY v DESC LIMIT 10 EMIT CHANGES"
KEYS: Final = 1_000
FIRST: Final = 10
CHANGES: Final = 500


def orders(rows: int, both: bool) -> list[Order]:
    """Random rows; of ``both`` streams in turn, of whose keys each has four rows."""
    draw = random.Random(40)
    keys = rows // 4 if both else KEYS
    return [
        ("RS"[both and place % 2], draw.randrange(keys), draw.randrange(1_000_000))
        for place in range(rows)
    ]


def reference(sql: str, rows: Sequence[Order], train: int) -> Callable[[], int]:
    """The number of changes of the reference's operators."""
    query = prepare(DDL, sql, Profile.CALCITE).query
    assert isinstance(query, Changes)

    def run() -> int:
        network, changes = ChangesNetwork(query.input, environment(World(), forms=FAST)), 0
        for start in range(0, len(rows), train):
            new: dict[tuple[str, ...], list[tuple[int, int]]] = {("R",): [], ("S",): []}
            for name, key, value in rows[start : start + train]:
                new[name,].append((key, value))
            changes += len(network.step(World(streams=new)))
        return changes

    return run


# --- a dictionary by hand -------------------------------------------------------------------------


def sum_by_hand(rows: Sequence[Order]) -> int:
    """The old and the new sum of each row's key."""
    sums: dict[int, int] = {}
    out: list[tuple[int, int, int]] = []
    for _, key, value in rows:
        before = sums.get(key)
        if before is not None:
            out.append((key, before, -1))
        sums[key] = now = (before or 0) + value
        out.append((key, now, 1))
    return len(out)


def join_by_hand(rows: Sequence[Order]) -> int:
    """The pairs of each row with the rows of the other stream before it."""
    sides: dict[str, defaultdict[int, list[int]]]
    sides = {"R": defaultdict(list), "S": defaultdict(list)}
    out: list[tuple[int, int, int]] = []
    for name, key, value in rows:
        sides[name][key].append(value)
        if name == "R":
            out += [(key, value, other) for other in sides["S"][key]]
        else:
            out += [(key, other, value) for other in sides["R"][key]]
    return len(out)


def top_by_hand(rows: Sequence[Order]) -> int:
    """The row that enters the first ten, and the one that it pushes out."""
    all_rows: list[tuple[int, int]] = []
    out: list[tuple[tuple[int, int], int]] = []
    for _, key, value in rows:
        row = (-value, key)
        if len(all_rows) < FIRST or row < all_rows[FIRST - 1]:
            out.append((row, 1))
            if len(all_rows) >= FIRST:
                out.append((all_rows[FIRST - 1], -1))
        insort(all_rows, row)
    return len(out)


# --- bytewax --------------------------------------------------------------------------------------


def bytewax(
    rows: Sequence[Order],
    key: Callable[[Order], str],
    mapper: Callable[[Any, Order], tuple[Any, list[object]]],  # Any: the state, as theirs
) -> Callable[[], int]:
    """A stateful map by ``key``, which emits lists of changes, fed in trains of 1,000 rows."""

    def run() -> int:
        out: list[tuple[str, list[object]]] = []
        flow = Dataflow("changes")
        stream = op.input("rows", flow, TestingSource(rows, batch_size=1_000))
        mapped = op.stateful_map("map", op.key_on("key", stream, key), mapper)
        op.output("out", mapped, TestingSink(out))
        run_main(flow)  # type: ignore[no-untyped-call]
        return sum(len(changes) for _, changes in out)

    return run


def _sum(state: int | None, order: Order) -> tuple[int, list[object]]:
    before = state or 0
    now = before + order[2]
    lost: list[object] = [] if state is None else [(order[1], before, -1)]
    return now, [*lost, (order[1], now, 1)]


def _join(state: Sides | None, order: Order) -> tuple[Sides, list[object]]:
    sides = state or {"R": [], "S": []}
    name, key, value = order
    sides[name].append(value)
    if name == "R":
        return sides, [(key, value, other) for other in sides["S"]]
    return sides, [(key, other, value) for other in sides["R"]]


def _top(state: Sorted | None, order: Order) -> tuple[Sorted, list[object]]:
    all_rows = state or []
    row = (-order[2], order[1])
    out: list[object] = []
    if len(all_rows) < FIRST or row < all_rows[FIRST - 1]:
        out.append((row, 1))
        if len(all_rows) >= FIRST:
            out.append((all_rows[FIRST - 1], -1))
    insort(all_rows, row)
    return all_rows, out


def _by_key(order: Order) -> str:
    return str(order[1])


def _together(_order: Order) -> str:
    return "all"


#: The query, whether it reads both streams, the loop by hand, and bytewax's key and map.
Question: TypeAlias = tuple[
    str,
    bool,
    Callable[[Sequence[Order]], int],
    Callable[[Order], str],
    Callable[[Any, Order], tuple[Any, list[object]]],  # Any: the state, as in `bytewax`
]
QUESTIONS: Final[Mapping[str, Question]] = {
    "grouped sum": (SUM, False, sum_by_hand, _by_key, _sum),
    "join": (JOIN, True, join_by_hand, _by_key, _join),
    "first ten": (TOP, False, top_by_hand, _together, _top),
}


def ways(name: str, rows: int) -> Iterator[tuple[str, Callable[[], int]]]:
    """Each way to answer a question, by its name."""
    sql, both, by_hand, key, mapper = QUESTIONS[name]
    found = orders(rows, both)
    yield "reference", reference(sql, found, 1)
    yield "reference, trains", reference(sql, found, 1_000)
    yield "by hand", lambda: by_hand(found)
    yield "bytewax", bytewax(found, key, mapper)


def cpu(run: Callable[[], int]) -> tuple[float, int]:
    """The CPU seconds of a run, the least of three, and the number of its changes."""
    seconds: list[float] = []
    changes = 0
    for _ in range(3):
        start = time.process_time()
        changes = run()
        seconds.append(time.process_time() - start)
    return min(seconds), changes


def seconds_of_a_change(rows: int) -> float:
    """The CPU seconds of a change of a stream WITH CHANGES that has rows, and that a pump reads."""
    with rowtime.connect() as db:
        for name in ("A", "B"):
            db.execute(f"CREATE STREAM {name} (id INTEGER, n INTEGER) WITH CHANGES KEY (id)")
        db.execute("INSERT INTO B SELECT STREAM id, n FROM A WHERE n > 5 EMIT CHANGES")
        insert = db.prepare("INSERT INTO A VALUES (?, ?)")
        insert.send_changes([(1, row, row) for row in range(rows)])
        start = time.process_time()
        for change in range(CHANGES):
            insert.send_changes([(1, change, change + 7)])
        return (time.process_time() - start) / CHANGES


def main() -> None:
    """Print rows a second of CPU time, and each way's ratio to bytewax."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--growth", action="store_true")
    given = parser.parse_args()
    if given.growth:
        _print_growth([given.rows // 16, given.rows // 4, given.rows])
        return
    for name in QUESTIONS:
        seen = [(way, *cpu(run)) for way, run in ways(name, given.rows)]
        peer = next(seconds for way, seconds, _ in seen if way == "bytewax")
        for way, seconds, changes in seen:
            rate = f"{given.rows / seconds:>10,.0f} rows a second of CPU"
            print(
                f"{name:12} {way:18} {rate}, {peer / seconds:5.2f} of bytewax, {changes:,} changes"
            )


def _print_growth(lengths: Sequence[int]) -> None:
    for name in QUESTIONS:
        found = [(n, cpu(dict(ways(name, n))["reference"])[0] / n) for n in lengths]
        print(f"{name}: " + ", ".join(f"{n:,} rows {1e6 * t:.1f} us" for n, t in found))
    found = [(n, seconds_of_a_change(n)) for n in lengths]
    parts = ", ".join(f"{n:,} rows {1e6 * t:.0f} us" for n, t in found)
    print(f"a change of a stream WITH CHANGES: {parts}")


if __name__ == "__main__":
    main()
