"""What is read of a Parquet file beside Spark: it is right, or left to Spark."""

# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# Arrow has no types of its own.

from collections.abc import Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import pyarrow as pa  # type: ignore[import-untyped]  # it has no types
import pyarrow.parquet as pq  # type: ignore[import-untyped]  # it has no types
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses

from algebra.types import BIGINT, INTEGER, TIMESTAMP, Kind, Type
from spark_backend.data.contents import Contents
from spark_backend.data.ingress import gate_of
from spark_backend.data.row_buffer import Store
from spark_backend.runtime.session import spark_session
from spark_backend.stream.ingress.arrivals import IN_FILE, arrived, came
from spark_backend.stream.ingress.parquet_statistics import Known, known
from tests.examples import examples
from tests.spark_backend.stream.ingress.test_ingress_filter import judged, stream_of

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("backend")]

#: 2015-02-15 10:17:00, in milliseconds.
AT: Final = 1_423_995_420_000
MOMENT: Final = datetime(2015, 2, 15, 10, 17, tzinfo=UTC)


def file_of(path: Path, column: Any, *, int96: bool = False) -> str:  # Any: it has no types
    """A file with a column ``t``, as a path of Spark's."""
    pq.write_table(pa.table({"t": column}), path, use_deprecated_int96_timestamps=int96)
    return f"file:{path}"


def values_of(path: str, type: Type) -> list[int] | None:
    """What is known of the column ``t``."""
    found = known(path, {0: ("t", type)}, frozenset({0}))
    return None if found is None or 0 not in found.values else found.values[0].tolist()


@pytest.mark.parametrize("unit", ["ms", "us"])
@pytest.mark.parametrize("zone", [None, "UTC", "Europe/Vienna"])
def test_timestamps_are_milliseconds_whatever_their_unit(
    unit: str, zone: str | None, tmp_path: Path
) -> None:
    """A moment is the same in all zones; one without a zone is taken as it stands."""
    scale = 1 if unit == "ms" else 1_000
    column = pa.array([AT * scale, 0, -1 * scale], pa.timestamp(unit, zone))
    assert values_of(file_of(tmp_path / "f", column), TIMESTAMP) == [AT, 0, -1]


def test_timestamps_of_96_bits_are_those_that_spark_reads(tmp_path: Path) -> None:
    """Spark's own writer makes them."""
    session = spark_session()
    frame = session.createDataFrame([(MOMENT,), (datetime(1900, 1, 1, tzinfo=UTC),)], ["t"])
    frame.coalesce(1).write.parquet(str(tmp_path / "out"))
    (file,) = (tmp_path / "out").glob("*.parquet")
    read = session.read.parquet(str(file)).select(F.unix_millis("t")).collect()
    found = values_of(f"file:{file}", TIMESTAMP)
    assert found == [row[0] for row in read]
    assert sorted(found or []) == [-2_208_988_800_000, AT]


def test_those_of_another_writer_are_left_to_spark(tmp_path: Path) -> None:
    """Spark may be told to shift them."""
    column = pa.array([AT * 1_000_000], pa.timestamp("ns"))
    path = file_of(tmp_path / "f", column, int96=True)
    assert values_of(path, TIMESTAMP) is None


@pytest.mark.parametrize(
    ("column", "type"),
    [
        (pa.array([AT, None], pa.timestamp("ms")), TIMESTAMP),
        (pa.array([AT * 1_000 + 1], pa.timestamp("us")), TIMESTAMP),
        (pa.array([AT * 1_000_000], pa.timestamp("ns")), TIMESTAMP),
        (pa.array([-2_208_988_800_001], pa.timestamp("ms")), TIMESTAMP),
        (pa.array([date(1899, 12, 31)]), Type(Kind.DATE)),
        (pa.array([AT], pa.int64()), TIMESTAMP),
        (pa.array([1], pa.int64()), INTEGER),
        (pa.array([1], pa.int32()), BIGINT),
        (pa.array([1], pa.uint32()), INTEGER),
        (pa.array(["1"]), INTEGER),
        (pa.array([1.0]), Type(Kind.DOUBLE)),
    ],
    ids=lambda each: str(each.type) if isinstance(each, pa.Array) else str(each),
)
def test_what_is_not_plain_is_left_to_spark(column: Any, type: Type, tmp_path: Path) -> None:
    """NULL, parts of a millisecond, calendars of old, other types."""
    assert values_of(file_of(tmp_path / "f", column), type) is None


def test_whole_numbers_and_dates_are_those_inside(tmp_path: Path) -> None:
    """A date counts days."""
    numbers = file_of(tmp_path / "n", pa.array([3, -1], pa.int32()))
    assert values_of(numbers, INTEGER) == [3, -1]
    dates = file_of(tmp_path / "d", pa.array([date(1970, 1, 2), date(1900, 1, 1)]))
    assert values_of(dates, Type(Kind.DATE)) == [1, -25_567]


def test_columns_without_null_are_told(tmp_path: Path) -> None:
    """By what the file says of itself, in each of its groups of rows."""
    table = pa.table({"a": [1, 2, 3, 4], "b": [1, 2, 3, None], "s": ["x", "y", "z", ""]})
    pq.write_table(table, tmp_path / "f", row_group_size=2)
    columns = {0: ("a", BIGINT), 1: ("b", BIGINT), 2: ("s", Type(Kind.VARCHAR)), 3: ("c", BIGINT)}
    found = known(f"file:{tmp_path / 'f'}", columns, frozenset())
    names = {0: "a", 1: "b", 2: "s"}
    assert found == Known(tmp_path / "f", 4, {}, frozenset({0, 2}), names)


def test_a_name_with_a_dot_is_left_to_spark(tmp_path: Path) -> None:
    """In a file it could be the field of a row in a column, too."""
    pq.write_table(pa.table({"a.b": [1], "a": [{"b": 2}]}), tmp_path / "f")
    found = known(f"file:{tmp_path / 'f'}", {0: ("a.b", BIGINT)}, frozenset({0}))
    assert found == Known(tmp_path / "f", 1, {}, frozenset(), {})


def test_a_file_may_have_no_rows(tmp_path: Path) -> None:
    """Then all is known of it."""
    for type in (pa.timestamp("ms"), pa.timestamp("us")):
        assert values_of(file_of(tmp_path / "f", pa.array([], type)), TIMESTAMP) == []


def test_no_file_of_this_machine_is_left_to_spark(tmp_path: Path) -> None:
    """None there, none that is Parquet, and none elsewhere."""
    (tmp_path / "bad").write_bytes(b"PAR1 no footer")
    for path in (f"file:{tmp_path / 'none'}", f"file:{tmp_path / 'bad'}", "hdfs://there/f"):
        assert known(path, {0: ("t", TIMESTAMP)}, frozenset({0})) is None


# --- at the gate ----------------------------------------------------------------------------------

DECLARED: Final = {
    "ascending": "t TIMESTAMP ASCENDING, n INTEGER",
    "strict": "t TIMESTAMP ASCENDING STRICT, n INTEGER",
    "descending": "t TIMESTAMP DESCENDING, n INTEGER",
    "slack": "t TIMESTAMP ASCENDING WITHIN INTERVAL '0.002' SECOND, n INTEGER",
    "some rows": "t TIMESTAMP ASCENDING WITHIN 2 ROWS, n INTEGER",
    "punctuated": "t TIMESTAMP ASCENDING PUNCTUATED, n INTEGER",
    "two": "t TIMESTAMP ASCENDING, n INTEGER ASCENDING STRICT",
    "checked": "t TIMESTAMP ASCENDING, n INTEGER CHECK (n <> 3)",
}
_SMALL: Final = st.integers(0, 9)


@st.composite
def histories(draw: st.DrawFn) -> tuple[str, list[list[tuple[int, int]]]]:
    """A declaration, and micro-batches of rows: in order, or one of them not, or anyhow."""
    kind = draw(st.sampled_from(sorted(DECLARED)))
    rows = draw(st.lists(st.tuples(_SMALL, _SMALL), min_size=2, max_size=12))
    if draw(st.integers(0, 3)):
        fall = kind == "descending"
        rows = sorted(rows, reverse=fall)
        if "strict" in kind:
            rows = sorted({time: (time, n) for time, n in rows}.values())
        if kind == "two":
            rows = [(time, number) for number, (time, _) in enumerate(rows)]
    cut = draw(st.integers(0, len(rows)))
    return kind, [rows[:cut], rows[cut:]]


@examples(10, 200)
@given(histories())
def test_the_gate_says_the_same_of_what_is_known(
    history: tuple[str, list[list[tuple[int, int]]]],
) -> None:
    """As of rows one by one; the file has many splits, so that only places tell the order."""
    kind, batches = history
    session = spark_session()
    stream = stream_of(DECLARED[kind])
    types = tuple(each.type for each in stream.columns)
    one, bulk, contents = gate_of(stream), gate_of(stream), Contents(session, 0)
    before = session.conf.get("spark.sql.files.maxPartitionBytes")
    session.conf.set("spark.sql.files.maxPartitionBytes", "64")
    try:
        for rows in batches:
            with TemporaryDirectory() as folder:
                wanted = judged(one, Store.of(types, rows), contents)
                store, told = _in_file(types, rows, Path(folder))
                assert judged(bulk, store, contents, told) == wanted
    finally:
        session.conf.set("spark.sql.files.maxPartitionBytes", str(before))


def _in_file(
    types: tuple[Type, ...], rows: Sequence[tuple[int, int]], folder: Path
) -> tuple[Store, Known]:
    """The rows in one file of groups of two, and what is known of it."""
    columns = {
        "t": pa.array([each[0] for each in rows], pa.timestamp("ms")),
        "n": pa.array([each[1] for each in rows], pa.int32()),
    }
    pq.write_table(pa.table(columns), folder / "f.parquet", row_group_size=2)
    path = f"file:{folder / 'f.parquet'}"
    names = {0: ("t", types[0]), 1: ("n", types[1])}
    told = known(path, names, frozenset({0, 1}))
    assert told is not None
    frame = spark_session().read.parquet(path)
    values = [F.unix_millis(F.col("t").cast("timestamp")), F.col("n")]
    return arrived(frame, values, types, came(frame), index=F.col(IN_FILE)), told
