"""What happens to a database: its state is the result of these events, in their order."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from algebra.catalog import Catalog, QualifiedName
from algebra.wire import Wire
from reference.relation import Relation


@dataclass(frozen=True, slots=True)
class Defined:
    """A statement of DDL, and the schema in which its names are looked up."""

    sql: str
    schema: QualifiedName = ()


@dataclass(frozen=True, slots=True)
class Begun:
    """A standing INSERT or UPSERT without a name; it runs until what it reads or feeds is dropped.

    ``parameters`` are the values of its ``?`` on the wire.
    """

    number: int
    sql: str
    schema: QualifiedName = ()
    parameters: tuple[Wire, ...] = ()


@dataclass(frozen=True, slots=True)
class Opened:
    """A producer of a stream opens; its ``number`` is that of no other producer or statement."""

    stream: QualifiedName
    number: int


@dataclass(frozen=True, slots=True)
class Sent:
    """A producer sends rows; they may be late."""

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
    """Rows that a table has accepted; with ``upsert`` each takes the place of that of its key."""

    table: QualifiedName
    rows: Relation
    upsert: bool = False


@dataclass(frozen=True, slots=True)
class Replaced:
    """The contents of a table after UPDATE, DELETE or MERGE."""

    table: QualifiedName
    rows: Relation


@dataclass(frozen=True, slots=True)
class Reported:
    """A failure outside of the engine that its trace shows: of an adapter, or a row of its own.

    ``object`` is the stream at fault, ``number`` that of its producer or reader.
    """

    object: QualifiedName | None
    number: int
    code: str
    text: str


Event: TypeAlias = (
    Defined | Begun | Opened | Sent | Bounded | Closed | Inserted | Replaced | Reported
)


class Journal(Protocol):
    """Where the events of a database are kept, so that it can be taken up again."""

    def append(self, event: Event, now: int, catalog: Catalog) -> None:
        """Keep an event for good, before it is carried out. Raises `OSError`."""
        ...

    def events(self, catalog: Callable[[], Catalog], /) -> Iterator[tuple[Event, int]]:
        """The events that are kept, each with its clock; ``catalog`` is that before it."""
        ...

    def close(self) -> None:
        """Release the journal."""
        ...
