"""The pages have what the engines say, and the scripts show their defects."""

import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.engines.transcripts import Exchange, answer, exchanges

DOCS: Final = Path(__file__).parents[2] / "docs" / "engines"
PAGES: Final = [DOCS / "duckdb.md", DOCS / "sqlite.md"]
SCRIPTS: Final = sorted([*DOCS.glob("duckdb/*.py"), *DOCS.glob("sqlite/*.py")])
ASKED: Final = [each for page in PAGES for each in exchanges(page)]


@pytest.mark.parametrize("each", ASKED, ids=lambda e: f"{e.engine} {e.asked}")
def test_the_engine_answers_as_its_page_says(each: Exchange) -> None:
    assert answer(each.engine, each.asked) == each.answered


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda each: each.stem)
def test_the_defect_is_still_there(script: Path) -> None:
    run = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (1, ""), run.stdout
    assert "expected: " in run.stdout


@pytest.mark.parametrize("page", PAGES, ids=lambda each: each.stem)
def test_each_difference_shows_both_sides(page: Path) -> None:
    """Every section that has a transcript asks rowtime, and the engine of the page."""
    for section in page.read_text(encoding="utf-8").split("\n## ")[1:]:
        if "> " in section:
            assert "rowtime> " in section, section
            assert f"{page.stem}> " in section, section
