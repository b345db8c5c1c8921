"""Judge a changelog: compare its fold after each step with the correct answer.

A *fold* is the multiset of rows that remain after all changes so far have been applied (S-1002.a).
A fold is *true* at a step if it is the correct answer after this or an earlier step.  An emitted
fold is *polled*: it results from the changes that a backend has returned up to a poll.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TypeAlias

from tck.corpus.case import Case
from tck.corpus.steps.texts import step_name, step_text
from tck.judging.rows.difference import rows_beside
from tck.judging.rows.equality import Classes, classes
from tck.judging.rows.matching import match_rows
from tck.judging.rows.reading import ReadRow, read_rows, row_text
from tck.judging.verdict import Kind, Verdict, failed
from tck.protocol import CONSISTENCY, Accepted, ColumnInfo, Tier, WireRow, weighted
from tck.transcript import Transcript

#: A multiset of rows: by the number of a class of equal rows, how often it is in the multiset.
Fold: TypeAlias = Mapping[int, int]


@dataclass(frozen=True, slots=True)
class Folds:
    """The correct folds, and the folds that were polled.

    ``true`` has the correct folds: the empty fold, and then the fold after each poll.  ``polled``
    has the emitted fold after each poll, without the empty fold.  So ``polled[n]`` should be
    ``true[n + 1]``, which is the answer after the step ``n``, counted from 0.  ``rows`` has a row
    of each class of equal rows, by the number of the class.

    Defines: S-1002.a
    """

    case: Case
    columns: tuple[ColumnInfo, ...]
    rows: Mapping[int, ReadRow]
    true: Sequence[Fold]
    polled: Sequence[Fold]


def read_folds(case: Case, accepted: Accepted, transcript: Transcript) -> Folds:
    """The folds of a transcript and of its case; the case must have the types of its result."""
    assert case.result is not None, "the runner judges no case without them"
    due = [change for step in case.steps for change in step.changes]  # the expected changes
    polls = retracted(accepted.key, transcript)
    emitted = [change for poll in polls for change in poll]
    expected = read_rows([row for row, _ in due], case.result, case.date)
    actual = read_rows([row for row, _ in emitted], case.result, None, accepted.columns)
    numbers = classes(expected, actual)
    rows = dict(zip(numbers.actual, actual, strict=True))
    rows |= dict(zip(numbers.expected, expected, strict=True))
    true = _folds(numbers.expected, due, [len(step.changes) for step in case.steps])
    polled = _folds(numbers.actual, emitted, list(map(len, polls)))
    # If no step ends the inputs, the kit ends them and polls once more; this changes no answer.
    ends = [true[-1]] * max(0, len(polled) - len(true))
    return Folds(case, case.result, rows, true=[*true, *ends], polled=polled[1:])


def _folds(
    numbers: Sequence[int], changes: Sequence[tuple[object, int]], lengths: Sequence[int]
) -> list[Fold]:
    """The empty fold, and the fold after each group of changes.

    ``numbers`` are the classes of the changed rows, and ``lengths`` the numbers of changes in the
    groups, one group after the other.
    """
    weighted_numbers = iter(zip(numbers, (weight for _, weight in changes), strict=True))
    groups = [[next(weighted_numbers) for _ in range(length)] for length in lengths]
    nothing: Fold = {}
    return list(accumulate(groups, _applied, initial=nothing))


def _applied(fold: Fold, changes: Sequence[tuple[int, int]]) -> Fold:
    """The fold after changes, each the number of a class and a weight; counts can be negative."""
    after = Counter(fold)
    for number, weight in changes:
        after[number] += weight
    return {number: count for number, count in after.items() if count}


def retracted(
    key: tuple[int, ...] | None, transcript: Transcript
) -> list[list[tuple[WireRow, int]]]:
    """The changes of each poll, as inserts and deletes of whole rows with their weights.

    With a ``key``, the places of its columns, the changes are upserts: an insert also deletes the
    previous row of its key, and a delete removes the row of its key.  None: the changes are inserts
    and deletes of whole rows already.

    Defines: S-1002.c
    """
    polls = [weighted(output.rows, output.weights) for output in transcript.outputs]
    if key is None:
        return polls
    current: dict[WireRow, WireRow] = {}  # by key: the row that the changes so far have left
    retracted_polls: list[list[tuple[WireRow, int]]] = []
    for poll in polls:
        changes: list[tuple[WireRow, int]] = []
        for row, weight in poll:
            value = tuple(row[place] for place in key)
            # A delete of a key without a row stays a delete of that row, which is a fault.
            before = current.pop(value, row if weight < 0 else None)
            changes += [(before, -1)] if before is not None else []
            if weight > 0:
                current[value] = row
                changes.append((row, 1))
        retracted_polls.append(changes)
    return retracted_polls


def changelog_faults(folds: Folds, tier: Tier) -> Iterator[Verdict]:
    """The faults of the folds at a tier, at most one of each kind (S-1003).

    The order is: a delete of a row that is not in the fold; a wrong fold at the end; and the first
    fold that the tier does not allow.

    Defines: S-1003.a, S-1003.b, S-1003.c, S-1003.d, S-1003.f
    """
    yield from _negative(folds)
    consistency = CONSISTENCY[tier]
    # If the query fails, it has fewer polls, and its last fold is not the answer at the end.
    is_whole = len(folds.polled) == len(folds.true) - 1 and not folds.case.failure
    if is_whole and folds.polled and folds.polled[-1] != folds.true[-1]:
        yield _wrong_at_the_end(folds)
    # ``true[m]`` is the correct answer after m steps.  Equal answers can recur, so a fold may be
    # the answer after several numbers of steps.
    last = 0  # the least number of steps after which the previous fold was the answer
    for step, fold in enumerate(folds.polled) if consistency != "eventual" else ():
        ever = [m for m, true in enumerate(folds.true[: step + 2]) if true == fold]
        later = [m for m in ever if m >= last]  # without the answers before the previous fold
        if not later:
            yield _inconsistent(folds, step, went_back=bool(ever))
            return
        if consistency == "consistent" and later[-1] != step + 1:
            yield _stale(folds, step, later[-1])
            return
        last = later[0]


def _negative(folds: Folds) -> Iterator[Verdict]:
    """The first step whose changes delete a row that is not there.

    Defines: S-1002.b
    """
    for step, fold in enumerate(folds.polled):
        missing = [number for number, count in fold.items() if count < 0]
        if missing:
            row = row_text(folds.rows[missing[0]])
            reason = f"{step_name(folds.case, step)}: {row} is deleted, but is not in the fold"
            yield failed(Kind.NEGATIVE_ROW, reason, (f"  {step_text(folds.case, step)}",))
            return


def _wrong_at_the_end(folds: Folds) -> Verdict:
    """The verdict on a wrong fold at the end, with the first step whose fold was never true."""
    reason = "the fold at the end is not the answer"
    first = next(
        (step for step, fold in enumerate(folds.polled) if fold not in folds.true[: step + 2]),
        None,
    )
    if first is not None:
        reason += f"; the first step whose fold was never true is {step_name(folds.case, first)}"
    detail = _folds_beside(folds, folds.true[-1], folds.polled[-1])
    return failed(Kind.WRONG_ROWS, reason, detail)


def _inconsistent(folds: Folds, step: int, *, went_back: bool) -> Verdict:
    """The verdict on a fold after ``step``, next to the most similar correct answer until then.

    ``went_back``: the fold is true, but older than the fold before.  If not, it was never true.
    """
    fold, name = folds.polled[step], step_name(folds.case, step)
    if went_back:
        what = f"{name}: the fold goes back to an answer older than the one shown before"
    else:
        what = f"{name}: the fold was never true"
    true = folds.true[: step + 2]
    nearest = min(reversed(range(len(true))), key=lambda m: _distance(true[m], fold))
    where = step_name(folds.case, nearest - 1) if nearest else "the time before any answer"
    lines = (
        f"  {step_text(folds.case, step)}",
        f"  the nearest true answer is that of {where}; expected is that answer, actual the fold:",
        *_folds_beside(folds, true[nearest], fold),
    )
    return failed(Kind.INCONSISTENT, what, lines)


def _stale(folds: Folds, step: int, shown: int) -> Verdict:
    """The verdict on a fold after ``step`` that is still the answer after ``shown`` steps."""
    name = step_name(folds.case, step)
    when = step_name(folds.case, shown - 1) if shown else "the time before any answer"
    lines = (
        f"  {step_text(folds.case, step)}",
        *_folds_beside(folds, folds.true[step + 1], folds.polled[step]),
    )
    return failed(Kind.STALE, f"{name}: the fold is still that of {when}", lines)


def _distance(left: Fold, right: Fold) -> int:
    """The number of rows that only one of two folds has; each counts as often as it occurs."""
    return sum(abs(left.get(each, 0) - right.get(each, 0)) for each in {*left, *right})


def _folds_beside(folds: Folds, expected: Fold, actual: Fold) -> tuple[str, ...]:
    """Lines that show two folds next to each other, row by row."""
    left, right = _listed(folds, expected), _listed(folds, actual)
    numbers = Classes(tuple(n for n, _ in left), tuple(n for n, _ in right))
    return rows_beside(
        folds.columns, [row for _, row in left], [row for _, row in right], match_rows(numbers)
    )


def _listed(folds: Folds, fold: Fold) -> list[tuple[int, ReadRow]]:
    """The rows of a fold with their classes, sorted by their texts; each as often as it occurs."""
    rows = [(number, folds.rows[number]) for number, count in fold.items() for _ in range(count)]
    return sorted(rows, key=lambda each: row_text(each[1]))
