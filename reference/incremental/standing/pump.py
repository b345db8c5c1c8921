"""Running standing statements, and the merged inputs of the streams into which they write.

A *standing statement* is an INSERT of a streaming query.  It is a producer of its target, and so is
a program that opens a producer, or the session's own input (the rows that a user feeds).
"""

from collections.abc import Sequence
from dataclasses import replace

from algebra.catalog import QualifiedName, Stream, Table
from algebra.modify import Insert
from algebra.monotonicity.progress import Bounds
from algebra.parts.mentions import read_names
from grammar.source import SqlError
from reference.dml.statements import Refusal, accepted_rows
from reference.environment import Accept, Environment
from reference.incremental.lowering.lower import RequestedColumns
from reference.incremental.operator import State
from reference.incremental.standing.named_stream import Producers, Sent, bound_at, bound_of, time_of
from reference.incremental.standing.query import Flow
from reference.incremental.train import ENDED
from reference.ingress import Dropped, Ingress, ingress_of
from reference.relation import Relation

#: The name of the producer that stands for the session's own input.
_DIRECT = ""


class Pump:
    """A running standing INSERT, which sends the rows and bounds of its query to its target.

    ``reads`` has the streams and tables that its query reads.

    Defines: S-605.e
    """

    def __init__(
        self, name: str, statement: Insert, env: Environment, flow: type[Flow] = Flow
    ) -> None:
        self.name = name
        self.target: Table | Stream = statement.target
        self.upsert = statement.upsert
        self.reads: frozenset[QualifiedName] = read_names(statement.input)
        self.flow = flow(statement.input, env, requested_bounds(statement.target))


def requested_bounds(target: Table | Stream) -> RequestedColumns:
    """The columns of a standing statement's query whose bounds its ``target`` needs.

    This is the place of the target's rowtime; none for a table or an implicit rowtime.
    """
    place = -1 if isinstance(target, Table) else ingress_of(target).rowtime
    return frozenset({place} if place >= 0 else ())


class Feed:
    """The merged input of a stream into which standing statements and other producers write.

    ``ingress`` is the ingress of the stream: the bounds against which arriving rows are checked.
    All ``statements`` are producers from the start.  The session's own input becomes a producer
    with its first accepted row or its first bound; with ``begun`` it is a producer already.

    Defines: S-603.f, S-603.j
    """

    def __init__(
        self, ingress: Ingress, statements: Sequence[str], accept: Accept, begun: bool = False
    ) -> None:
        self._accept = accept
        self._rowtime = ingress.rowtime
        #: The ingress of the session's own input and of each open producer, by `_key`.
        self._own = {_DIRECT: ingress}
        self._producers = Producers(statements)
        #: Whether a producer has been opened, so that more may be opened until the end.
        self._expects_producers = False
        #: The rows that no longer wait for other producers; `release` takes them.
        self._free: list[Sent] = []
        #: The number of rows that `release` has taken before.
        self._offered = 0
        if begun:
            self._producers.open(_DIRECT, bound_of(ingress))

    def open(self, producer: str, ingress: Ingress) -> None:
        """Open a producer, whose bounds are at first those of the stream's ``ingress``.

        If the stream has ended, the rows of the producer are late.  Raises `ValueError` if a
        producer of that name is open.

        Defines: S-603.p
        """
        name = _key(producer)
        if name in self._own:
            raise ValueError(f"{producer} is a producer of {ingress.source.name[-1]} already")
        self._own[name] = ingress.for_new_producer()
        self._producers.open(name, bound_of(self._own[name]))
        self._expects_producers = not ingress.ended

    def close(self, producer: str) -> None:
        """Close a producer; its rows that wait for other producers are still accepted in turn.

        Raises `ValueError` if it is not open.
        """
        self._ingress_of(producer)
        del self._own[_key(producer)]
        self._free += self._producers.close(_key(producer))

    def send(self, producer: str, rows: Relation, bounds: Bounds) -> None:
        """Take rows of the statement ``producer``, and the bounds of its later rows.

        Defines: S-605.j
        """
        bound = ENDED if bounds.ended else bound_at(bounds, self._rowtime)
        self._send(producer, [Sent(row) for row in rows], bound)

    def enter(
        self, producer: str | None, rows: Relation, places: Sequence[int | None]
    ) -> Sequence[tuple[int, Dropped]]:
        """Take a producer's rows; return the index in ``rows`` and the reason of each dropped row.

        ``places`` has the place of each row among all rows that were fed to the stream.
        ``producer`` None is the session's own input.

        Defines: S-603.h, S-603.k
        """
        own, _, refused = accepted_rows(self._ingress_of(producer), rows, self._accept)
        self._own[_key(producer)] = own
        out = {each.place for each in refused}
        sent = [Sent(row, places[i]) for i, row in enumerate(rows) if i not in out]
        if sent:
            self._send(_key(producer), sent, bound_of(own))
        return [(each.place, each.dropped) for each in refused]

    def set_bound(self, producer: str | None, at: int) -> SqlError | None:
        """Take a bound of a producer; ``producer`` None is the session's own input.

        Returns the error BOUND_BACKWARDS, and changes nothing, if the bound is below the last one.
        """
        own, error = self._ingress_of(producer).with_bound(at)
        if error is None:
            self._own[_key(producer)] = own
            self._send(_key(producer), (), bound_of(own))
        return error

    def close_all(self) -> None:
        """End the session's own input, and close all open producers.

        Defines: S-603.i, S-603.m, S-603.n
        """
        for name in [each for each in self._own if each != _DIRECT]:
            del self._own[name]
            self._free += self._producers.close(name)
        self._expects_producers = False
        self._own[_DIRECT] = replace(self._own[_DIRECT], ended=True)
        self._send(_DIRECT, (), ENDED)

    @property
    def is_fed_from_outside(self) -> bool:
        """Whether the session's own input is a producer, or another producer has been opened.

        Without either, only standing statements write into the stream.
        """
        return self._expects_producers or self._producers.has(_DIRECT)

    def _ingress_of(self, producer: str | None) -> Ingress:
        """The ingress of an open producer; ``producer`` None is the session's own input.

        Raises `ValueError` if the producer is not open.
        """
        if _key(producer) not in self._own:
            name = self._own[_DIRECT].source.name[-1]
            raise ValueError(f"{producer} is not an open producer of {name}")
        return self._own[_key(producer)]

    def _send(self, name: str, rows: Sequence[Sent], bound: float) -> None:
        """Send rows, and the bound of later rows, of the producer with the key ``name``."""
        timed = [(time_of(each.row, self._rowtime), each) for each in rows]
        self._free += self._producers.send(name, timed, bound)

    def state(self) -> State:
        """The rows that wait for the bounds of other producers."""
        return self._producers.state()

    def release(self, ingress: Ingress) -> tuple[Ingress, Relation, list[Refusal]]:
        """Let the rows that no longer wait for other producers enter the stream.

        ``ingress`` is the ingress of the stream.  Returns the ingress afterwards, the accepted rows
        in rowtime order, and the refusals of the dropped rows.

        Defines: S-603.l, S-603.o
        """
        free, self._free = self._free, []
        rows = [sent.row for sent in free]
        ingress, retained, refused = accepted_rows(ingress, rows, self._accept)
        bound, first = self._producers.bound, self._offered
        self._offered += len(rows)
        if bound == ENDED:
            ingress = replace(ingress, ended=not self._expects_producers)
        elif bound > bound_of(ingress):
            ingress, _ = ingress.with_bound(int(bound))
        refused = [
            replace(each, place=first + each.place, fed=free[each.place].place) for each in refused
        ]
        return ingress, retained, refused


def _key(producer: str | None) -> str:
    """The key of a producer that is not a statement; statements have their name as their key.

    The key differs from any statement's name. ``producer`` None is the session's own input.
    """
    return _DIRECT if producer is None else f"producer {producer}"
