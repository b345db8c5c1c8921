"""The cost of streaming: rowtime's micro-batches against Structured Streaming written by hand.

    python benchmarks/test_spark_stream.py --rows 10000000 --rounds 5

Both read the same Parquet files, one file a micro-batch, in one session of local[2], and write
their rows as Parquet; both write their state to disk, so that they could be resumed.  Ours is
`rowtime run` with a script.  They take turns, and a ratio is of the medians of one run.  By hand it
is `window()` and a watermark in append mode, or a join of two streams with a time bound, over as
many state stores as there are cores.  Sliding frames cannot be streamed by hand: for them only our
rows per second are printed.

Before timing, tests compare the rows of both, and with the answer that batch gives
(`pytest benchmarks/…`).
"""

import argparse
import re
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Final

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.streaming.readwriter import DataStreamWriter

from algebra.catalog import Profile
from algebra.plan import row_type
from algebra.prepare import prepare
from algebra.records.pipeline import PipelineProgress, Settings
from benchmarks.test_spark import GAP_MS, Frames, Question
from benchmarks.test_spark import QUESTIONS as OF_BATCH
from rowtime.pipeline.engines import pipeline
from spark_backend.data.dataframes import answer
from spark_backend.runtime.session import spark_session
from spark_backend.stream.backend import SparkStreamBackend
from spark_backend.stream.connectors.listing import FILES_A_BATCH
from spark_backend.stream.connectors.pipeline import SparkEngine
from tck.protocol import Accepted, Open, Rows

DDL: Final = """
CREATE STREAM Orders (rowtime TIMESTAMP(3) ASCENDING, orderId BIGINT, productId INTEGER,
  units INTEGER, price DECIMAL(10, 2));
CREATE STREAM Trades (rowtime TIMESTAMP(3) ASCENDING, orderId BIGINT, amount INTEGER);
CREATE STREAM Ticks (rowtime TIMESTAMP(3) ASCENDING, id BIGINT, k INTEGER, v INTEGER);
"""
#: When all streams begin; a file of orders is a day.
START_MS: Final = 1_423_958_400_000
DAY_MS: Final = 86_400_000
#: How many keys the ticks have, and how far apart two rows of one key are.
KEYS: Final = 50
APART_MS: Final = 1_000
SCHEMAS: Final = {
    "ORDERS": "rowtime timestamp, orderId long, productId int, units int, price decimal(10,2)",
    "TRADES": "rowtime timestamp, orderId long, amount int",
    "TICKS": "rowtime timestamp, id long, k int, v int",
}


def tumble(frames: Frames) -> DataFrame:
    """By hand: window(), and a watermark that closes an hour as soon as it is over."""
    orders = frames["ORDERS"].withWatermark("rowtime", "0 seconds")
    groups = orders.groupBy(F.window("rowtime", "1 hour").alias("w"), "productId")
    sums = groups.agg(F.count("*").alias("c"), F.sum("units").alias("u"))
    return sums.select(F.col("w.end").alias("rowtime"), "productId", "c", "u")


def hop(frames: Frames) -> DataFrame:
    """By hand: window() with a slide."""
    orders = frames["ORDERS"].withWatermark("rowtime", "0 seconds")
    groups = orders.groupBy(F.window("rowtime", "1 hour", "15 minutes").alias("w"))
    sums = groups.agg(F.count("*").alias("c"), F.sum("units").alias("u"))
    return sums.select(F.col("w.end").alias("rowtime"), "c", "u")


def sessions(frames: Frames) -> DataFrame:
    """By hand: session_window(); it joins rows one gap apart, so its gap is shorter by 1 ms."""
    orders = frames["ORDERS"].withWatermark("rowtime", "1 millisecond")
    window = F.session_window("rowtime", f"{GAP_MS - 1} milliseconds").alias("w")
    sums = orders.groupBy(window, "productId").agg(
        F.count("*").alias("c"), F.sum("units").alias("u")
    )
    end = (F.col("w.end") + F.expr("INTERVAL '0.001' SECOND")).alias("rowtime")
    return sums.select(end, "productId", "c", "u")


def join(frames: Frames) -> DataFrame:
    """By hand: an equality, the bounds next to it, and watermarks on both sides."""
    orders = frames["ORDERS"].withWatermark("rowtime", "1 millisecond").alias("o")
    trades = frames["TRADES"].withWatermark("rowtime", "1 millisecond").alias("t")
    within = F.expr(
        "o.orderId = t.orderId AND t.rowtime BETWEEN o.rowtime AND o.rowtime + INTERVAL 1 MINUTE"
    )
    return orders.join(trades, within).select("o.rowtime", "o.orderId", "t.amount")


#: The queries of the batch benchmark, next to streams by hand.
QUESTIONS: Final[dict[str, Question]] = {
    "tumble by key": Question(OF_BATCH["tumble by key"].sql, tumble),
    "hop": Question(OF_BATCH["hop"].sql, hop),
    "sessions by key": Question(OF_BATCH["sessions by key"].sql, sessions),
    "interval join": Question(OF_BATCH["join"].sql, join),
}
#: How many rows a frame has.
WIDTHS: Final = (1_000, 10_000)


def sliding(width: int) -> str:
    """A sum over that many rows of a key."""
    return (
        "SELECT STREAM rowtime, id, k, SUM(v) OVER (PARTITION BY k ORDER BY rowtime"
        f" RANGE INTERVAL '{(width - 1) * APART_MS // 1_000}' SECOND(6) PRECEDING) AS s FROM Ticks"
    )


# --- data -------------------------------------------------------------------------------------


@dataclass(slots=True)
class Data:
    """Files of that many rows each, one a micro-batch, as tables and as streams."""

    session: SparkSession
    directory: Path
    names: Sequence[str]
    files: int
    rows: int

    def __post_init__(self) -> None:
        """Write them, later ones later."""
        for number in range(self.files):
            for name in self.names:
                frame = _MAKERS[name](self.session, number, self.rows).coalesce(1)
                frame.write.mode("append").parquet(str(self.directory / name))

    def tables(self) -> Frames:
        """All rows."""
        return {name: self.session.read.parquet(str(self.directory / name)) for name in self.names}

    def streams(self) -> Frames:
        """A file a micro-batch."""
        found: dict[str, DataFrame] = {}
        for name in self.names:
            reader = self.session.readStream.schema(SCHEMAS[name]).option("maxFilesPerTrigger", 1)
            found[name] = reader.parquet(str(self.directory / name))
        return found


def _orders(session: SparkSession, first: int, last: int, step: float) -> DataFrame:
    at = F.lit(START_MS) + (F.col("id") * step).cast("bigint")
    dice = F.pmod(F.hash("id"), F.lit(1_000_000))
    return session.range(first, last, 1, 2).select(
        F.timestamp_millis(at).alias("rowtime"),
        F.col("id").alias("orderId"),
        (dice % 100).cast("int").alias("productId"),
        (dice % 20 + 1).cast("int").alias("units"),
        (dice % 10_000 / 100).cast("decimal(10,2)").alias("price"),
    )


def orders_of(session: SparkSession, number: int, rows: int) -> DataFrame:
    """A day of orders of 100 products."""
    return _orders(session, number * rows, (number + 1) * rows, DAY_MS / rows).orderBy("rowtime")


def trades_of(session: SparkSession, number: int, rows: int) -> DataFrame:
    """A day of trades: of each order one, within two minutes, some of the day before."""
    before = max(0, number * rows - rows // 100)
    orders = _orders(session, before, (number + 1) * rows, DAY_MS / rows)
    at = F.unix_millis("rowtime") + F.pmod(F.hash("orderId"), F.lit(120_000))
    day = at.between(START_MS + number * DAY_MS, START_MS + (number + 1) * DAY_MS - 1)
    trades = orders.filter(day).select(
        F.timestamp_millis(at).alias("rowtime"), "orderId", F.col("units").alias("amount")
    )
    return trades.orderBy("rowtime")


def ticks_of(session: SparkSession, number: int, rows: int) -> DataFrame:
    """Rows of 50 keys in turn."""
    at = F.lit(START_MS) + F.floor(F.col("id") / KEYS) * APART_MS
    return (
        session.range(number * rows, (number + 1) * rows, 1, 2)
        .select(
            F.timestamp_millis(at).alias("rowtime"),
            F.col("id"),
            (F.col("id") % KEYS).cast("int").alias("k"),
            F.pmod(F.hash("id"), F.lit(1_000)).cast("int").alias("v"),
        )
        .orderBy("id")
    )


_MAKERS: Final = {"ORDERS": orders_of, "TRADES": trades_of, "TICKS": ticks_of}


# --- two ways ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Ran:
    """A run: its seconds, those of each micro-batch, and the rows retained after each."""

    seconds: float
    batches: Sequence[float]
    retained: Sequence[int] = ()


def run_by_hand(question: Question, data: Data, folder: Path) -> Ran:
    """Structured Streaming as it is meant to be used."""
    # A state store for each core: more of them only cost.
    data.session.conf.set("spark.sql.shuffle.partitions", "2")
    frame = question.by_hand(data.streams()).writeStream.outputMode("append")

    def sink(rows: DataFrame, batch: int) -> None:
        rows.write.mode("overwrite").parquet(str(folder / "rows" / f"batch={batch}"))

    return _run(lambda: _started(frame.foreachBatch(sink), folder))


def script(sql: str, data: Data, folder: Path, before: str = "") -> str:
    """The pipeline that a query is, from the files of ``data`` to ``folder / "rows"``.

    ``before``: statements that the query needs.
    """
    query = prepare(f"{DDL}{before}", sql, Profile.CALCITE).query
    assert query is not None, "a question has a query"
    columns = ", ".join(
        f'"{each.name}" {each.type}{" ASCENDING" if each.name == "ROWTIME" else ""}'
        for each in row_type(query)
    )
    text = re.sub(
        r"CREATE STREAM (\w+) (\(.*?\));\n",
        lambda found: (
            f"CREATE FOREIGN STREAM {found[1]} {found[2]}\n"
            f"  OPTIONS (format 'parquet', path '{data.directory / found[1].upper()}');\n"
            if found[1].upper() in data.names
            else ""
        ),
        DDL,
        flags=re.DOTALL,
    )
    return (
        f"{text}{before}CREATE FOREIGN STREAM Answer ({columns})\n"
        f"  OPTIONS (format 'parquet', path '{folder / 'rows'}');\n"
        f"INSERT INTO Answer {sql};"
    )


def run_ours(sql: str, data: Data, folder: Path) -> Ran:
    """`rowtime run … --backend spark --once --checkpoint …`, without the start of Spark."""
    folder.mkdir(exist_ok=True)
    data.session.conf.set(FILES_A_BATCH, "1")
    made = pipeline(script(sql, data, folder), Profile.CALCITE, ())
    settings = Settings(True, 0, str(folder / "checkpoint"), lambda: "2015-02-15 00:00:00")
    times, retained = [time.perf_counter()], [0]

    def told(done: PipelineProgress) -> None:
        times.append(time.perf_counter())
        retained.append(done.state)

    try:
        SparkEngine().run(made, settings, told, lambda: False)
    finally:
        data.session.conf.unset(FILES_A_BATCH)
    taken = time.perf_counter() - times[0]
    # The last micro-batch is the end of the streams.
    steps = [after - before for before, after in pairwise(times)][:-1]
    return Ran(taken, steps, retained[1:-1])


def _started(writer: DataStreamWriter, folder: Path) -> StreamingQuery:
    writer = writer.option("checkpointLocation", str(folder / "checkpoint"))
    return writer.trigger(availableNow=True).start()


def _run(start: Callable[[], StreamingQuery]) -> Ran:
    began = time.perf_counter()
    query = start()
    query.awaitTermination()
    taken = time.perf_counter() - began
    batches = [each["durationMs"]["triggerExecution"] / 1_000 for each in query.recentProgress]
    return Ran(taken, batches)


def written(session: SparkSession, folder: Path) -> DataFrame:
    """The rows of a run."""
    return session.read.parquet(str(folder / "rows"))


# --- the same rows ----------------------------------------------------------------------------


def same_rows(frame: DataFrame) -> list[str]:
    """The rows, as texts in an order."""
    frame = frame.select(*(F.col(each).alias(each.upper()) for each in frame.columns))
    rows = frame.withColumn("ROWTIME", F.col("ROWTIME").cast("timestamp_ntz")).drop("BATCH")
    return sorted(str(row) for row in rows.collect())


@pytest.mark.spark
@pytest.mark.parametrize("name", QUESTIONS)
def test_both_give_the_rows_that_batch_gives(name: str, tmp_path: Path) -> None:
    """By hand without the windows that are open at the end; ours with them, after the end."""
    session, question = spark_session(), QUESTIONS[name]
    data = Data(session, tmp_path / "data", ["ORDERS", "TRADES"], 3, 6_000)
    run_by_hand(question, data, tmp_path / "hand")
    run_ours(question.sql, data, tmp_path / "ours")
    wanted = same_rows(answer(DDL, question.sql, data.tables()).frame)
    assert same_rows(written(session, tmp_path / "ours")) == wanted
    by_hand = same_rows(written(session, tmp_path / "hand"))
    assert len(by_hand) > len(wanted) / 2
    assert set(by_hand) <= set(wanted)


@pytest.mark.spark
def test_a_sliding_frame_reaches_into_the_micro_batch_before(tmp_path: Path) -> None:
    """The rows are those of batch, whatever files they come in."""
    session = spark_session()
    data = Data(session, tmp_path / "data", ["TICKS"], 3, 6_000)
    run_ours(sliding(30), data, tmp_path / "ours")
    wanted = same_rows(answer(DDL, sliding(30), data.tables()).frame)
    assert same_rows(written(session, tmp_path / "ours")) == wanted


# --- times ------------------------------------------------------------------------------------


def medians(question: Question, data: Data, rounds: int) -> tuple[float, float]:
    """The median seconds of a question, by hand and in rowtime.

    They take turns; the first round, in which Java compiles, does not count.
    """
    by_hand: list[float] = []
    ours: list[float] = []
    for _ in range(rounds + 1):
        with tempfile.TemporaryDirectory() as folder:
            by_hand.append(run_by_hand(question, data, Path(folder, "hand")).seconds)
            ours.append(run_ours(question.sql, data, Path(folder, "ours")).seconds)
    return statistics.median(by_hand[1:]), statistics.median(ours[1:])


def median_of_ours(sql: str, data: Data, rounds: int) -> float:
    """The median seconds of a query in rowtime; the first round does not count."""
    taken: list[float] = []
    for _ in range(rounds + 1):
        with tempfile.TemporaryDirectory() as folder:
            taken.append(run_ours(sql, data, Path(folder)).seconds)
    return statistics.median(taken[1:])


def _compared(data: Data, rounds: int, only: str) -> None:
    rows = data.files * data.rows
    print(f"| {rows:,} rows, {data.rows:,} a micro-batch | by hand, s | rowtime, s | ratio |")
    print("|---|---:|---:|---:|")
    for name, question in QUESTIONS.items():
        if only not in name:
            continue
        hand, ours = medians(question, data, rounds)
        print(f"| {name} | {hand:.2f} | {ours:.2f} | {ours / hand:.2f} |", flush=True)


def _slid(data: Data, rounds: int) -> None:
    rows = data.files * data.rows
    print(f"| sliding SUM by key, {rows:,} rows | s | rows/s | s of each micro-batch |")
    print("|---|---:|---:|---|")
    for width in WIDTHS:
        runs: list[Ran] = []
        for turn in range(rounds + 1):
            with tempfile.TemporaryDirectory() as directory:
                ran = run_ours(sliding(width), data, Path(directory))
            if turn:
                runs.append(ran)
        taken = statistics.median(each.seconds for each in runs)
        steps = ", ".join(f"{each:.1f}" for each in runs[-1].batches)
        print(f"| {width:,} rows a frame | {taken:.2f} | {rows / taken:,.0f} | {steps} |")


def stepped(sql: str, steps: int) -> list[float]:
    """Seconds of steps of the kit, each with an order or a trade half an hour after the last."""
    backend = SparkStreamBackend()
    backend.start()
    assert isinstance(backend.open(Open(DDL, sql)), Accepted)
    found: list[float] = []
    for step in range(steps):
        at = datetime.fromtimestamp(START_MS / 1_000, UTC) + timedelta(minutes=30 * step)
        moment = at.strftime("%Y-%m-%d %H:%M:%S")
        before = time.perf_counter()
        if "Trades" in sql and step % 2:
            backend.feed(Rows("TRADES", ((moment, step // 2, 1),)))
        else:
            backend.feed(Rows("ORDERS", ((moment, step // 2, step % 5, 1, "1.00"),)))
        backend.poll()
        found.append(time.perf_counter() - before)
    backend.close()
    return found


#: The queries for one row: those above, and a frame that slides.
STEPPED: Final = {
    **{name: each.sql for name, each in QUESTIONS.items()},
    "sliding": (
        "SELECT STREAM rowtime, orderId, SUM(units) OVER (PARTITION BY productId ORDER BY rowtime"
        " RANGE INTERVAL '3' HOUR PRECEDING) AS s FROM Orders"
    ),
}


def _latency(session: SparkSession, directory: Path, steps: int) -> None:
    """The cost of one row in a step of the kit, and in a micro-batch with all that it writes."""
    print("| one row | a step, median s | longest | a micro-batch, median s | longest |")
    print("|---|---:|---:|---:|---:|")
    data = Data(session, directory, ["ORDERS"], steps, 1)
    for name, sql in STEPPED.items():
        step = sorted(stepped(sql, steps)[5:])
        told = f"| {name} | {statistics.median(step):.3f} | {step[-1]:.3f} |"
        if "Trades" not in sql:
            with tempfile.TemporaryDirectory() as folder:
                batch = sorted(run_ours(sql, data, Path(folder)).batches[5:])
            told += f" {statistics.median(batch):.3f} | {batch[-1]:.3f} |"
        print(told, flush=True)


def _grown(session: SparkSession, directory: Path, rows: int) -> None:
    """How long a micro-batch takes, and how many rows are retained, as the stream continues."""
    data = Data(session, directory, ["ORDERS"], 20, rows)
    print(f"| {rows:,} rows a micro-batch | micro-batches 2 to 5, s | 17 to 20, s | kept then |")
    print("|---|---:|---:|---:|")
    for name in ("tumble by key", "hop"):
        with tempfile.TemporaryDirectory() as folder:
            ran = run_ours(QUESTIONS[name].sql, data, Path(folder))
        first, last = statistics.mean(ran.batches[1:5]), statistics.mean(ran.batches[16:20])
        kept = " and ".join(f"{ran.retained[at]:,}" for at in (1, 4, 16, 19))
        print(f"| {name} | {first:.2f} | {last:.2f} | {kept} |", flush=True)


def main() -> None:
    """Print tables of medians and ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--batch", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument(
        "--only", default="", help="a part of a question's name; sliding, growth or latency"
    )
    options = parser.parse_args()
    session, files = spark_session(), options.rows // options.batch
    with tempfile.TemporaryDirectory() as directory:
        if any(options.only in each for each in QUESTIONS):
            data = Data(session, Path(directory, "a"), ["ORDERS", "TRADES"], files, options.batch)
            _compared(data, options.rounds, options.only)
        if "sliding".startswith(options.only):
            ticks = Data(session, Path(directory, "b"), ["TICKS"], files, options.batch)
            _slid(ticks, options.rounds)
        if "growth".startswith(options.only):
            _grown(session, Path(directory, "d"), options.batch)
        if "latency".startswith(options.only):
            _latency(session, Path(directory, "c"), 40)


if __name__ == "__main__":
    main()
