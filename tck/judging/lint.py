"""What is wrong with cases that can be read: they contradict, prove nothing, cite nothing known."""

import re
from collections.abc import Hashable, Iterable, Iterator
from itertools import combinations
from typing import Final

from tck.corpus.case import Case, Place, Step
from tck.corpus.document import Problem
from tck.corpus.ledger import Entry, entry_of
from tck.corpus.needs import implied_needs
from tck.judging.rowtimes import END, moment
from tck.judging.schedule import spans
from tck.judging.verdict import Outcome, Result
from tck.protocol import End, Rows

_ANSWERS: Final = 6  # of monotonicity
_MAKES_ROWS: Final = re.compile(r"\b(INSERT|VALUES|MERGE|UPSERT)\b", re.IGNORECASE)


def lint(cases: Iterable[Case], entries: Iterable[Entry]) -> list[Problem]:
    """The problems, by file and line.  Invalid files and ids used twice are found on loading."""
    listed, ledger = list(cases), list(entries)
    problems = [
        *_unknown_citations(listed, ledger),
        *_stale_statuses(listed, ledger),
        *_vacuous(listed),
        *_untimely(listed),
        *_contradictions(listed),
    ]
    return sorted(problems, key=lambda problem: (problem.place.file, problem.place.line))


def unmet(results: Iterable[Result]) -> list[Problem]:
    """Expectations that a backend does not meet, of one that is right: then they are wrong."""
    return [
        Problem(
            result.case.place,
            f"{result.case.id} is not met by {result.backend}: {result.verdict.label}",
            result.verdict.reason,
        )
        for result in results
        if result.verdict.outcome in (Outcome.FAIL, Outcome.ERROR)
    ]


def _unknown_citations(cases: list[Case], entries: list[Entry]) -> Iterator[Problem]:
    known = {entry.id for entry in entries}
    for case in cases:
        for cited in case.cites:
            if entry_of(cited) not in known:
                hint = "the ledger has no such entry"
                yield Problem(case.place, f"{case.id} cites {cited}, which is unknown", hint)


def _stale_statuses(cases: list[Case], entries: list[Entry]) -> Iterator[Problem]:
    cited = {entry_of(id) for case in cases for id in case.cites}
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


def _untimely(cases: list[Case]) -> Iterator[Problem]:
    """Steps that no backend can take as they are written."""
    for case in cases:
        for step, what in _step_faults(case) if case.steps else ():
            place = Place(case.place.file, step.line)
            yield Problem(place, f"{case.id} {what}")


def _step_faults(case: Case) -> Iterator[tuple[Step, str]]:
    relational = "relational" in set(implied_needs(case))
    clock, ending, ended = "", False, False
    for step in case.steps:
        if ended and (step.events or step.producers):
            yield step, "goes on after the end of all inputs"
        ending = ending or any(isinstance(event, End) for event in step.events)
        ended = ended or End() in step.events
        if relational and not ended and (step.emit or step.may_emit):
            yield step, "has rows of a relational query before the end of all inputs"
        if step.clock is None:
            continue
        if moment(step.clock) < clock:
            yield step, f"has a bound that falls to {step.clock} (S-103)"
        if ended != (step.clock == END) and (ended or not ending):
            yield step, "has the bound `end` after the end of the inputs, and there alone (S-105)"
        clock = moment(step.clock)


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


def _timed(case: Case) -> bool:
    """Whether the steps say when the rows come."""
    return case.rows is None and bool(case.steps)


def _moments(case: Case) -> list[str]:
    """The rows with their steps, in no order."""
    return sorted(repr((span.cells, span.first, span.last)) for span in spans(case))


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
        if _timed(a) and _timed(b) and _moments(a) != _moments(b):
            return "the steps of its rows"
        clocks = [(x.clock, y.clock) for x, y in zip(a.steps, b.steps, strict=True)]
        if any(x and y and x != y for x, y in clocks):
            return "its bounds"
    if a.schema and b.schema and a.schema != b.schema:
        return "its schema"
    both = a.monotonicity.keys() & b.monotonicity.keys()
    if any(a.monotonicity[name] != b.monotonicity[name] for name in both):
        return "its monotonicity"
    if a.plan and b.plan and a.plan.split() != b.plan.split():
        return "its plan"
    return ""
