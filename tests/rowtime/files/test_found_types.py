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
        (['""', '""'], "VARCHAR"),
        (['""', "1"], "INTEGER"),
        (["NA", "1"], "INTEGER"),
        (["2.5", "N/A", ""], "DOUBLE"),
        (["2026-01-01", "NULL"], "DATE"),
        (["\\N", "true"], "BOOLEAN"),
        (["NULL", "None"], "VARCHAR"),
        (["NA", "x"], "VARCHAR"),
        (['"NA"', "1"], "VARCHAR"),
    ],
)
def test_a_column_has_the_narrowest_type_of_all_its_values(values: list[str], type: str) -> None:
    rows = "".join(f"x,{value}\n" for value in values)
    assert declared(f"k,v\n{rows}")[-1] == f"V {type});"


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


def test_the_word_for_null_and_the_delimiter_are_found_and_shown() -> None:
    Path("x.csv").write_text("at;n;c\n2026-01-01;NA;N/A\n2026-01-02;7;y\nNA;8;NA\n")
    described = command("describe", "x.csv", "--name", "T").stdout
    note, declaration = described.split("\n", 1)
    assert note == """-- its rows: --data "T=x.csv OPTIONS (delimiter ';', null_text 'NA')\""""
    assert declaration == "CREATE TABLE T (\n  AT DATE,\n  N INTEGER,\n  C VARCHAR);\n"
    expected = "AT,N,C\n2026-01-01,,N/A\n2026-01-02,7,y\n,8,\n"
    Path("d.sql").write_text(described)
    data = note.partition('"')[2].removesuffix('"')
    asked = ("run", "--format", "csv")
    assert command(*asked, "--ddl", "d.sql", "--data", data, "SELECT * FROM T").stdout == expected
    found = command(*asked, "SELECT * FROM 'x.csv'")
    assert found.stdout == expected
    assert found.stderr.startswith("-- its file has OPTIONS (delimiter ';', null_text 'NA')\n")


def test_the_form_that_is_named_is_not_looked_for() -> None:
    Path("x.csv").write_text("a;b\nNA;1\n2;3\n")
    named = command("describe", "x.csv OPTIONS (delimiter ',')")
    assert named.stdout == 'CREATE TABLE X (\n  "a;b" VARCHAR);\n'
    named = command("describe", "x.csv OPTIONS (delimiter ';', null_text '-')")
    assert named.stdout.splitlines()[2] == "  A VARCHAR,"


def test_numbers_are_times_in_columns_whose_unit_is_named() -> None:
    """Which numbers are times, nobody can see: 1767261600 is 2026-01-01 10:00:00 in seconds."""
    Path("x.csv").write_text("t,u,n\n1767261600,1767261600123,1\n1767261601,NA,2\n")
    asked = ["--rowtime", "t", "--times", "s", "--times", "U=ms"]
    assert command("describe", "x.csv", *asked).stdout.splitlines()[1:] == [
        "CREATE STREAM X (",
        "  T TIMESTAMP(3) NOT NULL ASCENDING OPTIONS (time_unit 's'),",
        "  U TIMESTAMP(3) OPTIONS (time_unit 'ms'),",
        "  N INTEGER) WITH HISTORY;",
    ]
    rows = "T,U\n2026-01-01 10:00:00,2026-01-01 10:00:00.123\n2026-01-01 10:00:01,\n"
    query = "SELECT STREAM t, u FROM 'x.csv'"
    assert command("run", *asked, "--format", "csv", query).stdout == rows
    line = '{"t": 1767261600, "u": 1767261600123, "n": 1}\n'
    assert declared(line, *asked, name="x.jsonl")[1] == "U TIMESTAMP(3) OPTIONS (time_unit 'ms')"
    arrow: Any = import_module("pyarrow")  # it has no types
    parquet: Any = import_module("pyarrow.parquet")
    parquet.write_table(arrow.table({"t": [1767261600], "u": [None]}), "x.parquet")
    found = command("describe", "x.parquet", *asked).stdout.splitlines()[1]
    assert found == "  T TIMESTAMP(3) NOT NULL ASCENDING OPTIONS (time_unit 's'),"


def test_a_folder_is_a_stream_only_if_its_files_follow_each_other() -> None:
    Path("in").mkdir()
    Path("in/9.csv").write_text("rowtime\n2026-01-01 10:00:00\n2026-01-01 10:00:05\n")
    Path("in/10.csv").write_text("rowtime\n2026-01-01 10:00:05\n")
    assert command("describe", "in").stdout.startswith("CREATE STREAM")
    Path("in/11.csv").write_text("rowtime\n2026-01-01 10:00:04\n")
    assert command("describe", "in").stdout.startswith("CREATE TABLE")


def test_a_name_may_be_spelled_otherwise_in_other_records() -> None:
    Path("x.jsonl").write_text('{"a": 1}\n{"A": 2.5}\n')
    assert command("run", "--format", "csv", "SELECT * FROM 'x.jsonl'").stdout == "A\n1.0\n2.5\n"


def test_standard_input_is_not_described() -> None:
    refused = command("describe", "-", input="a\n1\n")
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert "it is read only once\n  hint: " in refused.stderr


def test_bytes_that_are_not_texts_and_texts_without_characters_are_found() -> None:
    arrow: Any = import_module("pyarrow")  # it has no types
    parquet: Any = import_module("pyarrow.parquet")
    parquet.write_table(arrow.table({"b": [b"\x00\xff"], "t": [b"x"]}), "x.parquet")
    found = command("run", "--format", "csv", "SELECT * FROM 'x.parquet'")
    assert found.stdout == "B,T\n00FF,x\n"
    Path("x.jsonl").write_text('{"v": ""}\n{"v": " "}\n')
    assert command("run", "--format", "csv", "SELECT * FROM 'x.jsonl'").stdout == 'V\n""\n \n'


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


def test_a_file_may_stand_after_a_comma_between_tables() -> None:
    Path("p.csv").write_text("id,name\n10,Beer\n")
    query = (
        "SELECT o.units, 'p.csv' AS file FROM (SELECT * FROM 'orders.csv' WHERE 'a' <> 'b') AS o, "
        "'p.csv' AS p WHERE o.productId = p.id ORDER BY o.units, 'orders.csv'"
    )
    result = command("run", "--format", "csv", query)
    assert (result.exit_code, result.stdout) == (0, "UNITS,FILE\n1,p.csv\n6,p.csv\n")


@pytest.mark.parametrize("file", ["in", "in/", "in/*.csv", "in/*", "./in"])
def test_a_query_names_a_folder_or_a_pattern(file: str) -> None:
    Path("in").mkdir()
    for number in (10, 9):
        Path(f"in/{number}.csv").write_text(f"id\n{number}\n")
    result = command("run", "--format", "csv", f"SELECT * FROM '{file}' AS f WHERE f.id > 0")
    assert (result.exit_code, result.stdout) == (0, "ID\n9\n10\n")


def test_a_query_names_a_file_with_options() -> None:
    Path("p.txt").write_text("id;name\n1;x\n")
    query = "SELECT * FROM 'p.txt OPTIONS (format ''csv'', delimiter '';'')'"
    assert command("run", "--format", "csv", query).stdout == "ID,NAME\n1,x\n"


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("a.csv.bz2", "files that end in .bz2 are not read or written; .gz and .zst are"),
        ("a.xlsx", "names of files end in .csv"),
        ("in/*.csv", "in/*.csv: No such file or directory"),
        ("-", "the types of standard input cannot be found"),
        ("Orders", "SYNTAX_ERROR: ''Orders'' does not fit here"),
    ],
)
def test_a_text_after_from_that_is_not_a_file_is_refused(file: str, message: str) -> None:
    result = command("run", f"SELECT * FROM '{file}'")
    assert (result.exit_code, result.stdout) == (1, "")
    assert message in result.stderr


def test_a_text_after_another_from_is_a_text() -> None:
    Path("p.csv").write_text("name\nx\n")
    query = (
        "SELECT TRIM('p' FROM 'p.csv') AS t FROM 'p.csv' AS p "
        "WHERE p.name IS DISTINCT FROM 'p.csv' AND p.name IN ('y', 'x')"
    )
    result = command("run", "--format", "csv", query)
    assert (result.exit_code, result.stdout) == (0, "T\n.csv\n")


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


@pytest.mark.parametrize(
    ("frame", "error", "message"),
    [
        (5, rowtime.ProgrammingError, "a DataFrame or a table of Arrow, not of int"),
        (pandas.DataFrame({"a": [object()]}), rowtime.DataError, "column a with type object"),
        (pandas.DataFrame({"a": [1, "x"]}), rowtime.DataError, "column a with type object"),
        (pandas.DataFrame({"a": [2**63]}), rowtime.DataError, "column a: 9223372036854775808 is"),
        (pandas.DataFrame([[1, 2]], columns=["a", "A"]), rowtime.ProgrammingError, "duplicate"),
        (pandas.DataFrame([[1, 2]], columns=["a", "a"]), rowtime.DataError, "the frame is not"),
    ],
)
def test_a_frame_that_is_not_read_leaves_no_table(
    frame: Any, error: type[Exception], message: str
) -> None:
    with rowtime.connect() as db:
        with pytest.raises(error, match=message):
            db.register("X", frame)
        assert db.register("X", pandas.DataFrame({"a": [1]})) == 1


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
