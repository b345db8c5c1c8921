"""The ingress of a stream or table: the state by which arriving rows are accepted or dropped.

It has a bound for each column with a declared order (no later value may be before it), and whether
the input has ended.  Its objects never change: accepting a row or a bound makes a new ingress.
"""

import bisect
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cmp_to_key
from typing import TYPE_CHECKING, Final, TypeAlias

from algebra.catalog import Ordering, QualifiedName, Stream, Table
from algebra.expression import Value
from algebra.monotonicity.columns import rowtime_column
from algebra.plan import Reads, Scan
from grammar.codes import Code
from reference.snapshot import stateful
from reference.values import compare, failure, shifted

if TYPE_CHECKING:
    from grammar.source import SqlError


class Fault(StrEnum):
    """The kind of reason why a row is dropped.

    Defines: S-601.d
    """

    LATE = "LATE"  # below the bound of a monotonic column, or after the end (S-601)
    BAD_ROW = "BAD_ROW"  # wrong width or type, forbidden NULL, a violated CHECK (S-301)


@dataclass(frozen=True, slots=True)
class Dropped:
    """The fault of a dropped row, and the reason in words."""

    fault: Fault
    reason: str


# --- bounds -------------------------------------------------------------------------------------


@stateful
@dataclass(frozen=True, slots=True)
class ColumnBound:
    """The bound of one monotonic column: no later value is before ``bound`` (S-103).

    *Before* means below the bound, in a descending column above it.  ``strict``: no later value
    equals ``bound`` either.  The bound of an integer or datetime column is never strict; the next
    value is its bound instead (S-406).  ``bound`` is None before the first row and the first bound.
    ``greatest`` has the greatest values of a k-sorted column so far (of a descending column the
    least), at most k + 1, in the column's direction.

    Defines: S-103.b, S-406.b
    """

    ordering: Ordering
    bound: Value = None
    strict: bool = False
    greatest: tuple[Value, ...] = ()

    def late(self, value: Value) -> bool:
        """Whether ``value`` is late: before the bound, or equal to a strict bound."""
        if self.bound is None:
            return False
        order = self._compare(value, self.bound)
        return order < 0 or (self.strict and order == 0)

    def after(self, value: Value) -> "ColumnBound":
        """The bound of the column after ``value`` has been accepted.

        Defines: S-103.a, S-103.d, S-103.e, S-103.f
        """
        ordering = self.ordering
        if ordering.punctuated:
            return self
        if ordering.rows is not None:
            seen = list(self.greatest)
            bisect.insort(seen, value, key=cmp_to_key(self._compare))
            seen = seen[-ordering.rows - 1 :]
            # A row is at most k rows too late, so no later value is before the (k + 1)th greatest.
            seen_all = replace(self, greatest=tuple(seen))
            return seen_all.raised(seen[0], False) if len(seen) > ordering.rows else seen_all
        if ordering.slack is not None:
            back = 1 if ordering.descending else -1
            return self.raised(_moved(value, back * ordering.slack), False)
        return self.raised(value, ordering.strict)

    def raised(self, bound: Value, strict: bool) -> "ColumnBound":
        """This bound, advanced to ``bound`` if ``bound`` is later in the column's direction.

        Defines: S-104.a, S-104.b
        """
        if strict and isinstance(bound, int):
            bound, strict = bound + (-1 if self.ordering.descending else 1), False
        if self.bound is not None and self._compare(bound, self.bound) <= 0:
            return self
        return replace(self, bound=bound, strict=strict)

    def _compare(self, a: Value, b: Value) -> int:
        """Negative if ``a`` is before ``b`` in the column's direction, 0 if they are equal."""
        return compare(b, a) if self.ordering.descending else compare(a, b)


def _moved(value: Value, by: int) -> Value:
    """``value`` plus ``by``, in the column's own unit, without rounding."""
    return value + by if isinstance(value, int) else shifted(value, 1, by)


# --- the ingress -------------------------------------------------------------------------------

#: The place of the bound of an implicit rowtime among the bounds of columns (S-311).
IMPLICIT_ROWTIME: Final = -1


@stateful
@dataclass(frozen=True, slots=True)
class Ingress:
    """The ingress of a stream or table: its bounds by column, and whether its input has ended.

    ``rowtime`` is the place of the column to which explicit bounds apply; -1: the stream has an
    implicit rowtime, which only explicit bounds advance.  ``promised`` is the greatest explicit
    bound so far; None if there was none.

    Defines: S-301.e
    """

    source: Table | Stream
    bounds: Mapping[int, ColumnBound]
    rowtime: int
    promised: int | None = None
    ended: bool = False

    @property
    def bound(self) -> int | None:
        """The bound of the stream, in milliseconds: no later rowtime is below it.

        None if no bound is known.
        """
        bound = self.bounds[self.rowtime].bound
        assert bound is None or isinstance(bound, int), "a rowtime is a TIMESTAMP"
        return bound

    def lateness(self, place: int, value: Value) -> str:
        """The reason in words why ``value``, in the column at ``place``, is late.

        It has the code BEHIND_OWN_BOUND if the value is below an explicit bound of the rowtime.

        Defines: S-601.b
        """
        name = self.source.columns[place].name
        of_bound = place == self.rowtime and self.promised is not None
        if of_bound and compare(value, self.promised) < 0:
            return f"{name}: {Code.BEHIND_OWN_BOUND}, below the bound that was set"
        return f"{name}: below the rows before it"

    def for_new_producer(self) -> "Ingress":
        """The ingress of a producer that opens now, if this is the ingress of the stream.

        It starts at the bounds of the stream, but has no rows and no explicit bound of its own.

        Defines: S-603.c, S-603.g
        """
        bounds = {place: replace(bound, greatest=()) for place, bound in self.bounds.items()}
        return replace(self, bounds=bounds, promised=None)

    def with_bound(self, at: int) -> "tuple[Ingress, SqlError | None]":
        """The ingress after an explicit bound of ``at`` milliseconds, and None.

        If the present bound is greater: this ingress, and the error BOUND_BACKWARDS.

        Defines: S-103.c, S-601.e
        """
        if self.bound is not None and at < self.bound:
            return self, failure(
                Code.BOUND_BACKWARDS,
                f"a bound of {'.'.join(self.source.name)} is below its earlier bound",
                "set bounds at or above the last row and bound",
            )
        raised = {**self.bounds, self.rowtime: self.bounds[self.rowtime].raised(at, False)}
        return replace(self, bounds=raised, promised=at), None


#: Ingresses by the names of their streams.
Ingresses: TypeAlias = Mapping[QualifiedName, Ingress]


def ingress_of(source: Table | Stream) -> Ingress:
    """The ingress of a source before its first row.

    If the rowtime has no declared order, only explicit bounds advance its bound, as for a
    punctuated stream.
    """
    bounds = {
        place: ColumnBound(column.ordering)
        for place, column in enumerate(source.columns)
        if column.ordering is not None
    }
    rowtime = rowtime_column(Scan(source, Reads.STREAM)) if isinstance(source, Stream) else None
    if rowtime is None:
        rowtime = IMPLICIT_ROWTIME
    bounds.setdefault(rowtime, ColumnBound(Ordering(punctuated=True)))
    return Ingress(source, bounds, rowtime)
