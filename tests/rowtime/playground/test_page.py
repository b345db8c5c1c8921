"""The playground in Chromium: answers, faults, steps, cases, links, keys, and no network.

`make test-playground` builds the folder and runs these tests.  They are skipped where there is no
folder or no browser.
"""

import re
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Final

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Error,
    Page,
    Request,
    expect,
    sync_playwright,
)

from rowtime.playground.answer import Question, answer
from rowtime.playground.cases import CaseTexts, texts_of
from tck.corpus.load import kit_corpus
from tests.browser import CHROMIUM, NAMES, WEAK_CONTRASTS

FOLDER: Final = Path(__file__).parents[3] / "build" / "playground"
#: For the start of the reference, in milliseconds; a busy machine takes its time.
START: Final = 180_000
ANSWER: Final = 30_000

pytestmark = [
    pytest.mark.playground,
    pytest.mark.skipif(CHROMIUM is None, reason=f"no browser on the PATH: {NAMES}"),
    pytest.mark.skipif(not (FOLDER / "offline.js").exists(), reason="make playground builds it"),
]

REFUSED: Final = "SELECT STREAM productId, COUNT(*) AS c FROM Orders GROUP BY productId"
#: A console's line about Chromium's own editing, which dresses text that replaces coloured text;
#: the policy keeps it from that, and nothing is lost.
DRESSING: Final = "Applying inline style violates"


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


def served(handler: Callable[..., BaseHTTPRequestHandler]) -> Generator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    # By this name a page may keep its files, as it may with HTTPS.
    yield f"http://localhost:{server.server_port}/"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(scope="module")
def address() -> Generator[str]:
    """The address of the folder, on a server that does no more than Python's own."""
    yield from served(partial(_Quiet, directory=str(FOLDER)))


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM)
        yield started
        started.close()


@pytest.fixture(scope="module")
def context(browser: Browser, address: str) -> Iterator[BrowserContext]:
    made = browser.new_context(viewport={"width": 1400, "height": 900}, color_scheme="light")
    made.grant_permissions(["clipboard-read", "clipboard-write"], origin=address.rstrip("/"))
    yield made
    made.close()


@pytest.fixture(scope="module")
def tab(context: BrowserContext, address: str) -> Page:
    """One page for all tests, so that the reference starts once."""
    opened = context.new_page()
    opened.set_default_timeout(ANSWER)
    expect.set_options(timeout=ANSWER)
    opened.goto(address)
    expect(opened.locator("#took")).to_contain_text("answered in", timeout=START)
    return opened


@pytest.fixture
def page(tab: Page, address: str) -> Iterator[Page]:
    """The page with its example; it logs nothing, throws nothing, and asks its server alone."""
    wrong = list[str]()

    def logged(message: ConsoleMessage) -> None:
        wrong.append(message.text)

    def thrown(error: Error) -> None:
        wrong.append(str(error))

    def requested(asked: Request) -> None:
        if not asked.url.removeprefix("blob:").startswith(address):
            wrong.append(asked.url)

    tab.set_viewport_size({"width": 1400, "height": 900})
    tab.mouse.move(0, 0)
    # What is there may be the same: it is the answer once it has been drawn anew.
    tab.evaluate("document.querySelector('#picture').replaceChildren()")
    tab.evaluate("location.hash = `#example-${Math.random()}`")
    expect(tab.locator("svg.timeline")).to_be_visible()
    expect(tab.locator("#state")).to_contain_text("4 rows from 8 events")
    tab.on("console", logged)
    tab.on("pageerror", thrown)
    tab.on("request", requested)
    yield tab
    tab.remove_listener("console", logged)
    tab.remove_listener("pageerror", thrown)
    tab.remove_listener("request", requested)
    assert [each for each in wrong if DRESSING not in each] == []


def write(page: Page, editor: str, text: str) -> None:
    """Replace the text of an editor, as a user does."""
    page.locator(f"#{editor} .cm-content").click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(text)


def text_of(page: Page, editor: str) -> str:
    lines = page.locator(f"#{editor} .cm-line").all_inner_texts()
    return "\n".join("" if line == "\n" else line for line in lines)


# --- answers --------------------------------------------------------------------------------------


def test_the_example_is_drawn_with_its_rows(page: Page) -> None:
    expect(page.locator("svg.timeline .result")).to_have_text(
        ["11:00:00, 30, 1, 4", "11:00:00, 10, 2, 21", "11:00:00, 20, 1, 2", "12:00:00, 10, 1, 7"]
    )
    expect(page.locator("#count")).to_have_text("8 of 8")


def test_a_query_is_answered_while_it_is_written(page: Page) -> None:
    write(page, "query", "SELECT STREAM rowtime, units FROM Orders WHERE units > 3")
    expect(page.locator("#state")).to_contain_text("3 rows from 8 events")
    page.locator("#plan summary").click()
    expect(page.locator("#explain")).to_contain_text("LogicalDelta")
    page.locator("#plan summary").click()


def test_rows_and_bounds_are_answered_too(page: Page) -> None:
    write(page, "script", "date: '2015-02-15'\nsteps:\n- feed: {Orders: [['10:30:00', 1, 2]]}")
    expect(page.locator("#state")).to_contain_text("0 rows from 1 event")


def test_a_table_is_listed_with_the_types_of_its_columns(page: Page) -> None:
    write(page, "query", "SELECT x, NULL AS y FROM (VALUES (1), (2)) AS t (x)")
    expect(page.locator("#result tbody tr")).to_have_text(["1NULL", "2NULL"])
    expect(page.locator("#result th").first).to_contain_text("INTEGER")
    expect(page.locator("#run")).to_be_hidden()


def test_the_profile_is_asked(page: Page) -> None:
    write(page, "query", "SELECT STREAM FLOOR(rowtime TO HOUR), COUNT(*) FROM Orders")
    before = page.locator("#state").inner_text()
    page.locator("#profile").select_option("sqlstream")
    expect(page.locator("#state")).not_to_have_text(before)
    page.locator("#profile").select_option("calcite")


def test_markup_in_values_is_text(page: Page) -> None:
    evil = "<img src=x onerror=alert(1)>"
    write(page, "query", f"SELECT STREAM rowtime, '{evil}' AS a FROM Orders")
    expect(page.locator("svg.timeline .result").first).to_contain_text("<img")
    write(page, "query", f"SELECT * FROM (VALUES ('{evil}')) AS t (a)")
    expect(page.locator("#result td")).to_have_text(evil)
    assert page.locator("img").count() == 0


def test_an_answer_that_takes_too_long_can_be_stopped(page: Page) -> None:
    many = ", ".join(f"({each})" for each in range(60))
    inputs = ", ".join(f"(VALUES {many}) AS t{each} (a)" for each in range(5))
    write(page, "query", f"SELECT COUNT(*) AS c FROM {inputs}")
    page.locator("#stop").click(timeout=ANSWER)
    expect(page.locator("#stop")).to_be_hidden()
    write(page, "query", "VALUES (3)")
    expect(page.locator("#result td")).to_have_text("3", timeout=START)


def test_the_first_answer_is_there_before_the_engine(browser: Browser, address: str) -> None:
    """The engine's modules never arrive: the page shows the answer that was built into it."""
    context = browser.new_context(service_workers="block")
    opened = context.new_page()
    opened.route("**/python.zip.zlib", lambda _route: None)
    opened.goto(address)
    expect(opened.locator("svg.timeline .result")).to_have_text(
        ["11:00:00, 30, 1, 4", "11:00:00, 10, 2, 21", "11:00:00, 20, 1, 2", "12:00:00, 10, 1, 7"]
    )
    expect(opened.locator("#state")).to_have_text("4 rows from 8 events")
    expect(opened.locator("#loaded")).to_be_visible()
    expect(opened.locator("#loaded")).not_to_have_attribute("value", "0")
    opened.locator("#first").click()
    expect(opened.locator("#count")).to_have_text("1 of 8")
    context.close()


def test_before_the_first_answer_no_file_is_fetched_twice(browser: Browser) -> None:
    asked = list[str]()

    class Noting(_Quiet):
        def do_GET(self) -> None:
            asked.append(self.path)
            super().do_GET()

    server = contextmanager(served)(partial(Noting, directory=str(FOLDER)))
    context = browser.new_context()
    with server as address_of_server:
        page = context.new_page()
        page.goto(address_of_server)
        expect(page.locator("#offline")).to_contain_text("without a network", timeout=START)
    context.close()
    before = asked[: asked.index("/offline.js")]
    assert sorted(set(before)) == sorted(before)
    assert {"/python.zip.zlib", "/pyodide/python_stdlib.zip", "/pyodide/pyodide.asm.wasm"} <= {
        *before
    }
    assert "/cases.json.zlib" not in before


def test_without_scripts_the_example_and_its_answer_can_be_read(
    browser: Browser, address: str
) -> None:
    context = browser.new_context(java_script_enabled=False)
    opened = context.new_page()
    opened.goto(address)
    expect(opened.locator("svg.timeline:visible .result")).to_have_count(4)
    expect(opened.locator("#query")).to_contain_text("TUMBLE_END(rowtime")
    context.close()


def test_each_example_leads_to_a_case_or_to_the_first_answer(tab: Page) -> None:
    links = tab.locator(".chips a").evaluate_all(
        "found => found.map(each => each.getAttribute('href'))"
    )
    names = {f"#case={case.chapter}/{case.id}" for case in kit_corpus().cases}
    assert len(links) == 6
    assert [link for link in links if link not in names] == ["#example=totals"]


def test_names_are_completed(page: Page) -> None:
    write(page, "query", "SELECT STREAM ")
    page.keyboard.type("prod")
    options = page.locator("#query [role=option]")
    expect(options.first).to_contain_text("productId")
    page.wait_for_timeout(100)  # a completion that has just appeared is not accepted yet
    page.keyboard.press("Enter")
    page.keyboard.type(" FROM Ord")
    expect(options.first).to_contain_text("Orders")
    page.keyboard.press("Escape")
    expect(options).to_have_count(0)
    assert text_of(page, "query") == "SELECT STREAM productId FROM Ord"


# --- faults ---------------------------------------------------------------------------------------


def test_a_refusal_is_under_its_line_and_what_its_hint_suggests_is_applied(page: Page) -> None:
    write(page, "query", REFUSED)
    expect(page.locator("#query .at-fault")).to_have_text("GROUP BY productId")
    expect(page.locator("#query .fault")).to_contain_text("NO_MONOTONIC_KEY")
    expect(page.locator("#query .fault")).to_contain_text("hint: group by FLOOR(ROWTIME TO HOUR)")
    expect(page.locator("#faults li")).to_have_count(1)
    expect(page.locator("#run")).to_be_hidden()
    page.locator("#query .fault").get_by_role("button", name="Apply").click()
    expect(page.locator("#state")).to_contain_text("4 rows from 8 events")
    expect(page.locator("#query .fault")).to_have_count(0)


def test_faults_of_all_texts_are_shown_each_in_its_editor(page: Page) -> None:
    write(page, "schema", "CREATE STREAM Orders (rowtime TIMESTAMP(3) ASCENDING);\nCREATE TABEL t;")
    write(page, "query", "SELECT STREAM unit FROM Orders")
    expect(page.locator("#schema .at-fault")).to_have_text("TABEL")
    expect(page.locator("#query .at-fault")).to_have_text("unit")
    expect(page.locator("#faults .place")).to_have_text(["Schema, line 2", "Query, line 1"])
    write(page, "schema", "CREATE STREAM Orders (rowtime TIMESTAMP(3) ASCENDING);")
    write(page, "query", "SELECT STREAM * FROM Orders")
    expect(page.locator("#script .at-fault").first).to_contain_text("10:17:00")


def test_a_failure_at_run_time_is_marked_in_the_query_beside_what_came_before(page: Page) -> None:
    write(page, "query", "SELECT STREAM 1 / (units - 1) AS x FROM Orders")
    expect(page.locator("#state")).to_have_text("The query fails when it runs")
    expect(page.locator("#query .at-fault")).to_have_text("1 / (units - 1)")
    expect(page.locator("svg.timeline .result")).to_have_text(["0"])


def test_a_text_that_nests_too_deeply_is_no_end_of_the_page(page: Page) -> None:
    write(page, "query", f"SELECT {'(' * 3000}1{')' * 3000} AS a FROM Orders")
    expect(page.locator("#state")).to_have_class("bad")
    write(page, "query", "VALUES (4)")
    expect(page.locator("#result td")).to_have_text("4")


# --- steps ----------------------------------------------------------------------------------------


def test_keys_go_through_the_events_and_the_script_shows_which_it_is(page: Page) -> None:
    page.locator("#step").focus()
    page.keyboard.press("Home")
    expect(page.locator("#count")).to_have_text("1 of 8")
    expect(page.locator("#back")).to_be_disabled()
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    expect(page.locator("#count")).to_have_text("5 of 8")
    expect(page.locator("#moment")).to_contain_text("ORDERS  bound 11:00:00")
    expect(page.locator("#moment .out")).to_have_count(3)
    expect(page.locator("#script .now")).to_contain_text("bound: {Orders: '11:00:00'}")
    expect(page.locator("svg .row.later")).to_have_count(1)
    page.keyboard.press("k")
    expect(page.locator("#moment")).to_contain_text("10:48:00")
    page.keyboard.press("End")
    expect(page.locator("#moment")).to_contain_text("no later row is emitted")


def test_what_is_to_come_is_veiled(page: Page) -> None:
    page.locator("#first").click()
    places = page.evaluate(
        "['.step', '.veil'].map(name => document.querySelector(name).getBBox())"
        ".map(({y, height}) => [y, y + height])"
    )
    ((top, end), (veil, _)) = places
    assert top < end == veil
    expect(page.locator('svg .row[tabindex="0"]')).to_have_count(0)


def test_a_row_says_why_it_came(page: Page) -> None:
    page.locator("svg .row").nth(1).focus()
    expect(page.locator("#why")).to_contain_text("made of  ORDERS (2015-02-15 10:17:05, 10, 1)")
    expect(page.locator("svg [data-row].lit")).to_have_count(2)
    row, why = page.locator("svg .row").nth(1).bounding_box(), page.locator("#why").bounding_box()
    assert row is not None
    assert why is not None
    assert 0 <= why["y"] - (row["y"] + row["height"]) < 12
    page.locator("#step").focus()
    expect(page.locator("#why")).to_be_hidden()


def test_in_the_site_the_rules_of_a_reason_are_links(browser: Browser, address: str) -> None:
    context = browser.new_context(service_workers="block")
    opened = context.new_page()
    index = (FOLDER / "index.html").read_text("utf-8")
    rules = '<meta name="rules" content="../semantics.html#">'
    opened.route(address, lambda route: route.fulfill(
        body=index.replace("<!-- rules -->", rules), content_type="text/html"
    ))  # fmt: skip
    opened.route("**/python.zip.zlib", lambda _route: None)
    opened.goto(address)
    opened.locator("svg .row").nth(1).focus()
    link = opened.locator("#why a")
    expect(link).to_have_text("S-504")
    expect(link).to_have_attribute("href", "../semantics.html#S-504")
    opened.keyboard.press("Enter")
    expect(link).to_be_focused()
    opened.keyboard.press("Escape")
    expect(opened.locator("svg .row").nth(1)).to_be_focused()
    context.close()


# --- cases and links ------------------------------------------------------------------------------


def one_of_each_chapter() -> dict[str, CaseTexts]:
    chapters: dict[str, CaseTexts] = {}
    for case in kit_corpus().cases:
        chapters.setdefault(case.chapter, texts_of(case))
    return chapters


def test_a_case_of_each_chapter_has_the_answer_that_it_has_elsewhere(page: Page) -> None:
    """Here it is given by another Python, on another machine: WebAssembly."""
    for chapter, texts in one_of_each_chapter().items():
        page.evaluate("name => { location.hash = name }", f"#case={chapter}/{texts.id}")
        expect(page.locator("#about h2")).to_have_text(f"{chapter}/{texts.id}")
        found = answer(Question(texts.schema, texts.query, texts.script, texts.profile))
        expect(page.locator("#faults li")).to_have_count(len(found.faults))
        expect(page.locator("#result tbody tr")).to_have_count(len(found.rows or ()))
        rows = [row for moment in found.moments for row in moment.rows]
        expect(page.locator("svg.timeline .row")).to_have_count(len(rows) if found.moments else 0)
        assert [each.code for each in found.faults] == ([texts.expected] if texts.expected else [])


def test_a_case_is_chosen_by_keys(page: Page) -> None:
    page.locator("#step").focus()
    page.keyboard.press("/")
    expect(page.locator("#found")).to_contain_text("cases")
    page.keyboard.insert_text("hop emission CAL-068")
    expect(page.locator("#list a")).to_have_count(1)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator("#about h2")).to_have_text("hopping/hop-3-hours-every-hour-emission")
    expect(page.locator("#cases")).to_be_hidden()
    expect(page.locator("#state")).to_contain_text("4 rows from 13 events")


def test_an_unknown_case_and_a_damaged_link_are_said_to_be(page: Page) -> None:
    page.evaluate("location.hash = '#case=hopping/none'")
    expect(page.locator("#about")).to_contain_text("There is no case hopping/none")
    page.evaluate("location.hash = '#play=AAAA'")
    expect(page.locator("#about")).to_contain_text("This link is damaged")


def test_a_link_has_all_texts(page: Page, context: BrowserContext) -> None:
    text = "SELECT STREAM '\N{GRINNING FACE}' AS face, \"ROWTIME\" FROM Orders\n-- \u00e9"
    write(page, "query", text)
    write(page, "script", "date: '2015-02-15'\nsteps:\n- end: true\n")
    page.locator("#profile").select_option("sqlstream")
    expect(page.locator("#state")).to_contain_text("from 1 event")
    page.get_by_role("button", name="Copy link").click()
    expect(page.locator("#state")).to_contain_text("copied")
    link = page.evaluate("navigator.clipboard.readText()")
    assert "#play=" in link
    other = context.new_page()
    other.goto(link)
    expect(other.locator("#query .cm-content")).to_contain_text("face")
    assert text_of(other, "query") == text
    assert text_of(other, "script") == "date: '2015-02-15'\nsteps:\n- end: true\n"
    expect(other.locator("#profile")).to_have_value("sqlstream")
    other.close()


def test_the_address_follows_what_is_written(page: Page) -> None:
    page.evaluate("location.hash = '#case=hopping/hop-3-hours-every-hour-emission'")
    expect(page.locator("#state")).to_contain_text("4 rows from 13 events")
    write(page, "query", "VALUES (5)")
    expect(page.locator("#result td")).to_have_text("5")
    expect(page.locator("#about")).to_be_hidden()
    page.wait_for_url("**/#play=*")


def test_a_saved_script_is_one_of_trace(page: Page, tmp_path: Path) -> None:
    from typer.testing import CliRunner

    from rowtime.cli import app

    with page.expect_download() as download:
        page.get_by_role("button", name="Save script").click()
    file = tmp_path / "playground.yaml"
    download.value.save_as(file)
    played = CliRunner().invoke(app, ["trace", "--script", str(file)])
    assert played.exit_code == 0, played.output
    assert "12:00:00, 10, 1, 7" in played.output


# --- looks, keys, policy, network -----------------------------------------------------------------


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 800, 1900])
def test_nothing_is_wider_than_the_screen_or_too_faint(page: Page, scheme: str, width: int) -> None:
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    page.set_viewport_size({"width": width, "height": 800})
    for query in (REFUSED, "SELECT STREAM * FROM Orders", "SELECT * FROM (VALUES (1)) AS t (a)"):
        write(page, "query", query)
        expect(page.locator("#answer:not([aria-busy])")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate(WEAK_CONTRASTS) == []
    page.emulate_media(color_scheme="light")


def test_an_editor_is_left_with_escape_and_with_tab(page: Page) -> None:
    page.locator("#query .cm-content").click()
    page.keyboard.press("Escape")
    expect(page.locator("#step")).to_be_focused()
    page.keyboard.press("e")
    page.keyboard.insert_text(" ")
    page.keyboard.press("Tab")
    page.keyboard.insert_text("x")
    assert "x" not in text_of(page, "query").splitlines()[0].replace("EXT", "")


def test_f8_goes_to_the_fault_and_control_enter_applies_its_hint(page: Page) -> None:
    write(page, "query", REFUSED)
    expect(page.locator("#query .fault")).to_be_visible()
    page.locator("#help").focus()
    page.keyboard.press("F8")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#state")).to_contain_text("4 rows from 8 events")


def test_a_question_mark_shows_the_keys(page: Page) -> None:
    dialog = page.get_by_role("dialog", name="Keys and words")
    for close in ("Escape", "Enter"):  # the second is the dialog's button
        page.locator("#step").focus()
        page.keyboard.press("?")
        expect(dialog).to_be_visible()
        page.keyboard.press(close)
        expect(dialog).to_be_hidden()


def test_the_theme_is_chosen_and_lasts(page: Page) -> None:
    colour = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(colour)
    page.locator("#theme").click()
    page.locator("#theme").click()
    expect(page.locator("#theme")).to_have_text("Dark")
    assert page.evaluate(colour) != light
    assert page.evaluate("localStorage.theme") == "dark"
    page.locator("#theme").click()
    assert page.evaluate(colour) == light


def test_neither_the_page_nor_the_reference_reaches_another_server(tab: Page) -> None:
    asked = list[str]()

    class Other(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            self.send_header("Access-Control-Allow-Origin", "*")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    for other in served(Other):
        fetched = "address => fetch(address).then(() => 'reached', error => error.name)"
        assert tab.evaluate(fetched, f"{other}page") == "TypeError"
        (worker,) = tab.workers
        assert worker.evaluate(fetched, f"{other}worker") == "TypeError"
    assert asked == []


def test_no_script_in_the_page_runs(tab: Page) -> None:
    tab.evaluate(
        "const made = document.createElement('script');"
        "made.textContent = 'document.title = \"run\"';"
        "document.body.append(made);"
        "made.remove()"
    )
    assert tab.title() != "run"


def test_it_works_without_a_network(browser: Browser, address: str) -> None:
    context = browser.new_context()
    opened = context.new_page()
    opened.goto(address)
    expect(opened.locator("#offline")).to_contain_text("works without a network", timeout=START)
    context.set_offline(offline=True)
    opened.goto(f"{address}#case=hopping/hop-3-hours-every-hour-emission")
    opened.reload()
    expect(opened.locator("#state")).to_contain_text("4 rows from 13 events", timeout=START)
    assert re.fullmatch("hopping/.*", opened.locator("#about h2").inner_text())
    context.close()
