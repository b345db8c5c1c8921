"""The pages of the rules: each clause, with the cases that cite it and timelines of some."""

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Final

from algebra.records.pipeline import RunError
from docs.website.pages import Sources, linked
from docs.website.sql import highlighted
from grammar.source import SqlError
from rowtime.timeline.case_events import play_of_case
from rowtime.timeline.timeline import timeline
from tck.corpus.case import Case
from tck.drawing.draw import inset
from tests.rule_index import RULES, Rule, rules

#: So many cases of a clause have their timelines on the page of its rule.
_DRAWN: Final = 3
#: The height above which a timeline is not drawn any more: a case of that many steps is linked.
_MOST_STEPS: Final = 25


def add_rule_pages(made: Sources, corpus: Sequence[Case]) -> None:
    """Add a page for each rule, and one that lists them."""
    cases = _citing(corpus)
    lines = ["# The rules, with their cases\n"]
    for rule in rules():
        made.texts[f"rules/{rule.id}.md"] = "\n".join(rule_page(made, rule, corpus))
        count = len({case.id for id in (rule.id, *rule.clauses) for case in cases.get(id, ())})
        lines.append(f"- [{rule.id} {rule.title}]({rule.id}.md): {count} cases")
    names = "\n".join(rule.id for rule in rules())
    lines.append(f"\n```{{toctree}}\n:hidden:\n\n{names}\n```\n")
    made.texts["rules/index.md"] = "\n".join(lines)


def _citing(cases: Sequence[Case]) -> Mapping[str, list[Case]]:
    """The cases by their citations, in the order of the corpus; of a series its first line."""
    found: dict[str, list[Case]] = {}
    seen = set[tuple[str, str]]()
    for case in cases:
        for id in case.cites:
            if case.series is None or (id, case.series) not in seen:
                found.setdefault(id, []).append(case)
                seen.add((id, case.series or ""))
    return found


def rule_page(made: Sources, rule: Rule, corpus: Sequence[Case]) -> Iterator[str]:
    """The lines of the page of a rule."""
    cases, name = _citing(corpus), f"rules/{rule.id}.md"
    yield f"# {rule.id} {rule.title}\n"
    yield f'<p><a href="../semantics.html#{rule.id}">This rule on the page of all rules</a></p>\n'
    if whole := cases.get(rule.id):
        yield from _cases(made, whole)
    for clause, text in rule.clauses.items():
        yield f'## <span id="{clause}">{clause}</span>\n'
        yield linked(made, RULES, name, text) + "\n"
        yield from _cases(made, cases.get(clause, []))


def _cases(made: Sources, cases: Sequence[Case]) -> Iterator[str]:
    """The timelines of the first cases that have one, and all others by their names."""
    drawn = 0
    others: list[str] = []
    for case in cases:
        picture = _picture(case) if drawn < _DRAWN else ""
        link = _link(made, case)
        if picture:
            drawn += 1
            why = f"<p>{escape(case.why)}</p>" if case.why else ""
            query = f"<pre>{highlighted(case.sql or '')}</pre>"
            opened = " open" if drawn == 1 else ""
            # A summary is a button, in which a link could not be reached.
            name = f"<summary><code>{escape(case.id)}</code></summary>"
            yield f"<details class=case{opened}>{name}"
            yield f"{why}<p>The case in the report: {link}</p>{query}"
            yield "<div class=drawn tabindex=0 role=group aria-label=Timeline>"
            yield f"{picture}</div></details>\n"
        else:
            others.append(link)
    if others:
        count = f"{len(others)} {'more ' if drawn else ''}cases"
        items = "".join(f"<li>{each}</li>" for each in others)
        yield f"<details class=more><summary>{count}</summary><ul>{items}</ul></details>\n"


def _link(made: Sources, case: Case) -> str:
    """The name of a case, which leads to its place in the report."""
    page = made.cases.get(case.id)
    name = f"<code>{escape(case.id)}</code>"
    return f'<a href="../{page}">{name}</a>' if page else name


def _picture(case: Case) -> str:
    """The timeline of a case as an element of a page; empty, where nothing streams in it."""
    if not case.runs or not case.steps or len(case.steps) > _MOST_STEPS:
        return ""
    try:
        run = timeline(play_of_case(case.id, [Path(case.place.file)]))
    except (SqlError, RunError):
        return ""
    return "".join(line.strip() + "\n" for line in str(inset(run)).splitlines() if line.strip())
