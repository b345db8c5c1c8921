"""A declared table or stream has rows, or is refused with a hint (S-607)."""

from pathlib import Path

import pytest

import rowtime
from tests.rowtime.files.entrances import command

pytestmark = pytest.mark.usefixtures("folder")

COLUMNS = "(rowtime TIMESTAMP(3) ASCENDING, productId INTEGER, units INTEGER)"
FOREIGN = f"CREATE FOREIGN STREAM F {COLUMNS} OPTIONS (path 'orders.csv');"
ALL = "SELECT STREAM units FROM F"


def queried(ddl: str, query: str, *options: str) -> tuple[int, str, str]:
    """The exit code of a query on a script, its rows as CSV, and its message."""
    Path("d.sql").write_text(ddl)
    result = command("run", "--ddl", "d.sql", *options, "--format", "csv", query)
    return result.exit_code, result.stdout, result.stderr


def test_a_query_reads_the_foreign_streams_that_it_names() -> None:
    """S-607.h."""
    assert queried(FOREIGN, ALL) == (0, "UNITS\n4\n1\n6\n", "")
    relational = FOREIGN.replace(";", " ").replace("OPTIONS", "WITH HISTORY OPTIONS")
    code, rows, _ = queried(relational, "SELECT SUM(units) AS s FROM F")
    assert (code, rows) == (0, "S\n11\n")


def test_data_replaces_the_path_of_a_foreign_stream_and_keeps_its_options() -> None:
    Path("other.txt").write_text("2026-01-01 00:00:00;1;2\n")
    ddl = FOREIGN.replace("path 'orders.csv'", "path 'x.csv', delimiter ';', header FALSE")
    assert queried(ddl, ALL, "--data", "F=other.txt") == (0, "UNITS\n2\n", "")


@pytest.mark.parametrize(
    ("ddl", "query", "message"),
    [
        (FOREIGN.replace("orders", "gone"), ALL, "gone.csv: No such file or directory"),
        (FOREIGN.replace("path 'orders.csv'", "format 'rate'"), ALL, "rowtime run FILE.sql"),
        (f"CREATE FOREIGN STREAM F {COLUMNS};", ALL, "rowtime run FILE.sql; or --data F=FILE"),
        (f"CREATE STREAM F {COLUMNS};", ALL, "NO_STREAMING_INPUT: nothing feeds the stream F"),
        ("CREATE TABLE T (a INTEGER);", "SELECT * FROM T", "nothing fills the table T\n  hint: "),
        (
            f"{FOREIGN} CREATE TABLE T (units INTEGER);",
            f"{ALL} JOIN T USING (units)",
            "nothing fills the table T",
        ),
        (
            (
                f"{FOREIGN} CREATE FOREIGN STREAM G {COLUMNS} OPTIONS (path 'g.csv');"
                "INSERT INTO G SELECT STREAM * FROM F;"
            ),
            ALL,
            "NOT_SUPPORTED: a query does not write into the foreign stream G",
        ),
    ],
)
def test_what_a_query_cannot_read_or_write_is_refused(ddl: str, query: str, message: str) -> None:
    """S-607.h, S-607.i."""
    code, rows, found = queried(ddl, query)
    assert (code, rows) == (1, "")
    assert message in found
    assert not Path("g.csv").exists()
    compared = command("compare", "--backend", "sqlite", "--ddl", "d.sql", query)
    assert compared.exit_code == 2
    assert message in compared.stderr


def test_a_table_is_filled_by_a_file_a_statement_or_a_file_without_rows() -> None:
    """S-607.i."""
    Path("empty.csv").write_text("a\n")
    ddl = "CREATE TABLE T (a INTEGER);"
    assert queried(ddl, "SELECT * FROM T", "--data", "T=empty.csv") == (0, "A\n", "")
    assert queried(f"{ddl} INSERT INTO T VALUES (7);", "SELECT * FROM T") == (0, "A\n7\n", "")


def test_a_pipeline_that_reads_a_table_without_rows_is_refused() -> None:
    """S-607.i."""
    Path("p.sql").write_text(
        f"{FOREIGN} CREATE TABLE T (units INTEGER);"
        "CREATE FOREIGN STREAM G (rowtime TIMESTAMP(3) ASCENDING) OPTIONS (path 'g.csv');"
        "INSERT INTO G SELECT STREAM F.rowtime FROM F JOIN T ON F.units = T.units;"
    )
    result = command("run", "p.sql")
    assert result.exit_code == 1
    assert "nothing fills the table T" in result.stderr


def test_a_database_has_no_foreign_streams() -> None:
    """S-607.j: the driver and the shell refuse the declaration, so that nothing waits for it."""
    with rowtime.connect() as db:
        with pytest.raises(rowtime.NotSupportedError, match=r"rowtime run FILE\.sql"):
            db.execute(FOREIGN)
        assert not [name for name in db.catalog.objects if name == ("F",)]
    result = command("sql", input=f"{FOREIGN}\nSELECT STREAM * FROM F;\n")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "a database has no foreign streams" in result.stderr
