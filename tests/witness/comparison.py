"""One history judged twice, by witness and reference: rows, their order and the bound."""

import math
from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Final

from algebra.catalog import Profile
from algebra.prepare import Prepared, prepare
from grammar.source import SqlError
from reference.engine.session import Session
from reference.relation import Row
from tests.witness.histories import Arrives, Bounded, Ends, Event, Step
from tests.witness.judgement import answers, judged
from tests.witness.operators import MINUTE
from tests.witness.plans import AsofJoined, Fact, Joined, Plan, Sorted, TSorted, shows_time
from tests.witness.sql import ddl_of, sql_of

if TYPE_CHECKING:
    from algebra.wire import Wire

#: 2015-02-15 10:00:00, which is time 0 of the witness.
TEN: Final = 1_423_994_400_000


@cache
def prepared(ddl: str, sql: str) -> Prepared:
    """The query, bound.  Raises `SqlError`."""
    return prepare(ddl, sql, Profile.CALCITE)


def is_legal(plan: Plan) -> bool:
    """Whether the query is accepted: not every operator stands above a stream out of order."""
    try:
        prepared(ddl_of(plan), sql_of(plan))
    except SqlError:
        return False
    return True


def disagreement(plan: Plan, events: Sequence[Event]) -> str:
    """Where reference and witness first disagree; empty: nowhere."""
    ours = _of_witness(plan, judged(plan, events))
    theirs = _of_reference(plan, events)
    for i, ((rows, bound), (other, told)) in enumerate(zip(ours, theirs, strict=True)):
        if _in_order(plan, rows) != _in_order(plan, other):
            return f"event {i + 1}: witness {_shown(rows)}, reference {_shown(other)}"
        if bound != told:
            return f"bound after event {i + 1}: witness {_at(bound)}, reference {_at(told)}"
    return ""


def wrong_fold(plan: Plan, events: Sequence[Event]) -> str:
    """The first event after which reference and witness have other folds of the changelog."""
    session = Session(prepared(ddl_of(plan), f"{sql_of(plan)} EMIT CHANGES"))
    fold: Counter[Row] = Counter()
    for place, (event, facts) in enumerate(zip(events, answers(plan, events), strict=True), 1):
        if facts is None:  # the query fails, and has no fold any more
            return ""
        _happens(session, event)
        for row, weight in session.new_changes():
            fold[row] += weight
        expected = Counter(_shown_row(plan, fact) for fact in facts)
        if any(fold[row] != expected[row] for row in {*fold, *expected}):
            ours, theirs = _shown(list(expected.elements())), _shown(list((+fold).elements()))
            return f"event {place}: witness {ours}, reference {theirs}"
    return ""


def account(plan: Plan, events: Sequence[Event]) -> str:
    """A disagreement, with all that it takes to see it again, on a history as short as may be."""
    for i in range(len(events)):
        fewer = [*events[:i], *events[i + 1 :]]
        if disagreement(plan, fewer):
            return account(plan, fewer)
    return "\n".join(
        [ddl_of(plan), sql_of(plan), *map(str, events), disagreement(plan, events)],
    )


def _of_reference(plan: Plan, events: Sequence[Event]) -> list[tuple[list[Row], float]]:
    """What the reference emits at each event, and its bound after it."""
    session = Session(prepared(ddl_of(plan), sql_of(plan)))
    assert session.flow is not None, "the query streams"
    steps: list[tuple[list[Row], float]] = []
    for event in events:
        _happens(session, event)
        steps.append((list(session.flow.drained()), session.flow.bound))
    return steps


def _happens(session: Session, event: Event) -> None:
    match event:
        case Arrives(name, time, key, number):
            row: tuple[Wire, ...] = (_text(time), key)
            session.take_rows((name,), [row if number is None else (*row, number)])
        case Bounded(name, time, strict):
            session.set_bound((name,), TEN + time + strict)
        case Ends(name):
            session.end((name,))


def _text(time: int) -> str:
    minutes, rest = divmod(time, MINUTE)
    return f"2015-02-15 10:{minutes:02}:{rest // 1000:02}"


def _of_witness(plan: Plan, steps: Sequence[Step]) -> list[tuple[list[Row], float]]:
    """The same of the witness: rows as the query shows them, times as the reference counts them."""
    found: list[tuple[list[Row], float]] = []
    for step in steps:
        rows = [_shown_row(plan, fact) for fact in step.rows]
        time = step.known.time
        bound = -math.inf if time is None else TEN + time
        found.append((rows, math.inf if step.known.ended else bound))
    return found


def _shown_row(plan: Plan, fact: Fact) -> Row:
    """A row of the witness as the query shows it."""
    columns = _columns(plan, fact.values)
    return (TEN + fact.time, *columns) if shows_time(plan) else columns


def _columns(plan: Plan, values: tuple[int | None, ...]) -> Row:
    """The columns next to the rowtime; after its two keys a join by condition shows times."""
    keys = 2 if isinstance(plan, Joined | AsofJoined) else len(values)
    return tuple(v if i < keys or v is None else TEN + v for i, v in enumerate(values))


def _in_order(plan: Plan, rows: list[Row]) -> list[Row]:
    """The rows with ties in one order (S-307)."""
    runs = sorted(rows, key=repr)
    places = dict.fromkeys(_place(plan, row) for row in rows)
    return [row for place in places for row in runs if _place(plan, row) == place]


def _place(plan: Plan, row: Row) -> object:
    """Where a row is in the order of the result, as far as it shows that."""
    match plan:
        case TSorted():
            return row[0], row[1] if plan.then_key else None
        case Sorted():
            assert isinstance(row[0], int), "a sorted result shows its rowtime"
            first = {"time": row[0], "minute": row[0] // MINUTE, "number": row[-1]}[plan.by]
            return first, row[1] if plan.then_key else None
        case _:
            return row[0] if shows_time(plan) else None


def _shown(rows: Sequence[Row]) -> str:
    return str([tuple(_at(value) for value in row) for row in rows])


def _at(value: object) -> object:
    """A time in seconds after ten; what is not a time as it is."""
    if isinstance(value, int | float) and math.isfinite(value) and value > TEN / 2:
        return f"{(value - TEN) / 1000:g}s"
    return value
