"""Which rows came against which are expected: as bags, and in their order."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from tck.corpus.case import Case, CellRow
from tck.judging.difference import places_beside, rows_beside
from tck.judging.matching import ReadRow, match_places, match_rows, read_row, same_row
from tck.judging.rowtimes import order_of, rowtime_of, rowtime_place
from tck.judging.verdict import Kind, Verdict, failed
from tck.protocol import Accepted
from tck.transcript import Transcript


def wrong_rows(
    case: Case,
    accepted: Accepted,
    expected: Sequence[ReadRow],
    transcript: Transcript,
    whole: bool,
    cells: Sequence[CellRow] = (),
) -> Iterator[Verdict]:
    """What is wrong with the rows, as bags, then with their order.

    ``whole``: the expected rows are all; else others may come later, as of a script that does not
    end.  A failure leaves open which rows came before it.  ``cells`` are the expected rows as the
    case writes them, where it does.
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
        said = [f"{count(len(missing), 'row')} missing"] if missing else []
        said += [f"{count(len(extra), 'row')} {excess}"] if extra else []
        beside = rows_beside(columns, expected, actual, matching)
        concerns = tuple(cells[i] for i in missing) if cells else ()
        yield failed(kind, ", ".join(said), beside, concerns)
        return
    order = order_of(case, accepted)
    if order == "exact" and not case.failure:
        came = actual if whole else actual[: len(expected)]
        place = match_places(expected, came)
        if place is not None:
            detail = places_beside(columns, expected, came, place)
            yield failed(
                Kind.ORDER, f"row {place + 1} is another", detail, tuple(cells[place : place + 1])
            )
    elif order == "rowtime":
        yield from _wrong_rowtimes(accepted, expected, actual)


def _wrong_rowtimes(
    accepted: Accepted, expected: Sequence[ReadRow], actual: Sequence[ReadRow]
) -> Iterator[Verdict]:
    at = rowtime_place(accepted)
    assert at is not None, "asked of a schema that has one"
    timed = [(i, time) for i, row in enumerate(actual) if (time := rowtime_of(row, at))]
    for (_, before), (place, time) in pairwise(timed):
        if before > time:
            detail = places_beside(accepted.columns, expected, actual, place)
            yield failed(Kind.ORDER, f"row {place + 1} is stamped {time}, after {before}", detail)
            return


def count(number: int, what: str) -> str:
    """``1 row``, ``2 rows``."""
    return f"{number} {what}{'' if number == 1 else 's'}"
