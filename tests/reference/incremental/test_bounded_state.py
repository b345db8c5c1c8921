"""No streaming query of the corpus keeps more and more of an endless stream (S-305, S-408).

Rows arrive in bursts, of which each holds ties, seconds, minutes and hours, and which are further
apart than a month.  What a window holds is then that of the bursts in it, which a year of them
shows: what is kept for longer than any window is reached would continue growing.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from functools import cache
from itertools import count
from typing import TYPE_CHECKING, Final

from algebra.catalog import Column, Profile, Stream
from algebra.expression import Value
from algebra.plan import Delta, Filter, Hop, Plan, Project, Scan, inputs_of, nodes
from algebra.prepare import Prepared, prepare
from algebra.rewrite import columns_of
from algebra.types import DATETIME, INTEGERS, INTERVAL, MILLIS_PER_DAY, Kind
from grammar.source import SqlError
from reference.acceptance import typed_rows
from reference.dml.statements import sources_of
from reference.engine.session import Session
from reference.scalar.expression import meaning_of
from reference.values import integer
from tck.corpus.case import Case
from tck.corpus.load import kit_corpus
from tck.protocol import Rows
from tests.examples import NIGHTLY
from tests.reference.building import ENV, ts

if TYPE_CHECKING:
    from reference.relation import Row

#: Where the rows of a burst come, in milliseconds behind its start.
BURST = (0, 0, 1_000, 60_000, 600_000, 3_600_000)
BETWEEN = 45 * MILLIS_PER_DAY
#: More than a year of bursts fills all windows; another shows whether anything grows.
WARM_UP = 9
#: Where a row is in more windows than this, which are short then, there are fewer rows.
MANY_WINDOWS = 100
#: The queries that keep more after that.  One has a window of 9,000 years; the others merge a
#: stream with one that never has a bound, because its statement forwards none to it (S-605.j).
LONGER = {
    "edge-beyond-all-times-year-before",
    "target-without-rowtime-no-time-sent",
    "target-without-rowtime-time-sent",
    "target-without-rowtime-time-sent-last",
}
#: The values of a column of which the case has none.
DEFAULTS: Mapping[Kind, tuple[Value, ...]] = {
    Kind.BOOLEAN: (True, False),
    Kind.DECIMAL: (Decimal("0.25"), Decimal("7.00"), Decimal("-1.50")),
    Kind.DOUBLE: (0.5, 2.0, -1.5),
    Kind.REAL: (0.5, 2.0, -1.5),
    Kind.VARCHAR: ("a", "b", "c"),
    Kind.CHAR: ("a", "b", "c"),
}


#: The words by which the plans of queries differ in their operators and frames.
_WORDS: Final = re.compile(
    r"\b(?:GROUP|GROUPING|ROLLUP|CUBE|HAVING|OVER|PARTITION|ORDER|WITHIN|JOIN|LEFT|RIGHT|FULL|UNION"
    r"|INTERSECT|EXCEPT|ALL|DISTINCT|HOP|TUMBLE|SESSION|CUMULATE|MONOTONIC|ASOF|LIMIT|FETCH|EMIT"
    r"|EXISTS|IN|WHERE|SELECT|QUALIFY|UNNEST|LATERAL|TABLE|VALUES|WITH|RANGE|ROWS|GROUPS|PRECEDING"
    r"|FOLLOWING|UNBOUNDED|FLOOR|CEIL|STEP|LAG|LEAD)\b"
)
_TEXT: Final = re.compile(r"'[^']*'")


@cache
def queries(*, few: bool = False) -> Mapping[str, tuple[Case, Prepared]]:
    """The streaming queries of the corpus that are accepted, and can keep something, by case.

    ``few``: one of those that have the same of these words in the same order, also in the script.
    They have nearly all combinations of operators; to prepare all queries takes half a minute.
    """
    found: dict[str, tuple[Case, Prepared]] = {}
    seen: set[tuple[object, ...]] = set()
    for case in kit_corpus().cases:
        if case.sql is None or "STREAM" not in case.sql.upper() or case.error is not None:
            continue
        texts = (case.ddl, case.sql)
        alike = (
            tuple(tuple(_WORDS.findall(_TEXT.sub("", each))) for each in texts) if few else texts
        )
        if (*alike, case.profile) in seen:
            continue
        seen.add((*alike, case.profile))
        try:
            prepared = prepare(case.ddl, case.sql, Profile(case.profile))
        except SqlError:
            continue
        if isinstance(prepared.query, Delta) and holds(prepared.query):
            found[case.id] = case, prepared
    return found


def chosen() -> Mapping[str, tuple[Case, Prepared]]:
    """The queries that are tried: one of those that have the same operators; nightly, all."""
    if NIGHTLY:
        return queries()
    by_operators: dict[object, str] = {}
    for id, (case, prepared) in queries(few=True).items():
        assert prepared.query is not None
        operators = tuple(type(each) for each in nodes(prepared.query))
        by_operators.setdefault((operators, case.profile, len(prepared.standing)), id)
    return {id: queries(few=True)[id] for id in by_operators.values()}


def holds(plan: Plan) -> bool:
    """Whether a streaming plan has an operator that can keep anything."""
    return not all(isinstance(each, Delta | Filter | Project | Scan) for each in nodes(plan))


# --- endless streams ----------------------------------------------------------------------------


def said(case: Case, source: Stream) -> "Sequence[Row]":
    """Rows that the case itself has of a stream: its conditions are about such values."""
    name = ".".join(source.name)
    events = [*case.streams, *(event for step in case.steps for event in step.events)]
    wires = [row for each in events if isinstance(each, Rows) and each.input == name
             for row in each.rows]  # fmt: skip
    rows, _ = typed_rows(source.columns, wires[:8], 0)
    return rows


def endless(
    source: Stream, few: "Sequence[Row]", burst: Sequence[int]
) -> "Iterator[tuple[int, list[Row]]]":
    """Bursts of rows, each with the time of its end: monotonic columns advance with every row.

    ``few`` rows have the values of the other columns, ``burst`` is when rows arrive.
    """
    kept = [dict.fromkeys(row[at] for row in few) for at in range(len(source.columns))]
    starts = [start_of(source, at) for at in range(len(source.columns))]
    place = count()
    for bursts in count():
        start = ts("2020-01-01 00:00:00") + bursts * BETWEEN
        yield (
            start + MILLIS_PER_DAY,
            [
                tuple(
                    value(column, tuple(values), start + after, starts[at], n)
                    for at, (column, values) in enumerate(zip(source.columns, kept, strict=True))
                )
                for after, n in zip(burst, place, strict=False)
            ],
        )


def start_of(source: Stream, at: int) -> int:
    """The first number of a column, which its CHECKs accept: one far from 0 for one that moves."""
    row: list[Value] = [None] * len(source.columns)
    checks = [
        meaning_of(each, ENV) for each in source.checks if columns_of(each) == frozenset({at})
    ]
    moves = source.columns[at].ordering is not None
    for start in (500, -500, 1, -10) if moves else (1, 500, -500):
        row[at] = start
        if all(check(tuple(row)) is not False for check in checks):
            return start
    raise AssertionError(f"{source.name}: no number for column {at}")


def value(column: Column, values: tuple[Value, ...], time: int, start: int, n: int) -> Value:
    """The value of one column in the n-th row, which comes at ``time``.

    A column that moves does so from ``start`` on; the values of another are ``values``,
    or some from ``start`` on.
    """
    kind, ordering = column.type.kind, column.ordering
    if ordering is None and kind is not Kind.TIMESTAMP:
        chosen = values or DEFAULTS.get(kind, (start, start + 1, start + 2))
        return chosen[(n + n // 7) % len(chosen)]
    descending = ordering is not None and ordering.descending
    # By two, so that frames of a hundred numbers are full in time.
    number = start - 2 * n if descending else start + 2 * n
    match kind:
        case Kind.TIMESTAMP:
            strict = ordering is not None and ordering.strict
            return -time - n if descending else time + n * strict
        case Kind.DATE:
            return (-time if descending else time) // MILLIS_PER_DAY
        case Kind.VARCHAR | Kind.CHAR:
            return f"{5_000 + number:04d}"
        case Kind.DECIMAL:
            return Decimal(number).scaleb(-column.type.scale)
        case Kind.DOUBLE | Kind.REAL:
            return float(number)
        case _:
            assert kind in INTEGERS | INTERVAL | DATETIME, kind
            return number


def windows_of_a_row(plan: Plan) -> int:
    """In how many windows of the hops of ``plan`` a row is."""
    inputs = [windows_of_a_row(each) for each in inputs_of(plan)]
    if isinstance(plan, Hop):
        inputs.append(integer(plan.retain.value) // integer(plan.emit.value))
    return max(inputs, default=1)


# --- what is kept -------------------------------------------------------------------------------


def kept(case: Case, prepared: Prepared) -> tuple[int, int]:
    """How many rows and groups a query keeps at most in the first half of all bursts, and later."""
    session, query = Session(prepared), prepared.query
    assert session.flow is not None
    assert query is not None
    many = windows_of_a_row(query) > MANY_WINDOWS
    burst, warm_up = (BURST[-1:], 3) if many else (BURST, WARM_UP)
    for load in case.tables:
        session.load(tuple(load.object.split(".")), load.rows)
    fed = {each.target.name for each in prepared.standing}
    streams = {
        name: endless(source, said(case, source), burst)
        for name in sources_of(query, prepared.standing) - fed
        if isinstance(source := prepared.catalog.objects[name], Stream)
    }
    entered = dict.fromkeys(streams, 0)
    found: list[int] = []
    for _ in range(2 * warm_up):
        for name, bursts in streams.items():
            end, rows = next(bursts)
            session.set_clock(end)
            entered[name] += len(rows) - len(session.enter(name, rows, passing=True))
            session.set_bound(name, end)
        session.flow.drained()
        states = session.flow.network.states().values()
        found.append(sum(each.rows + each.groups for each in states))
    assert all(entered.values()), "no row came in"
    return max(found[:warm_up]), max(found[warm_up:])


#: Queries that fail on the rows that are made here: a sum leaves its range, a value is divided by
#: 0, a key overflows.
FAILING: Final = {
    "conjunct-that-fails-for-a-pair-in-its-windows-before-an-equality-that-is-false",
    "conjunct-that-fails-for-a-pair-of-two-streams-alone",
    "error-of-a-row-that-completes-nothing-in-a-condition",
    "error-of-a-row-that-completes-nothing-in-a-union",
    "error-of-a-row-that-completes-nothing-in-a-window",
    "error-of-a-row-that-completes-nothing-in-an-hour",
    "frame-that-fails-at-its-second-row",
    "group-key-is-still-above-the-range-from-which-it-descends",
    "group-key-is-still-below-its-range",
    "nothing-follows-a-failure-within-its-step-group",
    "nothing-follows-a-failure-within-its-step-sort",
    "sum-beyond-its-range-on-the-way-above",
    "sum-that-comes-back-into-its-range-within-a-time",
}


def test_the_corpus_has_streaming_queries() -> None:
    assert len(queries(few=not NIGHTLY)) > 300


def test_no_query_of_the_corpus_keeps_more_and_more() -> None:
    """What is kept at most is what was kept at most when all windows were full."""
    growing: dict[str, tuple[int, int]] = {}
    failed: list[str] = []
    for id, (case, prepared) in chosen().items():
        try:
            early, late = kept(case, prepared)
        except SqlError:  # the rows are not such as the query can bear
            failed.append(id)
        else:
            if late > early:
                growing[id] = early, late
    assert growing.keys() == LONGER & chosen().keys()
    assert set(failed) == FAILING & chosen().keys()
