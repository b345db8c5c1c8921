"""Compare the emitted rows with the expected rows: as multisets, and in their order."""

from collections.abc import Sequence
from itertools import pairwise

from tck.corpus.case import CellRow
from tck.judging.answer import Answer
from tck.judging.rows.difference import places_beside, rows_beside
from tck.judging.rows.matching import first_difference_of_rows
from tck.judging.rowtimes import bound_text, row_order, rowtime_of, rowtime_place
from tck.judging.verdict import Kind, Verdict, failed


def content_fault(answer: Answer, whole: bool, cells: Sequence[CellRow] = ()) -> Verdict | None:
    """The verdict on rows that are missing or extra, whatever their order; None: there are none.

    ``whole``: the expected rows are the whole result.  If not, extra rows are allowed, as in a case
    that does not end its inputs.  If the query is expected to fail, any of the expected rows may be
    missing, but extra rows are not allowed.  ``cells`` are the expected rows as the case writes
    them; empty if the expected rows are those of another query.
    """
    missing = () if answer.case.failure else answer.matching.missing
    extra = answer.matching.extra if whole or answer.case.failure else ()
    if not (missing or extra):
        return None
    expected = set(answer.classes.expected)
    all_repeated = all(answer.classes.actual[i] in expected for i in extra)
    kind = Kind.DUPLICATE if all_repeated and not missing else Kind.WRONG_ROWS
    excess = "too many" if all_repeated else "not expected"
    words = [f"{count_text(len(missing), 'row')} missing"] if missing else []
    words += [f"{count_text(len(extra), 'row')} {excess}"] if extra else []
    beside = rows_beside(answer.columns, answer.expected, answer.actual, answer.matching)
    concerns = tuple(cells[i] for i in missing) if cells else ()
    return failed(kind, ", ".join(words), beside, concerns)


def order_fault(answer: Answer, whole: bool, cells: Sequence[CellRow] = ()) -> Verdict | None:
    """The verdict on the first row that is out of order; None: the order is right, or not demanded.

    If the case demands the order in which it lists the rows, a verdict can be wrong unless
    `content_fault` is None.  An order by rowtime is judged by the emitted rows alone.  The
    parameters are as in `content_fault`.
    """
    order = row_order(answer.case)
    if order == "rowtime":
        return _rowtime_order_fault(answer)
    if order == "any" or answer.case.failure:
        return None
    length = max(len(answer.expected), len(answer.actual) if whole else 0)
    place = first_difference_of_rows(answer.classes, length)
    if place is None:
        return None
    compared = answer.actual[:length]
    detail = places_beside(answer.columns, answer.expected, compared, place)
    concerns = tuple(cells[place : place + 1])
    return failed(Kind.ORDER, f"row {place + 1} is another", detail, concerns)


def _rowtime_order_fault(answer: Answer) -> Verdict | None:
    """The verdict on the first row whose rowtime is below that of the row before it; None: none.

    Rows without a rowtime are left out.
    """
    column = rowtime_place(answer.case)
    timed = [(i, time) for i, row in enumerate(answer.actual) if (time := rowtime_of(row, column))]
    for (_, before), (place, time) in pairwise(timed):
        if before > time:
            detail = places_beside(answer.columns, answer.expected, answer.actual, place)
            stamped = f"row {place + 1} is stamped {bound_text(time)}, after {bound_text(before)}"
            return failed(Kind.ORDER, stamped, detail)
    return None


def count_text(number: int, what: str) -> str:
    """A number with its noun: ``1 row``, ``2 rows``."""
    return f"{number} {what}{'' if number == 1 else 's'}"
