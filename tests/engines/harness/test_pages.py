"""What README and docs say of the engines is what their committed reports say."""

from dataclasses import replace
from pathlib import Path

import pytest

from engines.harness.differences import scripts
from engines.harness.matrix import Column, Marks, columns, read_ours, table, write_ours
from engines.harness.pages import FILES, blocks, pages, with_blocks
from engines.harness.reports import EngineReport, read_report, report_files


@pytest.fixture(scope="module")
def duckdb() -> EngineReport:
    """The report of an engine that is always there; to read it takes a second."""
    return read_report(next(each for each in report_files() if each.parent.name == "duckdb"))


@pytest.fixture(scope="module")
def made_blocks() -> dict[str, str]:
    """The generated texts, which are made from all reports."""
    return blocks()


def test_the_generated_parts_are_up_to_date(made_blocks: dict[str, str]) -> None:
    stale = [path.name for path, text, made in pages(made_blocks) if text != made]
    assert stale == [], "make differences writes them"


def test_each_block_is_in_a_page(made_blocks: dict[str, str]) -> None:
    texts = "".join(path.read_text(encoding="utf-8") for path in FILES)
    for name in made_blocks:
        assert texts.count(f"<!-- begin {name}") == texts.count(f"<!-- end {name}") == 1


def test_the_summary_counts_judged_streaming_queries(made_blocks: dict[str, str]) -> None:
    """Flink is asked nothing but streaming queries."""
    summary = made_blocks["summary"]
    head, _, *lines = [line.split(" | ") for line in summary.splitlines()]
    found = {line[0]: dict(zip(head, line, strict=True)) for line in lines}
    flink = found["| [flink](flink.md)"]
    assert int(flink["judged"]) == int(flink["cases"]) - int(flink["skipped"])
    assert int(flink["streaming"]) == int(flink["judged"]) > 0
    assert int(found["| [duckdb](duckdb.md)"]["streaming"]) == 0


def test_scripts_are_counted_by_engine_and_nothing_else_is(tmp_path: Path) -> None:
    for name in ("a/x.py", "a/y.sql", "a/pom.xml", "b/z.java", "a.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert scripts(tmp_path) == (
        "3 defects have a script that needs only the engine: 2 of [a](a.md), 1 of [b](b.md)."
    )


def test_a_block_replaces_what_is_between_its_marks() -> None:
    text = "x\n<!-- begin a: how -->\nold\n<!-- end a -->\ny"
    made = "x\n<!-- begin a: how -->\n\nnew\n\n<!-- end a -->\ny"
    assert with_blocks(text, {"a": "new"}) == made
    assert with_blocks(made, {"a": "new", "b": "none"}) == made


def test_a_case_without_rows_that_failed_has_wrong_rows(duckdb: EngineReport) -> None:
    """A query that was refused where it should not be is not left out of the fraction."""
    refused = [each for each in duckdb.entries if each.verdict.kind == "REFUSED"]
    assert refused
    marks = Marks()
    for each in refused:
        marks.add(each)
    assert (marks.right[0], marks.judged[0]) == (0, len(refused))


@pytest.mark.parametrize(
    ("marks", "text"),
    [
        (Marks(), ""),
        (Marks([12, 4, 0], [14, 4, 0]), "12/14 · 4/4 · -"),
        (Marks([0, 0, 1], [1, 0, 1]), "0/1 · - · 1/1"),
    ],
)
def test_fractions_of_rows_order_and_time(marks: Marks, text: str) -> None:
    assert str(marks) == text


def test_a_chapter_that_no_engine_ran_has_no_line() -> None:
    ran = {"joins": Marks([1, 0, 0], [1, 0, 0]), "hopping": Marks()}
    text = table([Column("toy", "1", "2026-02-15", "final", 14, ran)])
    assert text.splitlines()[-1] == "| joins | 1/1 · - · - |"
    assert "hopping" not in text


def test_totals_leave_out_the_chapter_beyond_as_reports_do(
    made_blocks: dict[str, str], duckdb: EngineReport
) -> None:
    ran = {"joins": Marks([1, 1, 0], [2, 1, 0]), "beyond": Marks([5, 0, 0], [7, 0, 0])}
    column = Column("toy", "1", "2026-02-15", "final", 14, ran)
    assert str(column.total) == "1/2 · 1/1 · -"
    (line,) = (each for each in made_blocks["summary"].splitlines() if "[duckdb]" in each)
    required = [each for each in duckdb.entries if each.chapter != "beyond"]
    assert len(required) < len(duckdb.entries)
    assert f" | {len(required)} | " in line


def test_our_own_marks_are_kept_without_the_report(duckdb: EngineReport, tmp_path: Path) -> None:
    path = tmp_path / "ours.json"
    (column,) = columns(duckdb.record)
    write_ours([column], path)
    (kept,) = read_ours(path)
    assert table([kept]) == table([column])
    write_ours([replace(column, name="another")], path)
    assert [each.name for each in read_ours(path)] == ["another", column.name]
