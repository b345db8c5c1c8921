"""Fast ingress: many rows are checked at a time, with the same results as one after the other.

The definition is `reference.acceptance.accept`.  It is used as it is for a stream with a bound on a
column that descends, is k-sorted, or is not of integers or datetimes.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from operator import ge, itemgetter
from typing import cast

from algebra.catalog import Column
from algebra.expression import Expression, Value
from algebra.rewrite import columns_of, conjuncts, has_subquery
from algebra.types import APPROXIMATE, DATETIME, INTEGERS
from grammar.source import SqlError
from reference.acceptance import accept, one_by_one
from reference.environment import Accept, Environment, Verdicts
from reference.ingress import ColumnBound, Dropped, Ingress
from reference.relation import Relation, Row
from reference.scalar.expression import Meaning, meaning_of
from reference.values import integer


def accept_in_bulk(ingress: Ingress, env: Environment) -> Accept:
    """As `reference.acceptance.one_by_one`, but many rows are checked at a time."""
    columns = ingress.source.columns
    # A bound at a place below 0 does not belong to a column (`IMPLICIT_ROWTIME`).
    if all(_is_number(columns[place], of) for place, of in ingress.bounds.items() if place >= 0):
        return _Prepared(ingress, env).accept
    return one_by_one(ingress, env)


def _is_number(column: Column, bound: ColumnBound) -> bool:
    """Whether the bound is a number that follows from the greatest value of ``column`` so far."""
    ordering = bound.ordering
    return (
        column.type.kind in INTEGERS | DATETIME
        and not ordering.descending
        and ordering.rows is None
    )


@dataclass(frozen=True, slots=True)
class _Check:
    """A part of a CHECK: ``on`` computes its value on a row.

    ``only`` is the place of the only column that the part reads, None for other parts
    (`_only_column`).
    """

    on: Meaning
    only: int | None

    def one_row_per_value(
        self, rows: Relation, columns: Mapping[int, Sequence[Value]]
    ) -> Iterable[Row]:
        """The rows that must be checked: one for each value in column ``only``; None: all rows.

        ``columns`` has the values of this column by its place.
        """
        if self.only is None:
            return rows
        return dict(zip(columns[self.only], rows, strict=True)).values()


class _Prepared:
    """The compiled checks of one ingress; the set of columns with bounds never changes."""

    def __init__(self, ingress: Ingress, env: Environment) -> None:
        source, columns = ingress.source, ingress.source.columns
        self._env = env
        # An AND is false if and only if one of its parts is false.
        parts = [part for each in source.checks for part in conjuncts(each)]
        self._checks = [
            _Check(meaning_of(each, env), self._only_column(each, columns)) for each in parts
        ]
        self._required = [
            place
            for place, column in enumerate(columns)
            if not column.type.nullable or place in ingress.bounds
        ]
        # The places of the columns that `_accepts_all` reads.
        self._places = {*self._required, *(e.only for e in self._checks if e.only is not None)}

    @staticmethod
    def _only_column(check: Expression, columns: Sequence[Column]) -> int | None:
        """The place of the only column that ``check`` reads.

        None if it reads no column or several, has a sub-query, or reads a REAL or DOUBLE: 0.0 and
        -0.0 are equal, but a CHECK can have different results for them, because their texts differ.
        """
        read = columns_of(check)
        if len(read) != 1 or has_subquery(check):
            return None
        (place,) = read
        return None if columns[place].type.kind in APPROXIMATE else place

    def accept(self, ingress: Ingress, rows: Relation) -> Verdicts:
        """The ingress after ``rows``, and for each row the reason why it is dropped, or None."""
        running = [
            _running(place, column_bound)
            for place, column_bound in ingress.bounds.items()
            if place >= 0
        ]
        # A single row is checked faster than its columns are.
        if len(rows) > 1 and self._accepts_all(rows, ingress, running):
            return _after(ingress, running), [None] * len(rows)
        verdicts: list[Dropped | None] = []
        for row in rows:
            if self._is_valid(row, ingress) and not _is_late(row, running):
                for each_bound in running:
                    each_bound.advance(row[each_bound.place])
                verdicts.append(None)
            else:
                # The reason is found by the definition; the ingress does not change.
                after, dropped = accept(_after(ingress, running), row, self._env)
                assert dropped is not None, row
                assert after.bounds == _after(ingress, running).bounds
                verdicts.append(dropped)
        return _after(ingress, running), verdicts

    def _accepts_all(
        self, rows: Relation, ingress: Ingress, running: Sequence["_RunningBound"]
    ) -> bool:
        """Check the columns as a whole; return whether they show that all rows are accepted.

        If so, the bounds of ``running`` advance.  If not, each row must be checked by itself.
        """
        if ingress.ended:
            return False
        columns = {place: list(map(itemgetter(place), rows)) for place in self._places}
        if any(None in columns[place] for place in self._required):
            return False
        rising = [(each, columns[each.place]) for each in running]
        if not all(bound.rises_in(column) for bound, column in rising):
            return False
        if any(
            self._fails(check, check.one_row_per_value(rows, columns)) for check in self._checks
        ):
            return False
        for bound, column in rising:
            bound.advance(max(_whole(column)))
        return True

    @staticmethod
    def _fails(check: "_Check", rows: Iterable[Row]) -> bool:
        """Whether a CHECK is false for a row, or raises an error."""
        try:
            return any(check.on(row) is False for row in rows)
        except SqlError:
            return True

    def _is_valid(self, row: Row, ingress: Ingress) -> bool:
        """Whether a row has no forbidden NULL and no false CHECK, and the input has not ended."""
        if ingress.ended or (None in row and any(row[place] is None for place in self._required)):
            return False
        return not any(self._fails(check, [row]) for check in self._checks)


# --- running bounds -----------------------------------------------------------------------------


@dataclass(slots=True)
class _RunningBound:
    """A `ColumnBound` that is updated in place; a row's value plus ``step`` is the next bound."""

    place: int
    column_bound: ColumnBound
    step: float
    bound: float

    def late(self, value: Value) -> bool:
        """Whether the number is below the bound."""
        return integer(value) < self.bound

    def advance(self, value: Value) -> None:
        """Advance the bound to the one that the number implies, unless it is greater already."""
        implied = integer(value) + self.step
        if implied > self.bound:
            self.bound = implied

    def rises_in(self, column: Sequence[Value]) -> bool:
        """Whether no value is below the bound that the values before it imply: none is late."""
        numbers = _whole(column)
        # In most columns the numbers ascend, and in a strict one (`step` is 1) they also differ.
        are_apart = self.step <= 0 or len(set(numbers)) == len(numbers)
        if are_apart and numbers[0] >= self.bound and numbers == sorted(numbers):
            return True
        # Else each number is compared with the greatest bound that those before it imply.
        implied = [number + self.step for number in numbers] if self.step else numbers
        return all(map(ge, numbers, accumulate(implied, max, initial=self.bound)))

    def read(self) -> ColumnBound:
        """The `ColumnBound` with this bound; the original one as long as there is no bound."""
        known = isinstance(self.bound, int)
        return ColumnBound(self.column_bound.ordering, self.bound) if known else self.column_bound


def _whole(column: Sequence[Value]) -> Sequence[int]:
    """A column of a type whose values are integers, without NULLs."""
    # The type guarantees it; to check each value would take time.
    return cast("Sequence[int]", column)


def _running(place: int, column_bound: ColumnBound) -> _RunningBound:
    """The running bound of one column."""
    ordering = column_bound.ordering
    step: float
    if ordering.punctuated:
        step = -math.inf  # no row advances the bound
    elif ordering.slack is not None:
        step = -ordering.slack
    else:
        step = int(ordering.strict)
    bound = -math.inf if column_bound.bound is None else integer(column_bound.bound)
    return _RunningBound(place, column_bound, step, bound)


def _is_late(row: Row, running: Sequence[_RunningBound]) -> bool:
    """Whether a value of ``row`` is below one of the bounds ``running``."""
    return any(each.late(row[each.place]) for each in running)


def _after(ingress: Ingress, running: Sequence[_RunningBound]) -> Ingress:
    """The ingress with the bounds of ``running``."""
    bounds = {**ingress.bounds, **{each.place: each.read() for each in running}}
    return Ingress(ingress.source, bounds, ingress.rowtime, ingress.promised, ingress.ended)
