"""Joins on streams keep the laws: S-303, S-304, S-306, causality, the cutting of trains."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from hypothesis import given
from hypothesis import strategies as st

from algebra.catalog import Profile, Stream
from algebra.monotonicity.columns import OrderOf, column_monotonicity, rowtime_column
from algebra.plan import Delta
from algebra.prepare import prepare
from reference.relation import Relation, Row
from tests.reference.incremental.histories import (
    Ended,
    Event,
    Play,
    Rows,
    Told,
    cut_anew,
    histories,
    played,
    same,
)

MINUTE = 60_000
NAMES = ("A", "B")
ROWTIMES = (
    "ASCENDING",
    "ASCENDING",
    "ASCENDING STRICT",
    "ASCENDING WITHIN INTERVAL '2' MINUTE",
    "ASCENDING WITHIN 2 ROWS",
    "ASCENDING PUNCTUATED",
)
NUMBERS = ("ASCENDING", "ASCENDING STRICT", "ASCENDING WITHIN 1 ROWS")
KINDS = ("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN")
WINDOWS = (
    "",
    "OVER (RANGE CURRENT ROW)",
    "OVER (RANGE INTERVAL '2' MINUTE PRECEDING)",
    "OVER (RANGE INTERVAL '3' MINUTE FOLLOWING)",
    "OVER (RANGE BETWEEN INTERVAL '1' MINUTE PRECEDING AND INTERVAL '2' MINUTE FOLLOWING)",
    "OVER (ROWS CURRENT ROW)",
    "OVER (ROWS 1 PRECEDING)",
    "OVER (ROWS 2 PRECEDING)",
)
CONDITIONS = ("a.k = b.k", "a.k = b.k AND a.v <= b.v", "a.v < b.v", "TRUE", "TRUE")
COLUMNS = "a.rowtime AS ar, a.n AS an, a.k AS ak, a.v AS av, b.rowtime AS br, b.n AS bn, b.v AS bv"
#: Joins inside and around other operators.
NESTED = (
    """SELECT STREAM a.rowtime, a.v AS v, b.v AS w, c.v AS x FROM A AS a
    JOIN B AS b ON a.k = b.k AND b.rowtime BETWEEN a.rowtime AND a.rowtime + INTERVAL '2' MINUTE
    JOIN A AS c ON c.rowtime BETWEEN a.rowtime - INTERVAL '1' MINUTE AND a.rowtime""",
    """SELECT STREAM a.rowtime, a.v AS v, b.v AS w, c.v AS x FROM A AS a
    JOIN B AS b ON a.k = b.k LEFT JOIN B AS c ON a.k = c.k
      AND c.rowtime BETWEEN a.rowtime - INTERVAL '1' MINUTE AND a.rowtime
    WHERE b.rowtime BETWEEN a.rowtime AND a.rowtime + INTERVAL '2' MINUTE""",
    """SELECT STREAM a.rowtime, a.v AS v, b.v AS w FROM A AS a
    JOIN A AS b ON a.n = b.n + 1 WHERE a.v <= b.v""",
    """SELECT STREAM FLOOR(b.rowtime TO HOUR) AS rowtime, b.k, COUNT(*) AS c FROM A AS a
    JOIN B AS b ON a.k = b.k AND b.rowtime BETWEEN a.rowtime AND a.rowtime + INTERVAL '4' MINUTE
    GROUP BY FLOOR(b.rowtime TO HOUR), b.k""",
    """SELECT STREAM o.rowtime, o.k, o.c, a.v FROM A AS a JOIN (
      SELECT STREAM TUMBLE_END(rowtime, INTERVAL '3' MINUTE) AS rowtime, k, COUNT(*) AS c FROM B
      GROUP BY TUMBLE(rowtime, INTERVAL '3' MINUTE), k) AS o
    ON a.k = o.k AND a.rowtime BETWEEN o.rowtime - INTERVAL '3' MINUTE AND o.rowtime""",
    """SELECT STREAM ROWTIME, u.v AS v, b.v AS w FROM (
      SELECT STREAM * FROM A UNION ALL SELECT STREAM * FROM B) AS u
    LEFT JOIN B OVER (RANGE INTERVAL '1' MINUTE PRECEDING) AS b ON u.k = b.k""",
    """SELECT STREAM rowtime, v FROM A UNION ALL SELECT STREAM a.rowtime, b.v FROM A AS a
    JOIN B AS b ON b.rowtime BETWEEN a.rowtime - INTERVAL '2' MINUTE AND a.rowtime""",
    """SELECT STREAM w.rowtime, w.v, COUNT(*) OVER (ORDER BY w.rowtime
      RANGE INTERVAL '2' MINUTE PRECEDING) AS c FROM (
      SELECT STREAM ROWTIME AS rowtime, a.v AS v FROM A OVER (ROWS 1 PRECEDING) AS a
      JOIN B AS b ON a.k = b.k) AS w""",
    """SELECT STREAM a.rowtime, a.v, t.name FROM A AS a LEFT JOIN (
      SELECT k, MAX(name) AS name FROM (VALUES (0, 'x'), (1, 'y'), (1, 'z')) AS r (k, name)
      GROUP BY k) AS t ON a.k = t.k""",
    """SELECT STREAM b.rowtime, a.v, t.name FROM A AS a
    JOIN (VALUES (0, 'x'), (1, 'y'), (1, 'z')) AS t (k, name) ON a.k = t.k
    JOIN B AS b ON a.v = b.v AND a.n = b.n""",
)


@dataclass(frozen=True, slots=True)
class Sample:
    """A query over two streams, and a history of them."""

    query: Delta
    streams: tuple[Stream, ...]
    events: list[Event]

    @property
    def place(self) -> int | None:
        """The column by which the rows arrive in order, if one is."""
        place = rowtime_column(self.query)
        if place is None:
            return None
        orders = column_monotonicity(self.query.input, OrderOf.ROWS)
        return place if orders[place].ascending else None


@cache
def prepared(ddl: str, sql: str) -> tuple[Delta, tuple[Stream, ...]]:
    """The query, and its two streams."""
    found = prepare(ddl, sql, Profile.CALCITE)
    assert isinstance(found.query, Delta)
    streams = [found.catalog.objects[name,] for name in NAMES]
    return found.query, tuple(each for each in streams if isinstance(each, Stream))


@st.composite
def window_joins(draw: st.DrawFn) -> str:
    """A join with a window on one side at least."""
    left, right = draw(st.sampled_from(WINDOWS)), draw(st.sampled_from(WINDOWS[1:]))
    kind, condition = draw(st.sampled_from(KINDS)), draw(st.sampled_from(CONDITIONS))
    sides = draw(st.sampled_from([(left, right), (right, left)]))
    return (
        f"SELECT STREAM ROWTIME, {COLUMNS} FROM A {sides[0]} AS a {kind} B {sides[1]} AS b"
        f" ON {condition}"
    )


def minutes(column: str, distance: int) -> str:
    """A time so many minutes from ``column``."""
    return f"{column} {'-' if distance < 0 else '+'} INTERVAL '{abs(distance)}' MINUTE"


@st.composite
def condition_joins(draw: st.DrawFn, direction: str) -> str:
    """A join in lock step; the numbers of both streams go in ``direction``."""
    low = draw(st.integers(-3, 3))
    high = low + draw(st.integers(-1, 4))
    ends = (-high, -low) if direction == "DESCENDING" else (low, high)
    lock = draw(
        st.sampled_from(
            [
                f"b.rowtime BETWEEN {minutes('a.rowtime', low)} AND {minutes('a.rowtime', high)}",
                "FLOOR(a.rowtime TO HOUR) = FLOOR(b.rowtime TO HOUR)",
                "a.n = b.n",
                f"b.n BETWEEN a.n + {ends[0]} AND a.n + {ends[1]}",
            ]
        )
    )
    kind, condition = draw(st.sampled_from(KINDS)), draw(st.sampled_from(CONDITIONS))
    base = {"LEFT JOIN": "a", "RIGHT JOIN": "b"}.get(kind, draw(st.sampled_from("ab")))
    time = f"{base}.rowtime, " if kind != "FULL JOIN" and draw(st.integers(0, 3)) else ""
    on, where = f" ON {condition} AND {lock}", ""
    if kind == "JOIN" and draw(st.booleans()):
        on, where = f" ON {condition}", f" WHERE {lock} AND a.v IS NOT NULL"
    return f"SELECT STREAM {time}{COLUMNS} FROM A AS a {kind} B AS b{on}{where}"


@st.composite
def samples(draw: st.DrawFn) -> Sample:
    """A join of any kind over two streams with a history."""
    direction = draw(st.sampled_from(["ASCENDING", "ASCENDING", "DESCENDING"]))
    form = draw(st.integers(0, 4))
    if form < 2:
        sql = draw(window_joins())
    elif form < 4:
        sql = draw(condition_joins(direction))
    else:
        direction, sql = "ASCENDING", draw(st.sampled_from(NESTED))
    ddl = "".join(
        f"CREATE STREAM {name} (rowtime TIMESTAMP(3) {draw(st.sampled_from(ROWTIMES))},"
        f" n INTEGER {draw(st.sampled_from(NUMBERS)).replace('ASCENDING', direction)},"
        " k INTEGER, v INTEGER);"
        for name in NAMES
    )
    query, streams = prepared(ddl, sql)
    tick = draw(st.sampled_from([MINUTE, MINUTE, 20 * MINUTE]))
    return Sample(query, streams, draw(histories(streams, tick, max_rows=16)))


def flat(steps: Sequence[Relation]) -> list[Row]:
    """The rows of all steps."""
    return [row for rows in steps for row in rows]


def times(rows: Relation, place: int | None) -> list[object]:
    """The rowtimes of rows, where they are in order."""
    return [] if place is None else [row[place] for row in rows]


@given(samples())
def test_the_rows_are_those_of_the_relational_query_in_rowtime_order(sample: Sample) -> None:
    """S-303."""
    play = Play(sample.query, sample.streams)
    rows = flat([play.step(each) for each in sample.events])
    assert same(rows, play.relational())
    if sample.place is not None:
        assert times(rows, sample.place) == times(play.relational(), sample.place)


@given(samples())
def test_no_row_comes_below_a_bound_that_was_given(sample: Sample) -> None:
    """S-306."""
    play = Play(sample.query, sample.streams)
    place = rowtime_column(sample.query)
    clock = float("-inf")
    for event in sample.events:
        for row in play.step(event):
            if place is not None:
                assert isinstance(row[place], int)
                assert row[place] >= clock  # type: ignore[operator]  # an int, as was just seen
        assert play.flow.bound >= clock
        clock = play.flow.bound


@given(samples())
def test_columns_that_are_said_to_rise_or_fall_do(sample: Sample) -> None:
    """S-402: what is deduced of the output's columns holds in the order of emission."""
    rows = flat(played(sample.query, sample.streams, sample.events))
    for place, order in enumerate(column_monotonicity(sample.query.input, OrderOf.ROWS)):
        values = [row[place] for row in rows]
        numbers = [each for each in values if isinstance(each, int)]
        if order.progresses:
            assert numbers == values
            assert numbers == sorted(numbers, reverse=order.descending)


@given(samples(), st.data())
def test_valid_bounds_change_nothing_but_the_time(sample: Sample, data: st.DataObject) -> None:
    """S-304: with more bounds that say what rows say, or with none, the rows are the same."""
    kept = Play(sample.query, sample.streams)
    accepted: list[Rows] = []
    before: list[Row] = []
    for event in sample.events:
        had = {name: len(rows) for name, rows in kept.contents.items()}
        before += kept.step(event)
        for name, rows in kept.contents.items():
            accepted += [Rows(name[-1], (row,)) for row in rows[had[name] :]]
    more: list[Event] = []
    for at, event in enumerate(accepted):
        if data.draw(st.booleans()):
            later = [row[0] for e in accepted[at:] if e.stream == event.stream for row in e.rows]
            least = min(value for value in later if isinstance(value, int))
            more.append(Told(event.stream, least - data.draw(st.integers(0, 2)) * MINUTE))
        more.append(event)
    after = flat(played(sample.query, sample.streams, [*more, Ended()]))
    assert same(after, before)
    assert times(after, sample.place) == times(before, sample.place)


@given(samples(), st.integers(0, 16))
def test_what_came_out_does_not_depend_on_what_comes_later(sample: Sample, cut: int) -> None:
    """Causality: the output of a prefix is a prefix of the output."""
    whole = played(sample.query, sample.streams, sample.events)
    short = played(sample.query, sample.streams, sample.events[:cut])
    assert repr(short) == repr(whole[:cut])


@given(samples(), st.data())
def test_where_trains_are_cut_cannot_be_seen(sample: Sample, data: st.DataObject) -> None:
    """S-104: the same rows in the same order, up to ties."""
    cut = data.draw(cut_anew(sample.events))
    one = flat(played(sample.query, sample.streams, sample.events))
    other = flat(played(sample.query, sample.streams, cut))
    assert same(one, other)
    assert times(one, sample.place) == times(other, sample.place)


@given(samples())
def test_nothing_is_kept_at_the_end(sample: Sample) -> None:
    play = Play(sample.query, sample.streams)
    for event in sample.events:
        play.step(event)
    assert all(each.rows == each.groups == 0 for each in play.flow.network.states().values())
    assert play.flow.bound == float("inf")
