"""The page of the sources is made from the ledger and the cases, and is up to date."""

from dataclasses import replace
from pathlib import Path

from typer.testing import CliRunner

from tck.cli import app
from tck.corpus.case import Place
from tck.corpus.ledger import Entry
from tck.corpus.load import kit_corpus
from tck.pages.sources import FAMILIES, sources
from tests.tck.corpora import kit_entries, load_cases

PAGE = Path(__file__).parents[3] / "docs" / "sources.md"
CASE = """
id: all-rows
cites: [CAL-010]
sql: SELECT STREAM * FROM Orders
rows: [['10:00', 10, 4], ['10:00', 20, 1], ['10:05', 10, 7]]
"""


def entry(id: str, source: str = "A page: Chapter", right: str = "", reason: str = "") -> Entry:
    plain = Entry(id, source, f"what {id} says.", ("POS",), Place("x", 1), right)
    return replace(plain, untested="timed", reason=reason) if reason else plain


def test_the_page_in_the_docs_is_what_the_command_prints() -> None:
    """Made again with: rowtime tck sources > docs/sources.md."""
    printed = CliRunner().invoke(app, ["sources"])
    assert printed.exit_code == 0
    assert PAGE.read_text("utf-8").splitlines() == printed.stdout.splitlines()


def test_every_statement_of_the_kit_is_on_the_page_once() -> None:
    entries = kit_entries()
    lines = sources(entries, kit_corpus().cases).splitlines()
    marks = [line.split("**")[1] for line in lines if line.startswith("- **")]
    assert sorted(marks) == sorted(each.id for each in entries)


def test_every_family_of_the_kit_has_a_title() -> None:
    assert {each.family for each in kit_entries()} <= set(FAMILIES)


def test_a_statement_has_its_status_and_its_cases(tmp_path: Path) -> None:
    page = sources([entry("CAL-010", "Calcite: Top")], load_cases(tmp_path, CASE))
    assert "### Top\n\n- **CAL-010** (Calcite) what CAL-010 says.\n  *tested*: `all-rows`" in page


def test_a_statement_without_cases_has_the_reason() -> None:
    page = sources([entry("CAL-011", reason="only time can tell"), entry("CAL-012")], [])
    assert "  *timed*: only time can tell" in page
    assert "  *open*: no case yet" in page


def test_an_erratum_has_what_is_right() -> None:
    page = sources([entry("E-01", right="2 units.")], [])
    assert "(A page) what E-01 says. *Right:* 2 units.\n" in page


def test_sections_are_in_the_order_of_the_families_and_unknown_ones_last() -> None:
    origins = {"NEW-1": "A: Chapter", "E-01": "A", "CAL-001": "A: Top", "CAL-002": "B: Top"}
    page = sources([entry(id, source) for id, source in origins.items()], [])
    assert [line for line in page.splitlines() if line.startswith("#")] == [
        "# Sources",
        f"## {FAMILIES['CAL'][0]}",
        "### Top",
        f"## {FAMILIES['E'][0]}",
        "## NEW",
        "### Chapter",
    ]


def test_a_ledger_that_is_wrong_is_a_line_and_exit_code_2(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["sources", "--ledger", str(tmp_path)])
    assert result.exit_code == 2
    assert "there is no ledger" in result.stderr
