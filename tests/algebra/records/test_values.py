"""Columns that are read many values at a time have the values that each of them has by itself."""

import re
from collections.abc import Sequence
from decimal import Decimal
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, cast

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from algebra.catalog import Column
from algebra.records.batch import Batch
from algebra.records.csv_fields import DEFAULT_TIMES, Dialect, TimeForm
from algebra.records.csv_files import csv_batches
from algebra.records.json_lines import json_batches
from algebra.records.opening import FileError
from algebra.records.parquet import parquet_batches
from algebra.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    INTEGER,
    REAL,
    TIME,
    TIMESTAMP,
    TINYINT,
    VARCHAR,
    Kind,
    Type,
    decimal,
)
from algebra.wire import reader
from tests.examples import scaled

pa: Any = import_module("pyarrow")  # it has no types
pq: Any = import_module("pyarrow.parquet")  # as above

TYPES: Final = (
    BOOLEAN,
    TINYINT,
    INTEGER,
    DOUBLE,
    REAL,
    decimal(4, 2),
    VARCHAR,
    Type(Kind.VARCHAR, precision=3),
    Type(Kind.CHAR, precision=3),
    DATE,
    TIME,
    TIMESTAMP,
)
#: Fields of every kind, most of which are values of few types.
FIELDS: Final = (
    "", '""', "NA", '"NA"', "0", "-0", "+5", "127", "128", "-2147483648", "2147483648", "1.0",
    "1.5", ".5", "1e3", "1e400", "-1e400", "9" * 400, "nan", "Infinity", "inf", "1_0", " 7", "٣",
    "true", "FALSE", "abc", "abcd", '"a,b"', '"a\nb"', "é", "2026-01-01", "2026-02-30", "10:17:00",
    "10:17:00.5", "2026-01-01 10:17:00", "2026-01-01 10:17:00.25", "2026-01-01T10:17:59.999",
    "2026-01-01 10:17:60", "2026-01-01 10:17:00Z", "2026-01-01 10:17", "0000-01-01 10:17:00",
    "9999-12-31 23:59:59.9999",
)  # fmt: skip
_PLAIN: Final = ("0", "7", "127", "2026-01-01 10:17:00", "2026-01-01 10:17:01.5", "abc", "")


def all_of(columns: Sequence[Column]) -> frozenset[int]:
    """The places of all columns."""
    return frozenset(range(len(columns)))


def read(batches: list[Batch], types: tuple[Type, ...]) -> list[object]:
    """The lines of the rows with their values, or with the column that has none."""
    found: list[object] = [(bad.line, bad.reason) for batch in batches for bad in batch.bad]
    for batch in batches:
        if batch.values is not None:
            assert batch.rows == ()
            pairs = zip(batch.lines, batch.values, strict=True)
            found += [(line, list(map(repr, row))) for line, row in pairs]
            continue
        for line, row in zip(batch.lines, batch.rows, strict=True):
            values: list[str] = []
            for type, value in zip(types, row, strict=True):
                try:
                    values.append(repr(reader(type)(value)))
                except ValueError as error:
                    values.append(f"fault: {error}")
            found.append((line, values))
    return sorted(found, key=str)


def masked(found: list[object], needed: frozenset[int]) -> list[object]:
    """The result of `read` without the values of the columns that are not needed."""
    shown: list[object] = []
    for line, row in cast("list[tuple[int, list[str] | str]]", found):
        if isinstance(row, list):
            row = [
                value if place in needed or value.startswith("fault: ") else "not needed"
                for place, value in enumerate(row)
            ]
        shown.append((line, row))
    return shown


@given(
    st.lists(st.sampled_from(TYPES), min_size=1, max_size=3).map(tuple),
    st.data(),
    st.sampled_from((Dialect(), Dialect(null="NA"), Dialect(header=False))),
    st.sampled_from(("\n", "\r\n")),
    st.integers(1, 4),
)
@settings(max_examples=scaled(100, 10_000), phases=(Phase.explicit, Phase.generate))
def test_csv_is_read_by_columns_as_field_by_field(
    types: tuple[Type, ...], data: st.DataObject, dialect: Dialect, end: str, most: int
) -> None:
    pool = data.draw(st.sampled_from((FIELDS, _PLAIN)))
    row = st.lists(st.sampled_from(pool), min_size=len(types), max_size=len(types))
    rows = data.draw(st.lists(row, max_size=6))
    names = [f"c{i}" for i in range(len(types))]
    nullable = data.draw(st.booleans())
    types = tuple(type.as_nullable(nullable) for type in types)
    columns = [Column(name.upper(), type) for name, type in zip(names, types, strict=True)]
    lines = [*([names] if dialect.header else []), *rows]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "x.csv"
        path.write_bytes("".join(",".join(line) + end for line in lines).encode())
        plain = list(csv_batches(path, columns, dialect, DEFAULT_TIMES, most))
        fast = list(csv_batches(path, columns, dialect, DEFAULT_TIMES, most, all_of(columns)))
        needed = all_of(columns)
        if nullable:
            needed = data.draw(st.frozensets(st.sampled_from(sorted(needed))))
        partial = list(csv_batches(path, columns, dialect, DEFAULT_TIMES, most, needed))
    assert read(fast, types) == read(plain, types)
    assert masked(read(partial, types), needed) == masked(read(plain, types), needed)


#: Members of JSON of every kind, as texts.
MEMBERS: Final = (
    "null", "0", "-0", "127", "128", "-2147483648", "2147483648", "9" * 400, "1.0", "1.50", "1e3",
    "1e400", "-1e400", "NaN", "true", "false", '""', '"abc"', '"abcd"', '"\\ud83d"', '"7"', '"NaN"',
    "[1, 1.50]", '{"a": null}', '"2026-01-01"', '"2026-02-30"', '"10:17:00"', '"10:17:00.5"',
    '"2026-01-01 10:17:00"', '"2026-01-01T10:17:59.999Z"', '" 2026-01-01 10:17"',
    '"2026-01-01 10:17:60"', '"0000-01-01 10:17:00"', '"9999-12-31 23:59:59.9999"',
)  # fmt: skip
_PLAIN_MEMBERS: Final = ("0", "7", "1.5", "null", '"2026-01-01 10:17:00"', '"abc"', "true")


@given(
    st.lists(st.sampled_from(TYPES), min_size=1, max_size=3).map(tuple),
    st.data(),
    st.sampled_from((TimeForm(), TimeForm(strict=True), TimeForm("ms"))),
    st.integers(1, 4),
)
@settings(max_examples=scaled(100, 10_000), phases=(Phase.explicit, Phase.generate))
def test_json_is_read_by_columns_as_value_by_value(
    types: tuple[Type, ...], data: st.DataObject, times: TimeForm, most: int
) -> None:
    pool = data.draw(st.sampled_from((MEMBERS, _PLAIN_MEMBERS)))
    names = ("c0", "C1", "c2", "c3")
    objects = data.draw(st.lists(st.dictionaries(st.sampled_from(names), st.sampled_from(pool))))
    nullable = data.draw(st.booleans())
    types = tuple(type.as_nullable(nullable) for type in types)
    columns = [Column(f"C{i}", type) for i, type in enumerate(types)]
    lines = ["{" + ", ".join(f'"{n}": {v}' for n, v in each.items()) + "}" for each in objects]
    lines = data.draw(st.permutations([*lines, "", '{"c0": 1, "C0": 2}', "[]"]))
    needed = all_of(columns)
    if nullable:
        needed = data.draw(st.frozensets(st.sampled_from(sorted(needed))))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "x.json"
        path.write_text("\n".join(lines))
        plain = list(json_batches(path, columns, times, most))
        fast = list(json_batches(path, columns, times, most, all_of(columns)))
        partial = list(json_batches(path, columns, times, most, needed))
    assert read(fast, types) == read(plain, types)
    assert masked(read(partial, types), needed) == masked(read(plain, types), needed)


def test_valid_objects_are_read_by_columns(tmp_path: Path) -> None:
    """So that the test before this one compares two ways of reading, one of them in part."""
    path = tmp_path / "x.json"
    path.write_text('{"t": "2026-01-01T10:17:00Z", "a": 1.5, "b": "x"}\n{"a": 2}\n[]\n')
    columns = (Column("T", TIMESTAMP), Column("A", DOUBLE), Column("B", VARCHAR))
    (batch,) = json_batches(path, columns, needed=frozenset({0, 1}))
    assert batch.values == [(1_767_262_620_000, 1.5, None), (None, 2.0, None)]
    assert [each.line for each in batch.bad] == [3]


def test_valid_rows_are_read_by_columns(tmp_path: Path) -> None:
    """So that the test of CSV compares two ways of reading."""
    path = tmp_path / "x.csv"
    path.write_text("a,b,t\n1,x,2026-01-01 10:17:00\n,y,\n3,,1969-12-31 23:59:59.5\n")
    columns = (Column("T", TIMESTAMP), Column("A", INTEGER), Column("B", VARCHAR))
    (batch, last) = csv_batches(path, columns, needed=all_of(columns))
    assert batch.values == [(1_767_262_620_000, 1, "x"), (None, None, "y"), (-500, 3, None)]
    assert (list(batch.lines), last.count) == ([2, 3, 4], 0)


def test_a_column_that_is_not_needed_is_null(tmp_path: Path) -> None:
    """So that the tests before and after this one read less than all columns."""
    path, packed = tmp_path / "x.csv", tmp_path / "x.parquet"
    path.write_text("a,b,t\n1,x,2026-01-01 10:17:00\n2,y,\n")
    times = pa.array([1_767_262_620_000, None], pa.timestamp("ms"))
    table = pa.table({"a": pa.array([1, 2], pa.int32()), "b": ["x", "y"], "t": times})
    pq.write_table(table, packed)
    columns = (Column("T", TIMESTAMP), Column("A", INTEGER), Column("B", VARCHAR))
    batch, last = csv_batches(path, columns, needed=frozenset({2}))
    (found,) = parquet_batches(packed, columns, needed=frozenset({2}))
    assert batch.values == found.values == [(None, None, "x"), (None, None, "y")]
    assert last.count == 0


def test_a_column_of_parquet_that_fits_is_not_read_unless_it_is_needed(tmp_path: Path) -> None:
    """The pages of the column are broken, so that reading it would fail."""
    path = tmp_path / "x.parquet"
    table = pa.table({"a": pa.array(range(1000), pa.int32()), "b": pa.array(range(1000))})
    pq.write_table(table, path, compression="NONE", use_dictionary=False)
    chunk = pq.ParquetFile(path).metadata.row_group(0).column(1)
    data = bytearray(path.read_bytes())
    data[chunk.data_page_offset : chunk.data_page_offset + 16] = b"\xff" * 16
    path.write_bytes(data)
    columns = (Column("A", INTEGER), Column("B", BIGINT))
    (found,) = parquet_batches(path, columns, needed=frozenset({0}))
    assert found.values == [(number, None) for number in range(1000)]
    with pytest.raises(FileError):
        list(parquet_batches(path, columns, needed=frozenset({1})))
    # Not every BIGINT is an INTEGER, so that this column has to be checked.
    with pytest.raises(FileError):
        list(parquet_batches(path, (columns[0], Column("B", INTEGER)), needed=frozenset({0})))


def test_a_quote_after_many_plain_lines_changes_no_row(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    lines = [f"{i},n{i}" for i in range(500)] + ['500,"a\nb"', "501,c", "x,d"]
    path.write_text("a,b\n" + "\n".join(lines) + "\n")
    columns = (Column("A", INTEGER), Column("B", VARCHAR))
    batches = list(csv_batches(path, columns, most=100, needed=all_of(columns)))
    found = read(batches, (INTEGER, VARCHAR))
    assert found == read(list(csv_batches(path, columns, most=100)), (INTEGER, VARCHAR))
    assert (503, ["501", "'c'"]) not in found  # the quoted field takes two lines
    assert (504, ["501", "'c'"]) in found


ARRAYS: Final[tuple[Any, ...]] = (  # Any: pyarrow is not typed
    pa.array([1, None, 127], pa.int8()),
    pa.array([1, None, 2**31 - 1], pa.int64()),
    pa.array([1, None, 2**31], pa.int64()),
    pa.array([2**63, 1, None], pa.uint64()),
    pa.array([1.5, float("nan"), None]),
    pa.array([True, None, False]),
    pa.array(["abc", None, "abcd"]),
    pa.array(["abc", None, ""]).dictionary_encode(),
    pa.array([b"abc", None, b"\xff"]),
    pa.array([-1, None, 1_999], pa.timestamp("us")),
    pa.array([-1_000_001, -1_000_000, 1], pa.timestamp("ns")),
    pa.array([-1, None, 5], pa.timestamp("s", "America/New_York")),
    pa.array([2**62, None, 5], pa.timestamp("ms")),
    pa.array([-1, None, 5], pa.date32()),
    pa.array([2**30, None, 5], pa.date32()),
    pa.array([2**15, None, -(2**15)], pa.int32()),
    pa.array([200, None, 5], pa.uint8()),
    pa.array([1.5, None, float("inf")], pa.float32()),
    pa.array(["abc", None, "abcd"], pa.large_string()),
    pa.array([Decimal("1.50"), None, Decimal("-0.25")]),
    pa.array([None, None, None], pa.null()),
)


@pytest.mark.parametrize("times", [TimeForm(), TimeForm(strict=True), TimeForm("ms")])
@pytest.mark.parametrize("array", ARRAYS, ids=lambda each: str(each.type))
def test_parquet_is_read_by_columns_as_value_by_value(
    array: Any, times: TimeForm, tmp_path: Path
) -> None:
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"c": array}), path)
    for type in (*TYPES, *(each.as_nullable(False) for each in TYPES)):
        columns = (Column("C", type),)
        found: list[object] = []
        for needed in (None, all_of(columns)):
            try:
                found.append(
                    read(list(parquet_batches(path, columns, times, needed=needed)), (type,))
                )
            except FileError as error:
                found.append(str(error))
        assert found[0] == found[1], type
        if type.nullable:
            nothing = frozenset[int]()
            if isinstance(found[0], str):
                with pytest.raises(FileError, match=re.escape(found[0])):
                    list(parquet_batches(path, columns, times, needed=nothing))
            else:
                partial = read(list(parquet_batches(path, columns, times, needed=nothing)), (type,))
                assert masked(partial, nothing) == masked(cast("list[object]", found[0]), nothing)
