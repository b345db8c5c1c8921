"""The gate in bulk gives what the gate row by row gives, whatever arrives in whatever files."""

import math
import os
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses
from pyspark.sql.classic.dataframe import DataFrame

from algebra.catalog import Profile, Stream
from algebra.expression import Value
from algebra.prepare import prepare
from spark_backend.data.contents import Contents
from spark_backend.data.ingress import Ingress, ingress_of
from spark_backend.data.row_buffer import RowBuffer
from spark_backend.runtime.arrow import write
from spark_backend.runtime.session import spark_session
from spark_backend.stream.ingress.arrivals import arrival_key, rows_by_arrival
from spark_backend.stream.ingress.ingress_filter import filter_rows
from spark_backend.stream.state import ingress_state
from tests.examples import examples

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("backend")]

Row = tuple[Value, ...]

#: Of each kind of declaration a column ``t``, and an ordered column ``n`` where two matter.
DECLARED: Final = {
    "ascending": "t TIMESTAMP ASCENDING, n INTEGER",
    "strict": "t TIMESTAMP ASCENDING STRICT, n INTEGER",
    "descending": "t BIGINT DESCENDING, n INTEGER",
    "descending strict": "t BIGINT DESCENDING STRICT, n INTEGER",
    "slack": "t TIMESTAMP ASCENDING WITHIN INTERVAL '0.002' SECOND, n INTEGER",
    "some rows": "t BIGINT ASCENDING WITHIN 2 ROWS, n INTEGER",
    "punctuated": "t TIMESTAMP ASCENDING PUNCTUATED, n INTEGER",
    "two": "t TIMESTAMP ASCENDING, n INTEGER ASCENDING STRICT",
    "none": "t TIMESTAMP, n INTEGER",
    "checked": "t TIMESTAMP ASCENDING, n INTEGER CHECK (n <> 3)",
    "failing": "t TIMESTAMP ASCENDING, n INTEGER CHECK (6 / n > 1)",
    "text": "t VARCHAR(3) ASCENDING, n INTEGER",
    "float": "t DOUBLE ASCENDING STRICT, n INTEGER",
}
_SMALL: Final = st.integers(0, 6)
_TIMES: Final = {
    "text": st.none() | _SMALL.map(str),
    "float": st.none() | st.sampled_from([0.0, -0.0, 1.5, math.nan, math.inf, -math.inf, 2.0]),
}


@st.composite
def histories(draw: st.DrawFn) -> tuple[str, list[list[list[Row]]]]:
    """A declaration, and micro-batches of files of rows, often in order, often not."""
    kind = draw(st.sampled_from(sorted(DECLARED)))
    times = _TIMES.get(kind, st.none() | _SMALL if draw(st.booleans()) else _SMALL)
    rows = st.tuples(times, st.none() | _SMALL if draw(st.booleans()) else _SMALL)
    sorts = draw(st.booleans())
    batches: list[list[list[Row]]] = []
    for _ in range(2):
        files = [draw(st.lists(rows, max_size=6)) for _ in range(draw(st.integers(1, 3)))]
        if sorts:
            flat = sorted((row for each in files for row in each), key=str)
            files = [flat[i::1][: len(each)] for i, each in enumerate(files)]
        batches.append([[tuple(row) for row in each] for each in files])
    return kind, batches


def stream_of(declared: str) -> Stream:
    """The stream of a declaration's columns."""
    ddl = f"CREATE STREAM S ({declared});"
    found = prepare(ddl, "SELECT STREAM * FROM S", Profile.CALCITE).catalog.objects[("S",)]
    assert isinstance(found, Stream)
    return found


def in_files(stream: Stream, files: Sequence[Sequence[Row]], folder: Path) -> RowBuffer:
    """The rows as they arrive from files by name, though Spark reads the largest first."""
    session, types = spark_session(), tuple(each.type for each in stream.columns)
    for number, rows in enumerate(files):
        file = folder / f"{number}.parquet"
        write(file, types, rows, 0)
        # Times against the order, so that only the names tell it.
        os.utime(file, (1_000_000_000 - number, 1_000_000_000 - number))
    frame = session.read.parquet(str(folder))
    columns = [F.col(f"c{i}") for i in range(len(types))]
    return rows_by_arrival(frame, columns, types, arrival_key(frame))


def judged(ingress: Ingress, store: RowBuffer, contents: Contents) -> tuple[object, ...]:
    """All that can be seen of what a gate says: repr, since NaN is not equal to itself."""
    stream = ingress.relation
    found = filter_rows(ingress, store, contents.checks(stream))
    rows = [repr(row) for row in found.rows.rows()]
    assert found.rows.count == len(rows)
    if found.rows.framed:
        assert found.rows.numbers == ingress.arrived
    found.rows.close()
    return (
        rows,
        list(found.refused),
        len(found.refused),
        ingress.arrived,
        repr(ingress_state(ingress)),
    )


@examples(3, 100)
@given(histories())
def test_bulk_ingress_agrees_with_ingress(
    history: tuple[str, list[list[list[Row]]]],
) -> None:
    """Rows, refusals, their places and reasons, counts and clocks, micro-batch by micro-batch."""
    kind, batches = history
    stream = stream_of(DECLARED[kind])
    contents = Contents(spark_session(), 0)
    one, bulk = ingress_of(stream), ingress_of(stream)
    types = tuple(each.type for each in stream.columns)
    for files in batches:
        rows = [row for each in files for row in each]
        with TemporaryDirectory() as folder:
            expected = judged(one, RowBuffer.of(types, rows), contents)
            assert judged(bulk, in_files(stream, files, Path(folder)), contents) == expected


def test_all_refused_rows_are_named_by_their_places(tmp_path: Path) -> None:
    """One row at 100, then a hundred at 0 to 99: all late."""
    stream = stream_of(DECLARED["ascending"])
    files = [[(100, 0)], [(i, 0) for i in range(100)]]
    contents, ingress = Contents(spark_session(), 0), ingress_of(stream)
    found = filter_rows(ingress, in_files(stream, files, tmp_path), contents.checks(stream))
    assert [each.place for each in found.refused] == list(range(1, 101))
    assert (len(found.refused), list(found.rows.rows())) == (100, [(100, 0)])


@pytest.mark.parametrize("framed", [False, True])
def test_a_check_that_fails_refuses_its_row_alone(framed: bool, tmp_path: Path) -> None:
    """6 / 0 has no answer; 6 / 6 > 1 is false; of NULL it is unknown (S-601.g)."""
    stream = stream_of(DECLARED["failing"])
    rows: list[Row] = [(1, 1), (2, 0), (3, 2), (4, 6), (5, None), (6, 0), (7, 3)]
    types = tuple(each.type for each in stream.columns)
    arrived_rows = in_files(stream, [rows], tmp_path) if framed else RowBuffer.of(types, rows)
    contents, ingress = Contents(spark_session(), 0), ingress_of(stream)
    found = filter_rows(ingress, arrived_rows, contents.checks(stream))
    assert [each.place for each in found.refused] == [1, 3, 5]
    assert list(found.rows.rows()) == [(1, 1), (3, 2), (5, None), (7, 3)]


def test_rows_that_are_dealt_out_arrive_in_their_turn() -> None:
    """Tasks that make every other value, as the rate source does: none is late."""
    session, stream = spark_session(), stream_of(DECLARED["ascending"])
    frame = session.range(0, 100, 1, 4).selectExpr(
        "id % 25 * 4 + cast(id / 25 as bigint) AS value", "0 AS n"
    )
    types = tuple(each.type for each in stream.columns)
    columns = [F.col("value"), F.col("n").cast("int")]
    store = rows_by_arrival(frame, columns, types, arrival_key(frame, "rate"), is_shuffled=True)
    ingress = ingress_of(stream)
    found = filter_rows(ingress, store, Contents(session, 0).checks(stream))
    assert (len(found.refused), list(found.rows.rows())) == (0, [(i, 0) for i in range(100)])
    found.rows.close()


@pytest.mark.parametrize("declared", ["ascending", "descending", "punctuated", "none"])
def test_rows_in_order_are_accepted_without_workers(
    declared: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Spark checks one ordered column by itself, also with several splits in a task."""

    def fail(*_: object) -> None:
        raise AssertionError("a Python worker is started")

    monkeypatch.setattr(DataFrame, "mapInArrow", fail)
    stream = stream_of(DECLARED[declared])
    sign = -1 if declared == "descending" else 1
    rows: list[Row] = [(sign * (i // 2), 0) for i in range(30)]
    contents, ingress = Contents(spark_session(), 0), ingress_of(stream)
    arrived = in_files(stream, [rows[:3], rows[3:20], rows[20:]], tmp_path)
    found = filter_rows(ingress, arrived, contents.checks(stream))
    assert (list(found.refused), list(found.rows.rows())) == ([], rows)
