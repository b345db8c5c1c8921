"""`.import FILE NAME` in the shell."""

from pathlib import Path
from typing import Final

import pytest

from tests.rowtime.files.entrances import command

pytestmark = pytest.mark.usefixtures("folder")

TABLE: Final = "CREATE TABLE X (id INTEGER, name VARCHAR(3) NOT NULL);\n"


def imported(text: str, more: str = "") -> tuple[str, str]:
    """The output and the messages of the shell for the import of a CSV file."""
    Path("x.csv").write_text(text)
    result = command("sql", "--format", "csv", input=f"{TABLE}.import x.csv X\n{more}")
    return result.stdout, result.stderr


def test_all_rows_of_a_file_are_inserted() -> None:
    count = 1_000
    lines = "".join(f"{number},{number}\n" for number in range(count))
    out, _ = imported("id,name\n" + lines, "SELECT COUNT(*), MAX(id) FROM X;\n")
    assert out.splitlines() == ["1,000 rows written", "EXPR$0,EXPR$1", "1000,999"]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("x,c", "ID: 'x' is not a value of INTEGER"),
        ("3,", "NAME: NULL where VARCHAR(3) is NOT NULL"),
        ("3,c,d", "3 fields where the header has 2"),
    ],
)
def test_a_bad_row_has_its_line_and_column_and_the_rows_before_it_are_inserted(
    line: str, reason: str
) -> None:
    Path("x.csv").write_text(f"id,name\n1,a\n2,b\n{line}\n4,d\n")
    result = command("sql", "x.db", input=f"{TABLE}.import x.csv X\n")
    assert (result.exit_code, result.stderr.splitlines()[:2]) == (
        1,
        [f"BAD_ROW: {reason}", "x.csv:4"],
    )
    found = command("sql", "x.db", "--format", "csv", "-c", "SELECT id FROM X")
    assert found.stdout == "ID\n1\n2\n"


def test_a_table_that_is_missing_is_named_with_the_command_that_declares_it() -> None:
    Path("x.csv").write_text("id\n1\n")
    result = command("sql", input=".import x.csv Y\n")
    assert result.exit_code == 1
    assert "there is no table or stream Y for x.csv" in result.stderr
    assert "rowtime describe x.csv" in result.stderr
