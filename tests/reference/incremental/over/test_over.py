"""OVER on streams: what it keeps, what its bounds say, exact sums of rows that leave (S-505)."""

import gc
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from algebra.catalog import Profile, Stream
from algebra.expression import SortKey
from algebra.plan import Delta, Window
from algebra.prepare import prepare
from algebra.types import DOUBLE
from grammar.codes import Code
from grammar.source import SqlError
from reference.incremental.operator import State
from reference.incremental.over.frame_aggregates import Extreme
from reference.incremental.over.frame_median import Median, median
from reference.incremental.over.frame_partition import Tail
from reference.relation import Relation, Row
from reference.scalar.statistics import percentile_cont
from tests.reference.building import ref, ts
from tests.reference.incremental.histories import Ended, Event, Play, Rows, Told, same

DDL = """
CREATE STREAM S (rowtime TIMESTAMP(3) ASCENDING, id INTEGER ASCENDING, k INTEGER, d DOUBLE);
CREATE STREAM E (d DOUBLE ASCENDING STRICT, k INTEGER);
CREATE STREAM H (id INTEGER ASCENDING, v INTEGER);
"""


def play(sql: str, profile: Profile = Profile.CALCITE) -> Play:
    """The streaming query ``sql`` before its first event."""
    prepared = prepare(DDL, sql, profile)
    assert isinstance(prepared.query, Delta)
    streams = [each for each in prepared.catalog.objects.values() if isinstance(each, Stream)]
    return Play(prepared.query, streams)


def came(*rows: tuple[str, int, int]) -> Rows:
    """Rows of S: the time, id and k."""
    return Rows(
        "S", tuple((ts(time), *rest, *([] if len(rest) == 3 else [0.0])) for time, *rest in rows)
    )


def told(time: str) -> Told:
    """A bound of S."""
    return Told("S", ts(time))


def over(play: Play) -> State:
    """What the one OVER of a query keeps."""
    states = play.flow.network.states()
    (retained,) = (state for node, state in states.items() if isinstance(node, Window))
    return retained


# --- state --------------------------------------------------------------------------------------

#: Windows over k, with what is retained: rows and groups after three rows of two keys at 10:00,
#: 10:30 (both of key 1) and 11:00 (key 2); after the bound 11:00:00.001; after the bound 12:30.
KEPT = {
    # 10:00 is still in the frame of a row at 11:00; then no more, and at last none is.
    "ORDER BY rowtime RANGE INTERVAL '1' HOUR PRECEDING": ((3, 2), (2, 2), (0, 0)),
    "ORDER BY rowtime ROWS 1 PRECEDING": ((2, 2), (2, 2), (2, 2)),
    "ORDER BY rowtime ROWS CURRENT ROW": ((0, 0), (0, 0), (0, 0)),
    # The peers of the row at 11:00 may still come.
    "ORDER BY rowtime": ((1, 2), (0, 2), (0, 2)),
    "ORDER BY rowtime RANGE CURRENT ROW": ((1, 1), (0, 0), (0, 0)),
    "ORDER BY rowtime ROWS UNBOUNDED PRECEDING": ((0, 2), (0, 2), (0, 2)),
    # The last group of each key: a next row of key 1 is of a group behind 10:30, which has passed.
    "ORDER BY rowtime GROUPS 1 PRECEDING": ((2, 2), (2, 2), (2, 2)),
    # The next half hour of 10:30 is complete with 11:00:00.001.
    "ORDER BY rowtime RANGE BETWEEN CURRENT ROW AND INTERVAL '30' MINUTE FOLLOWING": (
        (2, 2),
        (1, 1),
        (0, 0),
    ),
    "ORDER BY rowtime ROWS BETWEEN 1 FOLLOWING AND 1 FOLLOWING": ((2, 2), (2, 2), (2, 2)),
    # The row at 11:00 has no certain place while others of its time may come, with a smaller id.
    "ORDER BY rowtime, id ROWS CURRENT ROW": ((1, 1), (0, 0), (0, 0)),
}


@pytest.mark.parametrize("window", KEPT)
def test_rows_are_kept_as_long_as_a_frame_needs_them(window: str) -> None:
    at_work = play(f"SELECT STREAM rowtime, COUNT(*) OVER (PARTITION BY k {window}) AS c FROM S")
    events: list[Event] = [
        came(("10:00:00", 1, 1), ("10:30:00", 2, 1), ("11:00:00", 3, 2)),
        told("11:00:00.001"),
        told("12:30:00"),
    ]
    found: list[tuple[int, int]] = []
    for event in events:
        at_work.step(event)
        found.append((over(at_work).rows, over(at_work).groups))
    assert tuple(found) == KEPT[window]


def test_peers_are_kept_until_they_are_complete() -> None:
    """In profile sqlstream a row sees its peers before it at once; more of them may come."""
    at_work = play(
        "SELECT STREAM rowtime, COUNT(*) OVER (ORDER BY rowtime RANGE BETWEEN INTERVAL '0' MINUTE"
        " PRECEDING AND CURRENT ROW) AS c FROM S",
        Profile.SQLSTREAM,
    )
    assert [row[1] for row in at_work.step(came(("10:00:00", 1, 1), ("10:00:00", 2, 1)))] == [1, 2]
    assert over(at_work).rows == 2
    at_work.step(told("10:00:00.001"))
    assert (over(at_work).rows, over(at_work).groups) == (0, 0)


def test_a_strict_bound_frees_what_only_a_row_at_it_would_need() -> None:
    """The next d is above 2.0, and its frame begins behind 1.0."""
    at_work = play("SELECT STREAM d, COUNT(*) OVER (ORDER BY d RANGE 1 PRECEDING) AS c FROM E")
    at_work.step(Rows("E", ((1.0, 1),)))
    assert over(at_work).rows == 1
    at_work.step(Rows("E", ((2.0, 1),)))
    assert over(at_work).rows == 1


def test_the_entries_of_a_run_take_no_place_once_they_are_freed() -> None:
    run: Tail[int] = Tail()
    for place in range(1_000):
        run.append(place)
        run.evict(place - 1)
    assert (run[998], run[999], len(run)) == (998, 999, 2)
    (entries,) = (len(cast("list[int]", e)) for e in gc.get_referents(run) if isinstance(e, list))
    assert entries <= 100


#: Calls that run from the first row of a key on, and need no more of it than a few values.
RUNNING = [
    "COUNT(*)", "SUM(d)", "AVG(id)", "MIN(id)", "MAX(id)", "ANY_VALUE(id)", "EVERY(d > 0)",
    "VAR_SAMP(d)", "STDDEV_POP(id)", "CORR(id, d)", "COUNT(DISTINCT k)", "FIRST_VALUE(id)",
    "LAST_VALUE(id)", "NTH_VALUE(id, 2)", "FIRST_VALUE(id) IGNORE NULLS",
    "LAST_VALUE(id) IGNORE NULLS",
]  # fmt: skip
PLACES = [
    "ROW_NUMBER()", "RANK()", "DENSE_RANK()", "LAG(id)", "LAG(id, 3)", "LEAD(id, 2)",
    "LAG(id, 2) IGNORE NULLS",
]  # fmt: skip
FRAMES = [
    "",
    "ROWS UNBOUNDED PRECEDING",
    "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW EXCLUDE CURRENT ROW",
    "RANGE UNBOUNDED PRECEDING EXCLUDE GROUP",
    "RANGE UNBOUNDED PRECEDING EXCLUDE TIES",
    "RANGE BETWEEN UNBOUNDED PRECEDING AND INTERVAL '1' MINUTE PRECEDING",
    "RANGE BETWEEN UNBOUNDED PRECEDING AND INTERVAL '1' MINUTE FOLLOWING",
    "ROWS BETWEEN UNBOUNDED PRECEDING AND 2 FOLLOWING",
    "GROUPS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING",
]


@pytest.mark.parametrize(
    ("calls", "frame"), [(RUNNING, frame) for frame in FRAMES] + [([each], "") for each in PLACES]
)
def test_what_runs_without_end_keeps_values_for_each_key_alone(
    calls: list[str], frame: str
) -> None:
    """A row each ten seconds, of three keys: what is retained stops growing (S-408)."""
    columns = ", ".join(f"{each} OVER w AS c{i}" for i, each in enumerate(calls))
    at_work = play(
        f"SELECT STREAM rowtime, {columns} FROM S"
        f" WINDOW w AS (PARTITION BY k ORDER BY rowtime {frame})"
    )
    retained: list[tuple[int, int, int]] = []
    for n in range(300):
        row = (ts("10:00:00") + n * 10_000, n, n % 3, 0.5)
        at_work.step(Rows("S", (row,)))
        if n in (149, 299):
            now = over(at_work)
            retained.append((now.rows, now.groups, now.bytes))
    (rows, groups, size), (rows_later, groups_later, size_later) = retained
    assert rows == rows_later <= 20
    assert groups == groups_later == 3
    # The numbers may get longer, but no more of them be there.
    assert size_later <= size + 200


def test_a_month_that_runs_without_end_keeps_the_month_alone() -> None:
    """No row leaves such a frame, but its end may go back by a day (S-207)."""
    at_work = play(
        "SELECT STREAM rowtime, COUNT(*) OVER (ORDER BY rowtime RANGE BETWEEN UNBOUNDED PRECEDING"
        " AND INTERVAL '1' MONTH PRECEDING) AS c FROM S"
    )
    for n in range(500):
        at_work.step(Rows("S", ((ts("10:00:00") + n * 86_400_000, n, 1, 0.0),)))
    assert over(at_work).rows <= 33


def test_keys_that_do_not_come_again_are_forgotten() -> None:
    at_work = play(
        "SELECT STREAM rowtime, COUNT(*) OVER (PARTITION BY id ORDER BY d"
        " ROWS UNBOUNDED PRECEDING) AS c FROM S"
    )
    for n in range(50):
        at_work.step(Rows("S", ((ts("10:00:00"), n, 1, 0.0),)))
        assert over(at_work).groups == 1


# --- values -------------------------------------------------------------------------------------


def test_a_sum_of_doubles_is_exact_when_great_ones_have_left() -> None:
    """S-203: 1e300 leaves nothing behind, nor does a NaN or an infinity."""
    at_work = play(
        "SELECT STREAM rowtime, SUM(d) OVER (ORDER BY rowtime ROWS 1 PRECEDING) AS c FROM S"
    )
    values = [0.1, 1e300, 0.2, 0.3, math.nan, 0.5, math.inf, -math.inf, 0.25, 0.125]
    rows = [(ts("10:00:00") + n, n, 1, value) for n, value in enumerate(values)]
    found = [row[1] for row in at_work.step(Rows("S", tuple(rows)))]
    assert list(map(repr, found)) == [
        "0.1", "1e+300", "1e+300", "0.5", "nan", "nan", "inf", "nan", "-inf", "0.375",
    ]  # fmt: skip


@pytest.mark.parametrize("call", ["MIN", "MAX"])
@pytest.mark.parametrize(
    ("frame", "values", "expected"),
    [
        ("ROWS 1 PRECEDING", [0.0, -0.0, 0.0], ["0.0", "0.0", "-0.0"]),
        ("ROWS UNBOUNDED PRECEDING", [-0.0, 0.0, -0.0], ["-0.0", "-0.0", "-0.0"]),
        # What is left of the frame of the second row is in two parts.
        (
            "ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE CURRENT ROW",
            [0.0, 0.0, -0.0],
            ["0.0", "0.0", "0.0"],
        ),
    ],
)
def test_of_equal_extremes_the_first_counts(
    call: str, frame: str, values: list[float], expected: list[str]
) -> None:
    """The two zeros are equal, and still two values; both evaluations take the same (S-303)."""
    at_work = play(f"SELECT STREAM rowtime, {call}(d) OVER (ORDER BY rowtime {frame}) AS c FROM S")
    rows = [(ts("10:00:00") + n, n, 1, value) for n, value in enumerate(values)]
    found = [*at_work.step(Rows("S", tuple(rows))), *at_work.step(Ended())]
    assert [repr(row[1]) for row in found] == expected
    assert same(found, at_work.relational())


def test_a_later_row_may_reach_back_further_by_a_month() -> None:
    """S-207: March 30 less a month is February 28 at 23:00, March 31 at 01:00 that at 01:00."""
    at_work = play(
        "SELECT STREAM rowtime, COUNT(*) OVER (ORDER BY rowtime RANGE BETWEEN INTERVAL '1' MONTH"
        " PRECEDING AND INTERVAL '1' HOUR FOLLOWING) AS c FROM S"
    )
    found: list[Row] = []
    for n, day in enumerate(["02-28 12:00:00", "03-30 23:00:00", "03-31 01:00:00"]):
        found += at_work.step(Rows("S", ((ts(f"2015-{day}"), n, 1, 0.0),)))
    found += at_work.step(Ended())
    assert [row[1] for row in found] == [1, 1, 3]


def test_what_is_excluded_before_the_frame_changes_nothing() -> None:
    at_work = play(
        "SELECT STREAM rowtime, SUM(id) OVER (ORDER BY rowtime ROWS BETWEEN 2 FOLLOWING"
        " AND 3 FOLLOWING EXCLUDE CURRENT ROW) AS c FROM S"
    )
    rows = came(*[(f"10:00:0{n}", n, 1) for n in range(1, 6)])
    found = [*at_work.step(rows), *at_work.step(Ended())]
    assert [row[1] for row in found] == [3 + 4, 4 + 5, 5, None, None]


INF, NAN = math.inf, math.nan


@pytest.mark.parametrize(
    ("call", "values", "expected"),
    [
        ("MIN", [1.0, 9.0, 2.0], 1.0),
        ("MIN", [2.0, 9.0, 1.0], 1.0),
        ("MAX", [1.0, 0.0, 2.0], 2.0),
        ("MAX", [2.0, 0.0, 1.0], 2.0),
        ("SUM", [1.0, 9.0, 2.0], 3.0),
        ("SUM", [NAN, 9.0, 2.0], NAN),
        ("SUM", [1.0, 9.0, NAN], NAN),
        ("SUM", [-INF, 9.0, 2.0], -INF),
        ("SUM", [1.0, 9.0, -INF], -INF),
        ("SUM", [1.0, 9.0, INF], INF),
        ("SUM", [INF, 9.0, -INF], NAN),
        ("VAR_POP", [1.0, 9.0, 3.0], 1.0),
        ("VAR_POP", [NAN, 9.0, 3.0], NAN),
        ("VAR_POP", [1.0, 9.0, INF], NAN),
    ],
)
def test_a_frame_in_two_parts_is_both_of_them(
    call: str, values: list[float], expected: float
) -> None:
    """What the row in the middle sees, which is taken out itself."""
    at_work = play(
        f"SELECT STREAM rowtime, {call}(d) OVER (ORDER BY rowtime ROWS BETWEEN 1 PRECEDING"
        " AND 1 FOLLOWING EXCLUDE CURRENT ROW) AS c FROM S"
    )
    rows = [(ts("10:00:00") + n, n, 1, value) for n, value in enumerate(values)]
    found = list(at_work.step(Rows("S", tuple(rows))))
    assert repr(found[1][1]) == repr(expected)


def test_a_variance_is_exact_when_a_nan_has_left() -> None:
    at_work = play(
        "SELECT STREAM rowtime, VAR_POP(d) OVER (ORDER BY rowtime ROWS 1 PRECEDING) AS c FROM S"
    )
    rows = [(ts("10:00:00") + n, n, 1, value) for n, value in enumerate([NAN, 1.0, 3.0])]
    found = [row[1] for row in at_work.step(Rows("S", tuple(rows)))]
    assert list(map(repr, found)) == ["nan", "nan", "1.0"]


@pytest.mark.parametrize(("grows", "expected"), [(False, [(1,), (2,)]), (True, [(1,)])])
def test_what_a_least_value_keeps_is_what_may_become_it(grows: bool, expected: list[Row]) -> None:
    """3 goes before the 1 after it does, and where nothing goes the 2 never is the least."""
    least = Extreme(1, grows)
    for value in (3, 1, 2):
        least.add((value,))
    assert least.retained() == expected


def test_an_error_comes_with_the_row_that_is_at_fault() -> None:
    at_work = play(
        "SELECT STREAM rowtime, NTH_VALUE(id, k) OVER (ORDER BY rowtime ROWS 1 PRECEDING) AS c"
        " FROM S"
    )
    assert list(at_work.step(came(("10:00:00", 1, 1)))) == [(ts("10:00:00"), 1)]
    with pytest.raises(SqlError) as error:
        at_work.step(came(("10:00:00", 2, 0)))
    assert error.value.code is Code.INVALID_ARGUMENT


@given(st.lists(st.tuples(st.booleans(), st.sampled_from([-1.5, 0.0, 0.1, 2.0, math.nan]))))
def test_a_median_that_slides_is_that_of_the_sorted_values(
    steps: list[tuple[bool, float]],
) -> None:
    ascending = SortKey(ref(0, DOUBLE), descending=False, nulls_first=False)
    sliding, inside = Median(ascending), list[float]()
    for leaves, value in steps:
        if leaves and inside:
            sliding.remove((inside.pop(0),))
        else:
            sliding.add((value,))
            inside.append(value)
        found = median(DOUBLE)([sliding], ())
        assert repr(found) == repr(_median(inside))


def _median(values: Sequence[float]) -> object:
    half = Fraction(1, 2)
    return percentile_cont(values, half, descending=False, type=DOUBLE) if values else None


# --- clocks and bounds --------------------------------------------------------------------------


def outcome(at_work: Play, *events: Event) -> list[tuple[Relation, float]]:
    """The rows and the clock after each event."""
    return [(at_work.step(each), at_work.flow.bound) for each in events]


def test_a_stream_without_rowtime_goes_by_its_hidden_clock() -> None:
    """S-311: bounds move the clock; rows are stamped with it, and it is not among the columns."""
    at_work = play("SELECT STREAM id, LEAD(id) OVER (ORDER BY id) AS n FROM H")
    never = float("-inf")
    assert outcome(
        at_work,
        Rows("H", ((1, 5),)),
        Rows("H", ((2, 5),)),
        Told("H", 1_000),
        Rows("H", ((3, 5),)),
        Told("H", 2_000),
        Rows("H", ((4, 5),)),
        Ended(),
    ) == [
        ([], never),
        ([(1, 2)], never),
        ([], never),  # the row of id 2 has come before any bound
        ([(2, 3)], 1_000),
        ([], 1_000),
        ([(3, 4)], 2_000),
        ([(4, None)], float("inf")),
    ]


def test_other_columns_are_bounded_by_the_rows_that_are_held() -> None:
    """S-406: a group of id 1 is complete when the last row of id 1 has left, not when it came."""
    at_work = play(
        "SELECT STREAM id, MAX(c) AS m FROM (SELECT rowtime, id, COUNT(*) OVER (ORDER BY rowtime"
        " RANGE BETWEEN CURRENT ROW AND INTERVAL '10' MINUTE FOLLOWING) AS c FROM S) GROUP BY id"
    )
    assert [rows for rows, _ in outcome(
        at_work,
        came(("10:00:00", 1, 1), ("10:01:00", 1, 1), ("10:05:00", 2, 1)),
        told("10:10:01"),
        told("10:11:00"),
        told("10:11:00.001"),
        Ended(),
    )] == [[], [], [], [(1, 3)], [(2, 1)]]  # fmt: skip


def test_ties_that_leave_together_leave_as_they_arrived() -> None:
    """Key 2 is determined first; both are held up by the row of 10:00."""
    at_work = play(
        "SELECT STREAM rowtime, id, LEAD(id) OVER (PARTITION BY k ORDER BY rowtime) AS n FROM S"
    )
    at_work.step(came(("10:00:00", 1, 3), ("10:01:00", 2, 1), ("10:01:00", 3, 2)))
    at_work.step(came(("10:02:00", 4, 2)))
    at_work.step(came(("10:02:00", 5, 1)))
    rows: list[Row] = list(at_work.step(came(("10:03:00", 6, 3))))
    assert [row[1:] for row in rows] == [(1, 6), (2, 5), (3, 4)]
