"""Everyday values and calls that programs and people make."""

import subprocess
import sys
from datetime import date, datetime, timedelta
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy
import pandas
import pytest

import rowtime
from tests.rowtime.files.entrances import command

pytestmark = pytest.mark.usefixtures("folder")

AT = datetime(2026, 1, 1, 10, 0, 0, 123_000)


@pytest.mark.parametrize(
    ("type", "value", "expected"),
    [
        ("INTEGER", numpy.int64(7), 7),
        ("INTEGER", numpy.float64(7.0), 7),
        ("INTEGER", 7.0, 7),
        ("DOUBLE", numpy.float32(0.5), 0.5),
        ("BOOLEAN", numpy.bool_(True), True),
        ("VARCHAR(3)", numpy.str_("abc"), "abc"),
        ("TIMESTAMP(3)", numpy.datetime64("2026-01-01T10:00:00.123456789"), AT),
        ("TIMESTAMP(3)", pandas.Timestamp("2026-01-01T10:00:00.123456789"), AT),
        ("TIMESTAMP(3)", pandas.Timestamp("2026-01-01T12:00:00.123+02:00"), AT),
        ("DATE", numpy.datetime64("2026-01-01"), date(2026, 1, 1)),
        ("INTERVAL DAY TO SECOND(3)", pandas.Timedelta("90s"), timedelta(seconds=90)),
        ("INTERVAL DAY TO SECOND(3)", numpy.timedelta64(90, "s"), timedelta(seconds=90)),
        ("TIMESTAMP(3)", pandas.NaT, None),
        ("TIMESTAMP(3)", numpy.datetime64("NaT"), None),
        ("INTEGER", pandas.NA, None),
    ],
)
def test_scalars_of_numpy_and_pandas_are_values(type: str, value: Any, expected: object) -> None:
    with rowtime.connect() as db:
        db.execute(f"CREATE TABLE X (v {type})")
        db.execute("INSERT INTO X VALUES (?)", (value,))
        assert db.execute("SELECT * FROM X").fetchall() == [(expected,)]


@pytest.mark.parametrize("value", [object(), [1], {1}, numpy.array([1, 2]), 1j, 1.5])
def test_other_objects_are_refused(value: Any) -> None:
    with rowtime.connect() as db:
        db.execute("CREATE TABLE X (v INTEGER)")
        with pytest.raises(rowtime.DataError, match="a parameter: "):
            db.execute("INSERT INTO X VALUES (?)", (value,))


@pytest.mark.parametrize("type", ["VARCHAR", "DATE"])
def test_half_of_a_character_is_refused_in_the_words_of_sql(type: str) -> None:
    with rowtime.connect() as db:
        db.execute(f"CREATE TABLE X (v {type})")
        with pytest.raises(rowtime.DataError) as caught:
            db.execute("INSERT INTO X VALUES (?)", ("\ud83d",))
        expected = r"a parameter: the text has half of a surrogate pair, \ud83d"
        assert str(caught.value) == expected


@pytest.mark.parametrize(
    ("format", "expected"), [("table", b"\\xe9\\U0001d11e"), ("csv", "é𝄞".encode())]
)
def test_a_terminal_without_a_character_does_not_end_a_run(format: str, expected: bytes) -> None:
    query = "SELECT 'é𝄞' AS v FROM (VALUES (1)) AS t (x)"
    done = subprocess.run(
        [sys.executable, "-m", "rowtime", "run", "--format", format, query],
        capture_output=True,
        env={"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "PYTHONPATH": str(_tree())},
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert expected in done.stdout


def _tree() -> Path:
    return Path(rowtime.__file__).parents[1]


def test_control_characters_stay_in_their_cell() -> None:
    Path("x.csv").write_text('v\n"a\tb\x1b[31m\nc"\n')
    Path("x.sql").write_text("CREATE TABLE X (v VARCHAR);")
    result = command("run", "--ddl", "x.sql", "--data", "X=x.csv", "SELECT * FROM X")
    assert result.stdout.splitlines()[2] == r" a\tb\x1b[31m\nc".strip()


def test_a_field_has_any_length() -> None:
    Path("x.csv").write_text(f"id,v\n1,{'x' * 200_000}\n")
    Path("x.sql").write_text("CREATE TABLE X (id INTEGER, v VARCHAR);")
    asked = ["run", "--ddl", "x.sql", "--data", "X=x.csv", "--format", "csv"]
    assert command(*asked, "SELECT CHAR_LENGTH(v) AS n FROM X").stdout == "N\n200000\n"


def test_a_query_and_rows_come_from_standard_input() -> None:
    assert command("run", "-f", "-", "--format", "csv", input="VALUES (1)").stdout == "EXPR$0\n1\n"
    Path("x.sql").write_text("CREATE TABLE X (v INTEGER);")
    asked = ["run", "--ddl", "x.sql", "--data", "X=-", "--format", "csv", "SELECT v FROM X"]
    assert command(*asked, input="v\n7\n").stdout == "V\n7\n"
    twice = command(*asked[:-1], "--data", "X=-", "SELECT v FROM X", input="v\n7\n")
    assert (twice.exit_code, twice.stdout) == (1, "")


def test_the_shell_executes_a_command() -> None:
    done = command("sql", "-c", "CREATE TABLE T (a INTEGER); SELECT * FROM U;")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "UNKNOWN_OBJECT" in done.stderr
    done = command("sql", "--format", "csv", "-c", "VALUES (1), (2)")
    assert (done.exit_code, done.stdout) == (0, "EXPR$0\n1\n2\n")


@pytest.mark.parametrize("end", ["exit", "quit", "EXIT;", "\\q"])
def test_the_shell_ends_at_a_word(end: str) -> None:
    done = command("sql", input=f"VALUES (1);\n{end}\nVALUES (2);\n")
    assert (done.exit_code, done.stdout.count("(1 row)")) == (0, 1)


def test_the_shell_imports_files() -> None:
    Path("x.tsv").write_text("b\ta\n\t1\ny\t2\n")
    Path("bad.csv").write_text("a,b\nx,y\n")
    text = "CREATE TABLE T (a INTEGER, b VARCHAR(9));\n.import x.tsv T\nSELECT * FROM T;\n.tables\n"
    done = command("sql", "--format", "csv", input=text)
    assert done.stdout.startswith("2 rows written\nA,B\n1,\n2,y\n")
    assert "table    T\n" in done.stdout
    for line, message in (
        (".import bad.csv T", "bad.csv:2"),
        (".import gone.csv T", "gone.csv: No such file"),
        (".import x.tsv", "FILE NAME"),
    ):
        refused = command("sql", input=f"CREATE TABLE T (a INTEGER, b VARCHAR(9));\n{line}\n")
        assert refused.exit_code == 1
        assert message in refused.stderr
    Path("inner").mkdir()
    confined = ["sql", "--root", "inner"]
    refused = command(*confined, input="CREATE TABLE T (a INTEGER);\n.import x.tsv T\n")
    assert "is not within inner, to which .import is confined" in refused.stderr


def _write_old_times() -> None:
    arrow: Any = import_module("pyarrow")  # it has no types
    parquet: Any = import_module("pyarrow.parquet")
    moments = [
        datetime(1, 1, 1),
        datetime(1969, 12, 31, 23, 59, 59, 999_999),
        datetime(9999, 12, 31, 23, 59, 59, 999_000),
        None,
    ]
    table = arrow.table({"t": arrow.array(moments, arrow.timestamp("us"))})
    parquet.write_table(table, "x.parquet", use_deprecated_int96_timestamps=True)


def test_old_times_of_parquet_are_read_in_the_whole_calendar() -> None:
    """In nanoseconds, pyarrow's default, the first and the third would be of other centuries."""
    _write_old_times()
    found = command("run", "--format", "csv", "SELECT * FROM 'x.parquet'")
    assert found.stdout.splitlines() == [
        "T",
        "0001-01-01 00:00:00",
        "1969-12-31 23:59:59.999",
        "9999-12-31 23:59:59.999",
        "",
    ]


def test_strict_times_refuse_an_old_time_of_parquet_that_is_finer() -> None:
    _write_old_times()
    Path("x.sql").write_text("CREATE TABLE X (t TIMESTAMP(3));")
    asked = ["run", "--ddl", "x.sql", "--data", "X=x.parquet", "--strict-times"]
    found = command(*asked, "SELECT * FROM X")
    assert found.exit_code == 1
    assert "x.parquet:2: T: '1969-12-31 23:59:59.999' is finer than a millisecond" in found.stderr


@pytest.mark.parametrize("nanos", [1, 999_500, 1_000_001, -1, 1_700_000_000_123_000_001])
@pytest.mark.parametrize("old", [True, False])
def test_strict_times_refuse_a_time_of_parquet_with_a_part_of_a_microsecond(
    nanos: int, old: bool
) -> None:
    """S-613.c: in the old form (INT96) and in the new one; times in whole milliseconds are read."""
    arrow: Any = import_module("pyarrow")  # it has no types
    parquet: Any = import_module("pyarrow.parquet")
    moments = [0, 1_700_000_000_123_000_000, None, nanos]
    table = arrow.table({"n": range(4), "t": arrow.array(moments, arrow.timestamp("ns"))})
    parquet.write_table(table, "x.parquet", use_deprecated_int96_timestamps=old)
    Path("x.sql").write_text("CREATE TABLE X (n INTEGER, t TIMESTAMP(3));")
    asked = ["run", "--ddl", "x.sql", "--format", "csv", "SELECT n FROM X WHERE t IS NOT NULL"]
    assert command(*asked, "--data", "X=x.parquet").stdout == "N\n0\n1\n3\n"
    refused = command(*asked, "--data", "X=x.parquet", "--strict-times")
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert refused.stderr.startswith("1 malformed row; nothing was written\nx.parquet:4: T: ")
    assert "is finer than a millisecond" in refused.stderr
    parquet.write_table(table.slice(0, 3), "x.parquet", use_deprecated_int96_timestamps=old)
    whole = command(*asked, "--data", "X=x.parquet", "--strict-times")
    assert whole.stdout == "N\n0\n1\n"


def test_integers_of_parquet_that_are_no_times_get_the_option_that_reads_them() -> None:
    arrow: Any = import_module("pyarrow")  # it has no types
    parquet: Any = import_module("pyarrow.parquet")
    parquet.write_table(arrow.table({"t": [1_767_261_600]}), "x.parquet")
    Path("x.sql").write_text("CREATE TABLE X (t TIMESTAMP(3));")
    asked = ["run", "--ddl", "x.sql", "--data", "X=x.parquet", "--format", "csv", "SELECT * FROM X"]
    refused = command(*asked)
    assert refused.exit_code == 1
    assert "which is not read as TIMESTAMP(3)\n  hint: time_unit 'ms', or --times" in refused.stderr
    assert command(*asked, "--times", "t=s").stdout == "T\n2026-01-01 10:00:00\n"


@pytest.mark.parametrize(
    ("text", "program"),
    [
        ('[{"a": 1}, {"a": 2}]', "jq -c '.[]'"),
        ('[\n{"a": 1},\n{"a": 2}\n]\n', "jq -c '.[]'"),
        ('\n {\n "a": 1\n}\n{"a": 2}\n', "jq -c ."),
    ],
)
def test_an_array_of_json_and_an_object_of_several_lines_get_the_program_that_divides_them(
    text: str, program: str
) -> None:
    Path("x.json").write_text(text)
    Path("x.sql").write_text("CREATE TABLE X (a INTEGER);")
    line = 2 if text.startswith("\n") else 1
    for asked in (
        ["run", "SELECT * FROM 'x.json'"],
        ["run", "--ddl", "x.sql", "--data", "X=x.json", "SELECT * FROM X"],
        ["describe", "x.json"],
        ["sql", "-c", "CREATE TABLE X (a INTEGER)", "-c", ".import x.json X"],
    ):
        refused = command(*asked)
        assert refused.exit_code == 1
        assert f"x.json:{line}" in refused.stderr
        assert f"{program} writes each" in refused.stderr


@pytest.mark.parametrize("line", ["7", "[1]", '[{"a": 1}, 2]', "null"])
def test_a_line_of_json_that_is_another_value_gets_no_program(line: str) -> None:
    Path("x.json").write_text(line)
    refused = command("run", "SELECT * FROM 'x.json'")
    assert refused.stderr == "x.json:1: not a JSON object\n"
