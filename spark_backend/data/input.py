"""The senders of rows to a table or stream.

The session is one sender to each table and stream.  A stream can have further senders: the named
producers that events open, whose rows are merged with each other by rowtime (S-603).
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from algebra.catalog import Catalog, Stream, Table, row_type_of
from algebra.types import Type
from algebra.wire import WireRow
from spark_backend.data.ingress import Ingress, row_reader
from spark_backend.data.row_buffer import RowBuffer
from spark_backend.relation import types_of
from spark_backend.types import Row


class Arrived(NamedTuple):
    """A row on the wire, its values, and its place among all rows fed to its table or stream."""

    wire: WireRow
    row: Row
    place: int


@dataclass(slots=True)
class Arrivals:
    """Rows on the wire, in order of arrival, with their values and their places as in `Arrived`.

    They are three lists, because a million records of one row each would take a second.
    """

    wire: list[WireRow] = field(default_factory=list[WireRow])
    rows: list[Row] = field(default_factory=list[Row])
    places: list[int] = field(default_factory=list[int])

    @staticmethod
    def of(arrived: Iterable[Arrived]) -> "Arrivals":
        """The rows ``arrived`` as one batch."""
        found = Arrivals()
        for each in arrived:
            found.append(each)
        return found

    def append(self, arrived: Arrived) -> None:
        """Append a row."""
        self.wire.append(arrived.wire)
        self.rows.append(arrived.row)
        self.places.append(arrived.place)

    def extend(self, wire: Sequence[WireRow], rows: Sequence[Row], first: int) -> None:
        """Append rows whose places follow one another from ``first`` on."""
        self.wire += wire
        self.rows += rows
        self.places += range(first, first + len(wire))


@dataclass(slots=True)
class Input:
    """A sender of rows to a table or stream: its ingress, and the rows not yet validated.

    ``pending``: rows of the right types.  ``sent``: if this is a producer, its accepted rows, which
    wait to be merged with those of other producers; None if this is the session, whose accepted
    rows are stored in the `Contents` at once.  ``begun``: a row or a bound has been accepted.
    ``merges``: this is the session, and at least one producer of the stream was opened.
    """

    relation: Table | Stream
    ingress: Ingress
    pending: Arrivals = field(default_factory=Arrivals)
    sent: RowBuffer | None = None
    begun: bool = False
    merges: bool = False
    #: The types of the columns.
    types: tuple[Type, ...] = field(init=False)
    #: Returns the values of a row on the wire.
    read: Callable[[WireRow], Row] = field(init=False)
    #: The places of columns that a row on the wire may leave out.
    implicit: Sequence[int] = field(init=False)

    def __post_init__(self) -> None:
        """Compute what is the same for all rows."""
        columns = self.relation.columns
        self.types = types_of(row_type_of(self.relation))
        self.read = row_reader(self.types)
        self.implicit = [place for place, each in enumerate(columns) if each.implicit]


def relation_named(catalog: Catalog, name: str) -> Table | Stream:
    """The table or stream with that dotted name; `KeyError` if there is none."""
    for found in catalog.objects.values():
        if ".".join(found.name) == name and isinstance(found, Table | Stream):
            return found
    raise KeyError(f"there is no table or stream {name}")
