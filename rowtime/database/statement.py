"""A standing statement of a database: a pump, or an INSERT of a streaming query without a name.

A standing statement writes the rows of its query until it is stopped.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from algebra.catalog import QualifiedName
from algebra.modify import Insert
from algebra.parts.mentions import read_names, reads_clock
from grammar.source import SqlError
from reference.environment import Environment
from reference.incremental.standing.pump import requested_bounds
from reference.ingress import Ingress
from reference.relation import Row
from rowtime.database.events import Begun
from rowtime.database.flows.changelog_flow import ChangelogFlow
from rowtime.database.flows.query_flow import QueryFlow
from rowtime.database.flows.running_query import start_query
from rowtime.database.named_stream import NamedStream


@dataclass(frozen=True, slots=True)
class Position:
    """The place in a stream at which a statement was stopped, and where it can continue.

    ``event`` is the number of the first event that the statement has not read.  ``passed`` counts
    the rows that had entered the stream, and ``ingress`` is its ingress at that time.
    """

    event: int
    passed: int
    ingress: Ingress


@dataclass(frozen=True, slots=True)
class Failure:
    """The error that ended a statement; its code is a run-time one (S-801), or `INTERNAL_ERROR`."""

    code: str
    message: str


def failure_of(error: Exception) -> Failure:
    """The failure of a statement that has raised ``error``."""
    if isinstance(error, SqlError):
        return Failure(str(error.code), error.message)
    return Failure("INTERNAL_ERROR", f"rowtime has failed with {error!r}")


@dataclass(slots=True)
class Statement:
    """A standing statement and the state of its operators.

    - ``env`` has the values of its parameters.
    - ``name`` is the name of a pump; None for an INSERT without a name.
    - ``begun`` is the event that has begun an INSERT without a name.
    - ``resolved_at`` is the number of the event at which its names were resolved.
    - ``failure`` is the error that has ended it.
    - ``taken`` and ``sent`` count the rows that it has read and written.
    - ``positions`` has the places at which it was stopped, by the streams that it reads.  None: it
      has not run, or has failed, so it starts as a new statement.
    - ``due``: its changelog must be computed at the end of this event, even if no input changes.
    - ``flow`` has its operators.
    - ``reads`` has the names of the streams and tables that it reads.
    - ``ticks``: it reads the session's clock.
    """

    number: int
    insert: Insert
    env: Environment
    name: QualifiedName | None
    resolved_at: int
    begun: Begun | None = None
    running: bool = False
    failure: Failure | None = None
    taken: int = 0
    sent: int = 0
    positions: dict[QualifiedName, Position] | None = None
    due: bool = False
    flow: QueryFlow | ChangelogFlow = field(init=False)
    reads: frozenset[QualifiedName] = field(init=False)
    ticks: bool = field(init=False)

    def __post_init__(self) -> None:
        """Create the operators."""
        self.ticks = reads_clock(self.insert.input)
        self.reads = read_names(self.insert.input)
        self.restart()

    def restart(self) -> None:
        """Reset the operators to their initial state, without positions and failure."""
        self.flow = start_query(self.insert.input, self.env, requested_bounds(self.insert.target))
        self.positions = None
        self.failure = None

    @property
    def target(self) -> QualifiedName:
        """The name of the stream or table that the statement feeds."""
        return self.insert.target.name

    @property
    def changelog(self) -> ChangelogFlow | None:
        """The operators of a statement with EMIT CHANGES; None for any other statement."""
        return self.flow if isinstance(self.flow, ChangelogFlow) else None

    def stop(self, event: int, streams: Mapping[QualifiedName, NamedStream]) -> None:
        """Stop before the event with this number, and store the position in each stream."""
        self.running = False
        self.positions = {
            name: Position(event, streams[name].passed, streams[name].ingress)
            for name in sorted(self.reads)
            if name in streams
        }

    def missed(
        self, streams: Mapping[QualifiedName, NamedStream]
    ) -> list[tuple[int, QualifiedName, Row]] | None:
        """The rows that have entered the statement's streams since it was stopped.

        Each has the number of its event, by which the rows are ordered, and the name of its stream.
        None if the histories do not have all of these rows.
        """
        rows: list[tuple[int, QualifiedName, Row]] = []
        for name, position in (self.positions or {}).items():
            stream = streams[name]
            if stream.passed == position.passed:
                continue
            since = stream.history.since(position.event)
            if since is None or len(since) != stream.passed - position.passed:
                return None
            rows += [(event, name, row) for event, row in since]
        return sorted(rows, key=lambda each: each[0])
