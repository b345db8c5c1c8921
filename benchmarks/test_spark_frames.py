"""The cost of a frame's width on Spark: sliding sums of 100, 1,000 and 10,000 rows a frame.

    python benchmarks/test_spark_frames.py --rows 1000000 --rounds 5

The same query with wider and wider frames, taking turns, next to Spark's own OVER at 2,000 rows a
frame, which walks every frame again; to a sink that drops the rows.  A test compares all rows with
the results of numpy, exactly.
"""

import argparse
import statistics
import tempfile
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
import pytest
from pyspark.sql import DataFrame
from pyspark.sql import Window as SparkWindow
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses

from benchmarks.test_spark import seconds
from spark_backend.data.dataframes import answer
from spark_backend.runtime.session import spark_session, tune

DDL: Final = (
    "CREATE STREAM Ticks (rowtime TIMESTAMP(3) ASCENDING, id BIGINT, k INTEGER, v INTEGER,"
    " x DOUBLE);"
)
#: As many keys; the rows of one are ``apart`` milliseconds apart.
KEYS: Final = 50
APART_MS: Final = 1_000
WIDTHS: Final = (100, 1_000, 10_000)
#: The frame at which Spark's own OVER is asked, too.
OF_SPARK: Final = 2_000


def generated(directory: Path, rows: int) -> DataFrame:
    """Rows of 50 keys in turn; DOUBLEs of which few sums are exact in DOUBLE."""
    session = spark_session()
    number = F.col("id")
    at = 1_423_958_400_000 + F.floor(number / KEYS) * APART_MS
    frame = session.range(0, rows, 1, 4).select(
        F.timestamp_millis(at).alias("rowtime"),
        number.alias("id"),
        (number % KEYS).cast("int").alias("k"),
        F.pmod(F.hash(number), F.lit(1_000)).cast("int").alias("v"),
        (F.pmod(F.hash(number), F.lit(1_000)) / F.lit(7.0)).alias("x"),
    )
    frame.write.parquet(str(directory / "ticks"))
    return session.read.parquet(str(directory / "ticks"))


def ours(ticks: DataFrame, width: int, value: str = "v") -> DataFrame:
    """A sum over that many rows."""
    over = (
        "OVER (PARTITION BY k ORDER BY rowtime"
        f" RANGE INTERVAL '{(width - 1) * APART_MS // 1_000}' SECOND(6) PRECEDING)"
    )
    sql = f"SELECT STREAM rowtime, id, k, SUM({value}) {over} AS s FROM Ticks"
    return answer(DDL, sql, {"TICKS": ticks}).frame


def of_spark(ticks: DataFrame, width: int) -> DataFrame:
    """The same by Spark's OVER."""
    by = SparkWindow.partitionBy("k").orderBy(F.unix_millis("rowtime"))
    frame = by.rangeBetween(-(width - 1) * APART_MS, 0)
    return ticks.select("rowtime", "id", "k", F.sum("v").over(frame).alias("s")).orderBy("rowtime")


def exact(values: npt.NDArray[np.int64], width: int) -> npt.NDArray[np.int64]:
    """The sums over that many rows of one key."""
    running = np.concatenate(([0], np.cumsum(values)))
    high = np.arange(1, len(values) + 1)
    return running[high] - running[np.maximum(high - width, 0)]


@pytest.fixture(scope="module")
def some_ticks(tmp_path_factory: pytest.TempPathFactory) -> DataFrame:
    """More rows than those of which Spark's own way is taken; 1,200 of each key."""
    return generated(tmp_path_factory.mktemp("ticks"), 60_000)


@pytest.mark.spark
@pytest.mark.parametrize("width", [*WIDTHS, OF_SPARK])
def test_wide_frames_are_exact(width: int, some_ticks: DataFrame) -> None:
    """A comparison of times is one of right answers."""
    ticks = some_ticks
    rows = ticks.toPandas().sort_values("id")
    found = ours(ticks, width).toPandas().sort_values("ID")
    for key, own in rows.groupby("k"):
        wanted = exact(own["v"].to_numpy().astype(np.int64), width)
        assert (found[found["K"] == key]["S"].to_numpy() == wanted).all()


def main() -> None:
    """Print a table of medians, and the ratios that matter."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        ticks = generated(Path(directory), options.rows)
        tune(spark_session(), options.rows)
        ways = {
            **{f"SUM, {each:,} rows a frame": partial(ours, ticks, each) for each in WIDTHS},
            **{
                f"SUM of DOUBLE, {each:,} rows a frame": partial(ours, ticks, each, "x")
                for each in WIDTHS
            },
            f"SUM, {OF_SPARK:,} rows a frame": partial(ours, ticks, OF_SPARK),
            f"Spark's OVER, {OF_SPARK:,} rows a frame": partial(of_spark, ticks, OF_SPARK),
        }
        times: dict[str, list[float]] = {way: [] for way in ways}
        for turn in range(options.rounds + 1):
            for way, build in ways.items():
                if turn or "OVER" not in way:
                    taken = seconds(build)
                    if turn:  # the first round compiles
                        times[way].append(taken)
        medians = {way: statistics.median(each) for way, each in times.items()}
        print(f"| {options.rows:,} rows | seconds |")
        print("|---|---:|")
        for way, each in medians.items():
            print(f"| {way} | {each:.2f} |")
        narrow_to_wide = list(medians.values())[: len(WIDTHS)]
        doubles = list(medians.values())[len(WIDTHS) : 2 * len(WIDTHS)]
        own, spark = list(medians.values())[-2:]
        print(f"slowest by fastest width: {max(narrow_to_wide) / min(narrow_to_wide):.2f},")
        print(f"of DOUBLE: {max(doubles) / min(doubles):.2f}")
        print(f"Spark's OVER by ours at {OF_SPARK:,} rows: {spark / own:.1f}")


if __name__ == "__main__":
    main()
