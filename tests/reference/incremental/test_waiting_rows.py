"""Rows that wait for others: the order in which they leave, the bounds they hold back, their cost.

Times are minutes after 10:00.
"""

import math
import sys
from types import FrameType
from typing import TYPE_CHECKING, TypeAlias

import pytest

from algebra.catalog import Profile
from algebra.prepare import prepare
from reference.engine.session import Session
from tests.reference.building import ts
from tests.reference.incremental.memory import reached_from

if TYPE_CHECKING:
    from reference.relation import Row

DDL = """
CREATE STREAM A (rowtime TIMESTAMP(3) ASCENDING, n INTEGER ASCENDING, k INTEGER);
CREATE STREAM B (rowtime TIMESTAMP(3) ASCENDING, n INTEGER ASCENDING, k INTEGER);
CREATE STREAM Loose (rowtime TIMESTAMP(3) ASCENDING WITHIN INTERVAL '2' MINUTE, n INTEGER
  ASCENDING, k INTEGER);
CREATE STREAM Strays (rowtime TIMESTAMP(3) ASCENDING, n INTEGER ASCENDING WITHIN 1 ROWS, k INTEGER);
CREATE STREAM Sinks (rowtime TIMESTAMP(3) ASCENDING, n INTEGER DESCENDING WITHIN 1 ROWS, k INTEGER);
CREATE STREAM Stamped (rowtime TIMESTAMP(3) ASCENDING, t TIMESTAMP(3), k INTEGER);
CREATE STREAM Timeless (n INTEGER ASCENDING, k INTEGER);
CREATE STREAM Numbered (rowtime TIMESTAMP(3) ASCENDING, n INTEGER ASCENDING,
  k INTEGER ASCENDING STRICT);
"""
#: How many rows there are of each hour and n.
HOURS = """SELECT STREAM FLOOR(rowtime TO HOUR) AS rowtime, n, COUNT(*) AS c FROM {}
  GROUP BY FLOOR(rowtime TO HOUR), n"""
#: The sum of c for each two numbers n.
PAIRS = "SELECT STREAM n / 2 AS m, SUM(c) AS c FROM ({}) GROUP BY n / 2"
TEN = ts("10:00:00")
NEVER, END = -math.inf, math.inf

#: Rows of a stream; its bound; or None: its end.
Event: TypeAlias = tuple[str, list[tuple[int, ...]] | int | None]
#: The rows that are emitted, and the bound of the output, after an event.
After: TypeAlias = tuple[list[tuple[int | None, ...]], float]


def opened(sql: str) -> Session:
    """A streaming query before its first event."""
    return Session(prepare(DDL, sql, Profile.CALCITE))


def enter(session: Session, event: Event) -> None:
    """Let an event happen."""
    name, what = event
    match what:
        case None:
            session.end((name,))
        case int():
            session.set_bound((name,), minute(what))
        case _ if name == "TIMELESS":
            session.enter((name,), what, passing=True)
        case _:
            rows: list[Row] = [(minute(time), *more) for time, *more in what]
            session.enter((name,), rows, passing=True)


def minute(at: int) -> int:
    """So many minutes after 10:00."""
    return TEN + at * 60_000


def stray(name: str, sign: int) -> list[tuple[Event, After]]:
    """Numbers of which each comes after at most one that is further on, and the sums of `PAIRS`."""
    numbers = [2, 4, 3, 5, 6, 7, None]
    events: list[Event] = [
        (name, None if n is None else [(5 + place, sign * n, 0)]) for place, n in enumerate(numbers)
    ]
    sums: list[After] = [([(sign, 2), (sign * 2, 2)], 9), ([(sign * 3, 2)], END)]
    after: list[After] = [([], 5), ([], 5), ([], 5), ([], 5), ([], 6), *sums]
    return list(zip(events, after, strict=True))


#: Each query with what happens to it, and what is emitted then: rows, the first value of which is a
#: time where the query has one, and the bound.
CASES: dict[str, tuple[str, list[tuple[Event, After]]]] = {
    # n = 1 and n = 2 are complete with the row of n = 3, and both stand at 10:05.
    "groups that leave together leave as they opened": (
        """SELECT STREAM MAX(rowtime) AS t, k, COUNT(*) AS c FROM A GROUP BY n, k""",
        [
            (("A", [(5, 2, 9), (5, 2, 4), (5, 2, 7), (5, 2, 9)]), ([], 5)),
            (("A", [(5, 3, 1)]), ([(5, 9, 2), (5, 4, 1), (5, 7, 1)], 5)),
            (("A", 7), ([], 5)),  # n = 3 is open, and its time 10:05
            (("A", [(8, 4, 1)]), ([(5, 1, 1)], 8)),
        ],
    ),
    # The hidden clock of a group is the greatest time of its rows, 10:12, not that of the last.
    "a group has the time of its latest row": (
        "SELECT STREAM n, COUNT(*) AS c FROM Loose GROUP BY n",
        [
            (("LOOSE", [(12, 1, 0)]), ([], 10)),
            (("LOOSE", [(11, 1, 0)]), ([], 10)),
            (("LOOSE", 13), ([], 12)),
            (("LOOSE", [(14, 2, 0)]), ([(1, 2)], 13)),
        ],
    ),
    # Groups of n come by their time: that of n = 3 is complete with the 5, at 10:07, and waits for
    # the one of n = 4, of 10:06.  Until it has left no pair of numbers that it is in is complete.
    # The pair of 2 and 3 then has its time, and waits for that of 4, which is open.
    "complete groups hold back the bounds of their keys": (
        PAIRS.format("SELECT STREAM n, COUNT(*) AS c FROM Strays GROUP BY n"),
        stray("STRAYS", 1),
    ),
    "complete groups hold back the bounds of keys that fall": (
        PAIRS.format("SELECT STREAM n, COUNT(*) AS c FROM Sinks GROUP BY n"),
        stray("SINKS", -1),
    ),
    "complete groups of a union hold back the bounds of their columns": (
        PAIRS.format("SELECT STREAM n, 1 AS c FROM Strays UNION SELECT STREAM n, 1 AS c FROM B"),
        [(("B", None), ([], NEVER)), *stray("STRAYS", 1)],
    ),
    # S-405: any of its monotonic keys completes a group.
    "a group is complete when one of its keys has passed": (
        HOURS.format("A"),
        [
            (("A", [(5, 1, 0), (6, 1, 0)]), ([], 0)),
            (("A", [(7, 2, 0)]), ([(0, 1, 2)], 0)),
            (("A", [(61, 2, 0)]), ([(0, 2, 1)], 60)),
            (("A", None), ([(60, 2, 1)], END)),
        ],
    ),
    # S-503: the strict k completes n = 2 with its row, in the first set; n = 1 is complete in both.
    "groups of several sets leave by the key of all": (
        """SELECT STREAM n, k + 0 AS k, COUNT(*) AS c FROM Numbered
          GROUP BY GROUPING SETS ((n, k + 0), (n))""",
        [
            (
                ("NUMBERED", [(5, 1, 7), (5, 2, 8)]),
                ([(1, 7, 1), (1, None, 1), (2, 8, 1)], 5),
            ),
            (("NUMBERED", None), ([(2, None, 1)], END)),
        ],
    ),
    # S-503: of one hour, the first monotonic key, 4 arrived before 3; the bound is 6 with the 7.
    "groups that are complete together come as they arrived": (
        HOURS.format("Strays"),
        [(("STRAYS", [(5, 4, 0), (6, 3, 0), (7, 6, 0), (8, 7, 0)]), ([(0, 4, 1), (0, 3, 1)], 0))],
    ),
    # S-311: a group of rows without a time has none, and comes before all that have one.
    "groups without a time": (
        "SELECT STREAM n, COUNT(*) AS c FROM Timeless GROUP BY n",
        [
            (("TIMELESS", [(1, 5)]), ([], NEVER)),
            (("TIMELESS", [(2, 5)]), ([(1, 1)], NEVER)),
            (("TIMELESS", 10), ([], NEVER)),  # that of n = 2 is open
            (("TIMELESS", [(3, 5)]), ([(2, 1)], 10)),
        ],
    ),
    # Each set has a group of n = 1; of (n, k) the one of k = 9 is not later than 10:05.
    "the groups of all sets hold back the clock": (
        "SELECT STREAM n, k, COUNT(*) AS c FROM A GROUP BY GROUPING SETS ((n), (n, k))",
        [
            (("A", [(5, 1, 9), (6, 1, 4)]), ([], 5)),
            (("A", [(7, 2, 4)]), ([(1, 9, 1), (1, None, 2), (1, 4, 1)], 7)),
            (("A", 9), ([], 7)),
        ],
    ),
    # One key alone passes with a bound at it, for ties come as they arrive (S-507).
    "rows of one key leave when the bound has come to it": (
        "SELECT STREAM rowtime, k FROM Loose ORDER BY rowtime",
        [
            (("LOOSE", [(10, 1, 1), (9, 1, 2)]), ([], 8)),
            (("LOOSE", [(11, 1, 3)]), ([(9, 2)], 9)),
            (("LOOSE", 10), ([(10, 1)], 10)),
            (("LOOSE", 11), ([(11, 3)], 11)),
            (("LOOSE", [(11, 1, 4)]), ([(11, 4)], 11)),
        ],
    ),
    "rows of several keys leave when the bound has passed the first": (
        "SELECT STREAM rowtime, k FROM A ORDER BY rowtime, k",
        [
            (("A", [(9, 1, 2), (9, 1, 1)]), ([], 9)),
            (("A", 9), ([], 9)),
            (("A", [(10, 1, 0)]), ([(9, 1), (9, 2)], 10)),
            (("A", None), ([(10, 0)], END)),
        ],
    ),
    # The bound is that of the oldest row held, not of the input: 61 is in the next hour.
    "a run holds the bound back": (
        "SELECT STREAM rowtime, k FROM A ORDER BY FLOOR(rowtime TO HOUR), k DESC",
        [
            (("A", [(7, 1, 1), (8, 1, 3)]), ([], 7)),
            (("A", 50), ([], 7)),
            (("A", [(61, 1, 5)]), ([(8, 3), (7, 1)], 61)),
            (("A", 90), ([], 61)),
        ],
    ),
    "a t-sort with more keys holds what its bound has not passed": (
        "SELECT STREAM rowtime, k FROM Loose ORDER BY rowtime WITHIN INTERVAL '2' MINUTE, k",
        [
            (("LOOSE", [(10, 1, 2)]), ([], 8)),
            (("LOOSE", [(12, 1, 1)]), ([], 10)),  # another of 10:10 may come, after it by k
            (("LOOSE", [(13, 1, 1)]), ([(10, 2)], 11)),
        ],
    ),
    "a t-sort by one key lets go what its bound has come to": (
        "SELECT STREAM rowtime, k FROM Loose ORDER BY rowtime WITHIN INTERVAL '2' MINUTE",
        [
            (("LOOSE", [(10, 1, 2)]), ([], 8)),
            (("LOOSE", [(12, 1, 1)]), ([(10, 2)], 10)),
        ],
    ),
    # The rowtime's bound is that of the rows held, which wait by t, milliseconds after 1970.
    "a t-sort by another column holds back the time": (
        "SELECT STREAM rowtime, k FROM Stamped ORDER BY t WITHIN INTERVAL '0.002' SECOND",
        [
            (("STAMPED", [(10, 5, 1)]), ([], 10)),
            (("STAMPED", [(12, 6, 2)]), ([], 10)),
            (("STAMPED", [(13, 7, 3)]), ([(10, 1)], 12)),
            (("STAMPED", 20), ([], 12)),
        ],
    ),
    # S-311: the row of n = 1 came before any bound: it has no time, and holds back the clock.
    "rows without a time are sorted, too": (
        "SELECT STREAM n, k FROM Timeless ORDER BY n, k",
        [
            (("TIMELESS", [(1, 5), (1, 4)]), ([], NEVER)),
            (("TIMELESS", 10), ([], NEVER)),
            (("TIMELESS", [(2, 3)]), ([(1, 4), (1, 5)], 10)),
            (("TIMELESS", 20), ([], 10)),
            (("TIMELESS", None), ([(2, 3)], END)),
        ],
    ),
    # A row that the other input's bound has come to passes, though another of its time may come.
    "a row passes a merge when the other bound is at its time": (
        "SELECT STREAM rowtime, k FROM A UNION ALL SELECT STREAM rowtime, k FROM B",
        [
            (("A", [(10, 1, 1), (12, 1, 2)]), ([], NEVER)),
            (("B", 10), ([(10, 1)], 10)),
            (("B", [(12, 1, 7)]), ([(12, 2), (12, 7)], 12)),
            (("A", None), ([], 12)),
            (("B", [(15, 1, 8)]), ([(15, 8)], 15)),
        ],
    ),
    # Rows that stray come by time; ties as they arrived, whichever input they came into.
    "inputs that stray are merged by time": (
        "SELECT STREAM rowtime, k FROM Loose UNION ALL SELECT STREAM rowtime, k FROM B",
        [
            (("LOOSE", [(12, 1, 1), (11, 1, 2), (13, 1, 3)]), ([], NEVER)),
            (("B", [(12, 1, 4)]), ([(11, 2), (12, 1)], 11)),
            (("LOOSE", [(12, 1, 5)]), ([(12, 5)], 11)),
            (("LOOSE", [(14, 1, 6)]), ([(12, 4)], 12)),
            (("B", None), ([(13, 3), (14, 6)], 12)),
        ],
    ),
    # S-502: a row must be in both, so that the greater bound counts, lowered to rows that B may
    # still have: of 10:10 while its bound is below; none once it has ended.
    "an intersection goes by the input that is further": (
        "SELECT STREAM rowtime, k FROM A INTERSECT SELECT STREAM rowtime, k FROM B",
        [
            (("A", [(10, 1, 1)]), ([], 10)),
            (("A", 20), ([], 10)),
            (("B", [(15, 1, 2)]), ([], 20)),
            (("A", [(25, 1, 3)]), ([], 25)),
            (("B", None), ([], END)),
        ],
    ),
    # A row of B alone holds up nothing once A cannot have it.
    "a difference goes by the first input": (
        "SELECT STREAM rowtime, k FROM A EXCEPT SELECT STREAM rowtime, k FROM B",
        [
            (("A", [(10, 1, 1)]), ([], 10)),
            (("B", [(12, 1, 2)]), ([], 10)),
            (("A", 11), ([(10, 1)], 11)),
            (("A", None), ([], END)),
        ],
    ),
    # B, beyond 1 by its n, cannot take the row of 10:10 away.  But a group is complete by the least
    # of both bounds of a column; until then the row, which A has had, holds back the clock.
    "a difference waits for the rows of its first input": (
        "SELECT STREAM rowtime, n FROM A EXCEPT SELECT STREAM rowtime, n FROM B",
        [
            (("A", [(10, 1, 0)]), ([], 10)),
            (("A", [(12, 1, 0)]), ([], 10)),
            (("B", [(8, 5, 0)]), ([], 10)),
            (("B", 11), ([(10, 1)], 12)),
        ],
    ),
    # The row that both have had is to come, though no other can, with B at its end.
    "an intersection ends with the rows that both have had": (
        "SELECT STREAM rowtime, k FROM A INTERSECT SELECT STREAM rowtime, k FROM B",
        [
            (("A", [(10, 1, 1)]), ([], 10)),
            (("B", [(10, 1, 1)]), ([], 10)),
            (("B", None), ([], 10)),
            (("A", 11), ([(10, 1)], END)),
        ],
    ),
    "a row of a union without rowtime has the time of its latest": (
        "SELECT STREAM n FROM Loose UNION SELECT STREAM n FROM B",
        [
            (("B", None), ([], NEVER)),
            (("LOOSE", [(12, 1, 0)]), ([], 10)),
            (("LOOSE", [(11, 1, 0)]), ([], 10)),
            (("LOOSE", 13), ([], 12)),
            (("LOOSE", [(14, 2, 0)]), ([(1,)], 13)),
        ],
    ),
    # A t is late below the greatest less two minutes, and at it no other can come before it; that
    # bound is the clock, and does not go back with a lesser t.
    "a t-sort tells lateness by the greatest value": (
        """SELECT STREAM t AS rowtime, k FROM (
          SELECT STREAM t, k FROM Stamped ORDER BY t WITHIN INTERVAL '2' MINUTE)""",
        [
            (("STAMPED", [(10, minute(5), 1)]), ([], 3)),
            (("STAMPED", [(11, minute(8), 2)]), ([(5, 1)], 6)),
            (("STAMPED", [(12, minute(7), 3)]), ([], 6)),
            (("STAMPED", [(13, minute(5), 4)]), ([], 6)),
            (("STAMPED", [(14, minute(6), 5)]), ([(6, 5)], 6)),
            (("STAMPED", None), ([(7, 3), (8, 2)], END)),
        ],
    ),
    "a t-sort goes by the bounds of its input, too": (
        "SELECT STREAM rowtime, k FROM Loose ORDER BY rowtime WITHIN INTERVAL '5' MINUTE",
        [(("LOOSE", [(10, 1, 1)]), ([], 8)), (("LOOSE", 10), ([(10, 1)], 10))],
    ),
    "rows that are sorted already pass": (
        "SELECT STREAM rowtime, k FROM A ORDER BY rowtime, n",
        [(("A", [(10, 1, 1)]), ([(10, 1)], 10))],
    ),
    "a row that is dropped moves the clock": (
        "SELECT STREAM rowtime, k FROM A WHERE k = 1",
        [(("A", [(10, 1, 0)]), ([], 10))],
    ),
    "a stream that is read twice is merged with itself": (
        "SELECT STREAM rowtime, k FROM A UNION ALL SELECT STREAM rowtime, k FROM A",
        [(("A", [(10, 1, 1)]), ([(10, 1), (10, 1)], 10))],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_rows_that_wait_step_by_step(name: str) -> None:
    sql, script = CASES[name]
    session = opened(sql)
    assert session.flow is not None
    for at, (event, after) in enumerate(script):
        enter(session, event)
        rows = [tuple(_minutes(value) for value in row) for row in session.flow.drained()]
        clock = session.flow.bound
        found = rows, clock if math.isinf(clock) else (clock - TEN) / 60_000
        assert found == after, (at, event)


def _minutes(value: object) -> object:
    """A time as minutes after 10:00; any other value as it is."""
    return (value - TEN) // 60_000 if isinstance(value, int) and value >= TEN else value


# --- what is forgotten ------------------------------------------------------------------------


def kept(session: Session) -> tuple[int, int]:
    """How many rows and groups all operators of a query hold."""
    assert session.flow is not None
    states = session.flow.network.states().values()
    return sum(each.rows for each in states), sum(each.groups for each in states)


def test_the_groups_of_all_sets_are_kept() -> None:
    """One of n; two of n and k.  MEDIAN keeps its rows, which each set has."""
    session = opened(
        "SELECT STREAM n, k, MEDIAN(k) AS m FROM A GROUP BY GROUPING SETS ((n), (n, k))"
    )
    enter(session, ("A", [(5, 1, 9), (6, 1, 4)]))
    assert kept(session) == (4, 3)
    enter(session, ("A", [(7, 2, 4)]))
    assert kept(session) == (2, 2)


def test_a_complete_group_that_waits_is_a_row_that_is_kept() -> None:
    """That of n = 3 waits for those of n = 4 and n = 5, which are open."""
    session = opened("SELECT STREAM n, COUNT(*) AS c FROM Strays GROUP BY n")
    for event, _ in stray("STRAYS", 1)[:4]:
        enter(session, event)
    assert kept(session) == (1, 2)


@pytest.mark.parametrize(
    "inner",
    [
        "SELECT STREAM rowtime, k FROM Loose ORDER BY rowtime WITHIN INTERVAL '2' MINUTE, k",
        "SELECT STREAM rowtime, k FROM A UNION ALL SELECT STREAM rowtime, k FROM B",
        """SELECT STREAM rowtime, k, COUNT(*) OVER (ORDER BY rowtime RANGE BETWEEN CURRENT ROW AND
        INTERVAL '2' MINUTE FOLLOWING) AS c FROM A""",
        "SELECT STREAM a.rowtime, a.k FROM A AS a JOIN B AS b ON a.rowtime = b.rowtime",
        "SELECT STREAM DISTINCT rowtime, k FROM A",
    ],
)
def test_of_rows_that_have_left_nothing_is_kept(inner: str) -> None:
    """Nor of their k, of which the group asks for a bound in vain: it is in no order."""
    session = opened(
        f"""SELECT STREAM FLOOR(rowtime TO MINUTE) AS rowtime, k, COUNT(*) AS c FROM ({inner})
        GROUP BY FLOOR(rowtime TO MINUTE), k"""
    )
    assert session.flow is not None
    alive: list[int] = []
    for place in range(800):
        time, k = TEN + place * 10_000, place * 7 % 10
        for stream, ahead in (("A", 120_000), ("B", 0), ("LOOSE", 0)):
            session.enter((stream,), [(time + ahead, place, k)], passing=True)
        if place in (399, 799):
            session.flow.drained()
            alive.append(reached_from(session.flow.network))
    assert alive[1] <= alive[0] + 50


# --- what an event costs ------------------------------------------------------------------------

#: Queries that hold the rows, groups or pairs of an hour or more.
HOLDING = {
    "sort": "SELECT STREAM * FROM A ORDER BY FLOOR(rowtime TO HOUR), k",
    "t-sort": "SELECT STREAM * FROM Loose ORDER BY rowtime WITHIN INTERVAL '1' HOUR, k",
    "merge": """SELECT STREAM rowtime, n, k FROM A
      UNION ALL SELECT STREAM rowtime, n, k FROM B""",
    "groups": """SELECT STREAM FLOOR(rowtime TO HOUR) AS rowtime, k, SUM(n) AS s, MAX(n) AS m
      FROM A GROUP BY FLOOR(rowtime TO HOUR), k""",
    "hidden clock": "SELECT STREAM STEP(n BY 100000) AS n, k FROM A GROUP BY STEP(n BY 100000), k",
    "start of a window": """SELECT STREAM TUMBLE_START(rowtime, INTERVAL '1' HOUR) AS rowtime, k
      FROM A GROUP BY TUMBLE(rowtime, INTERVAL '1' HOUR), k""",
    "distinct": "SELECT STREAM DISTINCT FLOOR(rowtime TO HOUR) AS rowtime, k FROM A",
    "union": """SELECT STREAM FLOOR(rowtime TO HOUR) AS rowtime, k FROM A
      UNION SELECT STREAM FLOOR(rowtime TO HOUR), k FROM B""",
    "except": """SELECT STREAM FLOOR(rowtime TO HOUR) AS rowtime, k FROM A
      EXCEPT SELECT STREAM FLOOR(rowtime TO HOUR), k FROM B""",
    "sliding": """SELECT STREAM rowtime, SUM(n) OVER w AS s, AVG(n) OVER w AS a, MIN(n) OVER w AS l
      FROM A WINDOW w AS (ORDER BY rowtime RANGE INTERVAL '1' HOUR PRECEDING)""",
    "following": """SELECT STREAM rowtime, MAX(n) OVER (ORDER BY rowtime RANGE BETWEEN CURRENT ROW
      AND INTERVAL '1' HOUR FOLLOWING) AS m FROM A""",
    "window join": """SELECT STREAM ROWTIME, a.n AS x, b.n AS y FROM A AS a
      LEFT JOIN B OVER (RANGE INTERVAL '1' HOUR FOLLOWING) AS b ON a.n = b.n""",
    "pairs that wait": """SELECT STREAM a.rowtime, b.n FROM A AS a LEFT JOIN B AS b
      ON a.n = b.n AND b.rowtime BETWEEN a.rowtime - INTERVAL '1' HOUR AND a.rowtime""",
}


@pytest.mark.parametrize("name", HOLDING)
def test_what_an_event_costs_does_not_grow_with_what_is_held(name: str) -> None:
    """Calls of functions, as a measure that no other process disturbs, amortised.

    Rows arrive twenty seconds, and then four, apart: in half an hour there are five times as many.
    """
    few, many = calls_of(HOLDING[name], 20_000), calls_of(HOLDING[name], 4_000)
    assert many < 1.5 * few


def calls_of(sql: str, apart: int) -> float:
    """How many functions a row calls, with rows so many milliseconds apart, over half an hour.

    B is half an hour behind.
    """
    session, calls = opened(sql), 0

    def counted(_frame: FrameType, event: str, _what: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    rows = range(0, 1_800_000, apart)
    sys.setprofile(counted)
    try:
        for place, after in enumerate(rows):
            time, n = TEN + after, place // 3
            session.enter(("B",), [(time, n, place)], passing=True)
            session.enter(("A",), [(time + 1_800_000, n, place)], passing=True)
            session.enter(("LOOSE",), [(time, n, place)], passing=True)
    finally:
        sys.setprofile(None)
    return calls / len(rows)
