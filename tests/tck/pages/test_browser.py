"""The pages in Chromium: search, filters, keys, themes, narrow screens.

The browser is the one on the PATH; where there is none, these tests are skipped.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright
from typer.testing import CliRunner

from tck.cli import app
from tck.judging.verdict import Kind, Mark, Marks, Outcome
from tck.pages.site import count_pages, write_site
from tests.browser import CHROMIUM, NAMES, TEXTS, WEAK_CONTRASTS
from tests.tck.pages.hostile import HOSTILE, hostile_site
from tests.tck.pages.runs import cases_in, entry, page_data, record, site, transcript

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason=f"no browser on the PATH: {NAMES}")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages of two runs of three cases: one is right, the other has a late row and errors."""
    cases = cases_in(tmp_path_factory.mktemp("cases"))
    orders, history, groups = cases.values()
    first, second, third = (
        ("2015-02-15 10:00:00", 10, 4),
        ("2015-02-15 10:05:00", 20, 1),
        ("2015-02-15 10:10:00", 30, 2),
    )
    right = transcript([first, second], [third], [])
    late = transcript([first], [third], [second])
    marks = Marks(Mark.PASS, Mark.NONE, Mark.FAIL)
    shown = site(
        cases,
        record(entry(orders, answer=right), entry(history), entry(groups), backend="right"),
        record(
            entry(orders, Outcome.FAIL, Kind.TOO_LATE, reason=HOSTILE, marks=marks, answer=late),
            entry(history, Outcome.SKIP, reason="over: no windows"),
            entry(groups, Outcome.ERROR, reason=HOSTILE),
            backend="wrong",
        ),
    )
    made = tmp_path_factory.mktemp("pages")
    assert len(list(write_site(shown, made))) == count_pages(shown)
    return made


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages of an engine and a case all of whose texts are hostile."""
    made = tmp_path_factory.mktemp("hostile")
    list(write_site(hostile_site(tmp_path_factory.mktemp("cases")), made))
    return made


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages of some cases on the reference and on SQLite, which runs in its own process."""
    folder = tmp_path_factory.mktemp("real")
    runs: list[Path] = []
    for backend in ("reference", "tck.examples.sqlite_backend:SqliteBackend"):
        runs.append(folder / f"{len(runs)}.jsonl")
        named = ("counts-of-*", "hop-3-hours*", "form-of-another-system-*", "listagg-*", "values-*")
        chosen = [word for name in named for word in ("-k", name)]
        made = CliRunner().invoke(
            app, ["run", "-q", "-b", backend, *chosen, "--jsonl", str(runs[-1])]
        )
        assert made.exit_code in (0, 1), made.output  # SQLite reads set operations otherwise
    pages = CliRunner().invoke(app, ["report", *map(str, runs), "-o", str(folder)])
    assert pages.exit_code == 0, pages.output
    return folder


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM)
        yield started
        started.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page that logs nothing, throws nothing, and asks for nothing but files."""
    context = browser.new_context(viewport={"width": 1400, "height": 900}, color_scheme="light")
    opened, wrong = context.new_page(), list[str]()
    opened.on("console", lambda message: wrong.append(message.text))
    opened.on("pageerror", lambda error: wrong.append(str(error)))
    opened.on(
        "request",
        lambda asked: None if asked.url.startswith(("file:", "data:")) else wrong.append(asked.url),
    )
    yield opened
    assert wrong == []
    assert opened.title() != "run"
    context.close()


def names(folder: Path) -> list[str]:
    """All pages of the report, that of a case for each subject."""
    others = sorted(path.name for path in folder.glob("*.html") if path.name != "case.html")
    files = page_data((folder / "case.html").read_text("utf-8"))
    return [*others, *(f"case.html#case={ids[0]}" for ids in files.values())]


def shown_cases(page: Page) -> list[str]:
    """The cases of the list that are not filtered out, once it is drawn."""
    expect(page.locator("#found")).not_to_be_empty()
    return page.locator("[data-case]:visible [data-nav]").all_inner_texts()


def background(page: Page) -> str:
    colour: str = page.evaluate("getComputedStyle(document.body).backgroundColor")
    return colour


def test_the_pages_of_real_runs_open_and_show_what_sqlite_does_otherwise(
    page: Page, real: Path
) -> None:
    for name in names(real):
        page.goto(f"{real.as_uri()}/{name}")
        expect(page.locator("h1")).to_be_visible()
    page.goto((real / "index.html").as_uri())
    page.locator("tbody .n.fail a").first.click()
    page.wait_for_url("**/cases.html#*")
    failed = shown_cases(page)
    assert "counts-of-except-all" in failed
    page.get_by_role("link", name="counts-of-except-all").click()
    answer = page.locator("#counts-of-except-all .answer[open]")
    expect(answer).to_contain_text("refused")


@pytest.mark.parametrize("width", [1400, 390])
def test_hostile_texts_are_texts(page: Page, hostile: Path, width: int) -> None:
    """No text runs, becomes an element, or turns its line around; the policy has stopped nothing.

    A violation of the policy, or an exception of a page, is written to the console: see `page`.
    """
    page.set_viewport_size({"width": width, "height": 900})
    shown = set[str]()
    for name in names(hostile):
        page.goto(f"{hostile.as_uri()}/{name}")
        expect(page.locator("h1")).to_be_visible()
        for each in page.locator("details").all():
            each.evaluate("each => each.open = true")
        assert page.locator("img, i, script:not([src], #data)").count() == 0, name
        text: str = page.evaluate(TEXTS)
        assert [each for each in text if not each.isprintable() and each != "\n"] == [], name
        if "<script>bad()</script><img src=x" in text and r"\u202e\u2067" in text:
            shown.add(name.partition("#")[0])
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name
        assert page.title() != "run"
    assert {"index.html", "cases.html", "case.html", "features.html"} <= shown


def test_a_hostile_name_of_an_engine_is_a_filter(page: Page, hostile: Path) -> None:
    page.goto((hostile / "cases.html").as_uri())
    page.locator("#engine").select_option(index=1)
    page.locator("#outcome").select_option("failed")
    before = shown_cases(page)
    assert "all-orders" in before
    page.reload()  # the address has the name
    assert shown_cases(page) == before


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_is_wider_than_a_narrow_screen(page: Page, folder: Path, scheme: str) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    for name in names(folder):
        page.goto(f"{folder.as_uri()}/{name}")
        for details in page.locator("details").all():
            details.evaluate("each => each.open = true")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, name


def test_the_search_of_any_page_finds_cases_by_name_and_sql(page: Page, folder: Path) -> None:
    page.goto((folder / "index.html").as_uri())
    page.keyboard.press("/")
    page.keyboard.type("group by")
    page.keyboard.press("Enter")
    page.wait_for_url("**/cases.html*")
    assert shown_cases(page) == ["groups-without-time"]
    page.locator("#search").fill("orders")
    assert shown_cases(page) == ["all-orders", "history-of-orders", "groups-without-time"]
    page.locator("#search").fill("no such case")
    assert shown_cases(page) == []
    expect(page.locator("#found")).to_have_text("0 of 3 cases")


def test_filters_hide_cases_and_last_in_the_address(page: Page, folder: Path) -> None:
    page.goto((folder / "cases.html").as_uri())
    page.locator("#engine").select_option("wrong")
    page.locator("#outcome").select_option("failed")
    assert shown_cases(page) == ["all-orders"]
    page.reload()
    assert shown_cases(page) == ["all-orders"]
    page.locator("#engine").select_option("right")
    assert shown_cases(page) == []
    page.get_by_role("button", name="Clear").click()
    page.locator("#kind").select_option("TOO_LATE")
    assert shown_cases(page) == ["all-orders"]
    page.get_by_role("button", name="Clear").click()
    page.locator("#need").select_option("refusals")
    assert shown_cases(page) == ["groups-without-time"]


def test_a_case_is_found_that_only_the_chosen_engine_gets_wrong(page: Page, folder: Path) -> None:
    page.goto((folder / "cases.html").as_uri())
    page.locator("#alone").check()
    assert shown_cases(page) == ["all-orders", "groups-without-time"]
    page.locator("#engine").select_option("right")
    assert shown_cases(page) == []
    page.locator("#engine").select_option("wrong")
    assert "engine=wrong&alone=yes" in page.url
    page.reload()
    assert shown_cases(page) == ["all-orders", "groups-without-time"]


def test_a_series_is_one_line_until_it_is_unfolded(page: Page, real: Path) -> None:
    page.goto(f"{(real / 'cases.html').as_uri()}#q=window-tumbling")
    (first,) = shown_cases(page)
    page.goto(f"{(real / 'cases.html').as_uri()}#q=another-system")
    count = int(page.locator("#found").inner_text().split()[0])
    assert count > 2
    assert first not in shown_cases(page)
    expect(page.locator("#rows")).to_contain_text(f"and {count - 1} more of its series")
    page.locator("#fold").uncheck()
    assert len(shown_cases(page)) == count


def chapters(page: Page) -> list[str]:
    """The chapters of the heat map, from top to bottom."""
    return page.locator(".matrix [data-chapter] [data-nav]").all_inner_texts()


def test_the_chapters_are_sorted_by_an_engine_and_as_before(page: Page, real: Path) -> None:
    page.goto((real / "index.html").as_uri())
    before = chapters(page)
    button = page.get_by_role("button", name="Sort the chapters by").nth(1)
    button.click()
    assert chapters(page) != before
    for section in page.locator(".matrix tbody:has([data-chapter])").all():
        cells = section.locator("[data-chapter] td:nth-of-type(2)").all()
        parts = [float(each.get_attribute("data-part") or "") for each in cells]
        judged = sorted(part for part in parts if part >= 0)
        assert parts == [*judged, *[-1] * (len(parts) - len(judged))]
    button.click()
    button.click()
    assert chapters(page) == before


def test_a_phone_shows_one_engine_at_a_time(page: Page, folder: Path) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto((folder / "index.html").as_uri())
    expect(page.locator(".matrix thead .heat:visible")).to_have_count(1)
    page.locator("#column").select_option("wrong")
    expect(page.locator(".matrix thead .heat:visible")).to_contain_text("wrong")
    page.set_viewport_size({"width": 1400, "height": 800})
    expect(page.locator(".matrix thead .heat:visible")).to_have_count(2)


def test_a_number_of_the_matrix_leads_to_its_cases(page: Page, folder: Path) -> None:
    page.goto((folder / "index.html").as_uri())
    page.locator("tbody .n.error a").first.click()
    assert shown_cases(page) == ["groups-without-time"]


def test_a_statement_leads_to_the_cases_that_cite_it(page: Page, folder: Path) -> None:
    page.goto((folder / "statements.html").as_uri())
    page.get_by_role("link", name="S-203.a").click()
    assert shown_cases(page) == ["history-of-orders"]
    expect(page.locator("#cite")).to_have_text("S-203.a")


def test_keys_move_among_the_cases_that_are_shown_and_open_one(page: Page, folder: Path) -> None:
    page.goto((folder / "cases.html").as_uri())
    expect(page.locator("#found")).not_to_be_empty()  # the list is drawn
    focused = page.locator(":focus")
    page.keyboard.press("j")
    expect(focused).to_have_text("all-orders")
    page.keyboard.press("ArrowDown")
    expect(focused).to_have_text("history-of-orders")
    page.keyboard.press("k")
    expect(focused).to_have_text("all-orders")
    page.keyboard.press("k")
    expect(focused).to_have_text("all-orders")
    page.keyboard.press("Enter")
    page.wait_for_url("**/case.html#case=all-orders")


def test_a_question_mark_shows_the_keys_and_escape_hides_them(page: Page, folder: Path) -> None:
    page.goto((folder / "index.html").as_uri())
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="Keys")).to_be_hidden()
    page.keyboard.press("/")
    page.keyboard.type("j?k/")
    expect(page.locator("#search")).to_have_value("j?k/")


def test_the_theme_follows_the_system_until_it_is_chosen(page: Page, folder: Path) -> None:
    page.goto((folder / "index.html").as_uri())
    light = background(page)
    page.emulate_media(color_scheme="dark")
    dark = background(page)
    assert light != dark
    page.locator("#theme").click()  # from auto to light
    assert background(page) == light
    page.goto((folder / "cases.html").as_uri())
    assert background(page) == light
    page.locator("#theme").click()
    page.emulate_media(color_scheme="light")
    assert background(page) == dark


def test_the_answer_of_an_engine_is_open_where_it_is_wrong(page: Page, folder: Path) -> None:
    page.goto(f"{(folder / 'case.html').as_uri()}#case=all-orders")
    case = page.locator("#all-orders")
    expect(case.get_by_text("emitted at step 3").first).to_be_visible()
    expect(case.locator("svg.timeline")).to_have_count(2)
    assert [each.get_attribute("open") is not None for each in case.locator(".answer").all()] == [
        False,
        True,
    ]


def test_a_link_leads_to_the_answer_of_an_engine(page: Page, folder: Path) -> None:
    page.goto(f"{(folder / 'case.html').as_uri()}#case=all-orders&engine=right")
    expect(page.locator("#all-orders .answer").first).to_have_attribute("open", "")
    page.locator("#groups-without-time h2 a").click()
    page.locator("#all-orders .verdicts").get_by_role("link", name="PASS").click()
    page.wait_for_url("**/case.html#case=all-orders&engine=right")


def test_an_address_without_a_case_or_with_an_unknown_one_leads_on(
    page: Page, folder: Path
) -> None:
    page.goto((folder / "case.html").as_uri())
    expect(page.get_by_role("link", name="All cases")).to_be_visible()
    page.goto(f"{(folder / 'case.html').as_uri()}#case=all-order")
    expect(page.locator("h1")).to_have_text("No such case")
    page.get_by_role("link", name="Search for it").click()
    assert shown_cases(page) == ["all-orders"]


def test_a_statement_far_below_is_drawn_when_a_link_leads_to_it(page: Page, real: Path) -> None:
    """Of a long list only the rows near the window are drawn."""
    page.set_viewport_size({"width": 1400, "height": 200})
    page.goto((real / "statements.html").as_uri())
    last = page_data((real / "statements.html").read_text("utf-8"))["rows"][-1][0]
    assert page.locator("#statements tr").count() <= 200
    page.goto(f"{(real / 'statements.html').as_uri()}#{last}")
    row = page.locator(f"[id='{last}']")
    expect(row).to_be_in_viewport()
    assert page.locator("#statements tr").count() <= 200
    for _ in range(60):  # those above are drawn when they come near
        page.mouse.wheel(0, -3000)
        page.wait_for_timeout(50)
        if page.locator("#statements tr:first-child.section").count():
            break
    expect(page.locator("#statements .section").first).to_be_visible()
    expect(page.locator("#statements tr").first).to_contain_text("CAL: ")


def test_every_link_that_the_script_draws_leads_to_a_page_and_an_anchor(
    page: Page, folder: Path
) -> None:
    shown = folder / "case.html"
    page.goto(f"{shown.as_uri()}#case=all-orders")
    expect(page.locator("article .place")).to_have_count(3)
    all_cases = {"all-orders", "history-of-orders", "groups-without-time"}
    for link in page.locator("main a").all():
        path, _, anchor = (link.get_attribute("href") or "").partition("#")
        target = (shown.parent / path).resolve() if path else shown
        assert target.is_file(), path
        if target.name == "case.html":
            assert anchor.split("&")[0].removeprefix("case=") in all_cases
        elif target.name == "statements.html":
            rows = page_data(target.read_text("utf-8"))["rows"]
            assert anchor in {row[0] for row in rows}
        elif target.name != "cases.html":  # whose anchors are filters
            assert not anchor or f'id="{anchor}"' in target.read_text("utf-8"), anchor


def test_a_case_far_below_is_drawn_when_a_link_leads_to_it(page: Page, real: Path) -> None:
    """Of a long page only the cases near the window are drawn."""
    files = page_data((real / "case.html").read_text("utf-8"))
    first, *_, other = max(files.values(), key=len)
    address = f"{(real / 'case.html').as_uri()}#case="
    page.set_viewport_size({"width": 1400, "height": 200})
    page.goto(address + first)
    expect(page.locator("article .place").first).to_be_attached()
    assert page.locator("article.waiting").count() > 0
    last = page.locator("article").last
    page.goto(address + other)
    expect(last).to_be_in_viewport()
    expect(last.locator(".place")).to_be_attached()


def test_a_printed_page_has_no_controls(page: Page, folder: Path) -> None:
    page.goto((folder / "cases.html").as_uri())
    page.emulate_media(media="print")
    expect(page.locator("#search")).to_be_hidden()
    expect(page.locator("#filters")).to_be_hidden()
    expect(page.locator("h1")).to_be_visible()


def test_texts_contrast_with_what_is_behind_them(page: Page, folder: Path) -> None:
    """At least 4.5 to 1 (WCAG AA), in both themes."""
    for name in names(folder):
        page.goto(f"{folder.as_uri()}/{name}")
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
            weak = page.evaluate(WEAK_CONTRASTS)
            assert weak == [], f"{scheme} {name}"
