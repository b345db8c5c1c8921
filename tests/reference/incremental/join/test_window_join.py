"""Joins of streams, step by step: what comes, the clock after it, and what is held."""

from collections.abc import Sequence
from itertools import count
from typing import TypeAlias

import pytest

from algebra.catalog import Profile
from algebra.prepare import prepare
from algebra.wire import Wire
from reference.engine.session import Session
from reference.incremental.lazy_min_heap import LazyMinHeap, PendingRow

MIDNIGHT = 1_423_958_400_000  # 2015-02-15
DDL = """
CREATE STREAM A (rowtime TIMESTAMP(3) ASCENDING, n INTEGER ASCENDING, k INTEGER);
CREATE STREAM B (rowtime TIMESTAMP(3) ASCENDING, n INTEGER ASCENDING, k INTEGER);
CREATE STREAM Strays (rowtime TIMESTAMP(3) ASCENDING, n INTEGER ASCENDING WITHIN 1 ROWS, k INTEGER);
CREATE STREAM Down (rowtime TIMESTAMP(3) ASCENDING, n INTEGER DESCENDING, k INTEGER);
CREATE STREAM Below (rowtime TIMESTAMP(3) ASCENDING, n INTEGER DESCENDING, k INTEGER);
CREATE STREAM Days (rowtime TIMESTAMP(3) ASCENDING, day DATE ASCENDING, k INTEGER);
CREATE STREAM Loose (rowtime TIMESTAMP(3) ASCENDING WITHIN INTERVAL '2' MINUTE, k INTEGER);
"""
#: The clock before anything is known, and after the end.
NEVER, END = "never", "end"

#: What happens: rows of a stream, their rowtimes as minutes after midnight; a bound; an end.
Event: TypeAlias = tuple[str, Sequence[tuple[Wire, ...]] | int | None]
#: What then is: the rows that arrive, the clock, the rows held.
After: TypeAlias = tuple[Sequence[tuple[object, ...]], int | str, int]


def minute(at: int) -> str:
    """So many minutes after midnight, as on the wire."""
    return f"2015-02-15 {at // 60:02d}:{at % 60:02d}:00"


def shown(value: object) -> object:
    """A time as minutes after midnight."""
    if isinstance(value, int) and value > MIDNIGHT // 2:
        minutes, rest = divmod(value - MIDNIGHT, 60_000)
        return minutes + rest / 60_000 if rest else minutes
    return value


def steps(sql: str, events: Sequence[Event]) -> list[After]:
    """What is after each event."""
    session = Session(prepare(DDL, sql, Profile.CALCITE))
    found: list[After] = []
    for stream, what in events:
        if what is None:
            session.end((stream,) if stream else None)
        elif isinstance(what, int):
            session.set_bound((stream,), MIDNIGHT + 60_000 * what)
        else:
            late = session.take_rows((stream,), [(minute(int(str(t))), *rest) for t, *rest in what])
            assert not late
        assert session.flow is not None
        rows = [tuple(map(shown, row)) for row in session.flow.drained()]
        clock = session.flow.bound
        known = {float("-inf"): NEVER, float("inf"): END}
        said = known.get(clock) or shown(int(clock))
        assert isinstance(said, int | float | str)
        held = sum(each.rows for each in session.flow.network.states().values())
        found.append((rows, said if isinstance(said, str) else int(said), held))
    return found


INNER = "SELECT STREAM ROWTIME, a.k AS x, b.k AS y FROM A {} AS a {} B {} AS b ON {}"

CASES: dict[str, tuple[str, list[tuple[Event, After]]]] = {
    # u = max(a - 2, b - 1); a is in its window until a + 1, b until b + 3.
    "both sides look forward and back": (
        INNER.format(
            "OVER (RANGE BETWEEN INTERVAL '1' MINUTE PRECEDING AND INTERVAL '2' MINUTE FOLLOWING)",
            "JOIN",
            "OVER (RANGE BETWEEN INTERVAL '3' MINUTE PRECEDING AND INTERVAL '1' MINUTE FOLLOWING)",
            "TRUE",
        ),
        [
            (("A", [(10, 1, 1)]), ([], 8, 1)),
            (("B", [(8, 1, 2)]), ([(8, 1, 2)], 8, 2)),  # a to come at 10 may meet b at 8, too
            (("B", [(12, 1, 3)]), ([], 8, 4)),  # of 11, but a to come at 10 meets b at 8
            (("A", 14), ([(11, 1, 3)], 11, 2)),  # b of 8 expired: a's first is 12 at least
            (("B", 13), ([], 12, 1)),  # a of 10 expired; a to come of 14 meets b of 12 at 12
            (("A", 17), ([], 15, 1)),
            (("A", 18), ([], 16, 0)),
        ],
    ),
    # A row of A leaves with the second after it; two of one time push out a third.
    "rows of one time push each other out": (
        INNER.format("OVER (ROWS 1 PRECEDING)", "LEFT JOIN", "", "a.k = b.k"),
        [
            (("A", [(10, 1, 1), (10, 1, 2), (10, 1, 3)]), ([(10, 1, None)], 10, 2)),
            (("B", [(10, 1, 1), (10, 1, 2)]), ([], 10, 4)),  # an A of 10 may push out 2
            (("A", 11), ([(10, 2, 2)], 10, 2)),
            (("A", None), ([], 10, 2)),  # 3 stays to the end, which may be at 10
            (("B", [(20, 1, 3)]), ([(20, 3, 3)], 20, 2)),
            (("", None), ([], END, 0)),
        ],
    ),
    "rows that never leave get the greatest time": (
        INNER.format(
            "OVER (ROWS CURRENT ROW)", "FULL JOIN", "OVER (ROWS CURRENT ROW)", "a.k = b.k"
        ),
        [
            (("A", [(10, 1, 1)]), ([], NEVER, 1)),
            (("B", [(11, 1, 2)]), ([], 10, 2)),
            # no A pushes 1 out at 10 any more, but if no row arrives at all, it is alone at 11
            (("A", 30), ([], 11, 2)),
            (("A", None), ([], 11, 2)),
            (("", None), ([(11, 1, None), (11, None, 2)], END, 0)),
        ],
    ),
    # 2 and B's 2 are in their windows at 10:00 as long as no more than one A of that time comes.
    "what a row of the same time may push out meets nobody yet": (
        INNER.format("OVER (ROWS 1 PRECEDING)", "LEFT JOIN", "", "a.k = b.k"),
        [
            (("A", [(10, 1, 2), (10, 1, 3)]), ([], 10, 2)),
            (("B", [(10, 1, 2)]), ([], 10, 3)),
            (("B", [(10, 1, 9)]), ([], 10, 4)),
            (("A", [(10, 1, 4)]), ([(10, 2, None)], 10, 4)),
            (("A", 11), ([], 10, 2)),
        ],
    ),
    # The next A comes at 0:15 at the earliest, and closes the window of 1 a millisecond before.
    "a row that none has pushed out ends before the next": (
        INNER.format("OVER (ROWS CURRENT ROW)", "LEFT JOIN", "", "a.k = b.k"),
        [
            (("A", [(10, 1, 1)]), ([], 10, 1)),
            (("B", [(20, 1, 2)]), ([], 10, 2)),
            (("A", 15), ([], 14, 2)),  # 14:59.999, of which the minutes are shown
        ],
    ),
    # If no row comes any more, the greatest time of all ends the window of 1: it may be 0:10 still.
    "a row that none has pushed out may be alone at its own time": (
        INNER.format("OVER (ROWS CURRENT ROW)", "LEFT JOIN", "", "a.k = b.k"),
        [
            (("A", [(10, 1, 1)]), ([], 10, 1)),
            (("A", 30), ([], 10, 1)),
            (("B", 25), ([], 10, 1)),
            (("", None), ([(10, 1, None)], END, 0)),
        ],
    ),
    # The A of 0:10 is open, and another B of its time may come; alone it will not be.
    "a row that has met one does not hold back the clock as if it were alone": (
        INNER.format("OVER (ROWS CURRENT ROW)", "LEFT JOIN", "", "a.k = b.k"),
        [
            (("A", [(10, 1, 1)]), ([], 10, 1)),
            (("B", [(10, 1, 1)]), ([], 10, 2)),
            (("A", 30), ([(10, 1, 1)], 10, 1)),
            (("B", 20), ([], 20, 1)),
        ],
    ),
    "rows whose place is not certain are held": (
        """SELECT STREAM ROWTIME, a.k AS x, b.k AS y FROM Loose OVER (ROWS CURRENT ROW) AS a
        JOIN B AS b ON a.k = b.k""",
        [(("LOOSE", [(10, 1), (9, 1)]), ([], 8, 2))],
    ),
    # S-511: an A below 0:25 meets no B to come.
    "the side that is ahead moves the clock on": (
        """SELECT STREAM a.rowtime, b.k FROM A AS a JOIN B AS b
        ON b.rowtime BETWEEN a.rowtime AND a.rowtime + INTERVAL '5' MINUTE""",
        [(("A", 10), ([], 10, 0)), (("B", 30), ([], 25, 0))],
    ),
    "no pair satisfies the condition": (
        """SELECT STREAM a.rowtime, b.k FROM A AS a JOIN B AS b
        ON b.rowtime BETWEEN a.rowtime + INTERVAL '2' MINUTE AND a.rowtime + INTERVAL '1' MINUTE""",
        [(("A", [(10, 1, 1)]), ([], END, 0)), (("B", [(11, 1, 1)]), ([], END, 0))],
    ),
    "each row is alone where no pair satisfies the condition": (
        """SELECT STREAM a.rowtime, b.k FROM A AS a LEFT JOIN B AS b
        ON b.rowtime BETWEEN a.rowtime + INTERVAL '2' MINUTE AND a.rowtime + INTERVAL '1' MINUTE""",
        [(("A", [(10, 1, 1)]), ([(10, None)], 10, 0)), (("B", [(11, 1, 1)]), ([], 10, 0))],
    ),
    # The numbers of a stray, its times do not: pairs come by those.  Both wait for the row of 0:10,
    # and leave together when its 10 has no partner any more.
    "pairs that waited for one row leave together": (
        "SELECT STREAM a.rowtime, a.n FROM Strays AS a JOIN B AS b ON a.n = b.n",
        [
            (("STRAYS", [(10, 10, 1), (11, 8, 1), (12, 9, 1)]), ([], 10, 3)),
            (("B", [(20, 8, 1)]), ([], 10, 4)),  # a's bound is 9: b of 8 is expired, the pair waits
            (("B", [(21, 9, 1)]), ([], 10, 5)),  # a of 8 is expired; two pairs wait
            (("B", [(22, 11, 1)]), ([(11, 8), (12, 9)], 12, 2)),
        ],
    ),
    # The times of A go by the order of n; 5 waits until 4 can have no partner.
    "numbers in lock step order the output": (
        """SELECT STREAM a.rowtime, a.n, b.n AS m FROM A AS a JOIN B AS b
        ON b.n BETWEEN a.n AND a.n + 2""",
        [
            (("A", [(10, 4, 1), (10, 5, 1), (11, 7, 1)]), ([], 10, 3)),
            (("B", [(20, 6, 1)]), ([(10, 4, 6)], 10, 4)),  # the pair of 5 waits; no a to come has 6
            (
                ("B", [(21, 7, 1)]),
                ([(10, 5, 6), (10, 5, 7)], 10, 4),
            ),  # that of 7 waits, a 4 is expired
            (("B", [(22, 8, 1)]), ([(11, 7, 7), (11, 7, 8)], 11, 3)),
            (("B", None), ([], 11, 2)),
            (("A", [(30, 9, 1)]), ([], END, 0)),
        ],
    ),
    "falling numbers free what is above them": (
        """SELECT STREAM b.rowtime, a.n, b.n AS m FROM Down AS a JOIN Below AS b
        ON a.k = b.k AND b.n BETWEEN a.n AND a.n + 1""",
        [
            (("DOWN", [(10, 9, 1), (11, 7, 1)]), ([], NEVER, 2)),
            (("BELOW", [(20, 10, 1)]), ([(20, 9, 10)], 20, 2)),  # a's bound is 7
            (("BELOW", [(21, 8, 1)]), ([(21, 7, 8)], 21, 2)),  # 9 is above 8; an 8 may still come
            (("BELOW", [(22, 6, 1)]), ([], 21, 2)),  # a 7 may come again, for the 8 of 21
            (("DOWN", [(12, 5, 1)]), ([(22, 5, 6)], 22, 2)),
        ],
    ),
    # A day meets the rowtime that is its midnight alone: 0 and 1440 minutes.
    "days beside milliseconds": (
        """SELECT STREAM a.rowtime, d.k FROM A AS a JOIN Days AS d
        ON CAST(d.day AS TIMESTAMP(3)) = a.rowtime""",
        [
            (("A", [(0, 1, 1)]), ([], 0, 1)),
            (("A", [(10, 1, 1)]), ([], 0, 1)),  # at 0:10 no day begins
            (("DAYS", [(5, "2015-02-15", 7)]), ([(0, 7)], 0, 1)),  # the day may come again
            (("DAYS", [(6, "2015-02-16", 8)]), ([], 1440, 1)),
        ],
    ),
    "of an hour that no day begins at nothing is held": (
        """SELECT STREAM a.rowtime, d.k FROM Days AS d JOIN A AS a
        ON CAST(d.day AS TIMESTAMP(3)) = a.rowtime""",
        [
            (
                ("A", [(10, 1, 1)]),
                ([], 1440, 0),
            ),  # 0:10 has passed, and with it the day's beginning
            (("DAYS", [(6, "2015-02-15", 7)]), ([], 1440, 0)),
        ],
    ),
    "a full join by condition keeps the clock of its window join": (
        """SELECT STREAM a.k AS x, b.k AS y FROM A AS a FULL JOIN B AS b
        ON a.k = b.k AND b.rowtime BETWEEN a.rowtime AND a.rowtime + INTERVAL '5' MINUTE""",
        [
            (("A", [(10, 1, 1)]), ([], NEVER, 1)),
            (("B", [(12, 1, 1), (13, 1, 2)]), ([(1, 1)], 10, 3)),
            (("A", 14), ([], 10, 2)),  # b of 13 is alone, and waits for what a of 10 may meet
            (("B", 16), ([(None, 2)], 14, 0)),
        ],
    ),
    "rows out of order are joined, and come in order": (
        """SELECT STREAM l.rowtime, l.k AS x, b.k AS y FROM Loose AS l LEFT JOIN B AS b
        ON b.rowtime BETWEEN l.rowtime AND l.rowtime + INTERVAL '1' MINUTE""",
        [
            (("LOOSE", [(12, 1), (11, 2)]), ([], 10, 2)),
            (("B", [(12, 1, 9)]), ([], 10, 5)),  # both have met b; a row of 10 would be alone
            (("LOOSE", [(13, 3)]), ([(11, 2, 9)], 11, 5)),
            (
                ("LOOSE", [(15, 4)]),
                ([], 11, 5),
            ),  # b of 12 has expired; another may come
            (("B", 15), ([(12, 1, 9), (13, 3, None)], 13, 1)),
        ],
    ),
    "what a join of two is joined with is held by the join's clock": (
        """SELECT STREAM a.rowtime, a.k AS x, c.k AS z FROM A AS a
        JOIN B AS b ON b.rowtime BETWEEN a.rowtime AND a.rowtime + INTERVAL '2' MINUTE
        JOIN Loose AS c ON c.rowtime = a.rowtime""",
        [
            (("A", [(10, 1, 1)]), ([], 10, 1)),
            (("B", [(11, 1, 1)]), ([], 10, 3)),  # the pair is held above, and so is b of 11
            (("LOOSE", [(10, 5), (12, 6)]), ([(10, 1, 5)], 10, 5)),
            (("B", 13), ([], 10, 4)),
            (("A", 12), ([], 10, 2)),  # a c of 10 may come again, for the pair
            (("LOOSE", [(13, 7)]), ([], 12, 2)),
        ],
    ),
    "no row comes when no partner can": (
        INNER.format("", "JOIN", "OVER (RANGE INTERVAL '5' MINUTE FOLLOWING)", "a.k = b.k"),
        [
            (("B", [(10, 1, 1)]), ([], 5, 1)),
            (("B", None), ([], 5, 1)),
            (("A", [(9, 1, 1)]), ([(9, 1, 1)], 9, 1)),
            (("A", 11), ([], END, 0)),
        ],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_joins_of_streams_step_by_step(name: str) -> None:
    sql, script = CASES[name]
    found = steps(sql, [event for event, _ in script])
    for at, (event, after) in enumerate(script):
        assert found[at] == after, (at, event)


def test_what_a_row_costs_does_not_depend_on_the_length_of_the_stream() -> None:
    """Held are the a of the last three minutes, one row that has just come, and their pairs."""
    sql = INNER.format("", "JOIN", "OVER (RANGE INTERVAL '3' MINUTE FOLLOWING)", "a.k = b.k")
    events: list[Event] = []
    for at in range(300):
        events += [("A", [(at, at, at % 2)]), ("B", [(at, at, at % 2)])]
    assert max(held for _, _, held in steps(sql, events)) == 4 + 1 + 4


@pytest.mark.parametrize(("stream", "numbers"), [("A", (1, 2, 3)), ("Down", (3, 2, 1))])
def test_columns_beside_the_time_have_bounds_of_what_is_held(
    stream: str, numbers: tuple[int, int, int]
) -> None:
    """A group of n is complete when no row that is open, or to come, has it: rowtime is strict."""
    sql = f"""SELECT STREAM a.n, COUNT(*) AS c FROM {stream} AS a JOIN B AS b
    ON b.rowtime BETWEEN a.rowtime AND a.rowtime + INTERVAL '5' MINUTE GROUP BY a.n"""
    strict = DDL.replace(
        f"{stream} (rowtime TIMESTAMP(3) ASCENDING,",
        f"{stream} (rowtime TIMESTAMP(3) ASCENDING STRICT,",
    )
    session = Session(prepare(strict, sql, Profile.CALCITE))
    assert session.flow is not None
    rows = [(minute(10 + place), n, 1) for place, n in enumerate(numbers)]
    session.take_rows((stream.upper(),), rows)
    session.take_rows(("B",), [(minute(13), 1, 1), (minute(15), 1, 1)])
    assert session.flow.drained() == []
    session.take_rows(("B",), [(minute(16), 1, 1)])
    assert session.flow.drained() == [(numbers[0], 2)]


def test_columns_beside_the_time_have_bounds_of_the_pairs_that_wait() -> None:
    """The pair of 7 waits for the a of 0:10, though no row of 7 is held any more."""
    sql = """SELECT STREAM n / 2 AS half, COUNT(*) AS c FROM (
      SELECT STREAM a.rowtime, a.n FROM Strays AS a JOIN B AS b ON a.n = b.n) GROUP BY n / 2"""
    session = Session(prepare(DDL, sql, Profile.CALCITE))
    assert session.flow is not None
    rows = [(minute(at), n, 1) for at, n in ((9, 6), (10, 10), (11, 7), (12, 9))]
    session.take_rows(("STRAYS",), rows)
    session.take_rows(("B",), [(minute(20), 6, 1)])
    session.take_rows(("B",), [(minute(21), 7, 1)])
    session.take_rows(("B",), [(minute(22), 8, 1)])
    assert session.flow.drained() == []
    session.take_rows(("B",), [(minute(23), 11, 1)])
    assert session.flow.drained() == [(3, 2)]


@pytest.mark.parametrize(
    ("values", "descending", "first"),
    [
        ([3, 1, 2], False, 1),
        ([3, 1, 2], True, 3),
        (["b", "a"], True, "b"),
        ([1, None], False, None),
    ],
)
def test_the_foremost_value_is_the_first_in_its_direction(
    values: list[Wire], descending: bool, first: Wire
) -> None:
    foremost = LazyMinHeap(descending)
    for each in values:
        foremost.add(each, PendingRow(()))
    bound = foremost.first()
    assert bound is not None
    assert bound.value == first


def test_values_whose_owner_has_expired_do_not_count() -> None:
    foremost, places = LazyMinHeap(descending=False), count(1)
    holders = [PendingRow(()) for _ in range(3)]
    for holder in holders:
        foremost.add(next(places), holder)
    holders[0].expired = holders[1].expired = True
    bound = foremost.first()
    assert bound is not None
    assert bound.value == 3
    holders[2].expired = True
    assert foremost.first() is None
