"""The protocol: what a backend is asked, and what it answers.

In Python a backend is a class with the methods of `Backend`; the messages are frozen records of
plain values, so that the same conversation can be held in JSON.

**Values on the wire**, by the SQL type of their column; NULL is ``None``:

=====================  ==========================================================================
BOOLEAN                ``True``, ``False``
integers               ``int``
DECIMAL                text, ``'0.25'``; a backend also takes an ``int``
REAL, DOUBLE           ``float`` (or ``int``); ``'NaN'``, ``'Infinity'``, ``'-Infinity'`` as text
CHAR, VARCHAR          ``str``
VARBINARY              text of hexadecimal digits
DATE                   ``'2015-02-15'``
TIME                   ``'10:17:00'``, with ``.fff`` where the milliseconds are not zero
TIMESTAMP              ``'2015-02-15 10:17:00'``, with ``.fff`` where they are not zero
INTERVAL               the text of its literal in the column's own fields: ``'1:30'`` for HOUR TO
                       MINUTE, ``'-5'``, ``'1 02:03:04.500'``; a fraction only where not zero
=====================  ==========================================================================

Names of objects are as catalogued: ``ORDERS``, or ``SALES.ORDERS`` in a schema.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, Protocol, TypeAlias

#: A value on the wire.
Wire: TypeAlias = bool | int | float | str | None
WireRow: TypeAlias = tuple[Wire, ...]

#: What a backend promises of *when* rows come; each includes the ones before.
Tier: TypeAlias = Literal["final", "bounded", "exact"]
TIERS: Final[tuple[Tier, ...]] = ("final", "bounded", "exact")


@dataclass(frozen=True, slots=True)
class Hello:
    """Who answers.

    ``gaps`` are the capabilities it lacks, each with the reason: a case that needs one is skipped.
    """

    name: str
    version: str
    language: str
    tier: Tier
    profiles: tuple[str, ...]
    gaps: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Open:
    """One query, on a catalog of its own: ``ddl`` is a script that is run first.

    ``ddl`` may hold CREATE statements, INSERT … VALUES and other relational DML, standing INSERTs
    and pumps.  ``sql`` is one query, streaming or not; None: the DDL alone is judged.
    """

    ddl: str
    sql: str | None
    profile: str = "calcite"


@dataclass(frozen=True, slots=True)
class ColumnInfo:
    """A column of the result: name, SQL type (``DECIMAL(10, 2)``), whether it may hold NULL."""

    name: str
    type: str
    nullable: bool


@dataclass(frozen=True, slots=True)
class Accepted:
    """The query is legal.

    ``monotonicity`` is by column name, for backends that deduce it: CONSTANT, INCREASING,
    STRICTLY_INCREASING, DECREASING, STRICTLY_DECREASING, NOT_MONOTONIC.  ``metadata`` is text for
    ``collation``, ``sortable``, ``latency`` and ``state`` (S-408), for those that deduce them.
    """

    streaming: bool
    columns: tuple[ColumnInfo, ...]
    monotonicity: Mapping[str, str] = field(default_factory=dict[str, str])
    metadata: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Refused:
    """The query is not legal, or failed at run time.

    ``code`` is contract (``NO_MONOTONIC_KEY``); ``at`` is the half-open range of code points of the
    guilty text, in ``sql`` or (``in_ddl``) in ``ddl``; ``message`` and ``hint`` are wording, and
    ``rendered`` the whole error as a person reads it.
    """

    code: str
    message: str
    at: tuple[int, int] = (0, 0)
    in_ddl: bool = False
    hint: str = ""
    rendered: str = ""


@dataclass(frozen=True, slots=True)
class Load:
    """Contents of a table, or of a stream's history, from before the first event."""

    object: str
    rows: tuple[WireRow, ...]


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows that arrive at an input, in this order."""

    input: str
    rows: tuple[WireRow, ...]


@dataclass(frozen=True, slots=True)
class Bound:
    """No later row of this input is below ``at`` (a timestamp); strict: nor at it."""

    input: str
    at: str
    strict: bool = False


@dataclass(frozen=True, slots=True)
class Now:
    """The session's clock stands at ``at`` from here on (S-106)."""

    at: str


@dataclass(frozen=True, slots=True)
class End:
    """End of one input, or of all (None)."""

    input: str | None = None


Event: TypeAlias = Load | Rows | Bound | Now | End


@dataclass(frozen=True, slots=True)
class LateRow:
    """A row that was dropped at entry: its input, itself, its place there from 0, and why.

    ``code`` is ``LATE``, or ``BAD_ROW`` for a wrong width or type, a NULL in a monotonic column, a
    broken CHECK (S-301, S-601).
    """

    input: str
    row: WireRow
    place: int
    code: str
    reason: str


@dataclass(frozen=True, slots=True)
class State:
    """What a query holds: rows of its inputs, and groups, each one once however it is kept."""

    rows: int
    groups: int


@dataclass(frozen=True, slots=True)
class Output:
    """What has come out since the last poll.

    ``rows`` in the order of emission.  ``bound``: after these rows, none is below it; ``end`` after
    the end; None: nothing is known.  ``error``: the query failed, and gives nothing more.
    ``state``: what is held after these rows; None: not counted.
    """

    rows: tuple[WireRow, ...] = ()
    bound: str | None = None
    late: tuple[LateRow, ...] = ()
    error: Refused | None = None
    state: State | None = None


class Backend(Protocol):
    """A conversation: ``start``; for each query ``open``, events and polls, ``close``; ``stop``.

    A backend of tier ``final`` may keep its rows back until the first poll after ``End``.  A
    relational query answers at that poll, too.
    """

    def start(self) -> Hello:
        """Make ready, and say who you are."""
        ...

    def open(self, request: Open) -> Accepted | Refused:
        """Judge a query; if it is accepted, events and polls are about it until ``close``."""
        ...

    def feed(self, event: Event) -> None:
        """Take an event.  What is wrong with its rows is said in the next poll's ``late``."""
        ...

    def poll(self) -> Output:
        """What came out since the last poll."""
        ...

    def explain(self, row: int | None = None) -> str:
        """For a person: the plan of the open query; or why a row was emitted.

        ``row`` is the row's place among all that the query has given, from 0.  The reason names the
        input rows, the window, and the event that released it.  Both may be empty.
        """
        ...

    def close(self) -> None:
        """Forget the query."""
        ...

    def stop(self) -> None:
        """Give back all resources."""
        ...
