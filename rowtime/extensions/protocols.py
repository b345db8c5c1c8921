"""Extensions of the embedded engine: the protocols that a user's class must have.

They are `Function` (a scalar function), `TableFunction` (from a stream to a stream) and `Adapter`
(a producer of a stream).  The others are protocols of objects that these take or return.

Values are those of the driver (docs/engine.md, "Values"); a time is a datetime in UTC, without a
time zone.  An exception of an extension ends the query, pump or adapter that uses it, with the
error EXTERNAL_ROUTINE and its text; other queries, pumps and adapters continue.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from threading import Event
from typing import Any, Protocol, TypeAlias, runtime_checkable

#: A row to be sent: its values in the order of the columns, or by the columns' names.
SentRow: TypeAlias = Sequence[object] | Mapping[str, object]


@dataclass(frozen=True, slots=True)
class InputColumn:
    """A column of a table function's input; ``type`` is written as in SQL, ``INTEGER NOT NULL``."""

    name: str
    type: str
    is_rowtime: bool


class Function(Protocol):
    """A scalar function: a callable of the parameters' values, which is called row by row.

    ``signature`` is written as in CREATE FUNCTION: ``TWICE(x INTEGER) RETURNS INTEGER``. The
    function is not called if an argument is NULL: the result is then NULL. It must return the same
    value for the same arguments.
    """

    @property
    def signature(self) -> str:
        """Name, parameters and result type."""
        ...

    def __call__(self, *args: Any, **kwargs: Any) -> object:  # Any: each of its parameter's type
        """Call the function; return a value of the result type, or None for NULL."""
        ...


class RowSink(Protocol):
    """The receiver of rows of a stream, in the order of their rowtimes."""

    def send_row(self, row: SentRow) -> None:
        """Send a row."""
        ...

    def send_rowtime_bound(self, at: datetime) -> None:
        """Promise that no later row has a rowtime below ``at``."""
        ...


class Transform(Protocol):
    """A running call of a table function: it gets the rows and bounds of its input in order.

    The bounds of its output are its own: those of its input are not passed on (RTB-066).
    """

    def take_row(self, row: tuple[Any, ...], sink: RowSink) -> None:  # Any: of its column's type
        """Take a row of the input."""
        ...

    def take_rowtime_bound(self, at: datetime, sink: RowSink) -> None:
        """Learn that no later row of the input has a rowtime below ``at``."""
        ...


@runtime_checkable
class Restorable(Protocol):
    """A `Transform` whose state can be stored in the file of a database.

    A database file with a transform that is not restorable keeps all events since the file was
    created, and runs them again when it is opened.
    """

    def state(self) -> object:
        """Its whole state: values of the driver, and tuples, lists and dicts of them."""
        ...

    def restore(self, state: Any, /) -> None:  # Any: the result of `state`
        """Continue with the state of another transform that was started with the same arguments."""
        ...


class TableFunction(Protocol):
    """A function that reads a stream and writes one: ``TABLE(F(stream, arguments))``.

    ``signature`` has the parameters after the stream: ``SESSIONS(key VARCHAR)``.
    """

    @property
    def signature(self) -> str:
        """Name and parameters."""
        ...

    def columns(self, input: Sequence[InputColumn], /, *args: Any, **kwargs: Any) -> str:
        """The columns of the output for this input, as text between the brackets of CREATE STREAM.

        ``args`` are the arguments of the call, after the stream.

        Raises `ValueError` for arguments that contradict each other.
        """
        ...

    def start(self, input: Sequence[InputColumn], /, *args: Any, **kwargs: Any) -> Transform:
        """Start a call in a query; the result gets the rows and bounds of the input."""
        ...


@runtime_checkable
class Adapter(Protocol):
    """A producer of a stream that the engine runs on a thread of its own."""

    def run(self, sink: RowSink, stopped: Event) -> None:
        """Send rows and bounds until there are no more, or ``stopped`` is set."""
        ...
