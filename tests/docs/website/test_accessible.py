"""All pages of the site without a barrier that axe finds, light and dark, wide and narrow.

`make test-site` builds the site, fetches axe, and runs this test.
"""

from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Final

import pytest
from playwright.sync_api import sync_playwright

from tests.browser import CHROMIUM, NAMES

SITE: Final = Path("build/site/html")
AXE: Final = Path("build/axe/package/axe.min.js")

pytestmark = [
    pytest.mark.site,
    pytest.mark.skipif(CHROMIUM is None, reason=f"no browser on the PATH: {NAMES}"),
    pytest.mark.skipif(not AXE.exists(), reason="axe is not there: make axe fetches it"),
    pytest.mark.skipif(not SITE.exists(), reason="the site is not there: make site builds it"),
]

#: Pages of the report as they are with a state in their addresses.
STATES: Final = (
    "report/case.html#case=hop-90-minutes-every-hour&engine=clink",
    "report/cases.html#engine=flink&outcome=known",
    "report/statements.html#S-503",
)


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


def addresses() -> list[str]:
    """All pages but those that only show a file, and the states of some, below the site."""
    pages = (path.relative_to(SITE) for path in sorted(SITE.rglob("*.html")))
    others = {"files", "_static", "_sources"}
    return [*(str(path) for path in pages if path.parts[0] not in others), *STATES]


@pytest.mark.parametrize("width", [1440, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_barrier_and_no_page_is_wider_than_the_screen(scheme: str, width: int) -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(SITE)))
    Thread(target=server.serve_forever, daemon=True).start()
    wrong: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM)
        context = browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme="dark" if scheme == "dark" else "light",
            bypass_csp=True,  # the pages allow no other script
            service_workers="block",
        )
        page = context.new_page()
        for address in addresses():
            page.goto("about:blank")  # another state of the same page is opened again
            page.goto(f"http://127.0.0.1:{server.server_port}/{address}")
            page.wait_for_timeout(200)
            page.add_script_tag(path=AXE)
            found = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
            wrong += [
                f"{address}: {each['id']}: {each['nodes'][0]['html'][:200]}"
                for each in found["violations"]
            ]
            if page.evaluate("document.documentElement.scrollWidth") > width:
                wrong.append(f"{address}: wider than {width} pixels")
        browser.close()
    server.shutdown()
    server.server_close()
    assert addresses()[: -len(STATES)]
    assert wrong == []
