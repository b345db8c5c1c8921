"""The cost of stages: nested queries, and a micro-batch by the number of stages, rows and keys.

    python -m benchmarks.test_spark_stages --plots docs/benchmarks

Nested queries run next to Structured Streaming written by hand, as in `test_spark_stream`, but for
frames, which Spark does not stream.  The other tables are of groups over groups: each stage sums
the sums of the one before over a longer window.  ``--plots`` draws them as pictures.

Before timing, a test compares the rows with the answer that batch gives (`pytest benchmarks/…`).
"""

import argparse
import statistics
import tempfile
from pathlib import Path
from typing import Final

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses

from benchmarks.plots import Line, Panel, picture
from benchmarks.test_spark import Frames, Question
from benchmarks.test_spark_stream import (
    DDL,
    Data,
    join,
    median_of_ours,
    medians,
    run_by_hand,
    run_ours,
    same_rows,
    written,
)
from spark_backend.data.dataframes import answer
from spark_backend.runtime.session import spark_session


def tumble_over_tumble(frames: Frames) -> DataFrame:
    """By hand: a window over the times of windows."""
    orders = frames["ORDERS"].withWatermark("rowtime", "0 seconds")
    hours = orders.groupBy(F.window("rowtime", "1 hour").alias("h"), "productId")
    sums = hours.agg(F.count("*").alias("c"), F.sum("units").alias("u"))
    days = sums.groupBy(F.window(F.window_time("h"), "1 day").alias("w"), "productId")
    found = days.agg(F.max("c").alias("c"), F.sum("u").alias("u"))
    return found.select(F.col("w.end").alias("rowtime"), "productId", "c", "u")


def group_over_join(frames: Frames) -> DataFrame:
    """By hand: a window over the pairs."""
    groups = join(frames).groupBy(F.window("rowtime", "1 hour").alias("w"))
    found = groups.agg(F.count("*").alias("c"), F.sum("amount").alias("a"))
    return found.select(F.col("w.end").alias("rowtime"), "c", "a")


def _tumble(inner: str, size: str, keys: str, measures: str) -> str:
    return (
        f"SELECT STREAM TUMBLE_END(rowtime, INTERVAL {size}) AS rowtime{keys}, {measures}"
        f" FROM {inner} GROUP BY TUMBLE(rowtime, INTERVAL {size}){keys}"
    )


_KEY: Final = ", productId"
_HOURS: Final = _tumble("Orders", "'1' HOUR", _KEY, "COUNT(*) AS c, SUM(units) AS u")
_PAIRS: Final = (
    "(SELECT STREAM o.rowtime, t.amount FROM Orders AS o JOIN Trades AS t ON o.orderId = t.orderId"
    " AND t.rowtime BETWEEN o.rowtime AND o.rowtime + INTERVAL '1' MINUTE)"
)
NESTED: Final[dict[str, Question]] = {
    "tumble over tumble": Question(
        # An hour that ends at midnight belongs to the day before.
        _tumble(
            f"(SELECT STREAM rowtime - INTERVAL '0.001' SECOND AS rowtime, productId, c, u FROM"
            f" ({_HOURS}))",
            "'1' DAY",
            _KEY,
            "MAX(c) AS c, SUM(u) AS u",
        ),
        tumble_over_tumble,
    ),
    "group over join": Question(
        _tumble(_PAIRS, "'1' HOUR", "", "COUNT(*) AS c, SUM(amount) AS a"), group_over_join
    ),
}
#: A sum over a minute of two streams put together.
SLIDING: Final = (
    "SELECT STREAM rowtime, orderId, SUM(n) OVER (PARTITION BY k ORDER BY rowtime"
    " RANGE INTERVAL '1' MINUTE PRECEDING) AS s FROM ("
    "SELECT STREAM rowtime, orderId, MOD(orderId, 50) AS k, units AS n FROM Orders UNION ALL"
    " SELECT STREAM rowtime, orderId, MOD(orderId, 50) AS k, amount AS n FROM Trades)"
)
#: The window of each stage.
_SIZES: Final = ("'1' MINUTE", "'10' MINUTE", "'1' HOUR", "'6' HOUR", "'1' DAY")


def staged(stages: int, keys: int = 100) -> str:
    """``stages`` tumbling sums over one another, by ``keys`` keys."""
    found = f"(SELECT STREAM rowtime, MOD(orderId, {keys}) AS productId, units AS u FROM Orders)"
    for size in _SIZES[:stages]:
        found = f"({_tumble(found, size, _KEY, 'SUM(u) AS u')})"
    return found[1:-1]


@pytest.mark.spark
@pytest.mark.parametrize("name", [*NESTED, "sliding over union", "five stages"])
def test_nested_queries_give_the_rows_of_batch(name: str, tmp_path: Path) -> None:
    """By hand without the windows that are open at the end."""
    session = spark_session()
    data = Data(session, tmp_path / "data", ["ORDERS", "TRADES"], 3, 6_000)
    question = NESTED.get(name)
    sql = question.sql if question else SLIDING if name == "sliding over union" else staged(5)
    run_ours(sql, data, tmp_path / "ours")
    wanted = same_rows(answer(DDL, sql, data.tables()).frame)
    assert same_rows(written(session, tmp_path / "ours")) == wanted
    if question is not None:
        run_by_hand(question, data, tmp_path / "hand")
        by_hand = same_rows(written(session, tmp_path / "hand"))
        assert by_hand
        assert set(by_hand) <= set(wanted)


# --- times ------------------------------------------------------------------------------------


def _nested(session: SparkSession, directory: Path, files: int, rows: int, rounds: int) -> None:
    data = Data(session, directory, ["ORDERS", "TRADES"], files, rows)
    print(f"| {files} micro-batches of {rows:,} orders | by hand, s | rowtime, s | ratio |")
    print("|---|---:|---:|---:|")
    for name, question in NESTED.items():
        by_hand, ours = medians(question, data, rounds)
        print(f"| {name} | {by_hand:.2f} | {ours:.2f} | {ours / by_hand:.2f} |", flush=True)
    taken = median_of_ours(SLIDING, data, rounds)
    print(f"| sliding over union | | {taken:.2f} | |", flush=True)


def _of_micro_batches(sql: str, data: Data) -> float:
    """The median of a micro-batch's seconds; the first ones compile."""
    with tempfile.TemporaryDirectory() as folder:
        return statistics.median(run_ours(sql, data, Path(folder)).batches[3:])


def _grown(session: SparkSession, directory: Path, most: int, plots: Path | None) -> None:
    """Tables, and pictures of them: a line for each number of rows, or of stages."""
    counts = [each for each in _ROWS if each <= most]
    sizes = {rows: Data(session, directory / str(rows), ["ORDERS"], 7, rows) for rows in counts}
    by_stage = [
        Line(
            f"{rows:,} row{'s' * (rows > 1)}",
            [(n, _of_micro_batches(staged(n), data)) for n in _STAGES],
        )
        for rows, data in sizes.items()
    ]
    _table("stages", by_stage)
    by_rows = [
        Line(
            f"{n} stage{'s' * (n > 1)}",
            [(rows, line.points[n - 1][1]) for rows, line in zip(counts, by_stage, strict=True)],
        )
        for n in (1, 3, 5)
    ]
    data = sizes[counts[-1]]
    by_keys = [
        Line(
            f"{n} stage{'s' * (n > 1)}",
            [(keys, _of_micro_batches(staged(n, keys), data)) for keys in _KEYS],
        )
        for n in (1, 3)
    ]
    _table("keys", by_keys)
    if plots is not None:
        plots.mkdir(exist_ok=True)
        for name, lines, label, log in (
            ("stages", by_stage, "its stages", False),
            ("rows", by_rows, "its rows", True),
            ("keys", by_keys, "keys", True),
        ):
            panel = Panel(f"seconds of a micro-batch by {label}", lines, log_x=log, log_y=False)
            (plots / f"spark-{name}.svg").write_text(picture([panel]), "utf-8")


_STAGES: Final = (1, 2, 3, 4, 5)
_ROWS: Final = (1, 10_000, 100_000, 1_000_000)
_KEYS: Final = (10, 1_000, 100_000)


def _table(of: str, lines: list[Line]) -> None:
    places = [f"{x:,}" for x, _ in lines[0].points]
    print(f"| {of} | {' | '.join(places)} |\n|---|{'---:|' * len(places)}")
    for line in lines:
        print(f"| {line.name} | {' | '.join(f'{y:.2f}' for _, y in line.points)} |", flush=True)


def main() -> None:
    """Print tables of medians, and draw them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=250_000)
    parser.add_argument("--files", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--most", type=int, default=_ROWS[-1], help="rows of a micro-batch")
    parser.add_argument("--only", default="", help="nested or growth")
    parser.add_argument("--plots", type=Path, help="a folder for pictures")
    options = parser.parse_args()
    session = spark_session()
    with tempfile.TemporaryDirectory() as directory:
        folder = Path(directory)
        if "nested".startswith(options.only):
            _nested(session, folder / "nested", options.files, options.rows, options.rounds)
        if "growth".startswith(options.only):
            _grown(session, folder / "growth", options.most, options.plots)


if __name__ == "__main__":
    main()
