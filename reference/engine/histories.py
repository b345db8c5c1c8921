"""The rows of streams that a session retains because a query reads their history (S-308)."""

from collections.abc import Collection, Mapping

from algebra.catalog import QualifiedName
from reference.engine.history_scan import horizon, is_retained
from reference.ingress import Ingress
from reference.relation import Relation, Row
from reference.values import integer


class Memory:
    """The retained rows of the streams named in ``read``; of other streams nothing is retained.

    Rows that are older than a stream's declared history are dropped some time later. ``expired``
    has the greatest rowtime, in milliseconds, among the dropped rows of each stream.
    """

    def __init__(self, read: Collection[QualifiedName]) -> None:
        self._rows: dict[QualifiedName, list[Row]] = {name: [] for name in read}
        self._next_look: dict[QualifiedName, int] = {}
        self.expired: dict[QualifiedName, int] = {}

    def add(self, ingress: Ingress, rows: Relation) -> None:
        """Retain rows that ``ingress`` has accepted; it is the state after them."""
        name = ingress.source.name
        retained = self._rows.get(name)
        if retained is None:
            return
        retained += rows
        # To search only when the rows have doubled makes the cost of a row independent of the
        # stream's length.
        if horizon(ingress) is not None and len(retained) >= self._next_look.get(name, 64):
            self._expire(ingress, retained)
            self._next_look[name] = max(64, 2 * len(retained))

    def _expire(self, ingress: Ingress, retained: list[Row]) -> None:
        """Drop the rows that are older than the stream's history."""
        name, place = ingress.source.name, ingress.rowtime
        expired = [
            time for row in retained if not is_retained(time := integer(row[place]), ingress)
        ]
        if expired:
            self.expired[name] = max([*expired, self.expired.get(name, expired[0])])
            retained[:] = [row for row in retained if is_retained(integer(row[place]), ingress)]

    @property
    def histories(self) -> Mapping[QualifiedName, Relation]:
        """The retained rows by stream, in order of arrival; some may be older than declared."""
        return self._rows
