"""The questions that readers of a report have: two clicks and two seconds answer each.

The pages are those of the last runs of three engines, over two chapters; nightly over all cases.
"""

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect, sync_playwright
from typer.testing import CliRunner

from tck.cli import app
from tests.browser import CHROMIUM, NAMES
from tests.examples import NIGHTLY

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason=f"no browser on the PATH: {NAMES}")

ENGINES = ("chdb", "clink", "flink")
#: The chapters of the cases that the questions are about.
CHAPTERS = frozenset({"hopping", "stream-stream-join"})
ODD_STEP = "hop-90-minutes-every-hour"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made, runs = tmp_path_factory.mktemp("report"), list[str]()
    for name in ENGINES:
        file = made / f"{name}.jsonl"
        lines = Path(f"engines/{name}/report.jsonl").read_text("utf-8").splitlines()
        file.write_text("\n".join(each for each in lines if is_shown(each)), "utf-8")
        runs.append(str(file))
    result = CliRunner().invoke(app, ["report", *runs, "-o", str(made / "pages")])
    assert result.exit_code == 0, result.output
    return made / "pages"


def is_shown(line: str) -> bool:
    """Whether a line of a report is about the run, or about a case that the pages have."""
    fields: dict[str, object] = json.loads(line)
    return NIGHTLY or "case" not in fields or fields["chapter"] in CHAPTERS


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM)
        yield browser.new_page(viewport={"width": 1440, "height": 900})
        browser.close()


def search(page: Page, words: str) -> None:
    """Search from any page with the keyboard."""
    page.keyboard.press("/")
    page.keyboard.type(words)
    page.keyboard.press("Enter")


def open_case(page: Page, name: str) -> None:
    page.get_by_role("link", name=name, exact=True).click()


def who_is_right_about_hops_with_an_odd_step(page: Page) -> None:
    page.locator(".matrix").get_by_role("link", name="hopping", exact=True).click()
    open_case(page, ODD_STEP)
    sentence = page.locator(f"#{ODD_STEP} .differs", has_text="clink")
    expect(sentence).to_contain_text(
        "clink differs: dialect. The windows of HOP begin at multiples"
    )


def what_flink_gets_wrong_in_joins(page: Page) -> None:
    row = page.locator(".matrix tr", has=page.get_by_role("link", name="stream-stream-join"))
    row.locator('[data-engine="flink"] a').click()
    expect(page.locator("#found")).not_to_be_empty()
    marks = page.locator("[data-case] [data-engine=flink]").all_inner_texts()
    assert marks
    assert all(each.startswith(("≈", "✗", "!")) for each in marks)


def whether_a_failure_is_known(page: Page) -> None:
    search(page, ODD_STEP)
    row = page.locator("[data-case]", has=page.get_by_role("link", name=ODD_STEP, exact=True))
    expect(row.locator("[data-engine=clink]")).to_have_text("≈ dialect")


def what_a_case_expects_and_why(page: Page) -> None:
    search(page, ODD_STEP)
    open_case(page, ODD_STEP)
    case = page.locator(f"#{ODD_STEP}")
    expect(case.get_by_role("heading", name="What is expected")).to_be_visible()
    expect(case.locator(".why").first).to_contain_text("a row in the second half of an hour")
    expect(case.locator(".cites")).to_contain_text(
        "The ends of TUMBLE and HOP windows are multiples of the step"
    )


def what_chdb_lacks(page: Page) -> None:
    page.get_by_role("navigation").get_by_role("link", name="chdb", exact=True).click()
    lacks = page.get_by_role("region", name="Gaps", exact=True)
    expect(lacks.get_by_role("link", name="streaming", exact=True)).to_be_attached()


@pytest.mark.parametrize(
    "answered",
    [
        who_is_right_about_hops_with_an_odd_step,
        what_flink_gets_wrong_in_joins,
        whether_a_failure_is_known,
        what_a_case_expects_and_why,
        what_chdb_lacks,
    ],
)
def test_a_question_is_answered_within_two_clicks_and_two_seconds(
    page: Page, folder: Path, answered: Callable[[Page], None]
) -> None:
    """The best of three times counts, because other processes slow some of them down."""
    times: list[float] = []
    for _ in range(3):
        page.goto((folder / "index.html").as_uri())
        page.evaluate("sessionStorage.clear()")
        started = time.monotonic()
        answered(page)
        times.append(time.monotonic() - started)
    assert min(times) < 2, times


def painted(page: Page) -> float:
    """The milliseconds after which the page was painted first; the browser reports them later."""
    page.wait_for_function("performance.getEntriesByName('first-contentful-paint').length")
    paint = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
    return float(page.evaluate(paint))


def test_the_list_of_all_cases_is_painted_in_a_second_and_filtered_while_typing(
    page: Page, folder: Path
) -> None:
    page.goto((folder / "cases.html").as_uri())
    expect(page.locator("#found")).not_to_be_empty()
    assert painted(page) < 1000
    typed = """word => {
      const search = document.getElementById("search"), started = performance.now();
      search.value = word;
      search.dispatchEvent(new Event("input", { bubbles: true }));
      document.body.offsetHeight;  // the layout counts, too
      return performance.now() - started;
    }"""
    for word in ("h", "ho", "hop", "hop 90", ""):
        assert min(page.evaluate(typed, word) for _ in range(3)) < 100, word


def test_the_list_of_all_statements_is_painted_in_a_second(page: Page, folder: Path) -> None:
    times: list[float] = []
    for _ in range(3):
        page.goto("about:blank")
        page.goto((folder / "statements.html").as_uri())
        expect(page.locator("#statements tr").first).to_be_visible()
        times.append(painted(page))
    assert min(times) < 1000, times
    assert page.locator("#statements tr").count() < 500
