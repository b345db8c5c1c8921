"""What a session remembers of streams: the rows that somebody may read again (S-308)."""

from collections.abc import Collection, Mapping

from algebra.catalog import QualifiedName
from reference.engine.history_scan import horizon, is_retained
from reference.ingress import Ingress
from reference.relation import Relation, Row
from reference.values import integer


class Memory:
    """The histories of the streams that ``read`` names, of others nothing.

    A row that a stream no longer keeps is forgotten some time later; ``expired`` has the greatest
    rowtime among those of each stream.
    """

    def __init__(self, read: Collection[QualifiedName]) -> None:
        self._rows: dict[QualifiedName, list[Row]] = {name: [] for name in read}
        self._next_look: dict[QualifiedName, int] = {}
        self.expired: dict[QualifiedName, int] = {}

    def add(self, ingress: Ingress, rows: Relation) -> None:
        """Rows that have passed the gate ``ingress``, which has moved with them."""
        name = ingress.source.name
        retained = self._rows.get(name)
        if retained is None:
            return
        retained += rows
        # Looking only when the rows have doubled makes a row cost the same in a long stream.
        if horizon(ingress) is not None and len(retained) >= self._next_look.get(name, 64):
            self._expire(ingress, retained)
            self._next_look[name] = max(64, 2 * len(retained))

    def _expire(self, ingress: Ingress, retained: list[Row]) -> None:
        """Drop the rows that the stream no longer keeps."""
        name, place = ingress.source.name, ingress.rowtime
        gone = [time for row in retained if not is_retained(time := integer(row[place]), ingress)]
        if gone:
            self.expired[name] = max([*gone, self.expired.get(name, gone[0])])
            retained[:] = [row for row in retained if is_retained(integer(row[place]), ingress)]

    @property
    def histories(self) -> Mapping[QualifiedName, Relation]:
        """The rows of each stream, in order of arrival; some may be older than what it keeps."""
        return self._rows
