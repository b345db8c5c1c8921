"""The pages of the docket: docs/docket/, one page for each point and an index."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from docs.docket.answers import NO_ROWS, Answer, NotAsked, answers, lists_steps
from docs.docket.points import Docket, Point
from engines.harness.reports import EngineReport
from engines.harness.steps import events_text, expected_texts, result_text, rows_text
from tck.corpus.case import Case
from tck.corpus.load import kit_corpus
from tck.corpus.needs import says_stream
from tck.result_types import typed
from tests.rule_index import Rule, rules

#: The folder of the pages.
FOLDER: Final = Path(__file__).parent
_MADE: Final = "<!-- make docket writes this page from points.yaml -->"
#: The sources of a clause, or the reason why no code defines it: at its end, in parentheses.
_SOURCES: Final = re.compile(r" ?\*\([^)]*\)\*$")
_INDEX: Final = """\
# The docket

{made}

The table below lists questions of streaming SQL that its documentation leaves open, or that engines
answer in different ways.  A page about a question has the *ruling* of rowtime (the answer that the
kit demands), the reason for the ruling, a small case that shows the question, and the answer of
each engine.  The answers are from the [last runs of the engines](../engines/index.md).  At its end,
each page explains how you can dispute the ruling.

| question | rule | engines that answer as ruled | engines that answer differently |
|---|---|---|---|
{points}

Some engines are in neither column, because they lack a feature that the case needs.  The page of
the question names this feature.
"""
_APPEAL: Final = """\
If you think that the ruling is wrong, [dispute the case](../../CONTRIBUTING.md#disputing-a-case).
Open an issue that names {cases}, the clause {clause}, and the answer
of your engine, with a link to the engine's documentation.  Anyone can open such an issue, for any
engine."""


def docket_pages(docket: Docket, reports: Sequence[EngineReport]) -> dict[Path, str]:
    """The text of each page by its path; the index is the first."""
    wanted = {id for point in docket.points for id in point.cases}
    cases = {each.id: typed(each) for each in kit_corpus().only(sorted(wanted)).cases}
    given = {id: answers(case, reports) for id, case in cases.items()}
    by_clause = {clause: rule for rule in rules() for clause in rule.clauses}
    pages = {FOLDER / "index.md": "".join(_index(docket, given, by_clause)).rstrip()}
    for point in docket.points:
        lines = _page(point, [cases[id] for id in point.cases], given, by_clause)
        pages[FOLDER / f"{point.id}.md"] = "\n".join(lines)
    return {path: f"{text}\n" for path, text in pages.items()}


def _index(
    docket: Docket,
    given: Mapping[str, Sequence[Answer | NotAsked]],
    by_clause: Mapping[str, Rule],
) -> Iterator[str]:
    """The parts of the index."""
    lines: list[str] = []
    for point in docket.points:
        asked = [each for id in point.cases for each in given[id] if isinstance(each, Answer)]
        differing = {each.engine: None for each in asked if each.differs}
        agreeing = {each.engine: None for each in asked if each.agrees}
        columns = [
            f"[{point.question}]({point.id}.md)",
            _link(point.clauses[0], by_clause),
            ", ".join(each for each in agreeing if each not in differing) or NO_ROWS,
            ", ".join(differing) or NO_ROWS,
        ]
        lines.append(f"| {' | '.join(columns)} |")
    yield _INDEX.format(made=_MADE, points="\n".join(lines))


def _page(
    point: Point,
    cases: Sequence[Case],
    given: Mapping[str, Sequence[Answer | NotAsked]],
    by_clause: Mapping[str, Rule],
) -> Iterator[str]:
    yield f"# {point.question}"
    yield ""
    yield _MADE
    yield ""
    yield "## The ruling"
    yield ""
    for clause in point.clauses:
        yield f"- {_link(clause, by_clause)}: {claim(by_clause[clause].clauses[clause])}"
    yield ""
    yield point.reason.strip()
    for number, case in enumerate(cases, 1):
        of_several = f" {number}" if len(cases) > 1 else ""
        yield ""
        yield f"## Transcript{of_several}: `{case.id}`"
        yield ""
        yield from _transcript(case)
        yield ""
        yield from _table(case, given[case.id])
    yield ""
    yield "## If you disagree"
    yield ""
    named = " and ".join(f"`{case.id}`" for case in cases)
    word = "case" if len(cases) == 1 else "cases"
    yield _APPEAL.format(cases=f"the {word} {named}", clause=point.clauses[0])


def _transcript(case: Case) -> Iterator[str]:
    """The declarations and the query, and then the input."""
    texts = [text.strip() for text in (case.ddl, case.sql or "") if text.strip()]
    yield "```sql"
    yield "\n\n".join(texts)
    yield "```"
    yield ""
    for load in case.tables:
        yield f"- At the start, `{load.object}` has these rows: {rows_text(case, load.rows)}"
    if lists_steps(case):
        for number, step in enumerate(case.steps, 1):
            yield f"{number}. {events_text(case, step.events)}"
    elif says_stream(case.sql or ""):
        events = [event for step in case.steps for event in step.events] or [*case.streams]
        yield f"- input: {events_text(case, events)}"
    elif not case.tables:
        yield "The query reads no stream and no table."


def _table(case: Case, given: Sequence[Answer | NotAsked]) -> Iterator[str]:
    """The ruling, then the answers, a line each; then the engines that were not asked."""
    steps = len(case.steps) if lists_steps(case) else 1
    heads = [f"step {number}" for number in range(1, steps + 1)] if steps > 1 else ["answer"]
    yield f"| engine | judged at | {' | '.join(heads)} | verdict |"
    yield f"|---|---|{'---|' * steps}---|"
    yield f"| **the ruling** | | {' | '.join(_wide(_ruled(case), steps))} | |"
    for each in given:
        if isinstance(each, Answer):
            cells = " | ".join(_wide(each.cells, steps))
            yield f"| {each.engine} | `{each.tier}` | {cells} | {each.verdict} |"
    absent = [each for each in given if isinstance(each, NotAsked)]
    if absent:
        yield ""
        yield "These engines gave no answer:"
        yield ""
        for each in absent:
            yield f"- {each.engine}: {each.reason}"


def _ruled(case: Case) -> tuple[str, ...]:
    """The expectation of the case: a cell for each step, or one for all."""
    if case.error is not None:
        return (f"the query is rejected: `{case.error.code}`",)
    failing = [step.error for step in case.steps if step.error]
    if failing:
        return (f"the query fails: `{failing[0].code}`",)
    if lists_steps(case):
        return tuple(text or NO_ROWS for text in expected_texts(case))
    return (result_text(case, case.rows or ()) or NO_ROWS,)


def _wide(cells: tuple[str, ...], steps: int) -> tuple[str, ...]:
    """The cells, with empty ones after them up to the number of the steps."""
    return cells + ("",) * (steps - len(cells))


def _link(clause: str, by_clause: Mapping[str, Rule]) -> str:
    return f"[{clause}](../semantics.md#{by_clause[clause].anchor})"


def claim(text: str) -> str:
    """The text of a clause without its sources; cells of a table are separated by colons."""
    text = text.split(" Sources: ", maxsplit=1)[0]
    while _SOURCES.search(text):
        text = _SOURCES.sub("", text)
    return text.replace(" | ", ": ")
