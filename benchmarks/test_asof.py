"""The costs of the nearest row: ASOF joins on the Spark backend, and DuckDB's own.

    python -m benchmarks.test_asof --rows 2000000 --rounds 5

Both read the same two Parquet files, trades and quotes of a thousand keys, in one process and on
two threads, and count the joined rows and add up their values, so that no row is printed or
written.  They take turns; a ratio divides the medians of one run.  Before timing, a test compares
the rows of both on less data (`pytest benchmarks/test_asof.py`).
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import duckdb
import pytest
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses

from spark_backend.data.dataframes import answer
from spark_backend.runtime.session import spark_session, tune

DDL: Final = """
CREATE TABLE Trades (t TIMESTAMP(3), k INTEGER, x INTEGER);
CREATE TABLE Quotes (t TIMESTAMP(3), k INTEGER, y INTEGER);
"""
#: The first time of both, and how many keys there are.
START: Final = "2015-02-15 00:00:00"
KEYS: Final = 1_000
_SQL: Final = (
    "SELECT a.t, a.k, a.x, b.y FROM Trades AS a {kind} JOIN Quotes AS b"
    " MATCH_CONDITION (a.t {op} b.t) ON a.k = b.k"
)
_DUCKDB: Final = (
    "SELECT a.t, a.k, a.x, b.y FROM Trades AS a {kind} JOIN Quotes AS b"
    " ON a.k = b.k AND a.t {op} b.t"
)
#: The kinds of both languages, by the name of the question.
QUESTIONS: Final = {
    "nearest row at or before": ("ASOF", "ASOF", ">="),
    "nearest row before, or none": ("LEFT ASOF", "ASOF LEFT", ">"),
    "nearest row at or after": ("ASOF", "ASOF", "<="),
}


def generate(folder: Path, rows: int) -> None:
    """Two files of ``rows`` rows; no key has two quotes of one time, so that no match is free."""
    with duckdb.connect() as database:
        for name, value, shift in (("TRADES", "x", 0), ("QUOTES", "y", 7)):
            database.execute(
                f"COPY (SELECT TIMESTAMP '{START}' + TO_MILLISECONDS(1000 * i + {shift}00) AS t,"
                f" CAST(HASH(i * 31 + {shift}) % {KEYS} AS INTEGER) AS k,"
                f" CAST(i % 1000 AS INTEGER) AS {value} FROM RANGE({rows}) AS r (i))"
                f" TO '{folder / name}.parquet' (FORMAT parquet)"
            )


def on_spark(folder: Path, question: str) -> DataFrame:
    """The joined rows of the Spark backend."""
    session = spark_session()
    frames = {n: session.read.parquet(f"{folder / n}.parquet") for n in ("TRADES", "QUOTES")}
    kind, _, op = QUESTIONS[question]
    return answer(DDL, _SQL.format(kind=kind, op=op), frames).frame


def in_duckdb(question: str) -> str:
    """The text of DuckDB's query, over views of the files."""
    _, kind, op = QUESTIONS[question]
    return _DUCKDB.format(kind=kind, op=op)


def connected(folder: Path) -> duckdb.DuckDBPyConnection:
    """A database in memory with two threads, and the files as views."""
    database = duckdb.connect(config={"threads": 2})
    for name in ("TRADES", "QUOTES"):
        database.execute(f"CREATE VIEW {name} AS SELECT * FROM '{folder / name}.parquet'")
    return database


# --- the same rows ------------------------------------------------------------------------------


@pytest.mark.spark
@pytest.mark.parametrize("question", QUESTIONS)
def test_both_have_the_same_rows(question: str, tmp_path: Path) -> None:
    """A comparison of times is one of equal answers."""
    generate(tmp_path, 5_000)
    found = on_spark(tmp_path, question).select("K", "X", "Y").collect()
    with connected(tmp_path) as database:
        text = in_duckdb(question)
        wanted = database.execute(f"SELECT k, x, y FROM ({text}) AS j").fetchall()
    assert wanted
    assert sorted(map(str, map(tuple, found))) == sorted(map(str, wanted))


# --- times --------------------------------------------------------------------------------------


def _seconds(way: Callable[[], object]) -> float:
    began = time.perf_counter()
    way()
    return time.perf_counter() - began


def _counted_by_spark(folder: Path, question: str) -> None:
    on_spark(folder, question).agg(F.count("*"), F.sum("Y")).collect()


def _counted_by_duckdb(database: duckdb.DuckDBPyConnection, question: str) -> None:
    text = in_duckdb(question)
    database.execute(f"SELECT COUNT(*), SUM(y) FROM ({text}) AS j").fetchall()


def main() -> None:
    """Print a table of medians and ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        folder = Path(directory)
        generate(folder, options.rows)
        tune(spark_session(), options.rows)
        print(f"| ASOF join, {options.rows:,} rows a side | DuckDB, s | Spark backend, s | ratio |")
        print("|---|---:|---:|---:|")
        with connected(folder) as database:
            for question in QUESTIONS:
                times: dict[str, list[float]] = {"duckdb": [], "spark": []}
                for turn in range(options.rounds + 1):
                    spark = _seconds(lambda: _counted_by_spark(folder, question))  # noqa: B023  now
                    other = _seconds(lambda: _counted_by_duckdb(database, question))  # noqa: B023
                    if turn:  # the first round compiles
                        times["spark"].append(spark)
                        times["duckdb"].append(other)
                ours, theirs = (statistics.median(times[way]) for way in ("spark", "duckdb"))
                print(
                    f"| {question} | {theirs:.2f} | {ours:.2f} | {ours / theirs:.1f} |", flush=True
                )


if __name__ == "__main__":
    main()
