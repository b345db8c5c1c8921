"""Each operator gives its rows as early as is safe, and the greatest bound that is (S-305, S-306).

Time is in milliseconds here, and what may come next is enumerated: see `continuations`.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from algebra.catalog import Profile, Stream
from algebra.expression import Value
from algebra.monotonicity.columns import rowtime_column
from algebra.plan import Delta, row_type
from algebra.prepare import prepare
from reference.dml.statements import applied
from reference.engine.session import Session
from reference.evaluate import World
from tests.examples import NIGHTLY, examples
from tests.reference.incremental.continuations import Oracle, Schedule, at_completion, whenever
from tests.reference.incremental.histories import START, Ended, Event, Play, Rows, Told

if TYPE_CHECKING:
    from reference.relation import Row

#: Two keys, one of which matches conditions where the other does not.
KEYS: tuple[tuple[Value, ...], ...] = ((0,), (1,))
TABLE = """CREATE TABLE T (k INTEGER, name VARCHAR(1));
INSERT INTO T VALUES (1, 'x'), (1, 'y');"""
SORTED = ("ASCENDING", "ASCENDING STRICT")
#: Rowtimes that come in no order; what sorts them has the bounds to go by.
STRAYING = (
    "ASCENDING WITHIN INTERVAL '0.001' SECOND",
    "ASCENDING WITHIN 1 ROWS",
    "ASCENDING PUNCTUATED",
)


@dataclass(frozen=True)
class Case:
    """A query of one operator, and what its schedule in chapter 5 says.

    ``straying``: its inputs need not be sorted.  Not ``exact``: a row may wait longer.  ``hidden``:
    the rows have no rowtime, and their hidden clock as a last column.  ``rising``: k rises.
    """

    sql: str
    schedule: Schedule = whenever
    straying: bool = False
    exact: bool = True
    hidden: bool = False
    rising: bool = False
    profile: Profile = Profile.CALCITE


def ms(number: int) -> str:
    """An interval."""
    return f"INTERVAL '0.{number:03d}' SECOND"


def shifted(column: str, by: int) -> str:
    """A time so many milliseconds from ``column``."""
    return f"{column} {'-' if by < 0 else '+'} {ms(abs(by))}"


def with_its_partition(time: int, clocks: Sequence[float]) -> bool:
    """A row in no order of time is determined with its partition, which has two milliseconds."""
    return all(clock >= time - time % 2 + 2 for clock in clocks)


ROWWISE = [
    Case("SELECT STREAM rowtime, k FROM A WHERE k = 1"),
    Case(f"SELECT STREAM rowtime + {ms(2)} AS rowtime, k FROM A"),
    Case(f"SELECT STREAM STEP(rowtime BY {ms(2)}) AS rowtime, k FROM A"),
    Case("SELECT STREAM CEIL(rowtime TO SECOND) AS rowtime, k FROM A"),
    Case("SELECT STREAM a.rowtime, a.k, t.name FROM A AS a JOIN T AS t ON a.k = t.k"),
    Case("SELECT STREAM a.rowtime, a.k, t.name FROM A AS a LEFT JOIN T AS t ON a.k = t.k"),
]


def grouped(key: str, time: str | None = None, more: str = ", k") -> Case:
    """Rows counted by a key of the rowtime."""
    sql = f"SELECT STREAM {time or key} AS rowtime{more}, COUNT(*) AS c FROM A GROUP BY {key}{more}"
    return Case(sql, straying=True)


GROUPS = [
    grouped("rowtime"),
    grouped("CEIL(rowtime TO SECOND)"),
    grouped(f"STEP(rowtime BY {ms(2)})", more=""),
    *[
        grouped(f"{call}(rowtime, {of})", f"{call}_{end}(rowtime, {of})")
        for call, of, end in [
            ("TUMBLE", ms(2), "END"),
            ("TUMBLE", ms(2), "START"),
            ("HOP", f"{ms(1)}, {ms(2)}", "END"),
            ("HOP", f"{ms(1)}, {ms(2)}", "START"),
            ("HOP", f"{ms(3)}, {ms(1)}", "END"),
            ("HOP", f"{ms(2)}, {ms(3)}", "END"),
        ]
    ],
    Case(
        f"""SELECT STREAM TUMBLE_END(rowtime, {ms(2)}) AS rowtime, k, COUNT(*) AS c FROM A
        GROUP BY GROUPING SETS ((TUMBLE(rowtime, {ms(2)}), k), (TUMBLE(rowtime, {ms(2)})))""",
        straying=True,
    ),
    *[
        Case(
            f"SELECT STREAM {key} AS k, COUNT(*) AS c, MAX(rowtime) AS t FROM A GROUP BY {key}",
            hidden=True,
            rising=True,
        )
        for key in ("k", "-k")
    ],
    Case("SELECT STREAM DISTINCT rowtime, k FROM A", at_completion, straying=True),
]


def over(window: str, call: str = "COUNT(*)", schedule: Schedule = whenever) -> list[Case]:
    """A call over a window, in both profiles."""
    sql = f"SELECT STREAM rowtime, k, {call} OVER ({window}) AS c FROM A"
    return [Case(sql, schedule, profile=each) for each in Profile]


FRAMES = [
    *over(f"ORDER BY rowtime RANGE {ms(1)} PRECEDING"),
    *over(f"ORDER BY rowtime RANGE BETWEEN {ms(2)} PRECEDING AND {ms(1)} PRECEDING"),
    *over(f"ORDER BY rowtime RANGE BETWEEN {ms(1)} PRECEDING AND {ms(1)} FOLLOWING"),
    *over(f"ORDER BY rowtime RANGE BETWEEN {ms(1)} FOLLOWING AND {ms(2)} FOLLOWING"),
    *over(f"ORDER BY rowtime RANGE BETWEEN {ms(1)} PRECEDING AND {ms(0)} PRECEDING"),
    *over("ORDER BY rowtime"),
    *over("PARTITION BY k ORDER BY rowtime"),
    *over(f"PARTITION BY k ORDER BY rowtime RANGE BETWEEN CURRENT ROW AND {ms(1)} FOLLOWING"),
    *over("ORDER BY rowtime ROWS 1 PRECEDING", "SUM(k)"),
    *over("ORDER BY rowtime ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING"),
    *over("PARTITION BY k ORDER BY rowtime ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING"),
    *over("ORDER BY rowtime GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW"),
    *over("ORDER BY rowtime", "LEAD(k, 1, 7)"),
    *over("ORDER BY rowtime", "LAG(k)"),
    *over(f"PARTITION BY STEP(rowtime BY {ms(2)}) ORDER BY k", "RANK()", with_its_partition),
    *over(f"PARTITION BY STEP(rowtime BY {ms(2)})"),
    *over("ORDER BY rowtime, k ROWS 1 PRECEDING", "SUM(k)", at_completion),
]

SORTS = [
    Case("SELECT STREAM rowtime, k FROM A ORDER BY rowtime", straying=True),
    Case("SELECT STREAM rowtime, k FROM A ORDER BY rowtime, k", at_completion, straying=True),
    Case(f"SELECT STREAM rowtime, k FROM A ORDER BY rowtime WITHIN {ms(2)}"),
]

A, B = "SELECT STREAM rowtime, k FROM A", "SELECT STREAM rowtime, k FROM B"
UNIONS = [
    Case(f"{A} UNION ALL {B}"),  # of inputs that stray it strays, too, and asks less (S-502)
    Case(f"{A} UNION ALL {B} UNION ALL {A} WHERE k = 1"),
    *[
        Case(f"{A} {operator} {B}", at_completion, straying=True)
        for operator in (
            "UNION",
            "INTERSECT",
            "INTERSECT ALL",
            "EXCEPT",
            "EXCEPT ALL",
        )
    ],
]

KINDS = ("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN")
SPANS = (
    ("", f"OVER (RANGE {ms(1)} PRECEDING)"),
    (f"OVER (RANGE {ms(2)} FOLLOWING)", ""),
    ("", "OVER (RANGE CURRENT ROW)"),
    (f"OVER (RANGE {ms(1)} PRECEDING)", f"OVER (RANGE {ms(1)} FOLLOWING)"),
    (
        f"OVER (RANGE BETWEEN {ms(1)} PRECEDING AND {ms(1)} FOLLOWING)",
        f"OVER (RANGE {ms(2)} PRECEDING)",
    ),
)
WINDOW_JOINS = [
    Case(
        f"""SELECT STREAM ROWTIME, a.rowtime AS ar, b.rowtime AS br, a.k, b.k AS bk
        FROM A {left} AS a {kind} B {right} AS b ON a.k = b.k""",
        straying=True,
    )
    for (left, right), kind in product(SPANS, KINDS)
]
ROWS_JOINS = [
    Case(
        f"""SELECT STREAM ROWTIME, a.rowtime AS ar, b.rowtime AS br, a.k, b.k AS bk
        FROM A {left} AS a {kind} B {right} AS b ON a.k = b.k"""
    )
    for (left, right), kind in product(
        [
            ("", "OVER (ROWS CURRENT ROW)"),
            ("OVER (ROWS CURRENT ROW)", f"OVER (RANGE {ms(1)} PRECEDING)"),
        ],
        KINDS,
    )
]
DISTANCES = ((0, 1), (-1, 0), (-2, 1), (1, 2), (0, 0))
CONDITION_JOINS = [
    Case(
        f"""SELECT STREAM {base}.rowtime, a.rowtime AS ar, b.rowtime AS br, a.k, b.k AS bk
        FROM A AS a {kind} B AS b ON a.k = b.k
        AND b.rowtime BETWEEN {shifted("a.rowtime", low)} AND {shifted("a.rowtime", high)}""",
        straying=True,
    )
    for (low, high), (kind, base) in product(
        DISTANCES, [("JOIN", "a"), ("JOIN", "b"), ("LEFT JOIN", "a"), ("RIGHT JOIN", "b")]
    )
] + [
    Case(
        f"""SELECT STREAM {base}.rowtime, a.rowtime AS ar, b.rowtime AS br, a.k, b.k AS bk
        FROM A AS a {kind} B AS b ON STEP(a.rowtime BY {ms(2)}) = STEP(b.rowtime BY {ms(2)})
        AND a.k = b.k""",
        exact=False,  # the same bucket is a distance below its size (S-510), and no more
    )
    for kind, base in [("JOIN", "a"), ("LEFT JOIN", "a"), ("RIGHT JOIN", "b")]
]
# S-510: the clock of a FULL join is that of the left row, or where a row of the right is alone the
# last time of a left one that it could have met.
FULL_JOINS = [
    Case(
        f"""SELECT STREAM a.rowtime AS ar, b.rowtime AS br, a.k, b.k AS bk,
        COALESCE(a.rowtime, {shifted("b.rowtime", -low)}) AS u
        FROM A AS a FULL JOIN B AS b ON a.k = b.k
        AND b.rowtime BETWEEN {shifted("a.rowtime", low)} AND {shifted("a.rowtime", high)}""",
        straying=True,
        hidden=True,
    )
    for low, high in DISTANCES
]
SINGLE = [*ROWWISE, *GROUPS, *FRAMES, *SORTS]
PAIRS = [*UNIONS, *WINDOW_JOINS, *ROWS_JOINS, *CONDITION_JOINS, *FULL_JOINS]


@cache
def oracle(case: Case, rowtimes: tuple[str, str]) -> tuple[Oracle, tuple[Stream, ...]]:
    """What is due of a case, and the streams it reads."""
    order = "ASCENDING" if case.rising else "NOT NULL"
    ddl = "".join(
        f"CREATE STREAM {name} (rowtime TIMESTAMP(3) {rowtime}, k INTEGER {order});"
        for name, rowtime in zip("AB", rowtimes, strict=True)
    )
    prepared = prepare(ddl + TABLE, case.sql, case.profile)
    query, objects = prepared.query, prepared.catalog.objects
    assert isinstance(query, Delta)
    names = "AB" if case in PAIRS else "A"
    streams = tuple(s for name in names if isinstance(s := objects[name,], Stream))
    world = World()
    for step in prepared.steps:
        world, _, _ = applied(step, world, {})
    more = 1 if case in PAIRS and "ROWS" not in case.sql else 2
    place = rowtime_column(query)
    assert (place is None) == case.hidden
    place = len(row_type(query)) - 1 if place is None else place
    return Oracle(query, world.tables, place, KEYS, case.schedule, more), streams


def check(
    case: Case, rowtimes: tuple[str, str], events: Sequence[Event], looks: Collection[int]
) -> None:
    """After these events, the rows that have come out are those that are due, and so is the bound.

    ``looks`` are the places of the events after which it is looked.
    """
    expected, streams = oracle(case, rowtimes)
    play = Play(expected.query, streams, tables=expected.tables)
    came: Counter[Row] = Counter()
    story: list[str] = [case.sql]
    for place, event in enumerate(events):
        came.update(play.step(event))
        if place not in looks:
            story.append(f"{event}: {dict(came)}, {play.flow.bound}")
            continue
        due = expected.due(play.ingresses, play.contents)
        story.append(f"{event}: {dict(came)}, {play.flow.bound}; due {dict(due.rows)}, {due.clock}")
        if case.exact:
            assert (came, play.flow.bound) == (due.rows, due.clock), "\n".join(story)
        assert came <= due.rows, "\n".join(story)
        assert play.flow.bound <= due.clock, "\n".join(story)


def alphabet(name: str, most: int) -> list[Event]:
    """Single events of a stream: rows and bounds some milliseconds from the start, and its end."""
    rows = [Rows(name, ((START + at, *key),)) for at in range(most) for key in KEYS]
    bounds = [Told(name, START + at) for at in range(1, most + 1)]
    return [*rows, *bounds, Ended(name)]


SHORT = {"A": alphabet("A", 2), "AB": alphabet("A", 2)[1:] + alphabet("B", 2)[1:]}
LONG = {"A": alphabet("A", 4), "AB": alphabet("A", 4) + alphabet("B", 4)}


def ident(case: Case) -> str:
    """How a case is called in a report."""
    return " ".join(case.sql.removeprefix("SELECT STREAM ").split())


#: Every third join has each kind of join, and each span or distance; every third frame has each
#: profile.  The other tests of this file draw from all cases.
LIGHT = [*ROWWISE, *GROUPS, *SORTS, *UNIONS] + [
    case for many in (FRAMES, WINDOW_JOINS, CONDITION_JOINS, FULL_JOINS) for case in many[::3]
]
IN_FULL = [*SINGLE, *PAIRS] if NIGHTLY else LIGHT
#: Each tries some hundreds of continuations.
FEW = examples(15, 1_000)


@pytest.mark.parametrize("case", IN_FULL, ids=ident)
def test_what_comes_out_of_the_first_events_is_what_is_due(case: Case) -> None:
    """All beginnings of two events."""
    events = SHORT["AB" if case in PAIRS else "A"]
    for first, second in product(events, events):
        check(case, ("ASCENDING", "ASCENDING"), [first, second], looks=range(2))


#: A case, how its streams are declared, some events, and after which of them it is looked.
Run: TypeAlias = tuple[Case, tuple[str, str], list[Event], set[int]]


@st.composite
def runs(draw: st.DrawFn, cases: Sequence[Case]) -> Run:
    """A run of up to seven events, looked at twice: what is due takes long to find out."""
    case = draw(st.sampled_from(cases))
    declared = st.sampled_from([*SORTED, *(STRAYING if case.straying else ())])
    events = LONG["AB" if case in PAIRS else "A"]
    few = draw(st.lists(st.sampled_from(events), min_size=1, max_size=7))
    last = len(few) - 1
    looks = {last, draw(st.integers(0, last))}
    return case, (draw(declared), draw(declared)), few, looks


@FEW
@given(runs(SINGLE))
def test_one_input_gives_what_is_due(run: Run) -> None:
    """After each of some events on one stream."""
    check(*run)


@FEW
@given(runs(PAIRS))
def test_two_inputs_give_what_is_due(run: Run) -> None:
    """After each of some events on two streams."""
    check(*run)


def test_rows_of_equal_value_do_not_stand_in_for_one_another() -> None:
    """Three equal rows have 3, 2 and 1 rows in their frames; with a fourth, 4, 3, 2 and 1.

    Some row has 3, whatever comes; which one is open until the bound has passed the frames.
    """
    window = f"ORDER BY rowtime RANGE BETWEEN CURRENT ROW AND {ms(1)} FOLLOWING"
    case = next(each for each in over(window) if each.profile is Profile.SQLSTREAM)
    rows: list[Event] = [Rows("A", ((START, 0),) * 3)]
    expected, streams = oracle(case, ("ASCENDING", "ASCENDING"))
    play = Play(expected.query, streams)
    play.step(rows[0])
    assert not expected.due(play.ingresses, play.contents).rows
    for bound in (1, 2, 3):
        check(case, ("ASCENDING", "ASCENDING"), [*rows, Told("A", START + bound)], looks={0, 1})


def test_the_clock_completes_a_group_when_it_passes() -> None:
    """S-305, S-405: a key that the session's clock is in waits for no row and no bound."""
    minute = "FLOOR(CURRENT_TIMESTAMP TO MINUTE)"
    session = Session(
        prepare(
            "CREATE STREAM A (rowtime TIMESTAMP(3) ASCENDING, k INTEGER);",
            f"SELECT STREAM {minute} AS m, COUNT(*) AS c FROM A GROUP BY {minute}",
            Profile.CALCITE,
        )
    )
    assert session.flow is not None
    session.set_clock(60_000)
    session.take_rows(("A",), [("2015-02-15 10:00:00", 1), ("2015-02-15 10:00:00", 1)])
    session.set_clock(119_999)
    assert session.flow.drained() == []
    session.set_clock(120_000)
    assert session.flow.drained() == [(60_000, 2)]
