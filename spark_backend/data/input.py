"""The senders of rows to a table or stream."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from algebra.catalog import Stream, Table, row_type_of
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
class Input:
    """A sender of rows to a table or stream: its ingress, and the rows not yet validated.

    ``pending``: rows of the right types.  ``sent`` are the accepted rows of a producer that are not
    merged yet; None: this is the session's own input, whose rows go to the contents.  ``begun``: a
    row or a bound has been accepted.  ``merges``: producers have opened in addition to it,
    and others may until it ends.
    """

    relation: Table | Stream
    ingress: Ingress
    pending: list[Arrived] = field(default_factory=list[Arrived])
    sent: RowBuffer | None = None
    begun: bool = False
    merges: bool = False
    #: The function from a row on the wire to its values.
    read: Callable[[WireRow], Row] = field(init=False)
    #: The places of columns that a row on the wire may leave out.
    implicit: Sequence[int] = field(init=False)

    def __post_init__(self) -> None:
        """Compute what is the same for all rows."""
        columns = self.relation.columns
        self.read = row_reader(types_of(row_type_of(self.relation)))
        self.implicit = [place for place, each in enumerate(columns) if each.implicit]
