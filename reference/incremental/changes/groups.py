"""Operators over weighted rows that evaluate again the groups which an event changes."""

from collections.abc import Callable, Sequence

from reference.incremental.changes.bag import Bag
from reference.incremental.changes.operator import WeightedRows
from reference.relation import Relation, Row, identity_of
from reference.relational.changelog import difference
from reference.snapshot import stateful


@stateful
class _Group:
    """The rows of a group by input, and its answer at the last event."""

    def __init__(self, inputs: int) -> None:
        self.bags = [Bag() for _ in range(inputs)]
        self.answer: Relation = ()


@stateful
class Groups:
    """An operator whose answer is computed group by group, such as OVER, SESSION or INTERSECT.

    ``inputs`` is the number of inputs.  Rows with the same ``key`` are a group.  ``answer_of``
    computes the answer of one group from its rows in each input.  An operator whose ``key`` is None
    has one group, which exists from the start: a COUNT of no rows is 0.
    """

    def __init__(
        self,
        inputs: int,
        key: Callable[[Row], Row] | None,
        answer_of: Callable[[Sequence[Relation]], Relation],
    ) -> None:
        self._inputs, self._of = inputs, answer_of
        self._key: Callable[[Row], Row] = key or (lambda _: ())
        self._groups: dict[tuple[object, ...], _Group] = {}
        #: The key of the group that exists without rows, too; None: there is no such group.
        self._lasting = () if key is None else None
        self._started = False

    def step(self, inputs: Sequence[WeightedRows]) -> WeightedRows:
        """The differences between the new and the old answers of the changed groups."""
        touched: dict[tuple[object, ...], _Group] = {}
        if not self._started and self._lasting is not None:
            touched[self._lasting] = self._group(self._lasting)
        self._started = True
        for place, changed in enumerate(inputs):
            for row, weight in changed:
                key: tuple[object, ...] = identity_of(self._key(row))
                group = touched.setdefault(key, self._group(key))
                group.bags[place].apply([(row, weight)])
        out: list[tuple[Row, int]] = []
        for key, group in touched.items():
            now = self._of([bag.rows() for bag in group.bags])
            out += difference(now, group.answer)
            group.answer = now
            if key != self._lasting and not any(group.bags):
                del self._groups[key]
        return out

    def fresh_part(self) -> _Group:
        """An empty group, which a snapshot fills."""
        return _Group(self._inputs)

    def _group(self, key: tuple[object, ...]) -> _Group:
        """The group with this key; a new group if there is none."""
        return self._groups.setdefault(key, self.fresh_part())

    @property
    def retained(self) -> int:
        """The number of distinct rows of all groups."""
        return sum(len(bag) for group in self._groups.values() for bag in group.bags)
