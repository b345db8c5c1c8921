"""The kit knows the columns of what a script creates from the script."""

from pathlib import Path

from tck.corpus.ddl import declared_columns, rowtimes
from tck.protocol import ColumnInfo, Load
from tests.tck.corpora import load_case, problems


def test_columns_are_those_that_the_script_declares() -> None:
    script = """
    CREATE STREAM "Mixed" (
      t TIMESTAMP(3) ASCENDING, price decimal(10,2) CHECK (price > 0)
    ) WITH HISTORY;
    CREATE OR REPLACE TABLE sales.Orders (
      id INTEGER PRIMARY KEY, "x y" VARCHAR(5) NOT NULL, i INTERVAL DAY TO SECOND
    );
    CREATE VIEW v AS SELECT * FROM "Mixed";
    """
    assert declared_columns(script) == {
        "Mixed": (
            ColumnInfo("T", "TIMESTAMP(3)", nullable=False),
            ColumnInfo("PRICE", "DECIMAL(10, 2)", nullable=True),
        ),
        "SALES.ORDERS": (
            ColumnInfo("ID", "INTEGER", nullable=False),
            ColumnInfo("x y", "VARCHAR(5)", nullable=False),
            ColumnInfo("I", "INTERVAL DAY TO SECOND", nullable=True),
        ),
    }


def test_the_rowtime_is_the_column_of_that_name_or_the_first_ascending_time() -> None:
    script = """
    CREATE STREAM named (t TIMESTAMP(3) ASCENDING, rowtime TIMESTAMP(3) ASCENDING PUNCTUATED);
    CREATE STREAM unnamed (made TIMESTAMP(3), down TIMESTAMP(3) DESCENDING, id INTEGER ASCENDING,
      t TIMESTAMP(3) ASCENDING);
    CREATE STREAM timeless (made TIMESTAMP(3), id INTEGER ASCENDING);
    CREATE TABLE kept (rowtime TIMESTAMP(3));
    """
    assert rowtimes(script) == {"NAMED": 1, "UNNAMED": 3}


def test_a_script_that_cannot_be_parsed_declares_nothing() -> None:
    assert declared_columns("CREATE TABEL t (a INTEGER)") == {}
    assert rowtimes("CREATE STREAM s (rowtime TIMESTAMP(3) ASCENDING") == {}


CASE = """
id: a
cites: [S-1]
ddl: CREATE TABLE t (a DATE)
{columns}
sql: SELECT a FROM t
tables: {{t: [['2015-02-15']]}}
rows: [['2015-02-15']]
"""


def test_rows_are_read_by_the_columns_of_the_script(tmp_path: Path) -> None:
    assert Load("T", (("2015-02-15",),)) in load_case(tmp_path, CASE.format(columns="")).tables
    wrong = CASE.format(columns="").replace("2015-02-15", "10:17", 1)
    assert "column A" in " ".join(problems(tmp_path / "wrong", wrong))


def test_columns_that_a_case_lists_are_as_listed(tmp_path: Path) -> None:
    case = load_case(tmp_path, CASE.format(columns="columns: {t: [a VARCHAR(10)]}"))
    assert case.columns["T"] == (ColumnInfo("A", "VARCHAR(10)", nullable=True),)
