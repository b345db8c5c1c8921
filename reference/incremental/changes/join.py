"""The join of weighted rows: the changes of its pairs, and of its unmatched rows."""

from collections.abc import Callable, Iterable, Sequence

from algebra.types import Type
from grammar.tree import JoinKind
from reference.incremental.changes.bag import Bag
from reference.incremental.changes.operator import WeightedRows
from reference.relation import Row, identity_by, identity_of
from reference.snapshot import stateful


@stateful
class Join:
    """The pairs that match, and the unmatched rows of preserved sides (S-508).

    The weight of a pair is the product of the weights of its rows.  So the changes of the pairs are
    the changed left rows joined with the old right rows, and the changed right rows joined with the
    new left rows (DBSP's bilinear operators).

    ``matches`` decides whether a pair matches.  ``equal`` has pairs of a left and a right column
    that are equal in each pair that matches, so a changed row is joined only with rows that have
    its values.  ``types`` are the types of the columns of both sides.
    """

    def __init__(
        self,
        matches: Callable[[Row], bool],
        equal: Sequence[tuple[int, int]],
        kind: JoinKind,
        types: tuple[Sequence[Type], Sequence[Type]],
    ) -> None:
        self._matches = matches
        self._left = Index([a for a, _ in equal], types[0])
        self._right = Index([b for _, b in equal], types[1])
        left, right = map(len, types)
        self._preserved: list[tuple[int, _Unmatched]] = []
        if kind.preserves_left:
            unmatched = _Unmatched(lambda pair: pair[:left], lambda row: row + (None,) * right)
            self._preserved.append((0, unmatched))
        if kind.preserves_right:
            unmatched = _Unmatched(lambda pair: pair[left:], lambda row: (None,) * left + row)
            self._preserved.append((1, unmatched))

    def step(self, inputs: Sequence[WeightedRows]) -> WeightedRows:
        """The changes of the pairs, then those of the padded rows.

        First the pairs of the deleted rows are deleted, then those of the new rows are added.  So
        no pair is made of a new row and of a row that leaves in the same event: such a pair is in
        no answer, and an expression could fail on it.
        """
        left, right = inputs
        pairs = [
            *self._changed_pairs(_deleted(left), _deleted(right)),
            *self._changed_pairs(_added(left), _added(right)),
        ]
        padded = [side.step(inputs[place], pairs) for place, side in self._preserved]
        return [*pairs, *(change for each in padded for change in each)]

    def _changed_pairs(self, left: WeightedRows, right: WeightedRows) -> WeightedRows:
        """Apply the changes of the left and then of the right side; return those of the pairs."""
        pairs = [
            (pair, weight * number)
            for row, weight in left
            for other, number in self._right.partners(self._left.key(row))
            if self._matches(pair := row + other)
        ]
        self._left.apply(left)
        pairs += [
            (pair, number * weight)
            for other, weight in right
            for row, number in self._left.partners(self._right.key(other))
            if self._matches(pair := row + other)
        ]
        self._right.apply(right)
        return pairs

    @property
    def retained(self) -> int:
        """The number of distinct rows of both sides."""
        return len(self._left) + len(self._right)


def _deleted(rows: WeightedRows) -> WeightedRows:
    """The changes that delete rows."""
    return [change for change in rows if change[1] < 0]


def _added(rows: WeightedRows) -> WeightedRows:
    """The changes that insert rows."""
    return [change for change in rows if change[1] > 0]


@stateful
class Index:
    """The rows of one side of a join, found by the values of ``columns``, which are their key.

    Without columns, all rows have the same key.
    """

    def __init__(self, columns: Sequence[int], types: Sequence[Type]) -> None:
        self._columns = columns
        self._same_row = identity_by(types)
        self._same_key = identity_by([types[column] for column in columns])
        self._bags: dict[tuple[object, ...], Bag] = {}

    def key(self, row: Row) -> tuple[object, ...]:
        """The values of a row by which the other side finds it."""
        return self._same_key(tuple([row[column] for column in self._columns]))

    def apply(self, weighted: WeightedRows) -> None:
        """Change the number of each row by its weight."""
        for row, weight in weighted:
            key = self.key(row)
            bag = self._bags.get(key)
            if bag is None:
                bag = self._bags[key] = Bag()
            bag.add(row, weight, self._same_row(row))
            if not len(bag):
                del self._bags[key]

    def partners(self, key: tuple[object, ...]) -> Iterable[tuple[Row, int]]:
        """The distinct rows with this key, each with the number of rows equal to it."""
        return self._bags.get(key, ())

    def __len__(self) -> int:
        """The number of distinct rows."""
        return sum(map(len, self._bags.values()))


@stateful
class _Unmatched:
    """The padded rows of a preserved side: each unmatched row, with NULLs for the other side.

    ``own`` returns the side's row of a pair, and ``padded`` a row of the side with NULLs for the
    other side.
    """

    def __init__(self, own: Callable[[Row], Row], padded: Callable[[Row], Row]) -> None:
        self._own, self._padded = own, padded
        # By the identity of a row: the number of equal rows, and that of their pairs.
        self._numbers: dict[tuple[object, ...], tuple[int, int]] = {}

    def step(self, rows: WeightedRows, pairs: WeightedRows) -> WeightedRows:
        """The changes of the padded rows, for changes of the side's rows and of the pairs."""
        before: dict[tuple[object, ...], tuple[Row, tuple[int, int]]] = {}
        changed = [(row, (weight, 0)) for row, weight in rows]
        changed += [(self._own(pair), (0, weight)) for pair, weight in pairs]
        for row, (more_rows, more_pairs) in changed:
            key: tuple[object, ...] = identity_of(row)
            numbers = self._numbers.get(key, (0, 0))
            before.setdefault(key, (row, numbers))
            self._numbers[key] = (numbers[0] + more_rows, numbers[1] + more_pairs)
        out: list[tuple[Row, int]] = []
        for key, (row, numbers) in before.items():
            weight = _padded_count(self._numbers[key]) - _padded_count(numbers)
            out += [(self._padded(row), weight)] if weight else []
            if self._numbers[key] == (0, 0):
                del self._numbers[key]
        return out


def _padded_count(numbers: tuple[int, int]) -> int:
    """The number of padded rows: all equal rows if they are unmatched, else 0."""
    rows, pairs = numbers
    return 0 if pairs else rows
