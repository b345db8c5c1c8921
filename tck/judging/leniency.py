"""Remove or relax the expectations of a case that a backend need not meet.

Some gaps make the judgement less strict (`tck.corpus.needs.EASING`), and a rule allows another type
for an average of integers (S-203.ac).
"""

import re
from collections.abc import Container
from dataclasses import replace
from decimal import ROUND_HALF_UP, Decimal
from typing import Final

from tck.corpus.case import Case, Cell, CellRow, ExpectedError
from tck.corpus.needs import (
    FAILURE_PLACES,
    LATE_REPORTS,
    NOT_NULL,
    ORDERED_OUTPUT,
    implied_needs,
)
from tck.corpus.values import Family, family
from tck.protocol import Accepted, Refused
from tck.transcript import Transcript

#: A call of AVG in a query.
_AVERAGE: Final = re.compile(r"\bAVG\s*\(", re.IGNORECASE)
#: The fewest digits of the fraction of an exact average.
_FRACTION: Final = 6
#: The types that an average of integers may have in place of DOUBLE, for messages.
EXACT_AVERAGE: Final = f"a DECIMAL(p, s) with s >= {_FRACTION}, or of a type such as ANY"
#: A type such as DECIMAL(38, 6); the group is its scale.
_DECIMAL: Final = re.compile(r"DECIMAL\s*\(\s*\d+\s*,\s*(\d+)\s*\)", re.IGNORECASE)

#: The needs of a query that itself demands an order of its rows.
_ORDERING: Final = frozenset({"order-by", "t-sort"})


def judged_case(case: Case, transcript: Transcript, gaps: Container[str]) -> Case:
    """``case`` without the expectations that are not judged because of some ``gaps``.

    - `ORDERED_OUTPUT`: the order of rows is judged only if the query demands it, as by ORDER BY.
    - `FAILURE_PLACES`: the place of a failure at run time is judged only if the backend reports it.
    - `LATE_REPORTS`: dropped rows are judged only if the backend reports some.  If it does not
      drop a late row, the emitted rows show this.
    - `NOT_NULL`: NOT NULL is judged only if the backend declares some column NOT NULL.

    Without any gap, an average of integers may be a DECIMAL (`_with_exact_averages`).
    """
    case = _with_exact_averages(case, transcript)
    needs = (*case.needs, *implied_needs(case))
    if ORDERED_OUTPUT in gaps and _ORDERING.isdisjoint(needs):
        case = replace(case, order="any")
    if LATE_REPORTS in gaps and not transcript.late:
        case = replace(case, steps=tuple(replace(step, late=()) for step in case.steps))
    if NOT_NULL in gaps and isinstance(transcript.answer, Accepted):
        case = _with_nullable_columns(case, transcript.answer)
    failure = transcript.failure
    if FAILURE_PLACES not in gaps or failure is None or failure.at != (0, 0):
        return case
    steps = tuple(
        replace(step, error=ExpectedError(step.error.code)) if step.error else step
        for step in case.steps
    )
    return replace(case, steps=steps)


def _with_nullable_columns(case: Case, accepted: Accepted) -> Case:
    """``case`` without NOT NULL in its ``schema`` if the backend declares no column NOT NULL."""
    if case.schema is None or not all(column.nullable for column in accepted.columns):
        return case
    return replace(case, schema=tuple(replace(column, nullable=True) for column in case.schema))


def _with_exact_averages(case: Case, transcript: Transcript) -> Case:
    """``case`` with DECIMAL in place of DOUBLE, where the backend declares DECIMAL for an average.

    The expected values are rounded to the digits that the backend declares, at least six.  The case
    is unchanged if its query has no AVG, or if it lists its ``schema``.

    Defines: S-203.ac
    """
    answer, result = transcript.answer, case.result
    may_differ = _has_average(case) and case.schema is None
    if not may_differ or isinstance(answer, Refused) or result is None:
        return case
    # By the place of such a column: the number of digits of its fraction.
    digits = {
        place: int(found[1])
        for place, (ours, theirs) in enumerate(zip(result, answer.columns, strict=False))
        if family(ours.type) is Family.DOUBLE
        and (found := _DECIMAL.fullmatch(theirs.type.strip())) is not None
        and int(found[1]) >= _FRACTION
    }
    if not digits:
        return case

    def rounded(rows: tuple[CellRow, ...]) -> tuple[CellRow, ...]:
        """The rows with the values of these columns rounded."""
        return tuple(
            tuple(_rounded(cell, digits.get(place)) for place, cell in enumerate(row))
            for row in rows
        )

    columns = tuple(
        replace(column, type=answer.columns[place].type) if place in digits else column
        for place, column in enumerate(result)
    )
    steps = tuple(
        replace(
            step,
            emit=rounded(step.emit),
            may_emit=rounded(step.may_emit),
            emit_by=rounded(step.emit_by),
        )
        for step in case.steps
    )
    rows = None if case.rows is None else rounded(case.rows)
    return replace(case, result=columns, steps=steps, rows=rows)


def may_be_exact_average(case: Case, declared: str, expected: str) -> bool:
    """Whether the type ``declared``, in place of ``expected``, may be that of an exact average."""
    is_decimal = family(expected) is Family.DOUBLE and family(declared) is Family.DECIMAL
    return is_decimal and _has_average(case)


def _has_average(case: Case) -> bool:
    """Whether the query of a case has a call of AVG."""
    return case.sql is not None and _AVERAGE.search(case.sql) is not None


def _rounded(cell: Cell, digits: int | None) -> Cell:
    """A number whose fraction is rounded half up to ``digits``; None: the cell as it is."""
    if digits is None or cell is None or isinstance(cell, bool):
        return cell
    try:
        return Decimal(cell).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)
    except ArithmeticError:  # a text such as NaN, or too many digits: it is compared as it is
        return cell
