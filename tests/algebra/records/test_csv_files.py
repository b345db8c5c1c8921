"""Data files become rows on the wire, and a fault says where it is."""

from pathlib import Path

import pandas
import pytest

from algebra.catalog import Column
from algebra.records.batch import Batch
from algebra.records.csv_fields import TimeForm
from algebra.records.csv_files import csv_batches
from algebra.records.opening import FileError
from algebra.records.parquet import parquet_batches
from algebra.types import BOOLEAN, DOUBLE, INTEGER, TIMESTAMP, VARCHAR, decimal
from tck.protocol import WireRow

COLUMNS = (Column("ROWTIME", TIMESTAMP), Column("UNITS", INTEGER), Column("NAME", VARCHAR))


def only_batch(path: Path, columns: tuple[Column, ...] = COLUMNS) -> Batch:
    read = parquet_batches if path.suffix in (".parquet", ".pq") else csv_batches
    (batch,) = read(path, columns)
    return batch


def csv_rows(
    directory: Path, text: str, columns: tuple[Column, ...] = COLUMNS
) -> tuple[WireRow, ...]:
    path = directory / "orders.csv"
    path.write_text(text, "utf-8")
    return only_batch(path, columns).rows


def test_columns_are_found_by_name_whatever_their_case_and_place(tmp_path: Path) -> None:
    rows = csv_rows(tmp_path, "name,extra,Units,rowtime\nBeer,x,4,2015-02-15 10:17:00\n")
    assert rows == (("2015-02-15 10:17:00", 4, "Beer"),)


def test_an_empty_field_is_null(tmp_path: Path) -> None:
    assert csv_rows(tmp_path, "rowtime,units,name\n,,\n") == ((None, None, None),)


def test_a_timestamp_may_have_the_letter_t(tmp_path: Path) -> None:
    rows = csv_rows(tmp_path, "rowtime,units,name\n2015-02-15T10:17:00.5,1,a\n")
    assert rows == (("2015-02-15 10:17:00.500", 1, "a"),)


def test_values_of_each_kind_read_as_their_wire_form(tmp_path: Path) -> None:
    columns = (Column("P", BOOLEAN), Column("X", DOUBLE), Column("C", decimal(5, 2)))
    rows = csv_rows(tmp_path, "p,x,c\nTRUE,1.5,0.10\nfalse,-Infinity,7\n", columns)
    assert rows == ((True, 1.5, "0.10"), (False, "-Infinity", "7"))


def test_what_is_no_number_stays_text_for_the_entry_to_refuse(tmp_path: Path) -> None:
    assert csv_rows(tmp_path, "rowtime,units,name\nx,four,a\n") == (("x", "four", "a"),)


@pytest.mark.parametrize("text", ["1_5", "inf", "+nan", "infinit", "0x1p3", "1e", "."])
def test_what_python_alone_reads_as_a_number_stays_text(tmp_path: Path, text: str) -> None:
    assert csv_rows(tmp_path, f"x\n{text}\n", (Column("X", DOUBLE),)) == ((text,),)


@pytest.mark.parametrize(
    ("text", "value"),
    [("1.", 1.0), (".5", 0.5), ("+1E2", 100.0), ("-0.0", 0.0), ("nan", "NaN"), ("", None)],
)
def test_numbers_and_words_of_a_double(tmp_path: Path, text: str, value: float | str) -> None:
    assert csv_rows(tmp_path, f'x\n"{text}"\n', (Column("X", DOUBLE),)) == ((value,),)


@pytest.mark.parametrize("digits", [1, 19, 5_000])
def test_an_integer_of_any_length_is_read_or_left_to_the_entry_to_refuse(
    tmp_path: Path, digits: int
) -> None:
    text = "9" * digits
    rows = csv_rows(tmp_path, f"n\n1\n{text}\n", (Column("N", INTEGER),))
    assert rows == ((1,), (int(text) if digits < 1_000 else text,))


@pytest.mark.parametrize("other", ["", "-3", "+4", "x", "\u0661", "0007"])
def test_a_column_is_read_at_once_as_one_value_after_the_other(tmp_path: Path, other: str) -> None:
    """All are converted without a look at each if all are digits; another one changes no value."""
    columns = (Column("N", INTEGER), Column("T", TIMESTAMP))
    one = csv_rows(tmp_path, f'n,t\n"{other}",2026-01-01T00:00:00\n', columns)
    many = csv_rows(
        tmp_path, f'n,t\n12,2026-01-01 00:00:00\n"{other}",2026-01-01T00:00:00\n7,\n', columns
    )
    assert many == ((12, "2026-01-01 00:00:00"), *one, (7, None))


def test_a_short_record_is_bad_and_says_its_line(tmp_path: Path) -> None:
    path = tmp_path / "orders.csv"
    path.write_text('rowtime,units,name\n"2015-02-15\n",4,a\n5,6\n', "utf-8")
    (bad,) = only_batch(path).bad
    assert str(bad) == f"{path}:4: 2 fields where the header has 3"


@pytest.mark.parametrize("most", [1, 2, 3, 100])
def test_each_row_has_the_line_that_it_begins_in(tmp_path: Path, most: int) -> None:
    path = tmp_path / "orders.csv"
    text = 'units,name\n1,a\n2,"b\r\nc\rd\ne"\n\n3,f\n4\n5,"g\n"\n6,h\n'
    path.write_bytes(text.encode())
    found = list(csv_batches(path, COLUMNS[1:], most=most))
    rows = [
        (row[0], line) for each in found for row, line in zip(each.rows, each.lines, strict=True)
    ]
    assert rows == [(1, 2), (2, 3), (3, 8), (5, 10), (6, 12)]
    assert [each.line for batch in found for each in batch.bad] == [9]


@pytest.mark.parametrize("most", [1, 2, 100])
def test_a_fault_of_the_file_is_at_the_line_of_its_record(tmp_path: Path, most: int) -> None:
    path = tmp_path / "orders.csv"
    path.write_bytes(b'units,name\n1,"a\nb"\n2,c\n3,"d\n')
    with pytest.raises(FileError) as raised:
        list(csv_batches(path, COLUMNS[1:], most=most))
    assert str(raised.value).startswith(f"{path}:5: not CSV")


@pytest.mark.parametrize(
    ("content", "written"),
    [
        (b"", "the file is empty"),
        (b"rowtime,units\n", "there is no column NAME; the header has: rowtime, units"),
        (b"rowtime,units,name\n1,2,\xff\n", "not UTF-8 text"),
        (b'rowtime,units,name\n1,2,"a\n', "not CSV"),
    ],
)
def test_a_file_that_is_no_csv_of_these_columns_is_refused(
    tmp_path: Path, content: bytes, written: str
) -> None:
    path = tmp_path / "orders.csv"
    path.write_bytes(content)
    with pytest.raises(FileError, match=written):
        only_batch(path)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="No such file"):
        only_batch(tmp_path / "none.csv")


def parquet_rows(path: Path, times: list[str | None], unit: str) -> tuple[WireRow, ...]:
    count = len(times)
    frame = pandas.DataFrame(
        {
            "rowtime": pandas.Series(times, dtype=f"datetime64[{unit}]"),
            "UNITS": pandas.Series([4, None][:count], dtype="Int64"),
            "name": ["Beer", None][:count],
        }
    )
    frame.to_parquet(path)
    return only_batch(path).rows


def test_parquet_gives_the_rows_that_csv_gives(tmp_path: Path) -> None:
    rows = parquet_rows(tmp_path / "orders.parquet", ["2015-02-15 10:17:00", None], "ms")
    assert rows == (("2015-02-15 10:17:00", 4, "Beer"), (None, None, None))


def test_microseconds_of_parquet_are_cut_or_refused(tmp_path: Path) -> None:
    path = tmp_path / "orders.parquet"
    rows = parquet_rows(path, ["2015-02-15 10:17:00.001999"], "us")
    assert rows == (("2015-02-15 10:17:00.001", 4, "Beer"),)
    (strict,) = parquet_batches(path, COLUMNS, TimeForm(strict=True))
    assert strict.rows == (("2015-02-15 10:17:00.001, finer than a millisecond", 4, "Beer"),)


def test_a_file_that_is_no_parquet_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "orders.parquet"
    path.write_bytes(b"rowtime,units\n")
    with pytest.raises(FileError, match=r"orders\.parquet"):
        only_batch(path)
