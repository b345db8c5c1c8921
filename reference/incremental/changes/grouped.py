"""GROUP BY over weighted rows whose groups retain accumulators, and no rows.

`reference.incremental.changes.groups` is for the aggregates that have no such accumulator.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from reference.incremental.changes.operator import WeightedRows
from reference.incremental.changes.retractable import Accumulator, NewAccumulator
from reference.relation import Row
from reference.snapshot import stateful


@stateful
@dataclass(slots=True)
class _Group:
    """A group: its keys, its number of rows, and its output row at the last event (``shown``).

    ``shown`` is None if the group had no output row then.
    """

    keys: Row
    accumulators: Sequence[Accumulator]
    rows: int = 0
    shown: Row | None = None


@stateful
class Aggregate:
    """One grouping set whose measures all have accumulators (S-503).

    ``keys`` computes the keys of a row; None for the set ``()``, whose only group always exists.
    ``same`` computes the identity of keys, which is the same for equal keys
    (`reference.relation.identity_by`).  ``measures`` make the accumulators of a group.
    """

    def __init__(
        self,
        keys: Callable[[Row], Row] | None,
        same: Callable[[Row], tuple[object, ...]],
        measures: Sequence[NewAccumulator],
    ) -> None:
        self._keys: Callable[[Row], Row] = keys or (lambda _: ())
        self._same, self._measures = same, measures
        #: The key of the group that exists without rows, too; None: there is no such group.
        self._lasting = () if keys is None else None
        self._groups: dict[tuple[object, ...], _Group] = {}

    def step(self, inputs: Sequence[WeightedRows]) -> WeightedRows:
        """The changes of the output: the deleted old rows and the new rows of changed groups."""
        (changed,) = inputs
        touched: dict[tuple[object, ...], _Group] = {}
        if self._lasting is not None:
            touched[self._lasting] = self._group(self._lasting, ())
        for row, weight in changed:
            keys = self._keys(row)
            key = self._same(keys)
            group = touched[key] = self._group(key, keys)
            group.rows += weight
            for each in group.accumulators:
                each.add(row, weight)
        out: list[tuple[Row, int]] = []
        for key, group in touched.items():
            before, now = group.shown, None
            if group.rows or key == self._lasting:
                now = group.keys + tuple([each.result() for each in group.accumulators])
            else:
                del self._groups[key]
            if before != now:
                if before is not None:
                    out.append((before, -1))
                if now is not None:
                    out.append((now, 1))
                group.shown = now
        return out

    def fresh_part(self) -> _Group:
        """An empty group, which a snapshot fills."""
        return _Group((), [new() for new in self._measures])

    def _group(self, key: tuple[object, ...], keys: Row) -> _Group:
        """The group with the identity ``key``; a new group if there is none."""
        group = self._groups.get(key)
        if group is None:
            group = self._groups[key] = _Group(keys, [new() for new in self._measures])
        return group

    @property
    def retained(self) -> int:
        """The number of groups, and of the distinct values that their measures retain."""
        groups = self._groups.values()
        return sum(1 + sum(a.retained for a in group.accumulators) for group in groups)
