"""Divide the expected and the emitted rows into classes of equal rows."""

import math
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Final

from tck.judging.rows.reading import ReadRow, same_row

#: Two floating values whose difference is more than this share of their size are never equal.  Only
#: rows with nearer values are compared.
_FAR: Final = 1e-6


@dataclass(frozen=True, slots=True)
class Classes:
    """The number of the class of each expected row, and of each actual row, from 0.

    Identical rows are in one class.  Rows without an identical row on the other side are in one
    class if they are equal, or if a chain of equal rows connects them.  The chain is needed because
    floating values are equal if they are close: if a is close to b, and b to c, then a may not be
    close to c.
    """

    expected: tuple[int, ...]
    actual: tuple[int, ...]


@dataclass(slots=True)
class _Union:
    """Classes that can be merged (union-find): each number leads to the least one of its class."""

    parents: list[int] = field(default_factory=list[int])

    def add(self) -> int:
        """The number of a new class."""
        self.parents.append(len(self.parents))
        return self.parents[-1]

    def root(self, number: int) -> int:
        """The least number of a class."""
        while self.parents[number] != number:
            self.parents[number] = self.parents[self.parents[number]]
            number = self.parents[number]
        return number

    def join(self, one: int, other: int) -> None:
        """Make two classes one."""
        low, high = sorted((self.root(one), self.root(other)))
        self.parents[high] = low


def classes(expected: Sequence[ReadRow], actual: Sequence[ReadRow]) -> Classes:
    """The classes of equal rows.

    The time is linear in the number of rows, unless many floating values are close to one another.
    """
    union = _Union()
    class_of_key: dict[Hashable, int] = {}
    # Both lists have a member for the expected rows, and a member for the actual rows.
    samples: list[dict[int, ReadRow]] = [{}, {}]  # by class: one of its rows
    numbers: list[list[int]] = [[], []]  # the class of each row
    for side, rows in enumerate((expected, actual)):
        for row in rows:
            key = _row_key(row)
            if key is None:  # equal to no row, not even to itself
                numbers[side].append(union.add())
                continue
            if key not in class_of_key:
                class_of_key[key] = union.add()
            number = class_of_key[key]
            samples[side].setdefault(number, row)
            numbers[side].append(number)
    # If a class has as many rows on both sides, all its rows have identical partners.  Of each
    # other class, only one row is compared with rows of the other side.
    counts = [Counter(each) for each in numbers]
    unbalanced_expected, unbalanced_actual = (
        {n: row for n, row in rows.items() if counts[0][n] != counts[1][n]} for rows in samples
    )
    for left, right in _close_classes(unbalanced_expected, unbalanced_actual):
        union.join(left, right)
    return Classes(tuple(map(union.root, numbers[0])), tuple(map(union.root, numbers[1])))


def _row_key(row: ReadRow) -> Hashable:
    """The key of a row, which is equal for identical rows.

    None if a value does not belong to its column's type.
    """
    for value in row:
        if value.typed is None:
            return None
    return tuple([value.key for value in row])


def _close_classes(
    expected: dict[int, ReadRow], actual: dict[int, ReadRow]
) -> Iterator[tuple[int, int]]:
    """The pairs of classes whose rows are equal, although their floating values differ a little.

    ``expected`` and ``actual`` have a row of each class.  Rows are compared only if they are
    identical in all columns without floating values: these columns are the ``rest`` of a group.
    """
    # By the rest: the classes of the expected rows, and of the actual rows.
    groups: dict[tuple[tuple[Hashable] | None, ...], tuple[list[int], list[int]]] = {}
    for side, rows in enumerate((expected, actual)):
        for number, row in rows.items():
            # None stands for a floating value; other keys are wrapped, because a key may be None.
            rest = tuple([None if isinstance(v.key, float) else (v.key,) for v in row])
            if None in rest:
                groups.setdefault(rest, ([], []))[side].append(number)
    for rest, (ours, theirs) in groups.items():
        places = [place for place, each in enumerate(rest) if each is None]
        # The floating column with the most distinct values leaves the fewest candidates.
        place = max(places, key=lambda i: len({actual[number][i].key for number in theirs}))
        values = sorted((_float(actual[number], place), number) for number in theirs)
        for number in ours:
            value = _float(expected[number], place)
            reach = abs(value) * _FAR if math.isfinite(value) else 0.0
            begin = bisect_left(values, value - reach, key=itemgetter(0))
            end = bisect_right(values, value + reach, key=itemgetter(0))
            for _, other in values[begin:end]:
                if same_row(expected[number], actual[other]):
                    yield number, other


def _float(row: ReadRow, place: int) -> float:
    """The floating value in a column of a row."""
    key = row[place].key
    assert isinstance(key, float), "the group has floating values here"
    return key
