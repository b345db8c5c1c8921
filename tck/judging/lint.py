"""Find faults in the files of cases, for the command that checks a corpus.

Examples are contradictions between cases, expectations that cannot fail, and unknown citations.
"""

import re
from collections.abc import Hashable, Iterable, Iterator
from datetime import datetime
from itertools import combinations
from typing import Final

from tck.corpus.case import Case, Place, Step
from tck.corpus.document import Problem
from tck.corpus.ledger import Entry, entry_of
from tck.corpus.needs import implied_needs
from tck.corpus.permitted import permitted_rows
from tck.judging.rows.reading import read_rows, row_text
from tck.judging.rowtimes import END, bound_time, rowtime_place
from tck.judging.verdict import Outcome, Result
from tck.protocol import Bound, CloseProducer, End, OpenProducer, Rows, sender

#: The number of possible monotonicities of a column.
_ANSWERS: Final = 6
#: The clauses by which the output can have ended (the bound `end`) before any input has ended.
_ENDS_BEFORE: Final = frozenset({"S-105.c", "S-405.e", "S-405.h", "S-504.m", "S-509.k", "S-511.l"})
#: A script or query with such a word makes rows, so a case without input can have rows.
_MAKES_ROWS: Final = re.compile(r"\b(INSERT|VALUES|MERGE|UPSERT)\b", re.IGNORECASE)


def lint(cases: Iterable[Case], entries: Iterable[Entry]) -> list[Problem]:
    """The problems of cases and of the ledger's ``entries``, sorted by file and line.

    Invalid files and duplicate ids are not among them: loading the corpus finds these.
    """
    listed, ledger = list(cases), list(entries)
    problems = [
        *_unknown_citations(listed, ledger),
        *_stale_statuses(listed, ledger),
        *_vacuous(listed),
        *_impossible_steps(listed),
        *_contradictions(listed),
    ]
    return sorted(problems, key=lambda problem: (problem.place.file, problem.place.line))


def result_problems(cases: Iterable[Case]) -> list[Problem]:
    """The problems of cases whose rows or order do not fit the columns of their result.

    The cases must have passed `tck.result_types.typed`, which adds the columns if it can.
    """
    problems: list[Problem] = []
    for case in cases:
        columns = case.result or ()
        if case.runs and case.result is None:
            what = "has rows whose types are not known"
            hint = "the reference does not accept the query, or is not installed: give a `schema`"
            problems.append(Problem(case.place, f"{case.id} {what}", hint))
        elif case.runs and case.order == "rowtime" and rowtime_place(case) is None:
            what = "orders by rowtime, but its result has no column ROWTIME"
            problems.append(Problem(case.place, f"{case.id} {what}"))
        for row in read_rows(case.all_rows, columns, case.date) if columns else ():
            if len(row) != len(columns) or any(value.typed is None for value in row):
                what = "expects a row that its result cannot have"
                problems.append(Problem(case.place, f"{case.id} {what}", row_text(row)))
    return problems


def unmet_cases(results: Iterable[Result]) -> list[Problem]:
    """A problem for each case that failed on a backend that is known to be right.

    If such a backend fails a case, the case is wrong.
    """
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
    """Cases that cite an id which the ledger does not have."""
    known = {entry.id for entry in entries}
    for case in cases:
        for cited in case.cites:
            if entry_of(cited) not in known:
                hint = "the ledger has no such entry"
                yield Problem(case.place, f"{case.id} cites {cited}, which is unknown", hint)


def _stale_statuses(cases: list[Case], entries: list[Entry]) -> Iterator[Problem]:
    """Entries of the ledger whose status explains why no case tests them, but that cases cite."""
    cited = {entry_of(id) for case in cases for id in case.cites}
    for entry in entries:
        if entry.untested and entry.id in cited:
            yield Problem(
                entry.place,
                f"{entry.id} has the status {entry.untested}, but cases cite it",
                "take its status away",
            )


def _vacuous(cases: list[Case]) -> Iterator[Problem]:
    """Cases with expectations that no backend can fail to meet."""
    for case in cases:
        also_sound = set(case.also_sound)
        if case.monotonicity and all(
            len(also_sound | {answer}) == _ANSWERS for answer in case.monotonicity.values()
        ):
            yield Problem(case.place, f"{case.id} allows every answer to its monotonicity")
        if case.equal_to is not None and case.equal_to.split() == (case.sql or "").split():
            yield Problem(case.place, f"{case.id} compares a query with itself")
        if case.runs and not case.equal_to and not _has_input(case) and not _expects_more(case):
            yield Problem(case.place, f"{case.id} expects no rows of no input")


def _has_input(case: Case) -> bool:
    """Whether a case has rows: in steps, fixtures or tables, or made by its script or query."""
    fed = [event for step in case.steps for event in step.events if isinstance(event, Rows)]
    streams = () if case.steps else case.streams  # with steps, these rows are not fed
    made = _MAKES_ROWS.search(f"{case.ddl} {case.sql}")
    arriving = any(rows.rows for rows in (*fed, *streams))
    return bool(made or arriving or any(load.rows for load in case.tables))


def _expects_more(case: Case) -> bool:
    """Whether a case expects more than an empty result."""
    steps = any(
        s.output_bound or s.late or s.error or s.warnings or s.state is not None for s in case.steps
    )
    judged = case.schema or case.monotonicity or case.metadata or case.plan
    return bool(case.all_rows or steps or judged)


def _impossible_steps(cases: list[Case]) -> Iterator[Problem]:
    """Steps that contradict the meaning of bounds and ends, so that no backend can meet them."""
    for case in cases:
        for step, what in _step_faults(case) if case.steps else ():
            place = Place(case.place.file, step.line)
            yield Problem(place, f"{case.id} {what}")


def _step_faults(case: Case) -> Iterator[tuple[Step, str]]:
    """The faulty steps of a case, each with its fault, as the rest of a sentence."""
    relational = "relational" in set(implied_needs(case))
    bound = datetime.min  # the output bound so far
    some_ended = all_ended = False  # whether some input, or all inputs, have ended
    sending: set[tuple[str, str]] = set()  # the open producers, as pairs of an input and a name
    for step in case.steps:
        for what in _producer_faults(step, sending):
            yield step, what
        if all_ended and step.events:
            yield step, "has events after the end of all inputs"
        some_ended = some_ended or any(isinstance(event, End) for event in step.events)
        all_ended = all_ended or End() in step.events
        if relational and not all_ended and (step.emit or step.may_emit):
            yield step, "has rows of a relational query before the end of all inputs"
        if step.output_bound is None:
            continue
        if bound_time(step.output_bound) < bound:
            yield step, f"has a bound that falls to {step.output_bound} (S-103)"
        if all_ended and step.output_bound != END:
            yield step, "has another bound than `end` after the end of the inputs (S-105)"
        if step.output_bound == END and not some_ended and _ENDS_BEFORE.isdisjoint(case.cites):
            yield step, "has the bound `end` before an input ends, and cites no rule of that"
        bound = bound_time(step.output_bound)


def _producer_faults(step: Step, sending: set[tuple[str, str]]) -> Iterator[str]:
    """The faults of a step's producers, as the rest of a sentence.

    ``sending`` has the open producers, as pairs of an input and a name; it is updated.
    """
    for event in step.events:
        match event:
            case OpenProducer(name, producer):
                if (name, producer) in sending:
                    yield f"opens {sender(name, producer)} twice"
                sending.add((name, producer))
            case CloseProducer(name, producer):
                if (name, producer) not in sending:
                    yield f"closes {sender(name, producer)}, which is not open"
                sending.discard((name, producer))
            case Rows(name, producer=str(producer)) | Bound(name, producer=str(producer)):
                if (name, producer) not in sending:
                    yield f"sends to {sender(name, producer)}, which is not open"
            case _:
                pass


def _contradictions(cases: list[Case]) -> Iterator[Problem]:
    """Pairs of cases with the same query and input whose expectations exclude each other."""
    same_input: dict[Hashable, list[Case]] = {}
    for case in cases:
        events = tuple(step.events for step in case.steps)
        streams = case.streams if not case.steps else ()
        sql = " ".join((case.sql or "").split())
        ddl = " ".join(case.ddl.split())
        key = (case.profile, ddl, sql, case.tables, streams, events)
        same_input.setdefault(key, []).append(case)
    for group in same_input.values():
        for first, second in combinations(group, 2):
            what = _contradiction(first, second)
            if what:
                message = f"{second.id} contradicts {first.id}, which has the same input, in {what}"
                yield Problem(second.place, message, f"the other is at {first.place}")


def _lists_rows_by_step(case: Case) -> bool:
    """Whether the rows are listed in the steps, and not in one list for the whole result."""
    return case.rows is None and bool(case.steps)


def _steps_of_rows(case: Case) -> list[str]:
    """The rows with the steps that permit them, sorted, so that equal multisets are equal lists."""
    return sorted(
        repr((permitted.cells, permitted.first, permitted.last))
        for permitted in permitted_rows(case)
    )


def _contradiction(a: Case, b: Case) -> str:
    """The first expectation in which two cases of the same input differ; empty: they agree."""
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
        both_timed = _lists_rows_by_step(a) and _lists_rows_by_step(b)
        if both_timed and _steps_of_rows(a) != _steps_of_rows(b):
            return "the steps of its rows"
        bounds = [(x.output_bound, y.output_bound) for x, y in zip(a.steps, b.steps, strict=True)]
        if any(x and y and x != y for x, y in bounds):
            return "its bounds"
    if a.schema and b.schema and a.schema != b.schema:
        return "its schema"
    both = a.monotonicity.keys() & b.monotonicity.keys()
    if any(a.monotonicity[name] != b.monotonicity[name] for name in both):
        return "its monotonicity"
    if a.plan and b.plan and a.plan.split() != b.plan.split():
        return "its plan"
    return ""
