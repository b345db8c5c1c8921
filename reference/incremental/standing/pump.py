"""Standing statements at work, and the streams that they feed (S-603, S-605)."""

from collections.abc import Sequence
from dataclasses import replace

from algebra.catalog import QualifiedName, Stream, Table
from algebra.mentions import scans
from algebra.monotonicity.progress import Bounds
from algebra.plan import Insert
from grammar.source import SqlError
from reference.dml.statements import Refusal, accepted_rows
from reference.environment import Accept, Environment
from reference.incremental.operator import State
from reference.incremental.standing.named_stream import Producers
from reference.incremental.standing.query import Flow
from reference.incremental.train import ENDED, NOTHING_KNOWN
from reference.ingress import Dropped, Ingress, ingress_of
from reference.relation import Relation, Row
from reference.values import integer

#: The producer that is the session's own input.
_DIRECT = ""


class Pump:
    """A standing INSERT: it forwards the rows and bounds of its query, and sets none itself.

    Defines: S-605.e
    """

    def __init__(self, name: str, statement: Insert, env: Environment) -> None:
        self.name = name
        self.target: Table | Stream = statement.target
        self.upsert = statement.upsert
        self.reads: frozenset[QualifiedName] = frozenset(
            scan.source.name for scan in scans(statement.input)
        )
        asked = frozenset[int]()
        if isinstance(statement.target, Stream):
            place = ingress_of(statement.target).rowtime
            asked = frozenset({place} if place >= 0 else ())
        self.flow = Flow(statement.input, env, asked)


class Feed:
    """The input of a stream that standing statements feed.

    All of the statements are producers from the start; the session's own input becomes one with its
    first row that its ingress lets in, or its first bound.

    Defines: S-603.c, S-603.f
    """

    def __init__(self, ingress: Ingress, statements: Sequence[str], accept: Accept) -> None:
        self._accept = accept
        self._rowtime = ingress.rowtime
        self._own = ingress
        self._producers = Producers(statements)
        self._free: list[Row] = []
        self._offered = 0

    def send(self, producer: str, rows: Relation, bounds: Bounds) -> None:
        """Rows of a statement, and the bounds of its later rows."""
        limit = None if self._rowtime < 0 else bounds.columns[self._rowtime]
        clock = NOTHING_KNOWN if limit is None else float(integer(limit.value))
        self._send(producer, rows, ENDED if bounds.ended else clock)

    def enter(self, rows: Relation) -> Sequence[tuple[int, Dropped]]:
        """Take rows of the session's own input; the rows refused, by place, with the reason."""
        self._own, retained, refused = accepted_rows(self._own, rows, self._accept)
        if retained:
            self._send(_DIRECT, retained, _clock(self._own))
        return [(each.place, each.dropped) for each in refused]

    def bounded(self, at: int) -> SqlError | None:
        """Take a bound of the session's own input. Raises BOUND_BACKWARDS below its last one."""
        self._own, error = self._own.bounded(at)
        self._send(_DIRECT, (), _clock(self._own))
        return error

    def closed(self) -> None:
        """The session's own input has ended."""
        self._own = replace(self._own, ended=True)
        self._send(_DIRECT, (), ENDED)

    def _send(self, producer: str, rows: Relation, clock: float) -> None:
        self._free += self._producers.send(producer, [(self._time(r), r) for r in rows], clock)

    def _time(self, row: Row) -> float:
        """The rowtime of a row; a row without one, which ingress will refuse, holds up nothing."""
        value = None if self._rowtime < 0 else row[self._rowtime]
        return NOTHING_KNOWN if value is None else integer(value)

    def state(self) -> State:
        """The rows of producers that other producers hold up."""
        return self._producers.state()

    def flow(self, ingress: Ingress) -> tuple[Ingress, Relation, list[Refusal]]:
        """The stream's ingress afterwards, the rows it accepted, and the rows it refused."""
        rows, self._free = self._free, []
        ingress, retained, refused = accepted_rows(ingress, rows, self._accept)
        clock, first = self._producers.clock, self._offered
        self._offered += len(rows)
        if clock == ENDED:
            ingress = replace(ingress, ended=True)
        elif clock > (NOTHING_KNOWN if ingress.clock is None else ingress.clock):
            ingress, _ = ingress.bounded(int(clock))
        return ingress, retained, [replace(each, place=first + each.place) for each in refused]


def _clock(ingress: Ingress) -> float:
    """The bound of a producer's later rows, from its ingress."""
    if ingress.ended:
        return ENDED
    return NOTHING_KNOWN if ingress.clock is None else ingress.clock
