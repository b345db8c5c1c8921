"""The first page of the site, its glossary, and the bar above all pages."""

import re
from html.parser import HTMLParser
from pathlib import Path

from docs.website.landing import ENGINES, landing
from docs.website.pages import ROOT, sources, with_terms
from docs.website.places import name_landmarks
from tck.pages.places import PLACES, add_bars

DOCS = ROOT / "docs"


def test_the_first_page_has_a_run_three_ways_and_each_engine_with_its_numbers() -> None:
    page = landing(DOCS, 11_550, has_playground=True)
    assert "with 11,550 cases" in page
    (ends,) = set(re.findall(r'class="drawn wide".*?data-ends="([\d ]+)"', page))
    assert len(ends.split()) == 8  # the events of the run
    assert [float(each) for each in ends.split()] == sorted(map(float, ends.split()))
    for link in ("playground/", "adding-a-backend", "docket/index", "report/index"):
        assert f'href="{link}' in page
    assert 'href="playground/' not in landing(DOCS, 1, has_playground=False)
    shown = re.findall(r"<tr><th scope=row><a [^>]*>([^<]*)</a></th><td>[^<]*</td>"
                       r"<td class=number>([\d,]+)</td>.*? (\d+) %", page)  # fmt: skip
    lines = [line for line in (DOCS / ENGINES).read_text("utf-8").splitlines() if "](" in line]
    rows = [[each.strip() for each in line.split("|")] for line in lines if line[:2] == "| "]
    named = [(re.findall(r"\[(.*?)\]", row[1])[0], row) for row in rows if len(row) == 16]
    listed = [
        (name, f"{int(row[7]):,}", f"{100 * int(row[9]) / int(row[7]):.0f}") for name, row in named
    ]
    assert shown == listed
    assert len(shown) >= 9


def test_the_search_finds_each_term_of_the_glossary_once() -> None:
    """Sphinx refuses a term that is defined twice."""
    text = with_terms((DOCS / "glossary.md").read_text("utf-8"))
    assert "| term |" not in text
    blocks = re.findall(r"(?s)```\{glossary\}\n(.*?)```", text)
    heads = [
        line
        for block in blocks
        for line in block.splitlines()
        if line and not line.startswith(" ")  # which is a definition
    ]
    assert not [each for each in heads if each.endswith(".") or each.startswith(":")]
    assert len(heads) == len(set(heads))
    assert {"bound", "rowtime bound", "gap"} <= set(heads)
    assert "```{glossary}" in sources({}).texts["glossary.md"]


class _Links(HTMLParser):
    """The links of a page in order, and its landmarks that have no name."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.nameless: list[str] = []
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a link or a landmark."""
        given = dict(attrs)
        if tag == "a":
            self.links.append(given.get("href") or "")
        if tag in ("aside", "nav") and not given.get("aria-label"):
            self.nameless.append(tag)


def test_all_pages_have_the_bar_after_the_link_that_skips_it(tmp_path: Path) -> None:
    skip = '<a class="skip-link" href="#main">Skip</a>'
    for name, body in {
        "index.html": '<aside class="toc-drawer"></aside>',
        "rules/rule.html": '<pre>code</pre><th class="head"><p></p></th><th><p>name</p></th>'
        '<div class="table-wrapper docutils"></div>',
        "search.html": '<div id="search-results"></div>',
        "report/index.html": skip,
        "report/folder/a.html": skip,
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"<html><body class=x>{body}<main></main></body></html>")
    for _ in range(2):  # a page that has the bar gets no other
        add_bars(tmp_path)
        name_landmarks(tmp_path)
    there = [each.page for each in PLACES if each.folder != "playground"]
    assert _Links(tmp_path / "index.html").links == there
    assert _Links(tmp_path / "index.html").nameless == []
    assert _Links(tmp_path / "rules/rule.html").links == [f"../{each}" for each in there]
    assert _Links(tmp_path / "report/index.html").links == ["#main", *(f"../{e}" for e in there)]
    rule = (tmp_path / "rules/rule.html").read_text()
    assert '<pre tabindex="0">code</pre><td class="head"></td><th><p>name</p></th>' in rule
    assert '<div tabindex="0" class="table-wrapper docutils">' in rule
    assert (tmp_path / "search.html").read_text().count("<h1>Search</h1>") == 1
    case = (tmp_path / "report/folder/a.html").read_text()
    assert case.count('href="../../report/index.html" aria-current="true"') == 1
