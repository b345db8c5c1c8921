"""A query over files as a Structured Streaming query, killed and started anew."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession

from spark_backend.session import spark_session
from spark_backend.stream.pipeline import CheckpointError, Pipeline, Progress, Sink, files

pytestmark = pytest.mark.spark

DDL = "CREATE STREAM S (rowtime TIMESTAMP ASCENDING, k VARCHAR(3), v INTEGER);"
SQL = (
    "SELECT STREAM rowtime, k, SUM(v) OVER (PARTITION BY k ORDER BY rowtime "
    "RANGE INTERVAL '1' HOUR PRECEDING) AS s FROM S"
)
#: A micro-batch each; the second has a late row, behind 10:30.
BATCHES = (
    (("10:00:00", "a", 1), ("10:10:00", "b", 2)),
    (("10:30:00", "a", 4), ("10:20:00", "b", 9), ("10:40:00", "a", 8)),
    (("10:59:00", "b", 16),),
    (("11:15:00", "a", 32), ("12:00:00", "b", 64)),
)
#: Each row with the sum of its own hour back; the last one waits for its ties.
GIVEN = (
    ("10:00:00", "a", 1),
    ("10:10:00", "b", 2),
    ("10:30:00", "a", 5),
    ("10:40:00", "a", 13),
    ("10:59:00", "b", 18),
    ("11:15:00", "a", 44),
)


class KilledError(Exception):
    """What ends a query in the middle of a micro-batch."""


@pytest.fixture(scope="module")
def session() -> SparkSession:
    """The one session of the process."""
    return spark_session()


@pytest.fixture
def source(session: SparkSession, tmp_path: Path) -> DataFrame:
    """The rows as a stream of JSON files, of which each micro-batch reads one."""
    (tmp_path / "in").mkdir()
    for number, rows in enumerate(BATCHES):
        lines = [json.dumps({"rowtime": f"2015-02-15 {t}", "k": k, "v": v}) for t, k, v in rows]
        file = tmp_path / "in" / f"{number}.json"
        file.write_text("\n".join(lines))
        os.utime(file, (number + 1, number + 1))  # Spark reads the oldest first
    reader = session.readStream.schema("rowtime timestamp_ntz, k string, v int")
    return reader.option("maxFilesPerTrigger", 1).json(str(tmp_path / "in"))


def written(session: SparkSession, folder: Path) -> list[tuple[str, str, int]]:
    """What a sink of files has, batch by batch."""
    rows: list[tuple[str, str, int]] = []
    for each in sorted(folder.glob("batch=*"), key=lambda path: int(path.name[6:])):
        found = session.read.parquet(str(each)).collect()
        rows += [(f"{row['ROWTIME']:%H:%M:%S}", row["K"], row["S"]) for row in found]
    return rows


def run(pipeline: Pipeline, checkpoint: Path) -> None:
    """Read all that there is."""
    pipeline.start(str(checkpoint), once=True).awaitTermination()


def test_rows_come_in_order_and_late_ones_are_told(
    session: SparkSession, source: DataFrame, tmp_path: Path
) -> None:
    """Four micro-batches: their rows in order, one row late, and little retained."""
    told: list[Progress] = []
    sink = files(str(tmp_path / "out"))
    state = str(tmp_path / "state")
    run(Pipeline(session, DDL, SQL, {"S": source}, sink, state, told=told.append), tmp_path / "cp")
    assert tuple(written(session, tmp_path / "out")) == GIVEN
    assert [each.late for each in told if each.rows] == [0, 1, 0, 0]
    # At 12:00 only the rows since 11:00 can still be in a frame.
    assert told[-1].retained == 2


@pytest.mark.parametrize("killed_at", [0, 1, 3])
@pytest.mark.parametrize("moment", ["before the write", "after the write"])
def test_a_killed_query_goes_on_where_it_was(
    session: SparkSession, source: DataFrame, tmp_path: Path, killed_at: int, moment: str
) -> None:
    """Dead between reading and commit: the batch is done again, and each row is there once."""
    out, state = files(str(tmp_path / "out")), str(tmp_path / "state")

    def mortal(rows: DataFrame, batch: int) -> None:
        if moment == "after the write":
            out(rows, batch)
        if batch == killed_at:
            raise KilledError
        if moment == "before the write":
            out(rows, batch)

    def start(sink: Sink) -> None:
        run(Pipeline(session, DDL, SQL, {"S": source}, sink, state), tmp_path / "cp")

    with pytest.raises(StreamingQueryException):
        start(mortal)
    start(out)
    assert tuple(written(session, tmp_path / "out")) == GIVEN


#: A process of its own that dies, with its JVM, when it has written the second micro-batch.
MORTAL = """
import os, signal, sys
from spark_backend.session import spark_session
from spark_backend.stream.pipeline import Pipeline, files

folder, ddl, sql = sys.argv[1:]
session = spark_session()
reader = session.readStream.schema("rowtime timestamp_ntz, k string, v int")
source = reader.option("maxFilesPerTrigger", 1).json(f"{folder}/in")
write = files(f"{folder}/out")


def sink(rows, batch):
    write(rows, batch)
    if batch == 1:
        os.kill(os.getpid(), signal.SIGKILL)


pipeline = Pipeline(session, ddl, sql, {"S": source}, sink, f"{folder}/state")
pipeline.start(f"{folder}/cp", once=True).awaitTermination()
"""


def test_a_killed_process_leaves_nothing_to_mend(
    session: SparkSession, source: DataFrame, tmp_path: Path
) -> None:
    """Another process goes on from the checkpoint and the state that the dead one has left."""
    call = [sys.executable, "-c", MORTAL, str(tmp_path), DDL, SQL]
    died = subprocess.run(call, check=False, capture_output=True, timeout=300)
    assert died.returncode == -signal.SIGKILL, died.stderr.decode()
    sink, state = files(str(tmp_path / "out")), str(tmp_path / "state")
    assert len(written(session, tmp_path / "out")) < len(GIVEN)
    run(Pipeline(session, DDL, SQL, {"S": source}, sink, state), tmp_path / "cp")
    assert tuple(written(session, tmp_path / "out")) == GIVEN


def test_the_state_of_another_query_is_refused(
    session: SparkSession, source: DataFrame, tmp_path: Path
) -> None:
    """A changed text does not go on from what the old one has kept."""
    state, checkpoint = str(tmp_path / "state"), tmp_path / "cp"

    def pipeline(sql: str, rows: Sequence[DataFrame]) -> Pipeline:
        (source,) = rows
        return Pipeline(session, DDL, sql, {"S": source}, files(str(tmp_path / "out")), state)

    run(pipeline(SQL, [source]), checkpoint)
    (tmp_path / "in" / "more.json").write_text(
        json.dumps({"rowtime": "2015-02-15 13:00:00", "k": "a", "v": 1})
    )
    other = SQL.replace("'1' HOUR", "'2' HOUR")
    with pytest.raises(StreamingQueryException, match=CheckpointError.__name__):
        run(pipeline(other, [source]), checkpoint)
