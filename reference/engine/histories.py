"""The memory of a session: the rows of streams whose history a query reads (S-308)."""

from collections.abc import Collection, Mapping
from itertools import takewhile

from algebra.catalog import QualifiedName
from reference.engine.history_scan import horizon, is_retained
from reference.ingress import Ingress
from reference.relation import Relation, Row
from reference.values import integer


class Memory:
    """The retained rows of the streams named in ``read``; of other streams nothing is retained.

    The first rows of a stream are dropped some time after they have become older than its declared
    history.  Rows are dropped in the order of their arrival, also if this is not the order of their
    rowtimes.  ``expired`` has the greatest rowtime, in milliseconds, among the dropped rows of each
    stream.
    """

    def __init__(self, read: Collection[QualifiedName]) -> None:
        self._rows: dict[QualifiedName, list[Row]] = {name: [] for name in read}
        self.expired: dict[QualifiedName, int] = {}

    def add(self, ingress: Ingress, rows: Relation) -> None:
        """Retain rows that ``ingress`` has accepted; it is the state after them."""
        name = ingress.source.name
        if name in self._rows:
            self._rows[name] += rows
            if horizon(ingress) is not None:
                self._expire(ingress)

    def _expire(self, ingress: Ingress) -> None:
        """Drop the first rows up to the first one that is still in the stream's history.

        Nothing is dropped while the row in the middle is in the history.  A list that drops its
        first rows moves all others.  So about half of the rows are dropped together, and the cost
        is constant for each dropped row.
        """
        name, retained = ingress.source.name, self._rows[ingress.source.name]
        rowtimes = (integer(row[ingress.rowtime]) for row in retained)
        middle = retained[len(retained) // 2 : len(retained) // 2 + 1]
        if all(is_retained(integer(row[ingress.rowtime]), ingress) for row in middle):
            return
        expired = list(takewhile(lambda each: not is_retained(each, ingress), rowtimes))
        if expired:
            self.expired[name] = max(*expired, self.expired.get(name, expired[0]))
            del retained[: len(expired)]

    @property
    def histories(self) -> Mapping[QualifiedName, Relation]:
        """The retained rows by stream, in order of arrival; some may be older than declared."""
        return self._rows
