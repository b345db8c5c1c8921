"""Aggregates of weighted rows: a group retains accumulators, and no rows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from reference.incremental.changes.operator import WeightedRows
from reference.incremental.changes.retractable import Accumulator, Measures
from reference.relation import Row
from reference.snapshot import stateful


@stateful
@dataclass(slots=True)
class _Group:
    """A group: its keys, its number of rows, and its output row at the last event."""

    keys: Row
    accumulators: Sequence[Accumulator]
    rows: int = 0
    shown: Row | None = None


@stateful
class Aggregate:
    """One grouping set whose measures all have accumulators (S-503).

    ``same`` is the identity of keys (`reference.relation.identity_by`).  ``keys`` None is the set
    ``()``, whose only group exists from the start to the end.
    """

    def __init__(
        self,
        keys: Callable[[Row], Row] | None,
        same: Callable[[Row], tuple[object, ...]],
        measures: Measures,
    ) -> None:
        self._keys, self._same, self._measures = keys, same, measures
        self._groups: dict[tuple[object, ...], _Group] = {}

    def step(self, inputs: Sequence[WeightedRows]) -> WeightedRows:
        """The old and the new rows of the groups that have changed."""
        (changed,) = inputs
        touched: dict[tuple[object, ...], _Group] = {}
        if self._keys is None:
            touched[()] = self._group((), ())
        for row, weight in changed:
            keys = () if self._keys is None else self._keys(row)
            key = self._same(keys)
            group = touched[key] = self._group(key, keys)
            group.rows += weight
            self._measures.add(group.accumulators, row, weight)
        out: list[tuple[Row, int]] = []
        for key, group in touched.items():
            now = self._row(group)
            if group.shown != now:
                out += [(group.shown, -1)] if group.shown is not None else []
                out += [(now, 1)] if now is not None else []
                group.shown = now
            if now is None:
                del self._groups[key]
        return out

    def fresh_part(self) -> _Group:
        """An empty group, which a snapshot fills."""
        return _Group((), self._measures.new())

    def _group(self, key: tuple[object, ...], keys: Row) -> _Group:
        group = self._groups.get(key)
        if group is None:
            group = self._groups[key] = _Group(keys, self._measures.new())
        return group

    def _row(self, group: _Group) -> Row | None:
        """The output row of a group; None if the group does not exist any more."""
        if not group.rows and self._keys is not None:
            return None
        return group.keys + self._measures.results(group.accumulators)

    @property
    def retained(self) -> int:
        """The groups, and the distinct values that their measures retain."""
        groups = self._groups.values()
        return sum(1 + sum(a.retained for a in group.accumulators) for group in groups)
