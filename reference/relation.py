"""Relations: rows in an order, and what orders and groups them."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cmp_to_key
from typing import TYPE_CHECKING, TypeAlias

from algebra.expression import SortKey, Value
from reference.values import compare, identity

if TYPE_CHECKING:
    from _typeshed import SupportsRichComparison as SupportsOrder

    from algebra.plan import Plan

#: The values of a row's columns.
Row: TypeAlias = tuple[Value, ...]
#: Rows in their order; as a multiset where the order is open.
Relation: TypeAlias = Sequence[Row]


@dataclass(frozen=True, slots=True)
class Environment:
    """What an expression may see beside its own row.

    ``clock`` tells the session's clock (S-106), ``outer`` are the rows of the enclosing queries,
    the nearest first, ``query`` gives the rows of a sub-query's plan for such rows.
    ``grouping_set`` and ``group_id`` are those of the group at hand, for GROUPING and GROUP_ID.
    ``version`` is another number whenever a sub-query may have other rows than before.
    """

    clock: Callable[[], int]
    parameters: Row
    outer: tuple[Row, ...]
    query: "Callable[[Plan, tuple[Row, ...]], Relation]"
    grouping_set: tuple[int, ...] = ()
    group_id: int = 0
    version: Callable[[], int] = lambda: 0

    @property
    def now(self) -> int:
        """The session's clock, in milliseconds; it may move while a stream runs."""
        return self.clock()

    def of_group(self, grouping_set: tuple[int, ...], group_id: int) -> "Environment":
        """This environment, inside a group of that set."""
        return replace(self, grouping_set=grouping_set, group_id=group_id)


def identity_of(row: Iterable[Value]) -> tuple[Value | tuple[str], ...]:
    """What stands for ``row`` where equal rows are one: NULL is equal to NULL, NaN to NaN."""
    return tuple(map(identity, row))


def distinct(rows: Iterable[Row]) -> list[Row]:
    """The first of each group of equal rows, in their order; NULL is equal to NULL."""
    first: dict[tuple[object, ...], Row] = {}
    for row in rows:
        first.setdefault(identity_of(row), row)
    return list(first.values())


def compare_keys(a: Sequence[Value], b: Sequence[Value], keys: Sequence[SortKey]) -> int:
    """Negative, 0 or positive: the order of two rows by the values of their sort ``keys``."""
    for x, y, key in zip(a, b, keys, strict=True):
        if x is None or y is None:
            order = (x is None) - (y is None)
            order = -order if key.nulls_first else order
        else:
            order = compare(x, y)
            order = -order if key.descending else order
        if order:
            return order
    return 0


def by_keys(keys: Sequence[SortKey]) -> "Callable[[Row], SupportsOrder]":
    """A key function for sorting the values of sort ``keys``."""

    def order(a: Row, b: Row) -> int:
        return compare_keys(a, b, keys)

    return cmp_to_key(order)
