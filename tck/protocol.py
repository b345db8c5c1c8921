"""The protocol between the kit and a backend: requests, events, answers, and their values.

In Python a backend is a class with the methods of `Backend`.  The messages are frozen records of
plain values, so that the same messages can be sent as JSON.

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

#: Marks a field that was added after version 1.  It is left out of a message if it has its default,
#: so that conversations without the feature stay the same.
ADDED: Final = {"added": True}

#: The promise of a backend about *when* rows are emitted.  Each tier includes the tiers before it.
Tier: TypeAlias = Literal["final", "bounded", "exact"]
TIERS: Final[tuple[Tier, ...]] = ("final", "bounded", "exact")


#: The promise of a backend about the folds of a changelog: the rows that remain after all changes
#: so far.  Each tier includes the tiers before it.
Consistency: TypeAlias = Literal["eventual", "prefix", "consistent"]
#: By the tier of rows: the tier of changelogs that belongs to it (S-1003).
CONSISTENCY: Final[Mapping[Tier, Consistency]] = {
    "final": "eventual",
    "bounded": "prefix",
    "exact": "consistent",
}

#: How queries spell group windows: by functions in GROUP BY, or by table functions in FROM.
WindowSpelling: TypeAlias = Literal["functions", "table-functions"]
#: Which of the two intervals of HOP stands first.
HopOrder: TypeAlias = Literal["step-first", "size-first"]


@dataclass(frozen=True, slots=True)
class Hello:
    """A backend's name, version and language, its tier, and the profiles that it supports.

    ``gaps`` maps each capability that it lacks to the reason: a case that needs one is skipped.
    ``properties`` are spans of time by name (`tck.wire.properties`), such as ``50 ms``.
    ``consistency`` is the tier of its changelogs; None: the one that `CONSISTENCY` has for
    ``tier``.  ``windows`` is the spelling in which the kit sends a query with a group window, if
    the query can be written in both (`tck.wire.window_spelling`).  ``hop`` is the order in which
    the intervals of HOP are sent.
    """

    name: str
    version: str
    language: str
    tier: Tier
    profiles: tuple[str, ...]
    gaps: Mapping[str, str] = field(default_factory=dict[str, str])
    properties: Mapping[str, str] = field(default_factory=dict[str, str], metadata=ADDED)
    windows: WindowSpelling = field(default="functions", metadata=ADDED)
    consistency: Consistency | None = field(default=None, metadata=ADDED)
    hop: HopOrder = field(default="step-first", metadata=ADDED)


@dataclass(frozen=True, slots=True)
class Open:
    """One query on a catalog of its own, which the script ``ddl`` makes first.

    ``ddl`` may hold CREATE statements, INSERT … VALUES and other relational DML, standing INSERTs
    and pumps.  ``sql`` is one query, streaming or not; None: only the script is judged.
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
    """The answer to a legal query: whether it is streaming, and its columns in order.

    ``monotonicity`` maps column names to CONSTANT, INCREASING, STRICTLY_INCREASING, DECREASING,
    STRICTLY_DECREASING or NOT_MONOTONIC; ``metadata`` maps ``collation``, ``sortable``, ``latency``
    and ``state`` to texts (S-408).  Both are empty from a backend that does not deduce them.
    ``key`` has the places, from 0, of the key columns of a changelog whose changes are upserts; ()
    if the result has at most one row.  None: the changes insert and delete whole rows (S-1002).
    """

    streaming: bool
    columns: tuple[ColumnInfo, ...]
    monotonicity: Mapping[str, str] = field(default_factory=dict[str, str])
    metadata: Mapping[str, str] = field(default_factory=dict[str, str])
    key: tuple[int, ...] | None = field(default=None, metadata=ADDED)


@dataclass(frozen=True, slots=True)
class Refused:
    """The error of a query that is not legal, or that failed at run time.

    ``code``, such as ``NO_MONOTONIC_KEY``, is part of the contract.  ``at`` is the half-open range
    of code points at fault: in the request's ``sql``, or in its ``ddl`` if ``in_ddl``.  ``message``
    and ``hint`` can have any wording, and ``rendered`` is the whole error as users see it.
    """

    code: str
    message: str
    at: tuple[int, int] = (0, 0)
    in_ddl: bool = False
    hint: str = ""
    rendered: str = ""


@dataclass(frozen=True, slots=True)
class Unsupported:
    """The answer to a query or an event that the backend does not implement, legal or not.

    ``reason`` names the missing feature, in the same words for each query or event that needs it:
    ``no HOP``.  ``gaps`` may name the capabilities that are missing.  The case is skipped, and
    counted as missing.  After this answer to an event the kit closes the query.
    """

    reason: str
    gaps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Load:
    """Contents of a table, or of a stream's history, from before the first event."""

    object: str
    rows: tuple[WireRow, ...]


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows that arrive at an input, in this order.

    ``producer`` is the open producer that sends them; None: the session itself does.  ``weights``
    has a number for each row of a stream WITH CHANGES: 1 for an insert, -1 for a delete (S-1005).
    Empty: all rows are inserts.
    """

    input: str
    rows: tuple[WireRow, ...]
    producer: str | None = field(default=None, metadata=ADDED)
    weights: tuple[int, ...] = field(default=(), metadata=ADDED)


@dataclass(frozen=True, slots=True)
class Bound:
    """A bound (watermark) of an input: no later row is below ``at``; strict: nor equal to it.

    ``producer`` is the open producer that promises it for its own rows; None: the session itself.
    """

    input: str
    at: str
    strict: bool = False
    producer: str | None = field(default=None, metadata=ADDED)


@dataclass(frozen=True, slots=True)
class OpenProducer:
    """A producer of a stream opens; no other open producer of the stream has its name (S-603).

    Its bound starts at the stream's bound.  From then on, the stream does not emit rows of other
    producers before the bound of this producer has passed them.
    """

    input: str
    producer: str


@dataclass(frozen=True, slots=True)
class CloseProducer:
    """An open producer closes: it sends no more rows, and rows no longer wait for it (S-603)."""

    input: str
    producer: str


def sender(input: str, producer: str | None) -> str:
    """The sender of an event, as messages name it: the input, or ``ORDERS from p1``."""
    return input if producer is None else f"{input} from {producer}"


@dataclass(frozen=True, slots=True)
class Now:
    """The session's clock is set to ``at``, a timestamp; it stays until the next `Now` (S-106)."""

    at: str


@dataclass(frozen=True, slots=True)
class Elapse:
    """Wall-clock time passes: ``span``, such as ``10 s``.  It causes no output (S-106.b)."""

    span: str


@dataclass(frozen=True, slots=True)
class End:
    """The end of one input, with all its open producers; None: of all inputs."""

    input: str | None = None


Event: TypeAlias = Load | Rows | Bound | OpenProducer | CloseProducer | Now | Elapse | End


def weighted(rows: tuple[WireRow, ...], weights: tuple[int, ...]) -> list[tuple[WireRow, int]]:
    """Pairs of a row and its weight; empty ``weights``: all rows are inserts."""
    return list(zip(rows, weights or (1,) * len(rows), strict=True))


@dataclass(frozen=True, slots=True)
class LateRow:
    """A row that was dropped at ingress.

    ``place`` counts all rows fed to ``input`` by any sender, from 0; None: a statement of the
    script sent the row, or it was merged with those of statements or producers (S-603, S-605).
    ``code`` is ``LATE``, or ``BAD_ROW`` for a wrong width or type, a NULL in a monotonic or NOT
    NULL column, or a violated CHECK (S-301, S-601).
    """

    input: str
    row: WireRow
    place: int | None
    code: str
    reason: str


@dataclass(frozen=True, slots=True)
class SqlWarning:
    """An event that was refused; the query continues as if the event had not been fed.

    ``event`` counts the events of the open query, each `Load` among them, from 0.  ``code`` is
    ``BOUND_BACKWARDS``: the bound is below the last one of the same sender (S-601).
    """

    event: int
    code: str
    message: str = ""


@dataclass(frozen=True, slots=True)
class State:
    """The size of a query's state: distinct input rows and groups, each counted once."""

    rows: int
    groups: int


@dataclass(frozen=True, slots=True)
class Output:
    """The output of a query since the last poll.

    ``rows`` are in the order of emission.  ``bound`` is the output's bound after them: no later row
    has a smaller rowtime.  It is ``end`` after the end of all input; None: the backend does not
    report it.  ``late`` are the rows dropped at ingress.  ``error``: the query has failed, and
    emits nothing more.  ``state`` is the size of the state after these rows; None: the backend does
    not count it.  ``warnings`` has the events that were refused; the query continues after them.
    ``pending``: the backend has not yet processed all events, so the kit polls again, and joins the
    outputs.  ``weights`` has a number for each row of a changelog: 1 for an insert or upsert, -1
    for a delete (S-1002).  Empty: all rows are inserts.
    """

    rows: tuple[WireRow, ...] = ()
    bound: str | None = None
    late: tuple[LateRow, ...] = ()
    error: Refused | None = None
    state: State | None = None
    warnings: tuple[SqlWarning, ...] = field(default=(), metadata=ADDED)
    pending: bool = field(default=False, metadata=ADDED)
    weights: tuple[int, ...] = field(default=(), metadata=ADDED)


class Backend(Protocol):
    """An engine under test: ``start``; per query ``open``, events and polls, ``close``; ``stop``.

    A backend of tier ``final`` may emit all its rows at the first poll after ``End``.  The rows of
    a relational query are emitted at that poll at every tier.
    """

    def start(self) -> Hello:
        """Acquire resources, and return the backend's description of itself."""
        ...

    def open(self, request: Open) -> Accepted | Refused | Unsupported:
        """Analyse a query; if it is accepted, events and polls belong to it until ``close``.

        A query is opened once more at the end of a run if it, or one of its events, was answered
        by `Unsupported`.
        """
        ...

    def feed(self, event: Event) -> Unsupported | None:
        """Process an event, and return None; `Unsupported` if the backend does not implement it.

        The output of the next poll reports rows that were dropped in ``late``, and an event that
        was refused as a whole in ``warnings``.
        """
        ...

    def poll(self) -> Output:
        """The output of the query since the last poll."""
        ...

    def explain(self, row: int | None = None) -> str:
        """The plan of the open query; or, with ``row``, why that row was emitted, as text.

        ``row`` is the row's place among all rows that the query has emitted, from 0.  The reason
        names the input rows, the window, and the event at which it was emitted.  Either text may be
        empty.
        """
        ...

    def close(self) -> None:
        """Discard the open query and its state."""
        ...

    def stop(self) -> None:
        """Release all resources."""
        ...
