"""OVER on streams: what it keeps, what its bounds say, exact sums of rows that leave (S-505)."""

import math
from collections.abc import Sequence
from fractions import Fraction

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
from reference.incremental.frame_median import Median, median
from reference.incremental.operator import State
from reference.relation import Relation, Row
from reference.statistics import percentile_cont
from tests.reference.building import ref, ts
from tests.reference.incremental.histories import Ended, Event, Play, Rows, Told

DDL = """
CREATE STREAM S (rowtime TIMESTAMP(3) ASCENDING, id INTEGER ASCENDING, k INTEGER, d DOUBLE);
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
    (kept,) = (state for node, state in states.items() if isinstance(node, Window))
    return kept


# --- state --------------------------------------------------------------------------------------

#: Windows over k, with what is kept: rows and groups after three rows of two keys at 10:00, 10:30
#: (both of key 1) and 11:00 (key 2); after the bound 11:00:00.001; after the bound 12:30.
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
    """A row each ten seconds, of three keys: what is kept stops growing (S-408)."""
    columns = ", ".join(f"{each} OVER w AS c{i}" for i, each in enumerate(calls))
    at_work = play(
        f"SELECT STREAM rowtime, {columns} FROM S"
        f" WINDOW w AS (PARTITION BY k ORDER BY rowtime {frame})"
    )
    kept: list[State] = []
    for n in range(300):
        row = (ts("10:00:00") + n * 10_000, n, n % 3, 0.5)
        at_work.step(Rows("S", (row,)))
        if n in (149, 299):
            kept.append(over(at_work))
    assert kept[0].rows == kept[1].rows <= 20
    assert kept[0].groups == kept[1].groups == 3
    # The numbers may get longer, but no more of them be there.
    assert kept[1].bytes <= kept[0].bytes + 200


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
    rising = SortKey(ref(0, DOUBLE), descending=False, nulls_first=False)
    falling = SortKey(ref(0, DOUBLE), descending=True, nulls_first=True)
    sliding, inside = Median(rising, falling), list[float]()
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
    return [(at_work.step(each), at_work.flow.clock) for each in events]


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
