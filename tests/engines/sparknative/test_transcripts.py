"""The page has what Spark says, and the scripts show its defects, in the one Spark of the tests.

A defect can go only with another version of Spark: the scripts are run nightly.
"""

import re
import runpy
from pathlib import Path
from typing import Final

import pytest
import yaml

pytest.importorskip("pyspark")

from engines.harness.reports import KNOWN, ROOT
from engines.sparknative.session import spark_session
from tests.engines.transcripts import Exchange, answer, exchanges
from tests.examples import NIGHTLY

DOCS: Final = Path(__file__).parents[3] / "docs" / "engines"
PAGE: Final = DOCS / "sparknative.md"
SCRIPTS: Final = sorted(DOCS.glob("sparknative/*.py"))
ASKED: Final = list(exchanges(PAGE))
#: Defects that no case shows: the driver avoids the first two, as the page says, and no case that
#: Spark runs in update mode has a group that HAVING drops again.
IN_NO_CASE: Final = frozenset(
    {"filter_moves_watermark.py", "window_in_on.py", "having_in_update_mode.py"}
)


@pytest.mark.parametrize("each", [e for e in ASKED if e.engine == "rowtime"], ids=lambda e: e.asked)
def test_rowtime_answers_as_the_page_says(each: Exchange) -> None:
    assert answer(each.engine, each.asked) == each.answered


@pytest.mark.spark
@pytest.mark.parametrize("each", [e for e in ASKED if e.engine == "spark"], ids=lambda e: e.asked)
def test_spark_answers_as_the_page_says(each: Exchange) -> None:
    assert answer(each.engine, each.asked) == each.answered


@pytest.mark.spark
@pytest.mark.skipif(not NIGHTLY, reason="make test-nightly runs the scripts")
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda each: each.stem)
def test_the_defect_is_still_there(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    session = spark_session()
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(script), run_name="__main__")
    assert ended.value.code is True
    printed = capsys.readouterr().out
    assert f"Spark {session.version}" in printed
    assert "expected: " in printed


def test_each_script_is_on_the_page_and_named_by_the_cases_that_fail() -> None:
    page = PAGE.read_text(encoding="utf-8")
    (known,) = yaml.safe_load((ROOT / "sparknative" / KNOWN).read_text(encoding="utf-8")).values()
    named = {
        name for each in known.values() for name in re.findall(r"\((\w+\.py)\)", each["reason"])
    }
    names = {each.name for each in SCRIPTS}
    assert {name for name in names if f"(sparknative/{name})" in page} == names
    assert named == names - IN_NO_CASE
