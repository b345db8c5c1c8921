"""Results as text: what a person and a program see of the same rows."""

import io
from pathlib import Path

import pytest

from algebra.records.printing import Format, whole_file, write
from algebra.wire import WireRow

NAMES = ("PRODUCTID", "NAME")
ROWS: tuple[WireRow, ...] = ((10, "Beer"), (None, None), (200, 'a "b", é'))


def written(format: Format, rows: tuple[WireRow, ...] = ROWS) -> str:
    to = io.StringIO()
    write(format, NAMES, rows, to)
    return to.getvalue()


def test_a_table_has_its_columns_aligned_numbers_to_the_right() -> None:
    assert written(Format.TABLE).splitlines() == [
        "PRODUCTID | NAME",
        "----------+---------",
        "       10 | Beer",
        "     NULL | NULL",
        '      200 | a "b", é',
        "(3 rows)",
    ]


def test_an_empty_table_still_has_its_head() -> None:
    assert written(Format.TABLE, ()).splitlines() == [
        "PRODUCTID | NAME",
        "----------+-----",
        "(0 rows)",
    ]


def test_csv_has_a_header_and_leaves_null_empty() -> None:
    assert written(Format.CSV) == 'PRODUCTID,NAME\n10,Beer\n,\n200,"a ""b"", é"\n'


def test_json_has_an_object_a_line() -> None:
    assert written(Format.JSON).splitlines() == [
        '{"PRODUCTID": 10, "NAME": "Beer"}',
        '{"PRODUCTID": null, "NAME": null}',
        '{"PRODUCTID": 200, "NAME": "a \\"b\\", é"}',
    ]


def test_a_file_is_whole_or_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    path.write_text("of yesterday")
    with pytest.raises(TypeError), whole_file(path) as to:
        to.writelines(["half of", None])  # type: ignore[list-item]  # what is to fail
    assert path.read_text() == "of yesterday"
    with whole_file(path) as to:
        to.write("of today")
        assert path.read_text() == "of yesterday"
    assert path.read_text() == "of today"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_cannot_be_written_is_named_as_the_user_named_it(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as caught, whole_file(tmp_path / "gone" / "out.csv"):
        pass
    assert caught.value.filename == str(tmp_path / "gone" / "out.csv")


def test_a_column_is_as_wide_as_a_terminal_shows_its_texts() -> None:
    """Each character of the first row takes two columns, and the accent of the second none."""
    rows: tuple[WireRow, ...] = (("\u65e5\u672c", "x"), ("e\u0301", "y"))
    to = io.StringIO()
    write(Format.TABLE, ("A", "B"), rows, to)
    assert to.getvalue().splitlines()[:4] == [
        "A    | B",
        "-----+--",
        "\u65e5\u672c | x",
        "e\u0301    | y",
    ]
