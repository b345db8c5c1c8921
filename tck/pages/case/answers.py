"""Show the expectation of a case step by step, with an engine's answer next to it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

from tck.corpus.case import Case, CellRow
from tck.corpus.permitted import permitted_rows
from tck.judging.rows.equality import classes
from tck.judging.rows.matching import match_rows
from tck.judging.rows.reading import ReadRow, read_rows, same_row
from tck.judging.verdict import Kind
from tck.pages.case.texts import bound_text, event_texts, row_texts, wire_row_text
from tck.protocol import Accepted, Event, Output
from tck.transcript import Transcript, events_by_step

#: How the expected and the actual row of a line compare.  ``differs``: a missing row stands next to
#: an extra row; ``moved``: the row was emitted, or was due, at another step; ``order``: different
#: rows are at the same place.
Comparison: TypeAlias = Literal["same", "missing", "extra", "differs", "moved", "order"]

#: At most this number of lines of an answer is shown.
MOST_LINES: Final = 200


@dataclass(frozen=True, slots=True)
class Line:
    """An expected row and an actual one, as texts; None if there is no row on that side.

    ``differing`` has the places of the values that differ, from 0. ``note`` names the other step at
    which the row was emitted or due.
    """

    expected: tuple[str, ...] | None
    actual: tuple[str, ...] | None
    comparison: Comparison = "same"
    differing: frozenset[int] = frozenset()
    note: str = ""


@dataclass(frozen=True, slots=True)
class StepAnswer:
    """A step: its ``events`` as texts, the rows of its poll, and the further reports of the poll.

    ``number`` counts from 1.  ``facts`` are texts about bounds, late rows and failures.  ``bound``
    is the output's bound; None: it is not known.  ``failure`` is the code of the error that ends
    the query, or empty.
    """

    number: int
    events: tuple[str, ...]
    lines: tuple[Line, ...]
    facts: tuple[str, ...] = ()
    bound: str | None = None
    failure: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """A case, step by step: the texts of the events, and the rows that are due.

    If the case lists only the whole result, all rows are due at its last step.
    """

    case: Case
    events: tuple[tuple[str, ...], ...]
    due: tuple[tuple[ReadRow, ...], ...]


def question_of(case: Case) -> Question:
    """The question of a case; no rows are due if the case lacks the types of its result."""
    steps = steps_of(case)
    events = tuple(event_texts(case, each) for each in steps)
    return Question(case, events, tuple(_due(case, len(steps))))


def expected_answer(question: Question) -> tuple[StepAnswer, ...]:
    """The expectation at each step."""
    case = question.case
    return tuple(
        StepAnswer(
            place + 1,
            events,
            tuple(Line(row_texts(case, row), None) for row in due),
            tuple(_expected_facts(case, place)),
            case.steps[place].output_bound if place < len(case.steps) else None,
        )
        for place, (events, due) in enumerate(zip(question.events, question.due, strict=True))
    )


def compared_answer(
    question: Question, transcript: Transcript, kind: Kind | None
) -> tuple[StepAnswer, ...]:
    """The expected rows of each step, next to the rows that an engine emitted.

    ``kind`` is that of the verdict: if it is ORDER, rows are compared place by place.  If the case
    does not list the steps of its rows, all emitted rows are shown at the last step; so are the
    rows of further steps, which the case does not have.  Empty if the engine refused the query or
    did not run it, or if the case lacks the types of its result.
    """
    case = question.case
    answer, columns = transcript.answer, case.result
    if not isinstance(answer, Accepted) or not transcript.outputs or columns is None:
        return ()
    last = len(question.events) - 1
    lists_steps = case.steps and case.rows is None
    # The outputs after these are shown at the last step.  The engine can have run an older version
    # of the case, with more or fewer steps.
    before_last = transcript.outputs[: last if lists_steps else 0]
    at_last = _merged(transcript.outputs[len(before_last) :])
    outputs = [*before_last, *[Output()] * (last - len(before_last)), at_last]
    actual = [read_rows(each.rows, columns, None, answer.columns) for each in outputs]
    compare = _by_place if kind is Kind.ORDER else _by_rows
    return tuple(
        StepAnswer(
            number=number,
            events=events,
            lines=tuple(lines),
            facts=tuple(_facts(case, output)),
            bound=output.bound,
            failure=output.error.code if output.error else "",
        )
        for number, (events, lines, output) in enumerate(
            zip(question.events, compare(case, question.due, actual), outputs, strict=False),
            1,
        )
    )


def steps_of(case: Case) -> list[tuple[Event, ...]]:
    """The events of each step, as `events_by_step`; the first step also loads the tables."""
    first, *others = events_by_step(case)
    return [(*case.tables, *first), *others]


# --- rows ---------------------------------------------------------------------------------------


def _due(case: Case, steps: int) -> list[tuple[ReadRow, ...]]:
    """By step: the rows for which it is the first step that permits them."""
    due: list[list[CellRow]] = [[] for _ in range(steps)]
    if case.result is None:
        return [()] * steps
    if case.rows is not None:
        due[-1] = list(case.rows)
    else:
        for row in permitted_rows(case):
            due[row.first].append(row.cells)
    return [read_rows(rows, case.result, case.date) for rows in due]


def _merged(outputs: Sequence[Output]) -> Output:
    """Several outputs as one, with the bound of the last; their states and weights are left out."""
    rows = tuple(row for output in outputs for row in output.rows)
    late = tuple(row for output in outputs for row in output.late)
    error = next((output.error for output in outputs if output.error), None)
    warnings = tuple(each for output in outputs for each in output.warnings)
    bound = outputs[-1].bound if outputs else None
    return Output(rows, bound, late, error, warnings=warnings)


def _by_rows(
    case: Case, expected: Sequence[Sequence[ReadRow]], actual: Sequence[Sequence[ReadRow]]
) -> Iterator[list[Line]]:
    """The lines of each step.

    Equal rows are matched within a step first, and then between steps.  A row that is matched with
    a row of another step has moved.
    """
    matched = [
        match_rows(classes(left, right)) for left, right in zip(expected, actual, strict=True)
    ]
    # The rows without a partner in their step, as pairs of a step and a place in the step.
    missing = [(step, i) for step, each in enumerate(matched) for i in each.missing]
    extra = [(step, i) for step, each in enumerate(matched) for i in each.extra]
    moves = match_rows(
        classes([expected[s][i] for s, i in missing], [actual[s][i] for s, i in extra])
    )
    # By missing row: the step at which it was emitted; by extra row: the step at which it was due.
    emitted_at = {missing[left]: extra[right][0] for left, right in moves.pairs}
    due_at = {extra[right]: missing[left][0] for left, right in moves.pairs}
    for step, each in enumerate(matched):
        left, right, partner = expected[step], actual[step], dict(each.pairs)
        # Extra rows that are not due at any step are shown next to rows that were never emitted.
        unexpected = iter([i for i in each.extra if (step, i) not in due_at])
        lines: list[Line] = []
        for i, row in enumerate(left):
            texts = row_texts(case, row)
            if i in partner:
                lines.append(Line(texts, row_texts(case, right[partner[i]])))
            elif (step, i) in emitted_at:
                lines.append(
                    Line(texts, None, "moved", note=f"emitted at step {emitted_at[step, i] + 1}")
                )
            elif (other := next(unexpected, None)) is not None:
                lines.append(_differing(case, row, right[other]))
            else:
                lines.append(Line(texts, None, "missing"))
        lines += [Line(None, row_texts(case, right[i]), "extra") for i in unexpected]
        lines += [
            Line(
                None, row_texts(case, right[i]), "moved", note=f"due at step {due_at[step, i] + 1}"
            )
            for i in each.extra
            if (step, i) in due_at
        ]
        yield lines


def _by_place(
    case: Case, expected: Sequence[Sequence[ReadRow]], actual: Sequence[Sequence[ReadRow]]
) -> Iterator[list[Line]]:
    """The lines of each step, with the n-th rows of both sides on one line."""
    for left, right in zip(expected, actual, strict=True):
        lines = [
            Line(row_texts(case, a), row_texts(case, b))
            if same_row(a, b)
            else Line(row_texts(case, a), row_texts(case, b), "order")
            for a, b in zip(left, right, strict=False)
        ]
        lines += [Line(row_texts(case, row), None, "missing") for row in left[len(right) :]]
        lines += [Line(None, row_texts(case, row), "extra") for row in right[len(left) :]]
        yield lines


def _differing(case: Case, left: ReadRow, right: ReadRow) -> Line:
    """The line of a missing row and an extra row, with the places of the values that differ."""
    columns = range(max(len(left), len(right)))
    places = frozenset(i for i in columns if not same_row(left[i : i + 1], right[i : i + 1]))
    return Line(row_texts(case, left), row_texts(case, right), "differs", places)


# --- reports besides rows -------------------------------------------------------------------


def _expected_facts(case: Case, place: int) -> Iterator[str]:
    """The expectations of a case at a step besides rows."""
    if place >= len(case.steps):
        return
    step = case.steps[place]
    if step.output_bound:
        yield bound_text(case, step.output_bound)
    for row in step.late:
        yield f"{row.input} drops {wire_row_text(case, row.input, row.row)}: {row.code}"
    for warning in step.warnings:
        yield f"the bound of {warning.input} is refused: {warning.code}"
    if step.error:
        yield f"the query fails: {step.error.code}"
    if step.state is not None:
        yield f"at most {step.state} rows and groups are retained"


def _facts(case: Case, output: Output) -> Iterator[str]:
    """The reports of an engine at a step besides rows."""
    if output.bound:
        yield bound_text(case, output.bound)
    for row in output.late:
        yield f"{row.input} drops {wire_row_text(case, row.input, row.row)}: {row.code}"
    for warning in output.warnings:
        yield f"an event is refused: {warning.code}: {warning.message}"
    if output.error:
        yield f"the query fails: {output.error.code}: {output.error.message}"


def cut_lines(steps: Sequence[StepAnswer]) -> tuple[StepAnswer, ...]:
    """The steps with at most `MOST_LINES` lines in all.

    At a step whose lines are cut off, the facts begin with the number of the further rows.
    """
    room = MOST_LINES
    found: list[StepAnswer] = []
    for step in steps:
        more = len(step.lines) - room
        if more > 0:
            facts = (f"… and {more} more row{'' if more == 1 else 's'}", *step.facts)
            step = replace(step, lines=step.lines[:room], facts=facts)
        room -= len(step.lines)
        found.append(step)
    return tuple(found)
