"""Pages without a barrier that axe finds: names, landmarks, headings, contrast.

axe is the npm package of that name, which `make axe` fetches; without it these tests are skipped.
"""

from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright
from typer.testing import CliRunner

from tck.cli import app
from tests.browser import CHROMIUM, NAMES

AXE = Path("build/axe/package/axe.min.js")

pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason=f"no browser on the PATH: {NAMES}"),
    pytest.mark.skipif(not AXE.exists(), reason="axe is not there: make axe fetches it"),
]

PAGES = (
    "index.html",
    "cases.html#outcome=known",
    "features.html",
    "engine-flink.html",
    "statements.html#S-503",
    "case.html#case=hop-90-minutes-every-hour&engine=flink",
    "case.html#case=no-such-case",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("report")
    arguments = ["report", "engines/flink/report.jsonl", "-o", str(made)]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    return made


@pytest.mark.parametrize("width", [1440, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_barrier(folder: Path, width: int, scheme: str) -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM)
        context = browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme="dark" if scheme == "dark" else "light",
            bypass_csp=True,  # the pages allow no other script
        )
        page = context.new_page()
        for name in PAGES:
            page.goto(f"{folder.as_uri()}/{name}")
            page.wait_for_timeout(200)
            page.add_script_tag(path=AXE)
            found = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
            assert [(each["id"], each["nodes"][0]["html"]) for each in found["violations"]] == []
        browser.close()
