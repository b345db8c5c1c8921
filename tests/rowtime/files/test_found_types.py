"""Files without a declaration: their columns and types are found, and printed as a declaration."""

import json
from datetime import datetime
from decimal import Decimal
from importlib import import_module
from pathlib import Path
from typing import Any

import pandas
import pytest

import rowtime
from tests.rowtime.files.entrances import command

pytestmark = pytest.mark.usefixtures("folder")


def declared(content: str, *options: str, name: str = "x.csv") -> list[str]:
    """The columns that are found in a file, each as it is declared."""
    Path(name).write_text(content)
    result = command("describe", name, *options)
    assert result.exit_code == 0, result.stderr
    return [line.strip().rstrip(",") for line in result.stdout.splitlines()[1:]]


@pytest.mark.parametrize(
    ("values", "type"),
    [
        (["1", "-7", ""], "INTEGER"),
        (["1", "2147483648"], "BIGINT"),
        (["1", "1.5"], "DOUBLE"),
        (["1.0", "2"], "DOUBLE"),
        (["1e3"], "DOUBLE"),
        (["007", "8"], "VARCHAR"),
        (["1", "x"], "VARCHAR"),
        (["9223372036854775808"], "VARCHAR"),
        (["true", "FALSE"], "BOOLEAN"),
        (["2026-01-01"], "DATE"),
        (["2026-01-01", "2026-01-01T10:00:00Z"], "TIMESTAMP(3)"),
        (["10:17:00"], "TIME(3)"),
        (["2026-01-01", "1"], "VARCHAR"),
        (["", ""], "VARCHAR"),
        (['"a,b"', '""'], "VARCHAR"),
    ],
)
def test_a_column_has_the_narrowest_type_of_all_its_values(values: list[str], type: str) -> None:
    rows = "".join(f"x,{value}\n" for value in values)
    assert declared(f"k,v\n{rows}")[1] == f"V {type});"


def test_a_file_with_ascending_times_is_a_stream() -> None:
    rows = "2026-01-01 10:00:00,1\n2026-01-01 10:00:05,2\n"
    assert command("describe", "orders.csv", "--name", "O").stdout == (
        "CREATE STREAM O (\n  ROWTIME TIMESTAMP(3) NOT NULL ASCENDING,\n  PRODUCTID INTEGER,\n"
        "  UNITS INTEGER) WITH HISTORY;\n"
    )
    assert declared(f"at,n\n{rows}", "--rowtime", "at")[0] == "AT TIMESTAMP(3) NOT NULL ASCENDING"
    for other in ("2026-01-01 09:00:00,3\n", ",3\n"):
        assert declared(f"rowtime,n\n{rows}{other}")[0] == "ROWTIME TIMESTAMP(3)"


def test_a_declaration_that_was_found_reads_its_file() -> None:
    text = 'a b,select,n\n1,x,2.5\n,"",\n'
    assert declared(text) == ['"a b" INTEGER', '"select" VARCHAR', "N DOUBLE);"]
    Path("d.sql").write_text(command("describe", "x.csv").stdout)
    asked = ["run", "--ddl", "d.sql", "--data", "x=x.csv", "--format", "csv", "SELECT * FROM x"]
    assert command(*asked).stdout == 'a b,select,N\n1,x,2.5\n,"",\n'


def test_columns_of_json_and_parquet_are_found() -> None:
    rows = [{"a": 1, "t": "2026-01-01T10:00:00Z", "d": {"x": 1}}, {"a": 2.5, "b": True}]
    found = declared("".join(json.dumps(row) + "\n" for row in rows), name="x.jsonl")
    assert found == ["A DOUBLE", "T TIMESTAMP(3)", "D VARCHAR", "B BOOLEAN);"]
    arrow: Any = import_module("pyarrow")  # it has no types
    parquet: Any = import_module("pyarrow.parquet")
    columns = {
        "n": [1],
        "d": [Decimal("1.50")],
        "l": [[1]],
        "t": [datetime(2026, 1, 1)],
        "b": [b"x"],
    }
    parquet.write_table(arrow.table(columns), "x.parquet")
    lines = command("describe", "x.parquet").stdout.splitlines()
    assert lines[0].startswith("-- column l is not read: list<")
    assert [line.strip(" ,") for line in lines[2:]] == [
        "N BIGINT", "D DECIMAL(3, 2)", "T TIMESTAMP(3)", "B VARCHAR);",
    ]  # fmt: skip


def test_a_query_names_files() -> None:
    Path("p.csv").write_text("id,name\n10,Beer\n")
    query = (
        "SELECT o.units, p.name -- FROM 'no.csv'\n"
        "FROM 'orders.csv' AS o JOIN 'p.csv' AS p ON o.productId = p.id WHERE p.name <> 'FROM x'"
    )
    result = command("run", "--format", "csv", query)
    assert (result.exit_code, result.stdout) == (0, "UNITS,NAME\n1,Beer\n6,Beer\n")
    assert 'CREATE TABLE "p.csv" (' in result.stderr
    streamed = command("run", "--format", "csv", "SELECT STREAM units FROM 'orders.csv'")
    assert streamed.stdout == "UNITS\n4\n1\n6\n"
    wrong = command("run", "SELECT unit FROM 'orders.csv'")
    assert (wrong.exit_code, wrong.stdout) == (1, "")
    assert "hint: UNITS" in wrong.stderr or "UNITS" in wrong.stderr
    gone = command("run", "SELECT * FROM 'gone.csv'")
    assert (gone.exit_code, gone.stderr) == (1, "gone.csv: No such file or directory\n")


@pytest.mark.parametrize("kind", ["pandas", "arrow"])
def test_a_frame_is_a_table(kind: str) -> None:
    frame = pandas.DataFrame(
        {
            "id": [1, 2],
            "v": [0.5, None],
            "t": [pandas.Timestamp("2026-01-01"), pandas.NaT],
            "s": ["a", None],
        }
    )
    arrow: Any = import_module("pyarrow")  # it has no types
    with rowtime.connect() as db:
        given: Any = frame if kind == "pandas" else arrow.Table.from_pandas(frame)
        assert db.register("Orders", given) == 2
        assert db.execute("SELECT id, v, t, s FROM Orders").fetchall() == [
            (1, 0.5, datetime(2026, 1, 1), "a"),
            (2, None, None, None),
        ]
        with pytest.raises(rowtime.DataError, match="column l has the type list"):
            db.register("Other", arrow.table({"l": [[1]]}))
        with pytest.raises(rowtime.ProgrammingError):
            db.register("Orders", frame)


def test_half_of_a_character_in_a_name_is_an_error() -> None:
    """No declaration in UTF-8 can have that name."""
    Path("x.jsonl").write_text('{"t": 1}\n{"a\\ud83d": 1}\n')
    result = command("describe", "x.jsonl")
    assert result.exit_code == 1
    assert result.stderr == "x.jsonl:2: half a character in the name 'a\\ud83d'\n"


def test_explain_and_compare_take_the_files_of_a_query() -> None:
    query = "SELECT STREAM units FROM 'orders.csv'"
    plan = command("explain", query)
    assert plan.exit_code == 0, plan.stderr
    assert "LogicalTableScan(table=[[orders.csv]], reads=[stream])" in plan.stdout
    compared = command("compare", "--backend", "reference", "--step", "1", query)
    assert (compared.exit_code, compared.stdout) == (
        0,
        "reference: as the reference at tier exact: 3 rows\n",
    ), compared.stderr
    gone = command("compare", "--backend", "reference", "SELECT * FROM 'gone.csv'")
    assert (gone.exit_code, gone.stderr) == (2, "gone.csv: No such file or directory\n")
    assert command("explain", "SELECT * FROM 'gone.csv'").exit_code == 1
