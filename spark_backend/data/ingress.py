"""Ingress of a table or stream: validation, and the filter of late rows (S-103, S-301, S-601).

Rows are judged in the order of their arrival: first width, types, NULL and CHECK, then whether the
row keeps every declared order.  A refused row raises no bound.
"""

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Final, TypeAlias

from algebra.catalog import Ordering, Stream, Table
from algebra.expression import Value
from algebra.types import TIMESTAMP, Kind, Type
from algebra.wire import Wire, WireRow, read_column, reader
from grammar.codes import Code
from grammar.counts import counted
from grammar.source import Span, SqlError
from spark_backend.order.times import bound_column
from spark_backend.types import Row, columns_of

#: A function that returns, for each of some rows, whether every CHECK is true or unknown; a CHECK
#: that fails with an error counts as false (S-601.g).
Checks: TypeAlias = Callable[[Sequence[Row]], Sequence[bool]]

#: Types with a next value: a strict bound at one value is a plain bound at the next (S-102, S-406).
_DISCRETE: Final = frozenset(
    {Kind.TINYINT, Kind.SMALLINT, Kind.INTEGER, Kind.BIGINT, Kind.DATE, Kind.TIMESTAMP}
)

#: The protocol's code for a row that is below its stream's bound.
LATE: Final = "LATE"
#: The reason why a row is bad: a CHECK is false, or fails with an error.
CHECK_FALSE: Final = "a CHECK or NOT NULL of the declaration is broken"
#: The reason why a row is bad: another row has its primary key.
KEY_REPEATED: Final = "a row with its primary key is there already"
#: The reason why a row is late: its input has ended (S-105.a).
AFTER_THE_END: Final = "the input has ended"


def null_in(column: str) -> str:
    """The reason why a row is bad: it has NULL in an ordered column."""
    return f"NULL in {column}"


def nan_in(column: str) -> str:
    """The reason why a row is bad: it has NaN in an ordered column."""
    return f"NaN in {column}"


def below_bound_in(column: str) -> str:
    """The reason why a row is late: an ordered column is below its bound."""
    return f"{column} is below its bound"


class BadRowError(ValueError):
    """A row does not have the width or the types of its relation; the text has the reason."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A row that is not accepted: its place, from 0, among all arrived rows, and the reason."""

    place: int
    code: str
    reason: str


def row_reader(types: Sequence[Type]) -> Callable[[Sequence[Wire]], Row]:
    """A function from a row on the wire to its internal values.

    It raises `BadRowError` for a wrong width or type.
    """
    readers = [reader(each) for each in types]

    def read(row: Sequence[Wire]) -> Row:
        try:
            return tuple([value_of(wire) for value_of, wire in zip(readers, row, strict=True)])
        except ValueError:
            raise BadRowError(_fault(row, readers)) from None

    return read


def internal_rows(types: Sequence[Type], rows: Sequence[WireRow]) -> Sequence[Row] | None:
    """The internal values of many rows on the wire, read column by column.

    None if a row has a wrong width or type: the caller then reads the rows one by one, to find it.
    """
    try:
        columns = columns_of(rows, len(types))
        values = [read_column(type, each) for type, each in zip(types, columns, strict=True)]
        # `read_column` returns a column of integers itself, because they are the same on the wire.
        if all(inside is outside for inside, outside in zip(values, columns, strict=True)):
            return rows
        return list(zip(*values, strict=True))
    except ValueError:
        return None


def _fault(row: Sequence[Wire], readers: Sequence[Callable[[Wire], Value]]) -> str:
    """The reason why a row cannot be read: its width, or its first value of a wrong type."""
    if len(row) != len(readers):
        return f"{counted(len(row), 'value')} for {counted(len(readers), 'column')}"
    for number, (value_of, wire) in enumerate(zip(readers, row, strict=True), 1):
        try:
            value_of(wire)
        except ValueError as reason:
            return f"column {number}: {reason}"
    raise AssertionError(f"the row can be read: {row}")


@dataclass(slots=True)
class ColumnBound:
    """The bound (watermark) of one ordered column; values below it are late (S-103).

    ``bound`` is None while no row and no bound has arrived, so no value is late.  ``strict``: a
    value equal to the bound is late, too; only for types that have no next value.  ``seen`` is a
    heap of the greatest values so far of a k-sorted column, negated if it is descending.
    """

    ordering: Ordering
    type: Type
    bound: Value = None
    strict: bool = False
    seen: list[int] = field(default_factory=list[int])

    def is_late(self, value: Value) -> bool:
        """Whether a row with this value is late: before the bound, or equal to a strict bound."""
        if self.bound is None:
            return False
        return self._is_before(value, self.bound) or (self.strict and value == self.bound)

    def pass_row(self, value: Value) -> None:
        """Advance the bound by the value of an accepted row, according to the declared order."""
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
        """Advance the bound to ``value``; a value that is before the bound changes nothing."""
        if strict and self.type.kind in _DISCRETE:
            assert isinstance(value, int), "these types are whole numbers inside"
            value, strict = value + (-1 if self.ordering.descending else 1), False
        if self.bound is None or self._is_before(self.bound, value):
            self.bound, self.strict = value, strict
        elif value == self.bound:
            self.strict = self.strict or strict

    def _pass_among(self, value: Value, size: int) -> None:
        """Advance the bound to the least of the ``size`` greatest values, duplicates included."""
        assert isinstance(value, int), "k-sorted columns are whole numbers inside"
        heapq.heappush(self.seen, -value if self.ordering.descending else value)
        if len(self.seen) > size:
            heapq.heappop(self.seen)
        if len(self.seen) == size:
            least = self.seen[0]
            self.raise_to(-least if self.ordering.descending else least)

    def _is_before(self, a: Value, b: Value) -> bool:
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
class Ingress:
    """Validation and late-row filter of the rows that one producer sends to a table or stream.

    ``bounds`` has the bounds of the ordered columns, by their places. ``rowtime`` is the place of
    the column to which the producer's bounds apply; None: the relation has no rowtime column, and
    they raise ``arrival``, the bound of its implicit rowtime. ``arrived`` is the number of rows
    that have arrived, with the dropped ones. ``ended``: the input has ended, and later rows are
    late.
    """

    relation: Table | Stream
    bounds: dict[int, ColumnBound]
    rowtime: int | None
    arrived: int = 0
    arrival: ColumnBound = field(default_factory=lambda: ColumnBound(Ordering(), TIMESTAMP))
    ended: bool = False

    @property
    def required(self) -> tuple[int, ...]:
        """The places of the columns that are NOT NULL and not ordered."""
        columns = enumerate(self.relation.columns)
        return tuple(i for i, c in columns if not c.type.nullable and i not in self.bounds)

    @property
    def constrained(self) -> bool:
        """Whether a row may break a CHECK, or NOT NULL of a column that is not ordered."""
        return bool(self.relation.checks or self.required)

    def copied(self) -> "Ingress":
        """A copy with the same bounds and counts, for the rows of all producers after their merge.

        This ingress remains that of one of the producers.
        """
        bounds = {place: replace(each, seen=[*each.seen]) for place, each in self.bounds.items()}
        return replace(self, bounds=bounds, arrival=replace(self.arrival))

    def for_new_producer(self) -> "Ingress":
        """The ingress of a producer that opens now: it starts at the stream's bounds (S-603)."""
        bounds = {place: replace(each, seen=[]) for place, each in self.bounds.items()}
        return replace(self, bounds=bounds, arrival=replace(self.arrival), arrived=0)

    def judge(self, rows: Sequence[Row], checks: Checks) -> tuple[list[Row], list[Refusal]]:
        """Count ``rows`` as arrived, and advance the bounds by those that are accepted.

        Return the accepted rows, and the refusals of the other rows, both in order of arrival.
        """
        if not (self.bounds or self.constrained or self.ended):
            self.arrived += len(rows)
            return list(rows), []
        accepted: list[Row] = []
        refused: list[Refusal] = []
        sound = checks(rows) if self.relation.checks else [True] * len(rows)
        required = self.required
        for row, holds in zip(rows, sound, strict=True):
            passes = holds and not (required and None in [row[place] for place in required])
            refusal = self._judged(row, passes=passes)
            if refusal is None:
                accepted.append(row)
            else:
                refused.append(refusal)
            self.arrived += 1
        return accepted, refused

    def refuse(self, reason: str) -> Refusal:
        """Count a row of the wrong width or type as arrived; return its refusal."""
        refusal = Refusal(self.arrived, Code.BAD_ROW, reason)
        self.arrived += 1
        return refusal

    def raise_bound(self, at: int, *, strict: bool) -> None:
        """Advance the bound of the rowtime to ``at``, in milliseconds, as the producer requests.

        Raises BOUND_BACKWARDS if ``at`` is below the present bound.
        """
        bound = self.arrival if self.rowtime is None else self.bounds[self.rowtime]
        # A strict bound is the bound one millisecond later.
        if bound.is_late(at + 1 if strict else at):
            message = f"a bound of {'.'.join(self.relation.name)} is below its earlier bound"
            hint = "set bounds at or above the last row and bound"
            raise SqlError(Code.BOUND_BACKWARDS, message, "", Span(0, 0), hint)
        bound.raise_to(at, strict=strict)

    def _judged(self, row: Row, *, passes: bool) -> Refusal | None:
        """Advance the bounds by a row that is accepted; return the refusal of any other row.

        ``passes``: the row violates no CHECK or NOT NULL of a column that is not ordered.
        """
        if not passes:
            return Refusal(self.arrived, Code.BAD_ROW, CHECK_FALSE)
        for place in self.bounds:
            if row[place] is None:
                return Refusal(self.arrived, Code.BAD_ROW, null_in(self._name(place)))
            if row[place] != row[place]:  # only NaN is not equal to itself
                return Refusal(self.arrived, Code.BAD_ROW, nan_in(self._name(place)))
        if self.ended:
            return Refusal(self.arrived, LATE, AFTER_THE_END)
        for place, bound in self.bounds.items():
            if bound.is_late(row[place]):
                return Refusal(self.arrived, LATE, below_bound_in(self._name(place)))
        for place, bound in self.bounds.items():
            bound.pass_row(row[place])
        return None

    def _name(self, place: int) -> str:
        """The name of the column at ``place``."""
        return self.relation.columns[place].name


def ingress_of(relation: Table | Stream) -> Ingress:
    """The ingress of a relation in which no row has arrived yet."""
    bounds = {
        place: ColumnBound(each.ordering, each.type)
        for place, each in enumerate(relation.columns)
        if each.ordering is not None
    }
    return Ingress(relation, bounds, bound_column(relation))
