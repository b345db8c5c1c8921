"""A pipeline over a streaming DataFrame, broken off in the middle of micro-batches and gone on."""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses

from algebra.catalog import Profile, Stream
from algebra.prepare import prepare
from spark_backend.data.row_buffer import RowBuffer
from spark_backend.runtime.session import spark_session
from spark_backend.stream.codec import Json
from spark_backend.stream.pipeline.checkpoint import Checkpoint, CheckpointError
from spark_backend.stream.pipeline.endpoints import BatchProgress
from spark_backend.stream.pipeline.micro_batch import StreamingPipeline
from spark_backend.stream.retention.policy import RetentionPolicy
from tests.examples import NIGHTLY
from tests.rowtime.pipelines import served
from tests.spark_backend.stream.pipeline.frame_source import FrameSource

pytestmark = pytest.mark.spark

SQL = """
  CREATE STREAM S (rowtime TIMESTAMP ASCENDING, k VARCHAR(3), v INTEGER);
  CREATE STREAM T (rowtime TIMESTAMP ASCENDING, k VARCHAR(3), s BIGINT);
  INSERT INTO T SELECT STREAM rowtime, k, SUM(v) OVER (PARTITION BY k ORDER BY rowtime
    RANGE INTERVAL '1' HOUR PRECEDING) AS s FROM S;
"""
#: A micro-batch each; the second has a late row, behind 10:30.
BATCHES = (
    (("10:00:00", "a", 1), ("10:10:00", "b", 2)),
    (("10:30:00", "a", 4), ("10:20:00", "b", 9), ("10:40:00", "a", 8)),
    (("10:59:00", "b", 16),),
    (("11:15:00", "a", 32), ("12:00:00", "b", 64)),
)
#: Each row with the sum of its own hour back.
EMITTED = (
    ("10:00:00", "a", 1),
    ("10:10:00", "b", 2),
    ("10:30:00", "a", 5),
    ("10:40:00", "a", 13),
    ("10:59:00", "b", 18),
    ("11:15:00", "a", 44),
    ("12:00:00", "b", 64),
)
#: Of all that went before, and each row with the sum of those of its key.
TOTALS = SQL.replace("RANGE INTERVAL '1' HOUR PRECEDING", "RANGE UNBOUNDED PRECEDING")
SUMS = (1, 2, 5, 13, 18, 45, 82)


class KilledError(Exception):
    """What ends a pipeline in the middle of a micro-batch."""


class Folder:
    """A sink: a file for each micro-batch; it dies once where it is told to."""

    def __init__(self, path: Path, killed_at: int = -1, *, after: bool = False) -> None:
        self._path = path
        self._killed_at = killed_at
        self._after = after

    def write(self, rows: RowBuffer, batch: int, _session: SparkSession) -> int:
        """Write the rows, whatever was there."""
        if batch == self._killed_at and not self._after:
            raise KilledError
        found = list(rows.rows())
        self._path.mkdir(exist_ok=True)
        (self._path / str(batch)).write_text(json.dumps(found))
        if batch == self._killed_at:
            raise KilledError
        return len(found)

    def state(self) -> Json:
        """Nothing."""
        return {}

    def restore(self, _state: Json) -> None:
        """Go on."""


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


def run(
    source: DataFrame,
    tmp_path: Path,
    sink: Folder,
    reports: list[BatchProgress] | None = None,
    sql: str = SQL,
) -> BatchProgress:
    """Read all that there is, to the end."""
    session = spark_session()
    prepared = prepare(sql, None, Profile.CALCITE)
    stream = prepared.catalog.objects[("S",)]
    assert isinstance(stream, Stream)
    pipeline = StreamingPipeline(
        session,
        prepared,
        Profile.CALCITE,
        [FrameSource(stream, source)],
        {("T",): sink},
        Checkpoint(session, f"file:{tmp_path}/checkpoint"),
        report=([] if reports is None else reports).append,
    )
    return pipeline.run(once=True, trigger=0.1, stopping=lambda: False)


def written(folder: Path) -> list[tuple[str, str, int]]:
    """What a sink has, batch by batch."""
    rows: list[tuple[str, str, int]] = []
    for each in sorted(folder.iterdir(), key=lambda path: int(path.name)):
        for millis, k, s in json.loads(each.read_text()):
            minutes = millis // 60_000 % 1_440
            rows.append((f"{minutes // 60:02}:{minutes % 60:02}:00", k, s))
    return rows


def test_rows_come_in_order_and_late_ones_are_reported(source: DataFrame, tmp_path: Path) -> None:
    """Four micro-batches and the end: their rows in order, one late, and little retained.

    The descriptions of jobs have, beside the number of the micro-batch, the rows that statements
    retain, and the bound and the rows of each source.
    """
    lines: list[str] = []

    class Listening(Folder):
        def write(self, rows: RowBuffer, batch: int, session: SparkSession) -> int:
            lines.append(session.sparkContext.getLocalProperty("spark.job.description") or "")
            return super().write(rows, batch, session)

    reports: list[BatchProgress] = []
    done = run(source, tmp_path, Listening(tmp_path / "out"), reports)
    assert tuple(written(tmp_path / "out")) == EMITTED
    assert [each.sources[0].dropped for each in reports] == [0, 1, 1, 1, 1]
    assert [each.sources[0].rows for each in reports] == [2, 5, 6, 8, 8]
    assert [each.sinks[0].rows for each in reports] == [1, 3, 4, 6, 7]
    # At 12:00 only the rows since 11:00 can still be in a frame; at the end none.
    assert [each.retained for each in reports[-2:]] == [2, 0]
    assert done.sinks[0].ended
    assert [text.split("batch = ")[1:] for text in lines] == [
        ["0"],
        ["1\nT keeps 2 rows of S\nS has come to 2015-02-15 10:10:00: 2 rows"],
        ["2\nT keeps 4 rows of S\nS has come to 2015-02-15 10:40:00: 5 rows, 1 dropped"],
        ["3\nT keeps 5 rows of S\nS has come to 2015-02-15 10:59:00: 6 rows, 1 dropped"],
        [],
    ]


#: The deaths of a pipeline: in which micro-batch, and whether after its rows have been written.
_KILLS: Final = [(0, False), (3, True)]
_MORE_KILLS: Final = [(0, True), (1, False), (1, True), (3, False), (4, False), (4, True)]


@pytest.mark.parametrize("kills", [_KILLS, *([each] for each in _MORE_KILLS if NIGHTLY)])
def test_a_pipeline_goes_on_where_it_was(
    source: DataFrame, tmp_path: Path, kills: Sequence[tuple[int, bool]]
) -> None:
    """Dead between reading and commit: the batch is done again, and each row is there once."""
    for killed_at, after in kills:
        with pytest.raises(KilledError):
            run(source, tmp_path, Folder(tmp_path / "out", killed_at, after=after))
    run(source, tmp_path, Folder(tmp_path / "out"))
    assert tuple(written(tmp_path / "out")) == EMITTED
    run(source, tmp_path, Folder(tmp_path / "out"))
    assert tuple(written(tmp_path / "out")) == EMITTED


@pytest.mark.parametrize("killed_at", [1, 2, 3, 4] if NIGHTLY else [2])
def test_totals_go_on_where_they_were(
    source: DataFrame, tmp_path: Path, killed_at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are in the state with the rows that they do not stand for."""
    monkeypatch.setattr(
        "spark_backend.stream.engine.POLICY", RetentionPolicy(compaction=0, eviction=0)
    )
    reports: list[BatchProgress] = []
    with pytest.raises(KilledError):
        run(source, tmp_path, Folder(tmp_path / "out", killed_at, after=True), reports, TOTALS)
    run(source, tmp_path, Folder(tmp_path / "out"), reports, TOTALS)
    given = written(tmp_path / "out")
    assert given == [(time, k, s) for (time, k, _), s in zip(EMITTED, SUMS, strict=True)]
    # The row of 12:00, and what came with it; all else is in the totals of a and b.
    assert reports[-2].retained <= 4


def test_states_without_sparks_own_log_are_no_checkpoint(source: DataFrame, tmp_path: Path) -> None:
    """Its log gone, Spark would read all input once more."""
    with pytest.raises(KilledError):
        run(source, tmp_path, Folder(tmp_path / "out", 2))
    (tmp_path / "checkpoint" / "spark").rename(tmp_path / "gone")
    with pytest.raises(CheckpointError, match="Spark is at micro-batch 0, the states are at 1"):
        run(source, tmp_path, Folder(tmp_path / "out"))


def test_a_checkpoint_of_an_older_form_is_refused(
    session: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows of streams without a rowtime column have had other values behind their columns."""
    checkpoint = Checkpoint(session, f"{tmp_path}/checkpoint")
    with monkeypatch.context() as older:
        older.setattr("spark_backend.stream.pipeline.checkpoint.FORMAT", 5)
        checkpoint.claim({"script": "INSERT"})
    with pytest.raises(CheckpointError, match=r"another version of rowtime \(format 5, not 6\)"):
        checkpoint.claim({"script": "INSERT"})


def test_a_frame_over_a_socket_has_its_lines_as_they_were_sent(tmp_path: Path) -> None:
    """Spark deals lines out to its tasks, and numbers none in a stream."""
    hours = [f"2015-02-15 {10 + i // 60}:{i % 60:02}:00" for i in range(300)]
    session, reports = spark_session(), list[BatchProgress]()
    with served([f"{at},a,1" for at in hours]) as port:
        reader = session.readStream.format("socket").option("host", "127.0.0.1")
        value = F.split("value", ",")
        source = reader.option("port", port).load()
        source = source.select(
            value[0].cast("timestamp_ntz").alias("rowtime"),
            value[1].alias("k"),
            value[2].cast("int").alias("v"),
        )
        prepared = prepare(SQL, None, Profile.CALCITE)
        stream = prepared.catalog.objects[("S",)]
        assert isinstance(stream, Stream)
        pipeline = StreamingPipeline(
            session,
            prepared,
            Profile.CALCITE,
            [FrameSource(stream, source, "socket")],
            {("T",): Folder(tmp_path / "out")},
            Checkpoint(session, f"file:{tmp_path}/checkpoint"),
            report=reports.append,
        )
        done = pipeline.run(
            once=False,
            trigger=0.1,
            stopping=lambda: bool(reports) and reports[-1].sources[0].rows >= 300,
        )
    assert (done.sources[0].rows, done.sources[0].dropped) == (300, 0)
    sums = [("a", min(i, 60) + 1) for i in range(300)]
    assert [row[1:] for row in written(tmp_path / "out")] in (sums, sums[:-1])
