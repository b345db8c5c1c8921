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


def test_a_table_that_is_missing_is_declared_with_the_columns_of_the_file() -> None:
    Path("x.csv").write_text("id;at;n\n1;2026-01-01T10:00:00Z;NA\n2;2026-01-02T10:00:00Z;3\n")
    result = command(
        *("sql", "x.db", "--format", "csv", "-c", ".import x.csv Y"),
        *("-c", ".import x.csv Y OPTIONS (x 1)", "-c", "SELECT 1"),
    )
    assert result.exit_code == 1
    assert result.stdout == "2 rows written\n"
    ddl = "CREATE TABLE Y (\n  ID INTEGER,\n  AT TIMESTAMP(3),\n  N INTEGER);\n"
    assert result.stderr.startswith(ddl)
    found = command("sql", "x.db", "--format", "csv", "-c", "SELECT * FROM Y WHERE n IS NULL")
    assert found.stdout == "ID,AT,N\n1,2026-01-01 10:00:00,\n"


def test_a_file_with_ascending_times_becomes_a_stream() -> None:
    Path("x.csv").write_text("rowtime,n\n2026-01-01 10:00:00,1\n2026-01-01 10:00:01,2\n")
    result = command("sql", "-c", ".import x.csv S", "-c", "\\d S")
    assert (result.exit_code, result.stdout.splitlines()[0]) == (0, "2 rows written")
    assert result.stdout.splitlines()[1] == "ROWTIME TIMESTAMP(3) NOT NULL monotonic"


def test_a_file_outside_of_the_root_is_not_read_to_find_its_columns() -> None:
    Path("x.csv").write_text("id\n1\n")
    Path("in").mkdir()
    result = command("sql", "--root", "in", "-c", ".import x.csv Y", "-c", "\\d")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == "x.csv is not within in, to which .import is confined\n"


@pytest.mark.parametrize("name", ["A.Y", '"y"'])
def test_a_name_that_is_quoted_or_qualified_needs_a_declaration(name: str) -> None:
    Path("x.csv").write_text("id\n1\n")
    result = command("sql", "-c", f".import x.csv {name}")
    assert result.exit_code == 1
    assert f"there is no table or stream {name} for x.csv" in result.stderr
    assert "rowtime describe x.csv" in result.stderr


@pytest.mark.parametrize("quote", ["'", '"', ""])
def test_a_file_may_stand_in_quotes(quote: str) -> None:
    Path("my file.csv").write_text("id\nNA\n1\n")
    Path("my script.sql").write_text("SELECT * FROM Y;")
    found = command(
        *("sql", "--format", "csv"),
        *("-c", f".import {quote}my file.csv{quote} OPTIONS (null_text 'NA') Y"),
        *("-c", f".read {quote}my script.sql{quote}"),
    )
    assert found.stdout == "2 rows written\nID\n\n1\n"
