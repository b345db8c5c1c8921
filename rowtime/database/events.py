"""The events of a database: its state is the result of these events, in their order."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from algebra.catalog import Catalog, QualifiedName
from algebra.wire import Wire
from reference.relation import Relation
from reference.relational.changelog import WeightedRows
from reference.snapshot import Json


@dataclass(frozen=True, slots=True)
class Defined:
    """A statement of DDL, and the schema in which its names are looked up."""

    sql: str
    schema: QualifiedName = ()


@dataclass(frozen=True, slots=True)
class Begun:
    """A standing INSERT or UPSERT without a name; it runs until one of its relations is dropped.

    ``parameters`` has the values of its ``?`` in the form of the protocol.
    """

    number: int
    sql: str
    schema: QualifiedName = ()
    parameters: tuple[Wire, ...] = ()


@dataclass(frozen=True, slots=True)
class Opened:
    """A producer of a stream opens; no other producer or statement has its ``number``."""

    stream: QualifiedName
    number: int


@dataclass(frozen=True, slots=True)
class Sent:
    """A producer sends rows, which can be late."""

    stream: QualifiedName
    number: int
    rows: Relation


@dataclass(frozen=True, slots=True)
class Bounded:
    """A producer promises that no later row of its own is below ``at``, in milliseconds."""

    stream: QualifiedName
    number: int
    at: int


@dataclass(frozen=True, slots=True)
class Closed:
    """A producer closes."""

    stream: QualifiedName
    number: int


@dataclass(frozen=True, slots=True)
class Inserted:
    """Rows that a table has accepted; with ``upsert`` each replaces the row of its key."""

    table: QualifiedName
    rows: Relation
    upsert: bool = False


@dataclass(frozen=True, slots=True)
class Changed:
    """Changes of the rows of a stream WITH CHANGES: inserts of weight 1 and deletes of weight -1.

    All of them are valid when they are carried out in this order.
    """

    table: QualifiedName
    changes: WeightedRows


@dataclass(frozen=True, slots=True)
class Replaced:
    """The rows of a table are replaced by ``rows``, the result of UPDATE, DELETE or MERGE."""

    table: QualifiedName
    rows: Relation


@dataclass(frozen=True, slots=True)
class Reported:
    """A failure of an adapter, or of one of its rows, which the trace reports.

    ``object`` is the stream at fault; None if a query has failed.  ``number`` is the number of the
    producer or reader.
    """

    object: QualifiedName | None
    number: int
    code: str
    text: str


@dataclass(frozen=True, slots=True)
class Ticked:
    """The session's clock has advanced; nothing else has happened."""


Event: TypeAlias = (
    Defined
    | Begun
    | Opened
    | Sent
    | Bounded
    | Closed
    | Inserted
    | Changed
    | Replaced
    | Reported
    | Ticked
)


#: A part of a checkpoint, which is the state between two events: the kind of the part, such as
#: "table", and its content.
Part: TypeAlias = tuple[str, Json]


class Journal(Protocol):
    """The storage of a database, from which it can be restored: a checkpoint and later events.

    Events have numbers from 0.  All methods raise `OSError` if they fail.
    """

    def append(self, number: int, event: Event, now: int, catalog: Catalog) -> None:
        """Store an event durably, before it is applied; ``catalog`` has the types of its rows."""
        ...

    @property
    def wants_checkpoint(self) -> bool:
        """Whether there are enough events since the last checkpoint to write another one."""
        ...

    def keep_checkpoint(
        self, events: int, definitions: Collection[int], parts: Iterable[Part]
    ) -> None:
        """Replace the first ``events`` events by the state after them, which has these ``parts``.

        The events whose numbers are in ``definitions`` stay: they are statements of DDL.  If this
        fails, also because ``parts`` raises an error, the journal is unchanged.
        """
        ...

    def checkpoint(self) -> tuple[Mapping[int, Defined], Iterable[Part]] | None:
        """The definitions before the last checkpoint, by their numbers, and the parts of it.

        None if there was no checkpoint.
        """
        ...

    def events(self, catalog: Callable[[], Catalog], /) -> Iterator[tuple[Event, int]]:
        """The events since the last checkpoint, each with the time of the session's clock.

        ``catalog`` returns the catalog before the next event, by which the event's rows are read.
        """
        ...

    def close(self) -> None:
        """Release the journal."""
        ...

    def leave_to_parent(self) -> None:
        """In the child of a fork: never touch the storage again, which the parent uses."""
        ...
