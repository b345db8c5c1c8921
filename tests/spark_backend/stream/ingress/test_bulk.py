"""Rows in frames give what rows in memory give, step by step: what comes out, bounds, and state."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from algebra.catalog import Profile
from algebra.expression import Value
from algebra.monotonicity.progress import Bound, Bounds
from algebra.plan import Delta
from algebra.prepare import prepare
from spark_backend.data.contents import Contents
from spark_backend.data.row_buffer import RowBuffer
from spark_backend.runtime.arrow import frame_of
from spark_backend.runtime.session import spark_session
from spark_backend.stream.engine import Engine
from spark_backend.stream.step_result import StepResult
from tests.examples import NIGHTLY, scaled

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("backend")]

Row = tuple[Value, ...]
Name = tuple[str, ...]

DDL: Final = """
CREATE STREAM S (rowtime TIMESTAMP(3) ASCENDING, k VARCHAR(3), v INTEGER);
CREATE STREAM T (rowtime TIMESTAMP(3) ASCENDING, k VARCHAR(3), w INTEGER);
CREATE STREAM W (rowtime TIMESTAMP(3) ASCENDING WITHIN INTERVAL '1' MINUTE, k VARCHAR(3),
  v INTEGER);
CREATE STREAM N (k VARCHAR(3), v INTEGER);
"""
_MINUTE: Final = "INTERVAL '1' MINUTE"
_WITHIN: Final = f"S.k = T.k AND T.rowtime BETWEEN S.rowtime - {_MINUTE} AND S.rowtime + {_MINUTE}"
_JOINED: Final = f"S {{}} JOIN T ON {_WITHIN}"
QUERIES: Final = {
    "filter": "SELECT STREAM * FROM S WHERE v > 2",
    "tumble": (
        f"SELECT STREAM TUMBLE_END(rowtime, {_MINUTE}) AS rowtime, k, SUM(v) AS v, COUNT(*) AS c"
        f" FROM S GROUP BY TUMBLE(rowtime, {_MINUTE}), k"
    ),
    "hop": (
        f"SELECT STREAM HOP_END(rowtime, INTERVAL '30' SECOND, {_MINUTE}) AS rowtime, MAX(v) AS v"
        f" FROM S GROUP BY HOP(rowtime, INTERVAL '30' SECOND, {_MINUTE})"
    ),
    "hidden clock": "SELECT STREAM k, COUNT(*) AS c FROM S GROUP BY FLOOR(rowtime TO MINUTE), k",
    "sliding": (
        "SELECT STREAM rowtime, k, SUM(v) OVER (PARTITION BY k ORDER BY rowtime"
        f" RANGE {_MINUTE} PRECEDING) AS s FROM S"
    ),
    "rows": (
        "SELECT STREAM rowtime, k, SUM(v) OVER (PARTITION BY k ORDER BY rowtime"
        " ROWS 2 PRECEDING) AS s FROM S"
    ),
    "ahead": (
        "SELECT STREAM rowtime, k, COUNT(*) OVER (ORDER BY rowtime"
        f" RANGE BETWEEN CURRENT ROW AND {_MINUTE} FOLLOWING) AS c FROM S"
    ),
    **{
        f"{kind} join": (
            "SELECT STREAM S.rowtime, S.k, v, w FROM " + _JOINED.format(kind)
            if kind not in ("RIGHT", "FULL")
            else "SELECT STREAM S.k, T.k AS tk, v, w FROM " + _JOINED.format(kind)
        )
        for kind in ("INNER", "LEFT", "RIGHT", "FULL")
    },
    "union": "SELECT STREAM * FROM S UNION ALL SELECT STREAM * FROM T",
    "sort": "SELECT STREAM * FROM S ORDER BY FLOOR(rowtime TO MINUTE), v DESC, k",
    "word": "SELECT STREAM rowtime, k, MONOTONIC(v) AS v FROM S",
    "two words": "SELECT STREAM rowtime, MONOTONIC(k) AS k, MONOTONIC(v) AS v FROM S",
    "t-sort": (
        "SELECT STREAM t, v FROM"
        " (SELECT STREAM rowtime - v * INTERVAL '10' SECOND AS t, v FROM S)"
        " ORDER BY t WITHIN INTERVAL '25' SECOND"
    ),
    "lead": "SELECT STREAM rowtime, k, LEAD(v) OVER (PARTITION BY k ORDER BY rowtime) AS n FROM S",
    "rows over rows": (
        "SELECT STREAM rowtime, k, COUNT(s) OVER (ORDER BY rowtime ROWS 3 PRECEDING) AS c FROM"
        " (SELECT rowtime, k, SUM(v) OVER (ORDER BY rowtime ROWS 1 PRECEDING) AS s FROM S)"
    ),
    "union of groups": (
        f"SELECT STREAM TUMBLE_END(rowtime, {_MINUTE}) AS rowtime, COUNT(*) AS c FROM S"
        f" GROUP BY TUMBLE(rowtime, {_MINUTE}) UNION ALL SELECT STREAM rowtime, w FROM T"
    ),
    "stray": "SELECT STREAM * FROM W WHERE v > 1",
    "no time": "SELECT STREAM k, v + 1 AS v FROM N",
}
#: Those whose first column is the time by which rows leave, ties in any order.
BY_TIME: Final = frozenset(QUERIES) - {"hidden clock", "RIGHT join", "FULL join", "sort", "no time"}
#: Two micro-batches, and nightly a third; times are in seconds.
S: Final[Sequence[Sequence[tuple[int, str, int | None]]]] = [
    [(0, "a", 1), (10, "b", 5), (10, "a", 3), (59, "a", 2)],
    [(59, "b", 2), (61, "b", 7), (100, "a", None), (100, "c", 3)],
    [(125, "a", 4), (260, "b", 9), (261, "a", 6)],
]
T: Final[Sequence[Sequence[tuple[int, str, int | None]]]] = [
    [(5, "a", 10), (30, "c", 20)],
    [(30, "a", 25), (70, "a", 30), (95, "b", 40), (110, "a", 50)],
    [(200, "b", 60), (259, "b", 70)],
]


@dataclass(slots=True)
class Drive:
    """An engine that takes its rows in one way."""

    engine: Engine
    bulk: bool
    folder: Path
    steps: int = 0

    def step(self, rows: dict[Name, Sequence[Row]], bounds: dict[Name, Bounds]) -> StepResult:
        """One micro-batch."""
        session = spark_session()
        stores: dict[Name, RowBuffer] = {}
        for name, own in rows.items():
            types = tuple(each.type for each in self.engine.streams[name].columns)
            first = 100 * self.steps
            frame = frame_of(session, types, own, first)
            stores[name] = (
                RowBuffer.of_frame(frame, types, count=len(own), numbers=first + len(own))
                if self.bulk
                else RowBuffer.of(types, own)
            )
        given = self.engine.step(stores, bounds)
        self.steps += 1
        return given

    def save(self) -> None:
        """Write what is kept, and read it from there, as a driver does."""
        session = spark_session()
        state, stores = self.engine.state()
        written: dict[Name, RowBuffer] = {}
        for name, store in stores.items():
            path = str(self.folder / f"{self.bulk}-{self.steps}-{name[0]}")
            store.save(session, path)
            types = self.engine.types_retained(name)
            written[name] = RowBuffer.load(session, path, types, store.count, store.numbers)
        self.engine.restore(state, written)


def history() -> Iterator[tuple[dict[Name, Sequence[Row]], dict[Name, Bounds]]]:
    """The micro-batches with their clocks, and then the end."""
    for s, t in list(zip(S, T, strict=True))[: scaled(2, 3)]:
        own = [(1_000 * time, k, v) for time, k, v in s]
        other = [(1_000 * time, k, w) for time, k, w in t]
        clocks = (s[-1][0] * 1_000, t[-1][0] * 1_000)
        columns = [Bounds((Bound(each), None, None)) for each in clocks]
        rows: dict[Name, Sequence[Row]] = {
            ("S",): own,
            ("T",): other,
            ("W",): own,
            ("N",): [(k, v) for _, k, v in own],
        }
        behind = Bounds((Bound(clocks[0] - 60_000), None, None))
        known: dict[Name, Bounds] = {("S",): columns[0], ("T",): columns[1], ("W",): behind}
        yield rows, {**known, ("N",): Bounds((None, None))}
    ended = Bounds((None, None, None), ended=True)
    none: dict[Name, Sequence[Row]] = {("S",): [], ("T",): [], ("W",): [], ("N",): []}
    every: dict[Name, Bounds] = {("S",): ended, ("T",): ended, ("W",): ended}
    yield none, {**every, ("N",): Bounds((None, None), ended=True)}


#: Those that frames treat as they treat another one of `QUERIES`: tried nightly.
_ALIKE: Final = frozenset(
    {
        "filter",
        "hop",
        "hidden clock",
        "sort",
        "stray",
        "lead",
        "ahead",
        "INNER join",
        "LEFT join",
        "RIGHT join",
        "union",
        "two words",
        "rows over rows",
    }
)


@pytest.mark.parametrize("name", [each for each in QUERIES if NIGHTLY or each not in _ALIKE])
def test_frames_give_what_memory_gives(name: str, tmp_path: Path) -> None:
    """Rows and their order but for ties, the bound, the end, and the number of rows kept."""
    query = prepare(DDL, QUERIES[name], Profile.CALCITE).query
    assert isinstance(query, Delta)
    drives = [
        Drive(Engine(query, Contents(spark_session(), 0)), bulk, tmp_path) for bulk in (False, True)
    ]
    total = 0
    for rows, bounds in history():
        own = {each: rows[each] for each in drives[0].engine.streams}
        seen: list[tuple[object, ...]] = []
        for drive in drives:
            given = drive.step(dict(own), bounds)
            found = list(given.rows.rows())
            total += len(found)
            if drive.bulk:
                drive.save()
            if name in BY_TIME:
                times = [row[0] for row in found if isinstance(row[0], int)]
                assert times == sorted(times)
            if name != "sort":
                found.sort(key=repr)
            seen.append((found, given.bound, given.ended, drive.engine.retained))
        assert seen[0] == seen[1]
    assert total
    for drive in drives:
        drive.engine.close()


def test_bounds_filter_windows_and_not_what_makes_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Else each row's window would be computed once for each place where a bound names it."""
    query = prepare(DDL, QUERIES["tumble"], Profile.CALCITE).query
    assert isinstance(query, Delta)
    drive = Drive(Engine(query, Contents(spark_session(), 0)), bulk=True, folder=tmp_path)
    first, second, *_ = history()
    drive.step({("S",): first[0]["S",]}, {("S",): first[1]["S",]})
    drive.save()
    given = drive.step({("S",): second[0]["S",]}, {("S",): second[1]["S",]})
    capsys.readouterr()
    given.rows.in_order(spark_session()).explain(extended=True)
    optimized = capsys.readouterr().out.split("== Optimized Logical Plan ==")[1]
    filters = [line for line in optimized.splitlines() if " Filter " in line]
    assert any(" < [120000]" in line for line in filters), optimized
    assert not any("pmod" in line for line in filters), filters
