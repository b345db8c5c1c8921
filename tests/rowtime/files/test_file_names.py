"""The ending of a file's name decides its format and compression at every entrance (S-607.o)."""

import gzip
import json
from importlib import import_module
from pathlib import Path
from typing import Any

import pandas
import pytest

from algebra.outside.file_names import natural_order
from tests.rowtime.files.entrances import command

pytestmark = pytest.mark.usefixtures("folder")

ROWS = "a,b\n1,x\n2,\n"
#: How the same rows stand in a file of each ending.
ENDINGS = ("csv", "CSV", "tsv", "json", "jsonl", "ndjson", "parquet", "pq")
PACKED = ("csv.gz", "csv.zst", "tsv.gz", "json.gz", "jsonl.zst")


def result_of(query: str, *options: str) -> str:
    """The rows of a query on the table X, as CSV."""
    Path("x.sql").write_text("CREATE TABLE X (a INTEGER, b VARCHAR(9));")
    result = command("run", "--ddl", "x.sql", *options, query)
    assert result.exit_code == 0, result.stderr
    return result.stdout


@pytest.mark.parametrize("ending", [*ENDINGS, *PACKED])
def test_a_file_is_written_and_read_as_its_ending_says(ending: str) -> None:
    Path("x.csv").write_text(ROWS)
    assert result_of("SELECT * FROM X", "--data", "X=x.csv", "-o", f"y.{ending}") == ""
    again = result_of("SELECT * FROM X", "--data", f"X=y.{ending}", "--format", "csv")
    assert again == "A,B\n1,x\n2,\n"


def test_the_formats_are_what_other_programs_read() -> None:
    Path("x.csv").write_text(ROWS)
    for name in ("y.json", "y.parquet", "y.csv.gz", "y.tsv", "y.arrow", "y.md"):
        result_of("SELECT * FROM X", "--data", "X=x.csv", "-o", name)
    lines = Path("y.json").read_text().splitlines()
    assert [json.loads(line) for line in lines] == [{"A": 1, "B": "x"}, {"A": 2, "B": None}]
    frame = pandas.read_parquet("y.parquet")
    assert (list(frame["A"]), list(frame["B"])) == ([1, 2], ["x", None])
    assert gzip.decompress(Path("y.csv.gz").read_bytes()) == b"A,B\n1,x\n2,\n"
    assert Path("y.tsv").read_text() == "A\tB\n1\tx\n2\t\n"
    arrow: Any = import_module("pyarrow")  # it has no types
    with arrow.ipc.open_file("y.arrow") as file:
        assert file.read_all().to_pylist() == [{"A": 1, "B": "x"}, {"A": 2, "B": None}]
    assert Path("y.md").read_text() == "| A | B |\n|---:|---|\n| 1 | x |\n| 2 | NULL |\n"


def test_the_named_format_goes_before_the_ending() -> None:
    Path("x.csv").write_text(ROWS)
    result_of("SELECT a FROM X", "--data", "X=x.csv", "--format", "json", "-o", "y.csv")
    assert Path("y.csv").read_text() == '{"A": 1}\n{"A": 2}\n'
    printed = result_of("SELECT a FROM X", "--data", "X=x.csv", "--format", "csv", "-o", "-")
    assert printed == "A\n1\n2\n"


@pytest.mark.parametrize("ending", ["csv.bz2", "csv.xz", "json.lz4", "csv.zip", "parquet.gz"])
def test_a_compression_that_is_not_read_is_refused_by_name(ending: str) -> None:
    Path("x.sql").write_text("CREATE TABLE X (a INTEGER, b VARCHAR(9));")
    Path(f"x.{ending}").write_bytes(b"")
    shown = f".{ending}" if ending == "parquet.gz" else f".{ending.rpartition('.')[2]}"
    read = command("run", "--ddl", "x.sql", "--data", f"X=x.{ending}", "SELECT * FROM X")
    assert (read.exit_code, read.stdout) == (1, "")
    assert f"files that end in {shown} are not read or written" in read.stderr
    written = command("run", "-o", f"y.{ending}", "VALUES (1)")
    assert written.exit_code == 2
    assert f"files that end in {shown} are not written" in written.stderr
    columns = "(rowtime TIMESTAMP(3) ASCENDING)"
    Path("p.sql").write_text(f"CREATE FOREIGN STREAM X {columns} OPTIONS (path 'x.{ending}');")
    refused = command("run", "p.sql")
    assert refused.exit_code == 1
    assert "BAD_OPTION" in refused.stderr


@pytest.mark.parametrize(
    ("data", "ending"),
    [("in", "csv.bz2"), ("in", "CSV.XZ"), ("in", "tsv.zip"), ("in/*.csv*", "csv.bz2")],
)
def test_a_folder_with_a_compression_that_is_not_read_is_refused(data: str, ending: str) -> None:
    """S-607.t: in a query, in a query that names the files, and in a pipeline."""
    Path("in").mkdir()
    Path("in/1.csv").write_text("a\n1\n")
    Path("in/2.csv.gz").write_bytes(gzip.compress(b"a\n2\n"))
    Path("in/notes.zip").write_bytes(b"")
    Path("x.sql").write_text("CREATE TABLE X (a INTEGER);")
    columns = "(rowtime TIMESTAMP(3) ASCENDING)"
    Path("p.sql").write_text(
        f"CREATE FOREIGN STREAM X {columns} OPTIONS (format 'csv', path '{data}');"
        f"CREATE FOREIGN STREAM Y {columns} OPTIONS (path 'y.csv');"
        "INSERT INTO Y SELECT STREAM * FROM X;"
    )
    asked = ["run", "--ddl", "x.sql", "--data", f"X={data}", "--format", "csv", "SELECT a FROM X"]
    assert command(*asked).stdout == "A\n1\n2\n"
    Path(f"in/3.{ending}").write_bytes(b"")
    for call in (asked, ["run", "p.sql", "--once"]):
        refused = command(*call)
        assert (refused.exit_code, refused.stdout) == (1, "")
        shown = f"in/3.{ending}: files that end in .{ending.lower().rpartition('.')[2]} are not"
        assert shown in refused.stderr


@pytest.mark.parametrize("name", ["y.foo", "y.xlsx", "y.csv.old", "y", ".csv", "y.gz"])
def test_an_output_whose_name_names_no_format_is_refused(name: str) -> None:
    """S-607.u: in a query, and in a pipeline."""
    refused = command("run", "VALUES (1)", "-o", name)
    assert refused.exit_code == 2
    assert "has no ending that names a format: .csv, .tsv, " in refused.stderr
    assert "or use --format" in refused.stderr
    assert not Path(name).exists()
    columns = "(rowtime TIMESTAMP(3) ASCENDING)"
    Path("x.csv").write_text("rowtime\n2026-01-01 10:00:00\n")
    Path("p.sql").write_text(
        f"CREATE FOREIGN STREAM X {columns} OPTIONS (path 'x.csv');"
        f"CREATE FOREIGN STREAM Y {columns} OPTIONS (path '{name}');"
        "INSERT INTO Y SELECT STREAM * FROM X;"
    )
    refused = command("run", "p.sql", "--once")
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert "BAD_OPTION: OPTIONS do not name the format of the foreign stream" in refused.stderr
    assert not Path(name).exists()


@pytest.mark.parametrize("name", ["y.foo", "y"])
def test_a_named_format_is_written_whatever_the_name_of_the_file(name: str) -> None:
    assert command("run", "VALUES (1)", "--format", "csv", "-o", name).exit_code == 0
    assert Path(name).read_text() == "EXPR$0\n1\n"
    assert command("run", "VALUES (1)", "-o", "y.txt").exit_code == 0
    assert Path("y.txt").read_text() == "EXPR$0\n------\n     1\n(1 row)\n"


@pytest.mark.parametrize(
    "damaged",
    [b"a,b\n1,x\n", gzip.compress(b"a,b\n1,x\n", mtime=0)[:-6]],
    ids=["not compressed", "cut"],
)
def test_a_file_that_is_not_compressed_as_it_says_is_refused(damaged: bytes) -> None:
    Path("x.sql").write_text("CREATE TABLE X (a INTEGER, b VARCHAR(9));")
    Path("x.csv.gz").write_bytes(damaged)
    Path("x.csv.zst").write_bytes(b"a,b\n1,x\n")
    for name in ("x.csv.gz", "x.csv.zst"):
        result = command("run", "--ddl", "x.sql", "--data", f"X={name}", "SELECT * FROM X")
        assert (result.exit_code, result.stdout) == (1, "")
        assert name in result.stderr


@pytest.mark.parametrize("data", ["in", "in/*.csv*"])
def test_a_folder_and_a_pattern_are_read_in_natural_order(data: str) -> None:
    """S-607.k: 9 comes before 10."""
    Path("in").mkdir()
    for number in (10, 9, 1):
        Path(f"in/{number}.csv").write_text(f"a,b\n{number},x\n")
    Path("in/11.csv.gz").write_bytes(gzip.compress(b"a,b\n11,x\n"))
    Path("in/_12.csv").write_text("no row")
    rows = result_of("SELECT a FROM X", "--data", f"X={data}", "--format", "csv")
    assert rows.split() == ["A", "1", "9", "10", "11"]


def test_natural_order_is_that_of_the_numbers_in_names() -> None:
    names = ["b10", "b9", "a", "2.csv", "10.csv", "b09", ""]
    ordered = sorted(map(Path, names), key=natural_order)
    assert [each.name for each in ordered] == ["", "2.csv", "10.csv", "a", "b09", "b9", "b10"]


@pytest.mark.parametrize("mode", [0o640, 0o600, 0o444])
@pytest.mark.parametrize("name", ["y.csv", "y.parquet"])
def test_a_file_that_is_replaced_keeps_its_mode(name: str, mode: int) -> None:
    """In a query, and in a pipeline."""
    Path("x.csv").write_text(ROWS)
    for run in ("query", "pipeline"):
        Path(name).unlink(missing_ok=True)
        Path(name).touch()
        Path(name).chmod(mode)
        if run == "query":
            result_of("SELECT * FROM X", "--data", "X=x.csv", "-o", name)
        else:
            columns = "(rowtime TIMESTAMP(3) ASCENDING, productId INTEGER, units INTEGER)"
            Path("p.sql").write_text(
                f"CREATE FOREIGN STREAM X {columns} OPTIONS (path 'orders.csv');"
                f"CREATE FOREIGN STREAM Y {columns} OPTIONS (path '{name}');"
                "INSERT INTO Y SELECT STREAM * FROM X;"
            )
            assert command("run", "p.sql").exit_code == 0
        assert Path(name).stat().st_size > 0
        assert Path(name).stat().st_mode & 0o777 == mode


#: A character that no system allows in a name.
NUL = "\0"
PIPELINE = """
CREATE FOREIGN STREAM I (rowtime TIMESTAMP(3) ASCENDING) OPTIONS ({source});
CREATE FOREIGN STREAM O (rowtime TIMESTAMP(3) ASCENDING) OPTIONS ({sink});
INSERT INTO O SELECT STREAM * FROM I;
"""


def test_a_nul_in_the_name_of_a_file_is_an_error_in_a_query() -> None:
    Path("q.sql").write_text(f"SELECT * FROM 'a{NUL}.csv'")
    result = command("run", "-f", "q.sql")
    assert result.exit_code == 1
    assert "'a\\x00.csv' is not the name of a file: it has a character NUL" in result.stderr


@pytest.mark.parametrize(
    ("source", "sink", "option"),
    [
        (f"path 'a{NUL}.csv'", "path 'o.csv'", "path"),
        ("path 'i.csv'", f"path 'o{NUL}.csv'", "path"),
        (f"format 'socket', host 'a{NUL}', port 1", "path 'o.csv'", "host"),
    ],
    ids=["source", "sink", "host"],
)
def test_a_nul_in_a_name_is_an_error_in_a_pipeline(source: str, sink: str, option: str) -> None:
    Path("i.csv").write_text("rowtime\n2026-01-01 10:00:00\n")
    Path("p.sql").write_text(PIPELINE.format(source=source, sink=sink))
    result = command("run", "p.sql", "--once")
    assert result.exit_code == 1
    assert f"is not a value of option '{option}'" in result.stderr


@pytest.mark.parametrize("root", [(), ("--root", ".")], ids=["everywhere", "within a root"])
@pytest.mark.parametrize("typed", [f".import a{NUL}.csv T", f".read a{NUL}.sql"])
def test_a_nul_in_the_name_of_a_file_is_an_error_in_the_shell(
    typed: str, root: tuple[str, ...]
) -> None:
    result = command("sql", *root, input=f"CREATE TABLE T (n INTEGER);\n{typed}\n")
    assert result.exit_code == 1
    assert "NUL" in result.stderr or "null byte" in result.stderr


@pytest.mark.parametrize("ending", ["gz", "zst"])
def test_a_compressed_file_that_was_cut_is_an_error_with_a_hint(ending: str) -> None:
    arrow: Any = import_module("pyarrow")  # it has no types
    rows = ROWS.encode() * 100
    packed = gzip.compress(rows) if ending == "gz" else arrow.compress(rows, "zstd", asbytes=True)
    Path(f"x.csv.{ending}").write_bytes(packed[:-5])
    result = command("run", f"SELECT * FROM 'x.csv.{ending}'")
    assert result.exit_code == 1
    assert f"x.csv.{ending}: not a whole .{ending} file: " in result.stderr
    assert f"hint: write the file again, or take .{ending} out of its name" in result.stderr


def test_a_link_that_leads_back_to_itself_is_an_error_at_every_entrance() -> None:
    """Python before 3.13 raises a RuntimeError when such a link is resolved."""
    Path("x.csv").write_text(ROWS)
    Path("cases").mkdir()
    for name in ("loop.csv", "loop.parquet", "loop.sql", "cases/loop.yaml"):
        Path(name).symlink_to(Path(name).name)
    stream = "CREATE FOREIGN STREAM {} (a INTEGER, b VARCHAR) OPTIONS (path '{}');"
    insert = "INSERT INTO O SELECT STREAM * FROM S;"
    sides = {"source.sql": ("loop.csv", "y.csv"), "sink.sql": ("x.csv", "loop.csv")}
    for name, (read, written) in sides.items():
        script = f"{stream.format('S', read)}\n{stream.format('O', written)}\n{insert}"
        Path(name).write_text(script)
    for arguments in (
        ["run", "SELECT * FROM 'x.csv'", "-o", "loop.csv"],
        ["run", "SELECT * FROM 'x.csv'", "-o", "loop.parquet"],
        ["run", "source.sql", "--once"],
        ["run", "sink.sql", "--once"],
        ["run", "source.sql", "--once", "--root", "."],
        ["sql", "--root", ".", "-c", ".read loop.sql"],
        ["tck", "list", "--cases", "cases"],
    ):
        result = command(*arguments)
        assert result.exit_code in (1, 2), arguments
        assert "Too many levels of symbolic links" in result.stderr, arguments
