"""The files of sqllogictest have the results that the reference has over the same tables."""

import json
from collections.abc import Mapping
from io import StringIO
from pathlib import Path

import pytest
from typer.testing import CliRunner

from engines.harness.sqllogictest import ENGINES, serve, text
from reference.backend import ReferenceBackend
from rowtime.cli import app
from tck.corpus.case import Case
from tck.corpus.load import kit_corpus
from tck.corpus.selected.sqllogictest import (
    NotPortableError,
    is_ordered,
    sqllogictest_file,
    sqllogictest_files,
    table_query,
    tables_of,
)
from tck.corpus.values import read_value
from tck.protocol import Accepted, End, Load, Open

#: Every 25th case is run on the reference.
STRIDE = 25


@pytest.fixture(scope="module")
def files() -> Mapping[str, str]:
    """All files of the kit's cases."""
    return sqllogictest_files(kit_corpus().cases)[0]


def case(id: str) -> Case:
    """A case of the kit."""
    (found,) = kit_corpus().only([id]).cases
    return found


def test_there_are_thousands_of_files(files: Mapping[str, str]) -> None:
    assert len(files) >= 2000


def test_a_file_is_as_sqllogictest_md_shows_it() -> None:
    page = Path(__file__).parents[3] / "docs" / "sqllogictest.md"
    shown = page.read_text("utf-8").partition("```text\n")[2].partition("```")[0]
    assert sqllogictest_file(case("passing-ceil-strict-at")) == shown


def test_no_record_has_an_empty_line_or_a_line_of_dashes_inside(files: Mapping[str, str]) -> None:
    """An empty line ends a record, and the line of dashes begins the result."""
    for name, content in files.items():
        head, *records = content.removesuffix("\n").split("\n\n")
        assert all(line.startswith("#") for line in head.splitlines()), name
        assert all(record.startswith(("statement ok\n", "query ")) for record in records), name
        assert content.count("\n----") == 1, name


@pytest.mark.parametrize(
    ("id", "reason"),
    [
        ("late-row-enters-no-hop-that-is-open", "not that of a query over tables: late"),
        ("order-by-unordered-column-is-refused", "it lists no rows of a query"),
        ("distances-of-dates", "a column of the result is an interval"),
    ],
)
def test_a_case_that_is_no_query_over_tables_has_no_file(id: str, reason: str) -> None:
    with pytest.raises(NotPortableError, match=reason):
        sqllogictest_file(case(id))


def test_a_text_and_a_comment_keep_the_word_stream() -> None:
    assert table_query("SELECT STREAM 'SELECT STREAM' AS x -- SELECT STREAM\n\nFROM t") == (
        "SELECT 'SELECT STREAM' AS x -- SELECT STREAM\nFROM t"
    )


def test_the_reference_has_the_same_rows_over_the_tables(files: Mapping[str, str]) -> None:
    """This is the law S-303.a, by which a streaming case becomes a query over tables."""
    ids = [name.split("/")[1].removesuffix(".slt") for name in files][::STRIDE]
    cases = {each.id: each for each in kit_corpus().cases}
    assert [id for id in ids if lines_on_reference(cases[id]) != result_lines(cases[id])] == []


def test_statements_after_the_declarations_are_in_the_file() -> None:
    """A view can have the name of a view that DROP has removed."""
    dropping = case("names-are-free-after-drop-cascade-second")
    assert lines_on_reference(dropping) == result_lines(dropping) == ["7"]


@pytest.mark.parametrize("engine", ["sqlite", "duckdb"])
def test_an_engine_runs_a_file_by_the_protocol_of_the_runner(engine: str) -> None:
    """The runner sends each statement as JSON, and joins the values of a row by blanks."""
    *statements, query = sqllogictest_file(case("left-join-keeps-the-left")).split("\n\n")[1:]
    sent = [record.partition("\n")[2] for record in statements]
    sent.append(query.partition("\n")[2].partition("\n----\n")[0])
    requests = StringIO("".join(json.dumps({"sql": sql}) for sql in [*sent, "SELECT '}' FROM no"]))
    answers = StringIO()
    serve(ENGINES[engine](), requests, answers)
    *done, rows, failed = map(json.loads, answers.getvalue().splitlines())
    assert all("result" in each for each in done)
    assert sorted(" ".join(row) for row in rows["result"]) == (
        query.partition("\n----\n")[2].splitlines()
    )
    assert set(failed) == {"err"}


def test_the_command_writes_a_folder_and_says_which_cases_have_no_file(tmp_path: Path) -> None:
    only = ["--only", "simple/passing-ceil-strict-*", "--only", "late-row-enters-no-hop*"]
    call = ["tck", "export", "--format", "sqllogictest", *only]
    done = CliRunner().invoke(app, [*call, "-o", str(tmp_path)])
    assert done.exit_code == 0
    assert "1 case has no file: its result is not that of a query over tables: late" in done.stderr
    written = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.slt"))
    assert "simple/passing-ceil-strict-at.slt" in written
    assert f"{len(written)} files" in done.stderr
    assert CliRunner().invoke(app, call).exit_code == 2


def result_lines(case: Case) -> list[str]:
    """The lines of the result in the file of a case."""
    return sqllogictest_file(case).split("\n----\n")[-1].splitlines()


def lines_on_reference(case: Case) -> list[str]:
    """The lines that the reference has, by the texts of the engines' harness."""
    backend = ReferenceBackend()
    answer = backend.open(Open(script_of(case), table_query(case.sql or ""), case.profile))
    assert isinstance(answer, Accepted), (case.id, answer)
    for name, rows in tables_of(case).items():
        if rows:  # the script may have dropped a table without rows
            backend.feed(Load(name, rows))
    backend.feed(End())
    output = backend.poll()
    backend.close()
    assert output.error is None, (case.id, output.error)
    types = [column.type for column in answer.columns]
    lines = [
        [text(read_value(cell, type).value) for cell, type in zip(row, types, strict=True)]
        for row in output.rows
    ]
    return [" ".join(row) for row in (lines if is_ordered(case) else sorted(lines))]


def script_of(case: Case) -> str:
    """The statements of a case's file that are neither an INSERT nor the query."""
    records = sqllogictest_file(case).split("\n\n")
    statements = (each.partition("\n")[2] for each in records if each.startswith("statement ok\n"))
    return "".join(f"{each};\n" for each in statements if not each.startswith("INSERT INTO "))
