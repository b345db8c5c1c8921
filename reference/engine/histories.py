"""What a session remembers of streams: the rows that somebody may read again (S-308)."""

from collections.abc import Collection, Mapping

from algebra.catalog import QualifiedName
from reference.engine.history_scan import horizon, is_kept
from reference.ingress import Gate
from reference.relation import Relation, Row
from reference.values import integer


class Memory:
    """The histories of the streams that ``read`` names, of others nothing.

    A row that a stream no longer keeps is forgotten some time later; ``forgotten`` has the greatest
    rowtime among those of each stream.
    """

    def __init__(self, read: Collection[QualifiedName]) -> None:
        self._rows: dict[QualifiedName, list[Row]] = {name: [] for name in read}
        self._next_look: dict[QualifiedName, int] = {}
        self.forgotten: dict[QualifiedName, int] = {}

    def add(self, entry: Gate, rows: Relation) -> None:
        """Rows that have passed the gate ``entry``, which has moved with them."""
        name = entry.source.name
        kept = self._rows.get(name)
        if kept is None:
            return
        kept += rows
        # Looking only when the rows have doubled makes a row cost the same in a long stream.
        if horizon(entry) is not None and len(kept) >= self._next_look.get(name, 64):
            self._forget(entry, kept)
            self._next_look[name] = max(64, 2 * len(kept))

    def _forget(self, entry: Gate, kept: list[Row]) -> None:
        """Drop the rows that the stream no longer keeps."""
        name, place = entry.source.name, entry.rowtime
        gone = [time for row in kept if not is_kept(time := integer(row[place]), entry)]
        if gone:
            self.forgotten[name] = max([*gone, self.forgotten.get(name, gone[0])])
            kept[:] = [row for row in kept if is_kept(integer(row[place]), entry)]

    @property
    def histories(self) -> Mapping[QualifiedName, Relation]:
        """The rows of each stream, in order of arrival; some may be older than what it keeps."""
        return self._rows
