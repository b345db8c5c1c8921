"""The pages as files: whole, linked to one another, and safe whatever a backend says."""

# ruff: noqa: D102 - the methods of `Tags` are those of its base

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

import pytest
from typer.testing import CliRunner

from tck.cli import app
from tck.corpus.case import Place
from tck.judging.verdict import Kind, Mark, Marks, Outcome
from tck.pages.names import case_link
from tck.pages.site import Site, pages
from tests.tck.corpora import load_cases, write_cases
from tests.tck.pages.hostile import hostile_site
from tests.tck.pages.runs import (
    CASES,
    cases_in,
    entry,
    page_data,
    record,
    site,
    transcript,
)

FIRST = ("2015-02-15 10:00:00", 10, 4)


class Tags(HTMLParser):
    """The elements and attributes of a page, and those that were not closed."""

    VOID = frozenset({"meta", "link", "input", "br"})
    SVG = frozenset({"path", "rect"})

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.open: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


@pytest.fixture
def shown(tmp_path: Path) -> Site:
    """Two engines: one that is right, and one with a late row, a skip and an error."""
    cases = cases_in(tmp_path)
    second, third = ("2015-02-15 10:05:00", 20, 1), ("2015-02-15 10:10:00", 30, 2)
    right = record(
        entry(cases["all-orders"], answer=transcript([FIRST, second], [third], [])),
        entry(cases["history-of-orders"]),
        entry(cases["groups-without-time"]),
        backend="right",
    )
    wrong = record(
        entry(
            cases["all-orders"],
            Outcome.FAIL,
            Kind.TOO_LATE,
            reason="1 row too late",
            marks=Marks(Mark.PASS, Mark.NONE, Mark.FAIL),
            answer=transcript([FIRST], [third], [second]),
        ),
        entry(cases["history-of-orders"], Outcome.SKIP, reason="over: no windows"),
        entry(cases["groups-without-time"], Outcome.ERROR, reason="it died"),
        backend="wrong",
    )
    return site(cases, right, wrong)


@pytest.fixture
def hostile(tmp_path: Path) -> Site:
    return hostile_site(tmp_path)


def links(site: Site) -> Iterator[tuple[str, str]]:
    """The links of all pages: the page, and the path with the anchor."""
    for name, page in pages(site):
        for tag, attributes in Tags(page if name.endswith(".html") else "").found:
            if tag == "a":
                yield name, attributes["href"] or ""


def test_every_link_leads_to_a_page_and_an_anchor(shown: Site) -> None:
    anchors: Mapping[str, set[str]] = {
        name: {unquote(a["id"] or "") for _, a in Tags(page).found if "id" in a}
        for name, page in pages(shown)
    }
    for name, link in links(shown):
        path, _, anchor = link.partition("#")
        parts = [*PurePosixPath(name).parent.parts, *PurePosixPath(path).parts] if path else [name]
        target = "/".join(parts[1:] if ".." not in parts else parts[parts.index("..") + 1 :])
        target = target if target in anchors else "/".join(parts)
        assert target in anchors, link
        if "case=" in anchor:
            assert anchor.removeprefix("case=") in {item.id for item in shown.items}
        elif target != "cases.html":  # whose anchors are filters
            assert not anchor or unquote(anchor) in anchors[target], link


def test_pages_need_only_the_files_that_they_share_and_every_element_is_closed(
    shown: Site,
) -> None:
    files = dict(pages(shown))
    for name, page in files.items():
        root = "../" * name.count("/")
        tags = Tags(page if name.endswith(".html") else "")
        assert tags.open == []
        loaded = [a["src"] for _, a in tags.found if "src" in a]
        loaded += [a["href"] for tag, a in tags.found if tag == "link" and a["rel"] != "icon"]
        assert loaded == ([f"{root}report.js", f"{root}report.css"] if tags.found else [])
        for _, attributes in tags.found:
            assert not any(name.startswith("on") for name in attributes)
            assert attributes.get("rel") != "icon" or attributes["href"] == "data:,"
        without_namespace = page.replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"https?://|@import|url\((?!#)", without_namespace)
    assert {"report.js", "report.css"} < set(files)


def test_a_link_to_a_case_is_the_same_after_the_case_has_moved(tmp_path: Path) -> None:
    cases = cases_in(tmp_path)
    moved = {
        id: replace(case, chapter="elsewhere", place=Place("cases/elsewhere/other.yaml", 1))
        for id, case in cases.items()
    }
    found: list[set[str]] = []
    for corpus in (cases, moved):
        shown = site(corpus, record(*[entry(case, Outcome.FAIL) for case in corpus.values()]))
        found.append({link for _, link in links(shown) if link.startswith("case")})
        found[-1] = {link for link in found[-1] if "case=" in link}
    assert found[0] == found[1] == {case_link(id) for id in cases}


def test_the_same_runs_give_the_same_pages(shown: Site) -> None:
    assert dict(pages(shown)) == dict(pages(shown))


def test_a_table_head_says_its_scope(shown: Site) -> None:
    for _, page in pages(shown):
        assert all("scope" in a for tag, a in Tags(page).found if tag == "th")


def test_the_page_of_a_case_has_the_answer_beside_what_is_expected(shown: Site) -> None:
    data = page_data(dict(pages(shown))["cases/chapter-subject.js"])
    assert (data["chapter"], data["subject"]) == ("chapter", "toys")
    assert data["statements"]["CAL-001"][0] == "a query may be streaming"
    (orders, *_) = data["cases"]
    assert (orders["id"], orders["why"]) == ("all-orders", "every order comes out")
    right, wrong = orders["answers"]
    second = ["10:05:00", "20", "1"]
    assert orders["steps"][0][1][1] == right["steps"][0][1][1] == second
    assert wrong["steps"][0][1][1] == ["moved", second, None, [], "emitted at step 3"]
    assert orders["drawing"]["title"] == "all-orders: the expected answer"
    assert "drawing" not in right  # it is the expected one
    assert wrong["drawing"]["title"] == "all-orders: what wrong answered"


def test_cases_that_no_source_asks_for_are_counted_apart(tmp_path: Path) -> None:
    (asked,) = load_cases(tmp_path / "asked", CASES[0])
    (beyond,) = load_cases(tmp_path / "beyond", CASES[2])
    beyond = replace(beyond, chapter="beyond")
    both = {asked.id: asked, beyond.id: beyond}
    index = dict(pages(site(both, record(entry(asked), entry(beyond)))))["index.html"]
    text = " ".join(" ".join(Tags(index).texts).split())
    assert "exact 1 1 100.0 %" in text
    assert re.search(r"all 100 % of 1 beyond no source asks for it 100 % of 1", text)


def test_texts_of_a_backend_are_never_html_nor_control_characters(hostile: Site) -> None:
    for name, page in pages(hostile):
        assert "<script>bad" not in page, name
        if name.startswith("cases/"):
            data = json.dumps(page_data(page), ensure_ascii=False)
            assert "<script>bad()</script>" in data  # which the script writes as text
        if not name.endswith(".html"):
            continue
        assert "<i title" not in page, name
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f\u202e\u2067]", page), name
        tags = Tags(page)
        assert tags.open == []
        assert not any(tag in ("i", "img") for tag, _ in tags.found)
        scripts = [attrs.get("type") for tag, attrs in tags.found if tag == "script"]
        assert scripts in ([None], ["text/plain", None])  # the first is data
        if len(scripts) == 2:
            data = json.dumps(page_data(page), ensure_ascii=False)
            assert data.isprintable()
            assert not re.search(r"(?<!\\)\\[bfnrtu]", data)
    texts = "".join(text for _, page in pages(hostile) for text in Tags(page).texts)
    assert "<script>bad()</script>" in texts  # as text
    assert r"\x1b[31m" in texts


def test_only_scripts_of_the_same_place_are_allowed_to_run(shown: Site) -> None:
    for name, page in pages(shown):
        if name.endswith(".html"):
            policy = next(a["content"] or "" for _, a in Tags(page).found if "http-equiv" in a)
            assert policy.startswith(
                "default-src 'none'; style-src 'self' file:; script-src 'self' file:;"
            )
            assert "unsafe" not in policy


# --- the command ---------------------------------------------------------------------------------


def run(folder: Path, *arguments: str) -> tuple[int, str]:
    """The exit status of ``tck report`` on cases in a folder, and what it prints."""
    result = CliRunner().invoke(app, ["report", *arguments, "--cases", str(folder / "cases")])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result.exit_code, result.output


def test_the_command_writes_the_pages_of_a_run(tmp_path: Path) -> None:
    write_cases(tmp_path / "cases", CASES[0], CASES[2])
    file = tmp_path / "run.jsonl"
    made = CliRunner().invoke(
        app,
        [*["run", "-b", "reference", "-c"], str(tmp_path / "cases"), "--jsonl", str(file)],
    )
    assert made.exit_code == 0, made.output
    code, printed = run(tmp_path, str(file), "-o", str(tmp_path / "out"))
    assert (code, printed.strip()) == (0, str(tmp_path / "out" / "index.html"))
    index = (tmp_path / "out" / "index.html").read_text("utf-8")
    assert "reference" in index
    assert "incomplete" not in index


def test_a_run_without_its_end_is_shown_as_incomplete(tmp_path: Path) -> None:
    write_cases(tmp_path / "cases", *CASES)
    head = {"rowtime": {"format": 2, "version": "0.1.0", "cases": 3, "backends": ["toy"]}}
    (tmp_path / "run.jsonl").write_text(json.dumps(head) + "\n", "utf-8")
    code, _ = run(tmp_path, str(tmp_path / "run.jsonl"), "-o", str(tmp_path / "out"))
    assert code == 0
    assert "incomplete run: 0 of 3 cases" in (tmp_path / "out" / "index.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "No such file"),
        ("", "there is no whole line"),
        ("{\n", "not JSON"),
        ('{"rowtime": {"format": 99, "version": "9", "cases": 1, "backends": []}}\n', "2"),
        ('{"backend": "toy"}\n', "rowtime"),
    ],
)
def test_a_file_that_is_none_of_the_kit_is_refused(
    tmp_path: Path, content: str | None, message: str
) -> None:
    write_cases(tmp_path / "cases", *CASES)
    if content is not None:
        (tmp_path / "run.jsonl").write_text(content, "utf-8")
    code, printed = run(tmp_path, str(tmp_path / "run.jsonl"), "-o", str(tmp_path / "out"))
    assert code == 2
    assert "run.jsonl:1: " in printed
    assert message in printed
    assert not (tmp_path / "out").exists()


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    write_cases(tmp_path / "cases", *CASES)
    head = {"rowtime": {"format": 2, "version": "0.1.0", "cases": 3, "backends": ["toy"]}}
    (tmp_path / "run.jsonl").write_text(json.dumps(head) + "\n", "utf-8")
    (tmp_path / "out").write_text("a file", "utf-8")
    code, printed = run(tmp_path, str(tmp_path / "run.jsonl"), "-o", str(tmp_path / "out"))
    assert code == 2
    assert "cannot be written" in printed
