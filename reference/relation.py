"""Relations: rows in an order, and the functions that compare, sort and group them.

Two rows are *equal* here if they have the same identity: NULL is equal to NULL, and NaN to NaN.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import cmp_to_key
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from algebra.expression import SortKey, Value
from algebra.types import APPROXIMATE, DATETIME, INTEGERS, Type
from reference.values import NAN, compare, integer

if TYPE_CHECKING:
    from _typeshed import SupportsRichComparison as SupportsOrder

_T = TypeVar("_T")

#: The values of a row's columns.
Row: TypeAlias = tuple[Value, ...]
#: Rows in an order.  If the order is not specified, only the multiset of the rows counts.
Relation: TypeAlias = Sequence[Row]


def identity_of(row: Iterable[Value]) -> tuple[Value | tuple[str], ...]:
    """The identity of ``row``, which equal rows share: NULL is equal to NULL, NaN to NaN."""
    # `reference.values.identity` of each value, written out because a call takes time.
    return tuple([NAN if value != value else value for value in row])


def identity_by(types: Iterable[Type]) -> Callable[[Row], tuple[object, ...]]:
    """The function that returns the identity of a row whose columns have these types.

    It is `identity_of` if a type is REAL or DOUBLE, because these have NaN.  If not, a row is its
    own identity, because NULL (None) is equal to itself in Python.
    """
    approximate = any(each.kind in APPROXIMATE for each in types)
    return identity_of if approximate else lambda row: row


def distinct(rows: Iterable[Row]) -> list[Row]:
    """The first of each group of equal rows, in the order of ``rows``."""
    first: dict[tuple[object, ...], Row] = {}
    for row in rows:
        first.setdefault(identity_of(row), row)
    return list(first.values())


def compare_keys(a: Sequence[Value], b: Sequence[Value], keys: Sequence[SortKey]) -> int:
    """Negative if ``a`` sorts before ``b``, positive if after it, 0 if they are peers.

    ``a`` and ``b`` are the values of the sort ``keys`` on two rows.
    """
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
    """A key function for Python's sort: it takes a row's values of the sort ``keys``."""

    def order(a: Row, b: Row) -> int:
        return compare_keys(a, b, keys)

    return cmp_to_key(order)


def order_by(keys: Sequence[SortKey]) -> "Callable[[Row], SupportsOrder]":
    """As `by_keys`, but faster, because Python itself compares integers and times."""
    orders = [_order_by(key) for key in keys]
    return lambda values: tuple([on(value) for on, value in zip(orders, values, strict=True)])


def _order_by(key: SortKey) -> "Callable[[Value], SupportsOrder]":
    """`order_by` for the value of a single key."""
    if key.expression.type.kind not in INTEGERS | DATETIME:
        order = by_keys((key,))
        return lambda value: order((value,))
    sign = -1 if key.descending else 1
    null = (0, 0) if key.nulls_first else (2, 0)  # before or after all values, which are (1, …)
    return lambda value: null if value is None else (1, sign * integer(value))


def in_order(keyed: Iterable[tuple[Row, _T]], keys: Sequence[SortKey]) -> list[tuple[Row, _T]]:
    """Sort pairs by their first parts, the values of the sort ``keys``; ties in input order."""
    order = by_keys(keys)
    return sorted(keyed, key=lambda pair: order(pair[0]))
