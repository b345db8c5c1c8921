"""Columns whose values are within members of JSON: ``name VARCHAR FROM '$.user.name'``."""

from pathlib import Path

import pytest

from tests.rowtime.files.entrances import command
from tests.rowtime.pipelines import rowtime

pytestmark = pytest.mark.usefixtures("folder")

BACKENDS = ("reference", pytest.param("spark", marks=pytest.mark.spark))

COLUMNS = """(
  rowtime TIMESTAMP(3) NOT NULL ASCENDING FROM '$.meta.time',
  name VARCHAR(10) FROM '$.user[''first name'']',
  price DECIMAL(6, 2) FROM '$.items[1].price',
  tags VARCHAR(20) FROM '$.tags',
  id INTEGER)"""

_FIRST = """{"meta": {"time": "2026-01-01T10:00:00Z"}, "user": {"first name": "Ann"}, "id": 1,
 "items": [{"price": 9}, {"price": 1.10}], "tags": ["a", 1.0]}"""

LINES = (
    _FIRST.replace("\n", ""),
    '{"meta": {"time": "2026-01-01 10:01:00"}, "user": null, "ID": 2, "items": [], "name": "no"}',
    '{"meta": {"time": "2026-01-01 10:02:00"}, "user": {"first name": null}, "items": {"1": 7}}',
)

ROWS = (
    "ROWTIME,NAME,PRICE,TAGS,ID\n"
    '2026-01-01 10:00:00,Ann,1.10,"[""a"", 1.0]",1\n'
    "2026-01-01 10:01:00,,,,2\n"
    "2026-01-01 10:02:00,,,,\n"
)


def lines(*given: str) -> None:
    Path("n.jsonl").write_text("".join(f"{line}\n" for line in given))


def declared(columns: str = COLUMNS) -> None:
    Path("d.sql").write_text(f"CREATE STREAM N {columns};")


def test_a_query_reads_what_is_within_members() -> None:
    """S-607.s."""
    lines(*LINES)
    declared()
    query = ("run", "--ddl", "d.sql", "--data", "N=n.jsonl", "--format", "csv")
    result = command(*query, "SELECT STREAM * FROM N")
    assert (result.exit_code, result.stdout) == (0, ROWS), result.stderr


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_pipeline_reads_what_is_within_members(backend: str) -> None:
    lines(*LINES)
    text = (
        f"CREATE FOREIGN STREAM N {COLUMNS} OPTIONS (path 'n.jsonl');"
        "CREATE FOREIGN STREAM O (rowtime TIMESTAMP(3) NOT NULL ASCENDING, name VARCHAR(10), "
        "price DECIMAL(6, 2), tags VARCHAR(20), id INTEGER) OPTIONS (path 'o.csv');"
        "INSERT INTO O SELECT STREAM * FROM N;"
    )
    result = rowtime(text, "--once", backend=backend)
    assert (result.exit_code, Path("o.csv").read_text()) == (0, ROWS), result.stderr


def test_a_value_that_its_column_cannot_hold_is_named() -> None:
    lines(LINES[0].replace('"Ann"', '"Ann-Catherine"'))
    declared()
    result = command("run", "--ddl", "d.sql", "--data", "N=n.jsonl", "SELECT STREAM * FROM N")
    assert result.exit_code == 1
    assert "n.jsonl:1: NAME: a text of 13 characters where VARCHAR(10) holds 10" in result.stderr


@pytest.mark.parametrize(
    "path", ["", "$", "name", "$name", "$.", "$.a[", "$.a[-1]", "$..a", "$[*]"]
)
def test_a_text_that_is_no_path_is_refused_where_it_stands(path: str) -> None:
    declared(f"(rowtime TIMESTAMP(3) ASCENDING, a INTEGER FROM '{path}')")
    result = command("run", "--ddl", "d.sql", "SELECT STREAM * FROM N")
    assert result.exit_code == 1
    assert f"BAD_OPTION: '{path}' is not a path to a member" in result.stderr
    assert "^" * (len(path) + 2) in result.stderr


def test_a_path_needs_json() -> None:
    declared()
    query = ("run", "--ddl", "d.sql", "--data", "N=orders.csv", "SELECT STREAM * FROM N")
    result = command(*query)
    assert (result.exit_code, result.stdout) == (1, "")
    assert "orders.csv: column ROWTIME has a path, which needs JSON" in result.stderr


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_source_of_csv_and_a_sink_have_no_paths(backend: str) -> None:
    plain = "(rowtime TIMESTAMP(3) NOT NULL ASCENDING, id INTEGER)"
    nested = "(rowtime TIMESTAMP(3) NOT NULL ASCENDING, id INTEGER FROM '$.a.id')"
    for source, sink, message in (
        (nested, plain, "o.csv: column ID has a path, which needs JSON"),
        (plain, nested, "BAD_OPTION: O has columns with a path, which are only read"),
    ):
        Path("o.csv").write_text("rowtime,id\n2026-01-01 10:00:00,1\n")
        text = (
            f"CREATE FOREIGN STREAM I {source} OPTIONS (path 'o.csv');"
            f"CREATE FOREIGN STREAM O {sink} OPTIONS (format 'json', path 'p.jsonl');"
            "INSERT INTO O SELECT STREAM * FROM I;"
        )
        result = rowtime(text, "--once", backend=backend)
        assert result.exit_code == 1
        assert message in result.stderr
        assert not Path("p.jsonl").exists()
