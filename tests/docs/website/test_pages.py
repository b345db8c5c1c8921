"""The sources of the site: anchors, links, and what the pages of rules show."""

import re
from functools import cache
from pathlib import PurePosixPath
from posixpath import normpath

import pytest

from docs.website.pages import ROOT, Sources, page_files, sources
from docs.website.rule_pages import add_rule_pages, rule_page
from tck.corpus.load import kit_corpus
from tck.pages.names import case_link
from tests.rule_index import rules
from tests.test_docs import anchors


@cache
def made() -> Sources:
    cases = {case.id: f"report/{case_link(case.id)}" for case in kit_corpus().cases}
    return sources(cases)


def test_every_page_of_the_docs_is_a_page_of_the_site() -> None:
    assert len(made().texts) == 2 + len(list((ROOT / "docs").rglob("*.md")))


def test_every_clause_and_every_statement_has_one_anchor() -> None:
    text = "".join(made().texts.values())
    found = re.findall(r'id="((?:S|CAL|MON|EXT|RTB|E)-\d+(?:\.[a-z]+)?)"', text)
    assert len(found) == len(set(found))
    assert set(found) >= {clause for rule in rules() for clause in rule.clauses}
    assert set(found) >= {rule.id for rule in rules()}
    assert {"CAL-001", "MON-014", "RTB-152", "E-33"} <= set(found)


def test_a_mention_of_a_clause_leads_to_it() -> None:
    page = made().texts["traces.md"]
    linked = re.findall(r'<a class="id" href="semantics.html#(S-\d+)">(S-\d+)</a>', page)
    assert len(linked) > 5
    assert all(id == shown for id, shown in linked)
    assert '<a class="id" href="../semantics.html#' in "".join(
        text for name, text in made().texts.items() if name.startswith("engines/")
    )


def test_the_name_of_a_case_leads_to_the_report() -> None:
    link = '<a href="report/case.html#case=stream-of-one-row"><code>stream-of-one-row</code></a>'
    assert link in made().texts["sources.md"]


@pytest.mark.parametrize("name", sorted(page_files().values()))
def test_every_link_of_a_page_leads_to_a_page_or_file(name: str) -> None:
    """Of links in Markdown and those of HTML; Sphinx checks the former once more."""
    text = re.sub(r"(?ms)^```.*?^```$", "", made().texts[name])
    files = {path.relative_to(ROOT).as_posix() for path in made().files}
    back = {page: path for path, page in page_files().items()}
    folder = PurePosixPath(name).parent
    links = re.findall(r'\]\(([^)#:\s]+)(#[^)]*)?\)|href="([^"#:]+)(#[^"]*)?"', text)
    for path, anchor, html, id in links:
        to = normpath(folder / (path or html))
        if to.startswith(("report/", "rules/")):
            continue  # made with the report, and by the page of each rule
        if to.startswith("files/"):
            assert to.removeprefix("files/").removesuffix(".txt") in files
        else:
            page = to.removesuffix(".html").removesuffix(".md") + ".md"
            assert page in back, to
            assert not anchor or anchor[1:] in anchors(back[page]), f"{to}{anchor}"
            assert not id or id[1:] in made().ids, f"{to}{id}"


def test_the_page_of_a_rule_has_its_clauses_cases_and_timelines() -> None:
    rule = next(each for each in rules() if each.title == "Aggregation")
    clause, after = list(rule.clauses)[3:5]
    page = "\n".join(rule_page(made(), rule, kit_corpus().cases))
    for each in rule.clauses:
        assert f'<span id="{each}">' in page
    assert page.count("<svg") > len(rule.clauses)
    citing = {case.id for case in kit_corpus().cases if clause in case.cites}
    part = page.partition(f'id="{clause}"')[2].partition(f'id="{after}"')[0]
    shown = set(re.findall(r"<code>([a-z0-9-]+)</code>", part))
    assert shown
    assert shown <= citing


def test_there_is_a_page_for_each_rule() -> None:
    of_rules = Sources(made().cases, {}, set(), made().ids)
    add_rule_pages(of_rules, [])
    assert set(of_rules.texts) == {f"rules/{rule.id}.md" for rule in rules()} | {"rules/index.md"}
