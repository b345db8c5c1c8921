"""The page of a timeline in Chromium, where every text of the user is hostile.

The browser is the one on the PATH; where there is none, these tests are skipped.
"""

import json
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import sync_playwright
from typer.testing import CliRunner

from rowtime.cli import app
from tests.browser import CHROMIUM, NAMES, TEXTS
from tests.tck.pages.hostile import HOSTILE

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason=f"no browser on the PATH: {NAMES}")

DDL: Final = "CREATE STREAM Notes (rowtime TIMESTAMP(3) ASCENDING, text VARCHAR(999));"
LITERAL: Final = "'{}'".format(HOSTILE.replace("'", "''"))
QUOTED: Final = '"{}"'.format(HOSTILE.replace('"', '""'))
SCRIPT: Final = {
    "date": "2015-02-15",
    "ddl": DDL,
    "sql": f"SELECT STREAM rowtime, text AS {QUOTED}, {LITERAL} AS t FROM Notes",
    "steps": [
        {"feed": {"Notes": [["10:00:00", HOSTILE], ["09:00:00", HOSTILE]]}},
        {"end": True},
    ],
}


@pytest.mark.parametrize("changes", ["", " EMIT CHANGES"])
@pytest.mark.parametrize("width", [1400, 390])
def test_hostile_texts_are_texts(width: int, changes: str, tmp_path: Path) -> None:
    """No text runs, becomes an element, or turns its line around; the policy stops nothing."""
    script = tmp_path / "<i>a\u202e.yaml"
    script.write_text(json.dumps({**SCRIPT, "sql": f"{SCRIPT['sql']}{changes}"}))
    drawn = tmp_path / "a.html"
    done = CliRunner().invoke(app, ["trace", "--script", str(script), "--html", str(drawn)])
    assert done.exit_code == 0, done.output
    wrong = list[str]()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM)
        page = browser.new_page(viewport={"width": width, "height": 900})
        page.on("console", lambda message: wrong.append(message.text))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.goto(drawn.as_uri())
        assert page.locator("svg").count() > 0
        for row in page.locator("svg:visible .row").all():
            row.hover()  # its reason is shown
        assert page.locator("img, i, script").count() == 1  # the page's own script
        text: str = page.evaluate(TEXTS)
        assert [each for each in text if not each.isprintable() and each != "\n"] == []
        assert page.evaluate("document.documentElement.scrollWidth") <= max(width, 1080)
        assert page.title() != "run"
        browser.close()
    assert wrong == []
