"""What is wrong with cases that can be read: they contradict, prove nothing, cite nothing known."""

import re
from collections.abc import Hashable, Iterable, Iterator
from itertools import combinations
from typing import Final

from tck.case import Case
from tck.document import Problem
from tck.ledger import Entry
from tck.protocol import Rows

_ANSWERS: Final = 6  # of monotonicity
_MAKES_ROWS: Final = re.compile(r"\b(INSERT|VALUES|MERGE|UPSERT)\b", re.IGNORECASE)


def lint(cases: Iterable[Case], entries: Iterable[Entry]) -> list[Problem]:
    """The problems, by file and line.  Invalid files and ids used twice are found on loading."""
    listed, ledger = list(cases), list(entries)
    problems = [
        *_unknown_citations(listed, ledger),
        *_stale_statuses(listed, ledger),
        *_vacuous(listed),
        *_contradictions(listed),
    ]
    return sorted(problems, key=lambda problem: (problem.place.file, problem.place.line))


def _unknown_citations(cases: list[Case], entries: list[Entry]) -> Iterator[Problem]:
    known = {entry.id for entry in entries}
    for case in cases:
        for cited in case.cites:
            if cited not in known:
                hint = "the ledger has no such entry"
                yield Problem(case.place, f"{case.id} cites {cited}, which is unknown", hint)


def _stale_statuses(cases: list[Case], entries: list[Entry]) -> Iterator[Problem]:
    cited = {id for case in cases for id in case.cites}
    for entry in entries:
        if entry.untested and entry.id in cited:
            yield Problem(
                entry.place,
                f"{entry.id} is said to be {entry.untested}, but cases cite it",
                "take its status away",
            )


def _vacuous(cases: list[Case]) -> Iterator[Problem]:
    """Expectations that cannot fail."""
    for case in cases:
        allowed = set(case.also_sound)
        if case.monotonicity and all(
            len(allowed | {answer}) == _ANSWERS for answer in case.monotonicity.values()
        ):
            yield Problem(case.place, f"{case.id} takes any monotonicity for sound")
        if case.equal_to is not None and case.equal_to.split() == (case.sql or "").split():
            yield Problem(case.place, f"{case.id} compares a query with itself")
        if case.runs and not case.equal_to and not _has_input(case) and not _asks_more(case):
            yield Problem(case.place, f"{case.id} expects no rows of no input")


def _has_input(case: Case) -> bool:
    fed = [event for step in case.steps for event in step.events if isinstance(event, Rows)]
    streams = () if case.steps else case.streams
    made = _MAKES_ROWS.search(f"{case.ddl} {case.sql}")
    arriving = any(rows.rows for rows in (*fed, *streams))
    return bool(made or arriving or any(load.rows for load in case.tables))


def _asks_more(case: Case) -> bool:
    """Whether a case asks for more than that no rows come."""
    steps = any(s.clock or s.late or s.error or s.state is not None for s in case.steps)
    judged = case.schema or case.monotonicity or case.metadata or case.plan
    return bool(case.all_rows or steps or judged)


def _contradictions(cases: list[Case]) -> Iterator[Problem]:
    """Cases of the same input that cannot both pass."""
    alike: dict[Hashable, list[Case]] = {}
    for case in cases:
        events = tuple(step.events for step in case.steps)
        streams = case.streams if not case.steps else ()
        sql = " ".join((case.sql or "").split())
        ddl = " ".join(case.ddl.split())
        key = (case.profile, ddl, sql, case.tables, streams, events)
        alike.setdefault(key, []).append(case)
    for group in alike.values():
        for first, second in combinations(group, 2):
            what = _contradiction(first, second)
            if what:
                message = f"{second.id} contradicts {first.id}, which has the same input, in {what}"
                yield Problem(second.place, message, f"the other is at {first.place}")


def _contradiction(a: Case, b: Case) -> str:
    """What two cases of the same input say differently, empty where they agree."""
    if a.error and b.error:
        return "its error" if a.error.code != b.error.code else ""
    if (a.error and not a.may_accept) or (b.error and not b.may_accept):
        return "its error"
    if a.runs and b.runs and not (a.equal_to or b.equal_to):
        if (a.failure is None) != (b.failure is None):
            return "its error"
        comparable = a.date == b.date and a.ended and b.ended
        if comparable and sorted(map(repr, a.all_rows)) != sorted(map(repr, b.all_rows)):
            return "its rows"
    if a.schema and b.schema and a.schema != b.schema:
        return "its schema"
    both = a.monotonicity.keys() & b.monotonicity.keys()
    if any(a.monotonicity[name] != b.monotonicity[name] for name in both):
        return "its monotonicity"
    if a.plan and b.plan and a.plan.split() != b.plan.split():
        return "its plan"
    return ""
