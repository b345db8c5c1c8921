"""The gate of a table or stream: which rows come in (S-103, S-301, S-601).

Rows are judged in the order in which they arrive: first width, types, NULL and CHECK, then whether
the row keeps every declared order.  A row that is refused moves no clock.
"""

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final, TypeAlias

from algebra.catalog import Ordering, Stream, Table
from algebra.expression import Value
from algebra.types import TEXT, TIMESTAMP, Kind, Type
from algebra.wire import Wire, from_wire
from grammar.codes import Code
from grammar.source import Span, SqlError

#: Of each row, whether no CHECK is false of it.
Checks: TypeAlias = Callable[[Sequence[tuple[Value, ...]]], Sequence[bool]]

#: A strict bound on these is the bound of the next value (S-102, S-406).
_DISCRETE: Final = frozenset(
    {Kind.TINYINT, Kind.SMALLINT, Kind.INTEGER, Kind.BIGINT, Kind.DATE, Kind.TIMESTAMP}
)


#: What the protocol calls a row that is below its stream's clock.
LATE: Final = "LATE"
#: Why a row is bad.
CHECK_FALSE: Final = "a CHECK of the declaration is false"


def null_in(column: str) -> str:
    """Why a row is bad that has NULL in an ordered column."""
    return f"NULL in {column}"


def nan_in(column: str) -> str:
    """Why a row is bad that has NaN in an ordered column."""
    return f"NaN in {column}"


def behind_what_passed(column: str) -> str:
    """Why a row is late."""
    return f"{column} is behind what has passed"


class BadRowError(ValueError):
    """Why a row is none of its relation's."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A row that does not come in: its place among those that arrived, and why."""

    place: int
    code: str
    reason: str


def typed(types: Sequence[Type], row: Sequence[Wire]) -> tuple[Value, ...]:
    """The row's values inside; `BadRowError` for a wrong width or type."""
    if len(row) != len(types):
        raise BadRowError(f"a row of {len(row)} values where there are {len(types)} columns")
    values: list[Value] = []
    for place, (type, wire) in enumerate(zip(types, row, strict=True)):
        try:
            value = from_wire(type, wire)
            if type.kind in TEXT and isinstance(value, str):
                value.encode()  # a lone surrogate is no text
        except ValueError as reason:
            raise BadRowError(f"column {place + 1}: {reason}") from None
        values.append(value)
    return tuple(values)


@dataclass(slots=True)
class Clock:
    """The bound of one column: what is on the wrong side of it is late (S-103).

    ``bound`` None: nothing is known.  ``strict``: the bound itself is late, too; only of types that
    have no next value.
    """

    ordering: Ordering
    type: Type
    bound: Value = None
    strict: bool = False
    seen: list[int] = field(default_factory=list[int])

    def late(self, value: Value) -> bool:
        """Whether a row of that value breaks the order."""
        if self.bound is None:
            return False
        return self._behind(value, self.bound) or (self.strict and value == self.bound)

    def pass_row(self, value: Value) -> None:
        """Take in what a row that came in implies."""
        ordering = self.ordering
        if ordering.punctuated:
            return
        if ordering.rows is not None:
            self._pass_among(value, ordering.rows + 1)
        elif ordering.slack is not None:
            assert isinstance(value, int), "a slack counts units of whole numbers"
            self.raise_to(value + (ordering.slack if ordering.descending else -ordering.slack))
        else:
            self.raise_to(value, strict=ordering.strict)

    def raise_to(self, value: Value, *, strict: bool = False) -> None:
        """Raise the bound; a weaker one changes nothing."""
        if strict and self.type.kind in _DISCRETE:
            assert isinstance(value, int), "these types are whole numbers inside"
            value, strict = value + (-1 if self.ordering.descending else 1), False
        if self.bound is None or self._behind(self.bound, value):
            self.bound, self.strict = value, strict
        elif value == self.bound:
            self.strict = self.strict or strict

    def _pass_among(self, value: Value, kept: int) -> None:
        """The bound is the last of the ``kept`` greatest values seen, repetitions counted."""
        assert isinstance(value, int), "k-sorted columns are whole numbers inside"
        heapq.heappush(self.seen, -value if self.ordering.descending else value)
        if len(self.seen) > kept:
            heapq.heappop(self.seen)
        if len(self.seen) == kept:
            least = self.seen[0]
            self.raise_to(-least if self.ordering.descending else least)

    def _behind(self, a: Value, b: Value) -> bool:
        """Whether ``a`` comes before ``b`` in the column's direction."""
        earlier, later = (b, a) if self.ordering.descending else (a, b)
        return _less(earlier, later)


def _less(a: Value, b: Value) -> bool:
    """Whether one value of an ordered column is below another of the same column."""
    if isinstance(a, str) and isinstance(b, str):
        return a < b
    if isinstance(a, bytes) and isinstance(b, bytes):
        return a < b
    assert isinstance(a, int | float | Decimal), "an ordered column holds no NULL"
    assert isinstance(b, int | float | Decimal), "an ordered column holds values of one type"
    return a < b


@dataclass(slots=True)
class Gate:
    """The entry of one producer's rows to a table or stream.

    ``clocks``: of each ordered column, by its place.  ``rowtime``: the place of the column that
    bounds are about; None: there is none, and ``arrival`` is the clock that they move.
    """

    relation: Table | Stream
    clocks: dict[int, Clock]
    rowtime: int | None
    arrived: int = 0
    arrival: Clock = field(default_factory=lambda: Clock(Ordering(), TIMESTAMP))

    def judge(
        self, rows: Sequence[tuple[Value, ...]], checks: Checks
    ) -> tuple[list[tuple[Value, ...]], list[Refusal]]:
        """The rows that come in, and those that do not; all are of the right types."""
        kept: list[tuple[Value, ...]] = []
        refused: list[Refusal] = []
        sound = checks(rows) if self.relation.checks else [True] * len(rows)
        for row, passes in zip(rows, sound, strict=True):
            refusal = self._judged(row, passes=passes)
            if refusal is None:
                kept.append(row)
            else:
                refused.append(refusal)
            self.arrived += 1
        return kept, refused

    def refuse(self, reason: str) -> Refusal:
        """The refusal of a row that arrives and is of the wrong width or type."""
        refusal = Refusal(self.arrived, Code.BAD_ROW, reason)
        self.arrived += 1
        return refusal

    def raise_bound(self, at: int, *, strict: bool) -> None:
        """Take a bound, in milliseconds; BOUND_BACKWARDS for one that is weaker than the clock."""
        clock = self.arrival if self.rowtime is None else self.clocks[self.rowtime]
        if clock.late(at + 1 if strict else at):
            message = f"a bound of {'.'.join(self.relation.name)} is below its clock"
            hint = "set bounds at or above the last row and bound"
            raise SqlError(Code.BOUND_BACKWARDS, message, "", Span(0, 0), hint)
        clock.raise_to(at, strict=strict)

    def _judged(self, row: tuple[Value, ...], *, passes: bool) -> Refusal | None:
        """Why a row does not come in; None: it does, and has moved the clocks."""
        if not passes:
            return Refusal(self.arrived, Code.BAD_ROW, CHECK_FALSE)
        for place in self.clocks:
            if row[place] is None:
                return Refusal(self.arrived, Code.BAD_ROW, null_in(self._name(place)))
            if row[place] != row[place]:  # only NaN is not equal to itself
                return Refusal(self.arrived, Code.BAD_ROW, nan_in(self._name(place)))
        for place, clock in self.clocks.items():
            if clock.late(row[place]):
                return Refusal(self.arrived, LATE, behind_what_passed(self._name(place)))
        for place, clock in self.clocks.items():
            clock.pass_row(row[place])
        return None

    def _name(self, place: int) -> str:
        return self.relation.columns[place].name


def gate_of(relation: Table | Stream) -> Gate:
    """The gate of a relation that nothing has come through."""
    clocks = {
        place: Clock(each.ordering, each.type)
        for place, each in enumerate(relation.columns)
        if each.ordering is not None
    }
    times = [p for p in clocks if relation.columns[p].type.kind is Kind.TIMESTAMP]
    named = [p for p in times if relation.columns[p].name == "ROWTIME"]
    ascending = [p for p in times if not clocks[p].ordering.descending]
    return Gate(relation, clocks, next(iter([*named, *ascending, *times]), None))
