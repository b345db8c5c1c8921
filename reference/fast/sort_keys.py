"""Fast sorting by keys: the order of `reference.relation.in_order`, by Python's own sort."""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias, TypeVar

from algebra.expression import SortKey, Value
from reference.relation import Relation, Row
from reference.values import is_nan

_T = TypeVar("_T")

#: The pair that Python compares in place of a value that may be NULL or NaN.
_Rank: TypeAlias = tuple[int, Value]


def in_order(keyed: Iterable[tuple[Row, _T]], keys: Sequence[SortKey]) -> list[tuple[Row, _T]]:
    """Pairs of (values of the sort ``keys``, anything) in the keys' order, ties in input order.

    They are sorted by the last key first.  Python's sort is stable, also if reversed, so a sort by
    an earlier key preserves the order of the later ones.
    """
    pairs = list(keyed)
    for place, key in reversed(list(enumerate(keys))):
        if any(pair[0][place] is None or is_nan(pair[0][place]) for pair in pairs):
            pairs.sort(key=_ranked(place, key), reverse=key.descending)
        else:
            # mypy and pyright cannot know that the values of one key are of one type.
            pairs.sort(key=lambda pair: pair[0][place], reverse=key.descending)  # type: ignore[arg-type, return-value]
    return pairs


def emitted(timed: Sequence[tuple[Row, Row]], keys: Sequence[SortKey]) -> Relation:
    """`reference.relational.streams.emitted`: rows by their times, ties in input order."""
    return [row for _, row in in_order(timed, keys)]


def _ranked(place: int, key: SortKey) -> Callable[[tuple[Row, object]], _Rank]:
    """A function from a pair to the rank and the value of its sort key at ``place``.

    Values have the rank 1, and NaN has 2, because NaN is after all numbers.  NULL has the rank 0 or
    3.  A descending sort reverses the order of the ranks, so NULL has the rank 3 if NULLs come
    first in a descending sort, or last in an ascending one.
    """
    null = 0 if key.nulls_first is not key.descending else 3

    def rank(pair: tuple[Row, object]) -> _Rank:
        value = pair[0][place]
        if value is None:
            return null, None
        return (2, None) if is_nan(value) else (1, value)

    return rank
