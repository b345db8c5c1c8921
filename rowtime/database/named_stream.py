"""A named stream: its producers, merged by rowtime, its ingress and its history (S-603)."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from algebra.catalog import Stream
from grammar.codes import Code
from grammar.source import SqlError
from reference.dml.statements import Refusal, accepted_rows
from reference.engine.history_scan import horizon, is_retained
from reference.environment import Environment
from reference.incremental.standing.named_stream import Producers, Sent, bound_of, time_of
from reference.incremental.train import ENDED
from reference.ingress import Dropped, Fault, Ingress, ingress_of
from reference.relation import Relation, Row
from reference.snapshot import stateful
from reference.values import failure, integer

#: The number of retained rows up to which no search for unneeded rows of the history is made.
_FEW: int = 64


@dataclass(slots=True)
class Passed:
    """The effects of an event on a stream.

    ``rows`` has the rows that enter the stream, in order.  ``dropped`` has the rows that the
    ingress of the sending producer drops: their places among the sent rows, and the reasons.
    ``refused`` has rows that passed the ingress of their producer, but not that of the stream.
    """

    rows: Relation = ()
    refused: Sequence[Refusal] = ()
    dropped: Sequence[tuple[int, Dropped]] = ()


@stateful
class NamedStream:
    """The state of one stream.

    Each producer has its own ingress, which begins with the state of the stream's ingress.  A row
    passes the ingress of its producer, and waits until no other open producer can send an earlier
    row.  Then it enters the stream through the stream's ingress.  If all producers have closed, the
    stream keeps its bound.
    """

    def __init__(self, source: Stream, env: Environment) -> None:
        self.source = source
        self.ingress = ingress_of(source)
        self.history = History()
        self.passed = 0  # rows that have entered
        self.dropped = 0  # rows, late or bad
        self._accept = env.forms.ingress(self.ingress, env)
        self._producers = Producers(())
        self._own: dict[int, Ingress] = {}  # of each open producer, by its number

    def fresh_part(self) -> Ingress:
        """An ingress without rows, for a producer that is read from a checkpoint.

        `reference.snapshot.restored` calls this for each saved producer, and sets its fields.
        """
        return ingress_of(self.source)

    def open(self, number: int) -> None:
        """Open a producer.  It begins with the stream's bound, as if it had reported it.

        The producer itself has promised nothing, so `broken_promise` does not apply to this bound.
        """
        self._own[number] = replace(self.ingress, promised=None)
        self._producers.send(str(number), (), bound_of(self.ingress))

    def is_open(self, number: int) -> bool:
        """Whether the producer with this number is open."""
        return number in self._own

    @property
    def open_numbers(self) -> list[int]:
        """The numbers of the open producers; statements are not among them."""
        return list(self._own)

    def send(self, number: int, rows: Relation) -> Passed:
        """Take rows of a producer: check them at its ingress, and forward the accepted ones."""
        own, accepted, refused = accepted_rows(self._own[number], rows, self._accept)
        self._own[number] = own
        passed = self.forward(number, accepted, bound_of(own))
        passed.dropped = [(each.place, each.dropped) for each in refused]
        return passed

    def set_bound(self, number: int, at: int) -> Passed:
        """Take a bound of a producer, and let the rows enter that waited for it.

        A bound below the producer's last bound is ignored (`check_bound`).
        """
        self._own[number], error = self._own[number].with_bound(at)
        return Passed() if error else self.forward(number, (), bound_of(self._own[number]))

    def check_bound(self, number: int, at: int) -> SqlError | None:
        """The error BOUND_BACKWARDS if ``at`` is below the producer's own bound; else None."""
        return self._own[number].with_bound(at)[1]

    def broken_promise(self, number: int, row: Row, dropped: Dropped) -> SqlError | None:
        """The error BEHIND_OWN_BOUND if a dropped row is below the bound that its producer has set.

        None for any other dropped row.
        """
        own = self._own[number]
        # The place of the rowtime is -1 if the stream has none.
        if dropped.fault is not Fault.LATE or own.promised is None or own.rowtime < 0:
            return None
        if integer(row[own.rowtime]) >= own.promised:
            return None
        name = ".".join(self.source.name)
        hint = "send rows at or above the bound that was set"
        message = f"a row of {name} is below the bound that its producer has set"
        return failure(Code.BEHIND_OWN_BOUND, message, hint)

    def close(self, number: int) -> Passed:
        """Close a producer: rows that waited for it enter the stream."""
        del self._own[number]
        return self.forward(number, (), ENDED)

    def forward(self, number: int, rows: Relation, bound: float) -> Passed:
        """Take accepted rows of a producer or standing statement, and the bound of its later rows.

        The rows that need not wait for other producers enter the stream.  The bound `ENDED` closes
        the producer.
        """
        timed = [(time_of(row, self.ingress.rowtime), Sent(row)) for row in rows]
        merged = self._producers.send(str(number), timed, bound)
        if bound == ENDED:
            merged += self._producers.close(str(number))
        entering = [each.row for each in merged]
        self.ingress, accepted, refused = accepted_rows(self.ingress, entering, self._accept)
        bound = self._producers.bound
        if bound > bound_of(self.ingress):
            self.ingress, _ = self.ingress.with_bound(int(bound))
            # The bound follows from the producers' bounds, so it is not a promise of the stream.
            self.ingress = replace(self.ingress, promised=None)
        self.passed += len(accepted)
        return Passed(accepted, refused)

    def pending(self, number: int) -> int:
        """The number of rows of a producer that wait for other producers."""
        return self._producers.pending(str(number))

    def slowest(self, number: int) -> int | None:
        """The other producer with the least bound; None if there is no other one."""
        name = self._producers.slowest(str(number))
        return None if name is None else int(name)

    def retain(self, arrival: int, rows: Relation) -> None:
        """Retain accepted rows in the history of a stream that has one."""
        self.history.add(self.ingress, arrival, rows)


@stateful
@dataclass(slots=True)
class History:
    """The retained rows of a stream, each with the number of the event in which it arrived.

    Rows older than the declared history are evicted some time later.  ``expired`` is the greatest
    rowtime of evicted rows, in milliseconds; None if no row was evicted.  From the event with the
    number ``complete_from`` on, no row was evicted.
    """

    rows: list[tuple[int, Row]] = field(default_factory=list[tuple[int, Row]])
    expired: int | None = None
    complete_from: int = 0
    _next_look: int = _FEW  # the number of rows at which old rows are searched again

    def add(self, ingress: Ingress, arrival: int, rows: Relation) -> None:
        """Retain rows of an event; ``ingress`` is the state after them."""
        self.rows += [(arrival, row) for row in rows]
        # Old rows are searched only when the number of rows has doubled.  So the average cost of a
        # row does not depend on the number of rows.
        if horizon(ingress) is not None and len(self.rows) >= self._next_look:
            self._expire(ingress)
            self._next_look = max(_FEW, 2 * len(self.rows))

    def _expire(self, ingress: Ingress) -> None:
        """Evict the rows that are older than the declared history."""
        retained: list[tuple[int, Row]] = []
        for arrival, row in self.rows:
            time = integer(row[ingress.rowtime])
            if is_retained(time, ingress):
                retained.append((arrival, row))
            else:
                self.expired = time if self.expired is None else max(time, self.expired)
                self.complete_from = max(self.complete_from, arrival + 1)
        self.rows = retained

    def since(self, arrival: int) -> list[tuple[int, Row]] | None:
        """The rows of the event ``arrival`` and of later ones; None if some were evicted."""
        if arrival < self.complete_from:
            return None
        return [each for each in self.rows if each[0] >= arrival]
