"""The emitted rows against the expected ones: as bags, and in their order."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from tck.corpus.case import Case, CellRow
from tck.judging.difference import places_beside, rows_beside
from tck.judging.matching import (
    ReadRow,
    first_difference_of_rows,
    match_rows,
    read_row,
    same_row,
)
from tck.judging.rowtimes import row_order, rowtime_of, rowtime_place
from tck.judging.verdict import Kind, Verdict, failed
from tck.protocol import Accepted
from tck.transcript import Transcript


def row_faults(
    case: Case,
    accepted: Accepted,
    expected: Sequence[ReadRow],
    transcript: Transcript,
    whole: bool,
    cells: Sequence[CellRow] = (),
) -> Iterator[Verdict]:
    """At most one verdict: rows that are missing or extra, else a wrong order.

    ``whole``: the expected rows are all rows.  Otherwise further ones may follow, as in a case that
    does not end its inputs.  Where the query is expected to fail, any of the rows may be missing.
    ``cells`` are the expected rows as the case writes them; empty where another query gave them.
    """
    columns = accepted.columns
    actual = [read_row(row, columns, None) for row in transcript.rows]
    matching = match_rows(expected, actual)
    missing = () if case.failure else matching.missing
    extra = matching.extra if whole or case.failure else ()
    if missing or extra:
        again = all(any(same_row(actual[i], row) for row in expected) for i in extra)
        kind = Kind.DUPLICATE if again and not missing else Kind.WRONG_ROWS
        excess = "too many" if again else "not expected"
        words = [f"{count(len(missing), 'row')} missing"] if missing else []
        words += [f"{count(len(extra), 'row')} {excess}"] if extra else []
        beside = rows_beside(columns, expected, actual, matching)
        concerns = tuple(cells[i] for i in missing) if cells else ()
        yield failed(kind, ", ".join(words), beside, concerns)
        return
    order = row_order(case, accepted)
    if order == "exact" and not case.failure:
        compared = actual if whole else actual[: len(expected)]
        place = first_difference_of_rows(expected, compared)
        if place is not None:
            detail = places_beside(columns, expected, compared, place)
            yield failed(
                Kind.ORDER, f"row {place + 1} is another", detail, tuple(cells[place : place + 1])
            )
    elif order == "rowtime":
        yield from _rowtime_order_fault(accepted, expected, actual)


def _rowtime_order_fault(
    accepted: Accepted, expected: Sequence[ReadRow], actual: Sequence[ReadRow]
) -> Iterator[Verdict]:
    """The first row whose rowtime is below that of a row before it."""
    at = rowtime_place(accepted)
    assert at is not None, "the schema has been found to have a rowtime"
    timed = [(i, time) for i, row in enumerate(actual) if (time := rowtime_of(row, at))]
    for (_, before), (place, time) in pairwise(timed):
        if before > time:
            detail = places_beside(accepted.columns, expected, actual, place)
            yield failed(Kind.ORDER, f"row {place + 1} is stamped {time}, after {before}", detail)
            return


def count(number: int, what: str) -> str:
    """``1 row``, ``2 rows``."""
    return f"{number} {what}{'' if number == 1 else 's'}"
