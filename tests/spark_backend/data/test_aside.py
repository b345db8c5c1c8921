"""What a micro-batch leaves behind, taken out of its file beside Spark: the rows Spark finds."""

# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownParameterType=false
# Arrow has no types of its own.

from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any, Final, NoReturn

import pyarrow as pa  # type: ignore[import-untyped]  # it has no types
import pyarrow.parquet as pq  # type: ignore[import-untyped]  # it has no types
import pytest
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses

from algebra.catalog import Stream
from spark_backend.data import row_buffer as stores
from spark_backend.data.aside import at_least
from spark_backend.data.contents import Contents
from spark_backend.data.ingress import gate_of
from spark_backend.data.row_buffer import Store
from spark_backend.runtime.session import spark_session
from spark_backend.stream.ingress.arrivals import IN_FILE, arrived, came
from spark_backend.stream.ingress.ingress_filter import admit
from spark_backend.stream.ingress.parquet_statistics import known
from tests.spark_backend.stream.ingress.test_ingress_filter import stream_of

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("backend")]

#: 2015-02-15 10:17:00, in milliseconds.
AT: Final = 1_423_995_420_000
DECLARED: Final = """
  t TIMESTAMP(3) ASCENDING, b BOOLEAN, n1 TINYINT, n2 SMALLINT, n4 INTEGER, n8 BIGINT, f REAL,
  d DOUBLE, p DECIMAL(9, 2), x VARBINARY, s VARCHAR
"""
#: Of each column's type in the file two values, and NULL behind them.
COLUMNS: Final[dict[str, tuple[pa.DataType, Any, Any]]] = {
    "b": (pa.bool_(), True, False),
    "n1": (pa.int8(), -128, 127),
    "n2": (pa.int16(), -32_768, 1),
    "n4": (pa.int32(), -(2**31), 2**31 - 1),
    "n8": (pa.int64(), -(2**63), 2**63 - 1),
    "f": (pa.float32(), float("nan"), -0.0),
    "d": (pa.float64(), float("-inf"), 5e-324),
    "p": (pa.decimal128(9, 2), Decimal("-0.01"), Decimal("9999999.99")),
    "x": (pa.binary(), b"\x00\xff", b""),
    "s": (pa.string(), "ü\n\0", ""),
}
ALL: Final = frozenset(range(len(COLUMNS) + 1))


def written(path: Path, first: int, **other: pa.DataType) -> str:
    """A file of six rows, a minute apart, as a path of Spark's; some columns of ``other`` types."""
    table = {"t": pa.array([AT + 60_000 * (first + i) for i in range(6)], pa.timestamp("ms"))}
    for name, (type, a, b) in COLUMNS.items():
        table[name] = pa.array([a, b, None, b, a, None], type).cast(other.get(name, type))
    pq.write_table(pa.table(table), path, row_group_size=4)
    return f"file:{path}"


def let_in(stream: Stream, paths: list[str]) -> list[Store]:
    """The rows of each file behind the gate of the stream, each file a micro-batch."""
    session, gate = spark_session(), gate_of(stream)
    checks = Contents(session, 0).checks(stream)
    types = tuple(each.type for each in stream.columns)
    names = {i: (name, types[i]) for i, name in enumerate(["t", *COLUMNS])}
    found: list[Store] = []
    for path in paths:
        frame: DataFrame = session.read.parquet(path)
        columns = [F.unix_millis("t"), *(F.col(each) for each in COLUMNS)]
        told = known(path, names, frozenset({0}))
        assert told is not None
        index = F.col(IN_FILE)
        rows = arrived(frame, columns, types, came(frame), index=index, rows=told.rows)
        found.append(admit(gate, rows, checks, told).rows)
    return found


def left(stream: Stream, paths: list[str], places: frozenset[int], since: int) -> Store:
    """Of the rows of two micro-batches those since a minute, with the columns at some places."""
    first, second = (each.only(places) for each in let_in(stream, paths))
    time, session = F.col("c0") >= F.lit(AT + 60_000 * since), spark_session()
    same = partial(at_least, place=0, value=AT + 60_000 * since)
    return second.behind(first, session).where(time, session, same)


def without_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let Spark give no rows."""

    def asked(_: DataFrame) -> NoReturn:
        raise AssertionError("Spark has been asked")

    monkeypatch.setattr(stores, "table_from", asked)


def told(rows: Store) -> tuple[list[str], int, int]:
    """All that can be seen of rows: repr, since NaN is not equal to itself."""
    return [repr(each) for each in rows.rows()], rows.count, rows.numbers


@pytest.mark.parametrize("places", [ALL, frozenset({0, 4}), frozenset({0})], ids=len)
@pytest.mark.parametrize("since", [0, 3, 8, 99])
@pytest.mark.parametrize("likely", [12, 999_999, None])
def test_they_are_the_rows_that_spark_finds(
    places: frozenset[int],
    since: int,
    likely: int | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With their numbers, NULL in the columns that nobody reads; also of what has been left before.

    Spark writes those that are likely to be many.
    """
    stream, session = stream_of(DECLARED), spark_session()
    paths = [written(tmp_path / "a", 0), written(tmp_path / "b", 6)]
    many = left(stream, paths, places, since).likely(10_000_000)
    by_spark = many.save(session, str(tmp_path / "spark"))
    without_spark(monkeypatch)
    aside = left(stream, paths, places, since).likely(likely)
    aside.save(session, f"file:{tmp_path / 'own'}")
    assert told(aside) == told(by_spark)
    assert aside.count == max(0, 12 - since)
    later = F.col("c0") >= F.lit(AT + 600_000)
    again = aside.where(later, session, partial(at_least, place=0, value=AT + 600_000)).likely(2)
    assert again.save(session, f"file:{tmp_path / 'again'}").count == min(2, 12 - min(since, 12))


def test_rows_in_memory_come_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A few rows that were left before a large file came."""
    stream, session = stream_of("t TIMESTAMP(3) ASCENDING, b BOOLEAN"), spark_session()
    path = written(tmp_path / "a", 0)
    types = tuple(each.type for each in stream.columns)
    gate, frame = gate_of(stream), session.read.parquet(path)
    gate.arrived = 1
    found = known(path, {0: ("t", types[0]), 1: ("b", types[1])}, frozenset({0}))
    columns, index = [F.unix_millis("t"), F.col("b")], F.col(IN_FILE)
    rows = arrived(frame, columns, types, came(frame), index=index, rows=6)
    new = admit(gate, rows, Contents(session, 0).checks(stream), found).rows
    without_spark(monkeypatch)
    both = new.behind(Store.of(types, [(AT - 1, None)]), session).likely(7)
    both.save(session, f"file:{tmp_path / 'own'}")
    assert list(both.rows())[:2] == [(AT - 1, None), (AT, True)]
    assert (both.count, both.numbers) == (7, 7)


@pytest.mark.parametrize(
    "other",
    [{"n4": pa.int64()}, {"s": pa.large_binary()}, {"p": pa.decimal128(12, 2)}],
    ids=lambda each: next(iter(each)),
)
def test_columns_of_other_types_are_left_to_spark(
    other: dict[str, pa.DataType], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are values inside only as Spark makes them; where they are not read, it is not asked."""
    stream, session = stream_of(DECLARED), spark_session()
    paths = [written(tmp_path / "a", 0, **other), written(tmp_path / "b", 6)]
    without_spark(monkeypatch)
    (place,) = (1 + list(COLUMNS).index(each) for each in other)
    rows = left(stream, paths, ALL - {place}, 0).likely(12)
    assert rows.save(session, f"file:{tmp_path / 'own'}").count == 12
    with pytest.raises(AssertionError, match="asked"):
        left(stream, paths, ALL, 0).likely(12).save(session, f"file:{tmp_path / 'other'}")
