"""The cost of translation: rowtime's queries on Spark against PySpark that is written by hand.

    python benchmarks/test_spark.py --rows 5000000 --rounds 5

Both read the same Parquet files in one session with one set of settings, both give their rows in
the order of rowtime, to a sink that drops them; they take turns, and a ratio is of the medians of
one run.  Before timing, a test compares the rows of both on less data (`pytest benchmarks/…`).
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import pytest
from pyspark.sql import DataFrame
from pyspark.sql import Window as SparkWindow
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses

from spark_backend.data.dataframes import answer
from spark_backend.runtime.session import spark_session, tune

DDL: Final = """
CREATE STREAM Orders (rowtime TIMESTAMP(3) ASCENDING, orderId BIGINT, productId INTEGER,
  units INTEGER, price DECIMAL(10, 2));
CREATE STREAM Trades (rowtime TIMESTAMP(3) ASCENDING, orderId BIGINT, amount INTEGER);
"""
Frames = Mapping[str, DataFrame]


@dataclass(frozen=True, slots=True)
class Question:
    """One query in SQL, and as an engineer who knows Spark writes it."""

    sql: str
    by_hand: Callable[[Frames], DataFrame]


def tumble(frames: Frames) -> DataFrame:
    """By hand: date_trunc, which takes half the time of window()."""
    end = F.date_trunc("hour", "rowtime") + F.expr("INTERVAL 1 HOUR")
    groups = frames["ORDERS"].groupBy(end.alias("rowtime"), "productId")
    return groups.agg(F.count("*").alias("c"), F.sum("units").alias("u")).orderBy("rowtime")


def hop(frames: Frames) -> DataFrame:
    """By hand: window() with a slide."""
    groups = frames["ORDERS"].groupBy(F.window("rowtime", "1 hour", "15 minutes").alias("w"))
    sums = groups.agg(F.count("*").alias("c"), F.sum("units").alias("u"))
    return sums.select(F.col("w.end").alias("rowtime"), "c", "u").orderBy("rowtime")


def sessions(frames: Frames) -> DataFrame:
    """By hand: session_window(); it joins rows one gap apart, so its gap is shorter by 1 ms."""
    window = F.session_window("rowtime", f"{GAP_MS - 1} milliseconds").alias("w")
    groups = frames["ORDERS"].groupBy(window, "productId")
    sums = groups.agg(F.count("*").alias("c"), F.sum("units").alias("u"))
    end = (F.col("w.end") + F.expr("INTERVAL '0.001' SECOND")).alias("rowtime")
    return sums.select(end, "productId", "c", "u").orderBy("rowtime")


def sliding(frames: Frames) -> DataFrame:
    """By hand: OVER with an interval."""
    by = SparkWindow.partitionBy("productId").orderBy(F.unix_millis("rowtime"))
    frame = by.rangeBetween(-WIDTH_MS, 0)
    value = F.sum("units").over(frame).alias("s")
    return frames["ORDERS"].select("rowtime", "productId", value).orderBy("rowtime")


def sliding_maximum(frames: Frames) -> DataFrame:
    """By hand: the same frame, two functions."""
    by = SparkWindow.partitionBy("productId").orderBy(F.unix_millis("rowtime"))
    frame = by.rangeBetween(-WIDTH_MS, 0)
    values = [F.avg("units").over(frame).alias("a"), F.max("units").over(frame).alias("m")]
    return frames["ORDERS"].select("rowtime", "productId", *values).orderBy("rowtime")


def join(frames: Frames) -> DataFrame:
    """By hand: an equality, and the bounds next to it."""
    orders, trades = frames["ORDERS"].alias("o"), frames["TRADES"].alias("t")
    within = F.expr(
        "o.orderId = t.orderId AND t.rowtime BETWEEN o.rowtime AND o.rowtime + INTERVAL 1 MINUTE"
    )
    joined = orders.join(trades, within)
    return joined.select("o.rowtime", "o.orderId", "t.amount").orderBy("rowtime")


def grouping_sets(frames: Frames) -> DataFrame:
    """By hand: groupingSets."""
    orders = frames["ORDERS"].withColumn("rowtime", F.date_trunc("hour", "rowtime"))
    sets = [["rowtime", "productId"], ["rowtime"]]
    columns = [[F.col(each) for each in one] for one in sets]
    groups = orders.groupingSets(columns, "rowtime", "productId")
    return groups.agg(F.count("*").alias("c"), F.sum("units").alias("u")).orderBy("rowtime")


#: A frame of that many milliseconds holds about 17 rows of a product among 5 M rows of ten days.
WIDTH_MS: Final = 5 * 60_000
#: The gap of a session, which has about five rows of a product among 5 M rows of ten days.
GAP_MS: Final = 30_000
_FRAME: Final = "OVER (PARTITION BY productId ORDER BY rowtime RANGE INTERVAL '5' MINUTE PRECEDING)"
QUESTIONS: Final[dict[str, Question]] = {
    "tumble by key": Question(
        "SELECT STREAM TUMBLE_END(rowtime, INTERVAL '1' HOUR) AS rowtime, productId,"
        " COUNT(*) AS c, SUM(units) AS u"
        " FROM Orders GROUP BY TUMBLE(rowtime, INTERVAL '1' HOUR), productId",
        tumble,
    ),
    "hop": Question(
        "SELECT STREAM HOP_END(rowtime, INTERVAL '15' MINUTE, INTERVAL '1' HOUR) AS rowtime,"
        " COUNT(*) AS c, SUM(units) AS u"
        " FROM Orders GROUP BY HOP(rowtime, INTERVAL '15' MINUTE, INTERVAL '1' HOUR)",
        hop,
    ),
    "sessions by key": Question(
        "SELECT STREAM SESSION_END(rowtime, INTERVAL '30' SECOND) AS rowtime, productId,"
        " COUNT(*) AS c, SUM(units) AS u"
        " FROM Orders GROUP BY SESSION(rowtime, INTERVAL '30' SECOND), productId",
        sessions,
    ),
    "sliding SUM by key": Question(
        f"SELECT STREAM rowtime, productId, SUM(units) {_FRAME} AS s FROM Orders", sliding
    ),
    "sliding AVG, MAX by key": Question(
        f"SELECT STREAM rowtime, productId, AVG(units) {_FRAME} AS a, MAX(units) {_FRAME} AS m"
        " FROM Orders",
        sliding_maximum,
    ),
    "join": Question(
        "SELECT STREAM o.rowtime, o.orderId, t.amount FROM Orders AS o JOIN Trades AS t"
        " ON o.orderId = t.orderId"
        " AND t.rowtime BETWEEN o.rowtime AND o.rowtime + INTERVAL '1' MINUTE",
        join,
    ),
    "grouping sets": Question(
        "SELECT STREAM FLOOR(rowtime TO HOUR) AS rowtime, productId, COUNT(*) AS c,"
        " SUM(units) AS u FROM Orders"
        " GROUP BY GROUPING SETS ((FLOOR(rowtime TO HOUR), productId), (FLOOR(rowtime TO HOUR)))",
        grouping_sets,
    ),
}


# --- data -------------------------------------------------------------------------------------


def generated(directory: Path, rows: int) -> Frames:
    """Ten days of orders of 100 products, and a trade within two minutes of each order."""
    session = spark_session()
    step = 864_000_000 / rows
    rowtime = F.timestamp_millis(F.lit(1_423_958_400_000) + (F.col("id") * step).cast("bigint"))
    dice = F.pmod(F.hash("id"), F.lit(1_000_000))
    orders = session.range(0, rows, 1, 4).select(
        rowtime.alias("rowtime"),
        F.col("id").alias("orderId"),
        (dice % 100).cast("int").alias("productId"),
        (dice % 20 + 1).cast("int").alias("units"),
        (dice % 10_000 / 100).cast("decimal(10,2)").alias("price"),
    )
    later = F.unix_millis("rowtime") + F.pmod(F.hash("orderId"), F.lit(120_000))
    trades = orders.select(
        F.timestamp_millis(later).alias("rowtime"), "orderId", F.col("units").alias("amount")
    )
    for name, frame in (("ORDERS", orders), ("TRADES", trades)):
        frame.write.parquet(str(directory / name))
    return {name: session.read.parquet(str(directory / name)) for name in ("ORDERS", "TRADES")}


# --- the same rows ----------------------------------------------------------------------------


@pytest.mark.spark
@pytest.mark.parametrize("name", QUESTIONS)
def test_both_give_the_same_rows(name: str, tmp_path: Path) -> None:
    """A comparison of times is one of equal answers."""
    question, frames = QUESTIONS[name], generated(tmp_path, 3_000)
    ours, by_hand = answer(DDL, question.sql, frames).frame, question.by_hand(frames)
    wanted = by_hand.withColumn("rowtime", F.col("rowtime").cast("timestamp_ntz")).collect()
    found = ours.collect()
    assert wanted
    assert sorted(map(str, map(tuple, found))) == sorted(map(str, map(tuple, wanted)))
    assert (times := [row["ROWTIME"] for row in found]) == sorted(times)


# --- times ------------------------------------------------------------------------------------


def seconds(way: Callable[[], DataFrame]) -> float:
    """How long it takes to build a frame, and all that this asks of Spark, and to compute it."""
    start = time.perf_counter()
    way().write.format("noop").mode("overwrite").save()
    return time.perf_counter() - start


def rowtime(question: Question, frames: Frames) -> DataFrame:
    """The answer to the query."""
    return answer(DDL, question.sql, frames).frame


def main() -> None:
    """Print a table of medians and ratios, and on demand the physical plans."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="", help="a part of the question's name")
    parser.add_argument("--plans", action="store_true", help="show the physical plans, too")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        frames = generated(Path(directory), options.rows)
        tune(spark_session(), options.rows)
        print(f"| question, {options.rows:,} rows | by hand, s | rowtime, s | ratio |")
        print("|---|---|---|---|")
        for name, question in QUESTIONS.items():
            if options.only not in name:
                continue
            ways = {
                "by hand": partial(question.by_hand, frames),
                "rowtime": partial(rowtime, question, frames),
            }
            if options.plans:
                for way, build in ways.items():
                    print(f"--- {name}: {way}")
                    build().explain()
            times: dict[str, list[float]] = {way: [] for way in ways}
            for turn in range(options.rounds + 1):
                for way, build in ways.items():
                    taken = seconds(build)
                    if turn:  # the first round compiles
                        times[way].append(taken)
            hand, ours = (statistics.median(times[way]) for way in ways)
            print(f"| {name} | {hand:.2f} | {ours:.2f} | {ours / hand:.2f} |", flush=True)


if __name__ == "__main__":
    main()
