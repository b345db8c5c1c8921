"""The reference as a backend of the kit, at the tier ``exact``."""

from collections.abc import Callable
from functools import partial
from typing import Final

from algebra.catalog import Profile, QualifiedName
from algebra.explain import explain
from algebra.functions.datetimes import format_bound
from algebra.metadata.plan_metadata import Summary
from algebra.monotonicity.columns import column_monotonicity
from algebra.plan import Changes, Delta, Plan, row_type
from algebra.prepare import Prepared, prepare
from algebra.types import TIMESTAMP
from algebra.wire import from_wire, row_writer, shown, to_wire
from grammar.source import SqlError
from reference.acceptance import DroppedRow
from reference.definitions import DEFINITIONS
from reference.dml.statements import Refusal
from reference.engine.session import Session
from reference.environment import Forms
from reference.fast.forms import FAST
from reference.incremental.changes.network import ChangesNetwork
from reference.incremental.changes.operator import Form
from reference.incremental.changes.recomputed import Recomputed
from reference.incremental.train import ENDED, NOTHING_KNOWN
from reference.provenance.provenance import Provenance
from reference.relation import Relation
from reference.values import integer
from tck.protocol import (
    Accepted,
    Bound,
    CloseProducer,
    ColumnInfo,
    Elapse,
    End,
    Event,
    Hello,
    LateRow,
    Load,
    Now,
    Open,
    OpenProducer,
    Output,
    Refused,
    Rows,
    SqlWarning,
    State,
    WireRow,
    sender,
)

#: The version of the reference; looking up the installed version takes longer than a small query.
RELEASE: Final = "0.1.0"
#: The number of input rows up to which a run is recorded, to explain why a row was emitted.
MOST_ROWS_TRACED: Final = 10_000


class ReferenceBackend:
    """A backend of the kit that runs a `Session` of the reference.

    A poll returns the rows and the bound of a streaming query after the event that determines them.
    A relational query is evaluated by the first poll after the end of its inputs.

    - ``forms`` are the definitions, which the kit judges, or the fast forms of `rowtime run`.
    - ``prepare`` binds a script and a query; a caller that opens the same query often can cache
      plans in it.
    - ``changelog_form`` computes changelogs: the definition, or operators over weighted rows.
    """

    def __init__(
        self,
        forms: Forms = DEFINITIONS,
        prepare: Callable[[str, str | None, Profile], Prepared] = prepare,
        changelog_form: Form = Recomputed,
    ) -> None:
        self._forms = forms
        self._changelog_form = changelog_form
        self._bind = prepare
        self._last: tuple[Open, Prepared] | None = None  # the last request that was bound
        self._prepared: Prepared | None = None
        self._session: Session | None = None
        self._ddl = ""
        self._late: list[LateRow] = []
        self._warnings: list[SqlWarning] = []
        self._events: list[Event] = []  # recorded for `explain`
        self._fed = 0  # the number of events
        self._rows_remembered = 0  # the number of rows in the events so far
        self._error: Refused | None = None  # for the next poll
        self._done = False  # a relational query has been evaluated
        self._failed = False  # a run-time error has ended the query

    def start(self) -> Hello:
        """The name and version of the reference."""
        profiles = tuple(str(each) for each in Profile)
        return Hello("reference", RELEASE, "Python", "exact", profiles)

    def open(self, request: Open) -> Accepted | Refused:
        """Bind the query, and run the script's DML."""
        try:
            prepared = self._prepare(request)
        except SqlError as error:
            self.close()
            return refused(error, request.ddl)
        return self.open_prepared(request, prepared)

    def open_prepared(self, request: Open, prepared: Prepared) -> Accepted | Refused:
        """Run the script's DML; ``prepared`` has the bound script and query of ``request``."""
        self.close()
        self._ddl = request.ddl
        try:
            self._prepared = prepared
            self._session = Session(
                prepared, forms=self._forms, changelog_form=self._changelog_form
            )
        except SqlError as error:
            self.close()
            return refused(error, request.ddl)
        query = self._prepared.query
        if query is None:
            return Accepted(False, ())
        return accepted(query)

    def _prepare(self, request: Open) -> Prepared:
        """The bound script and query of a request; consecutive equal requests are bound only once.

        Raises `SqlError`.
        """
        if self._last is None or self._last[0] != request:
            profile = Profile(request.profile)
            self._last = (request, self._bind(request.ddl, request.sql, profile))
        return self._last[1]

    def feed(self, event: Event) -> None:
        """Process an event; its output and its errors are in the next poll."""
        if self._failed:
            return
        place = self._fed
        self._fed += 1
        self._remember(event)
        try:
            late, error = self._apply(event, self._open_session)
        except SqlError as failed:
            self._error, self._failed = refused(failed, self._ddl), True
            return
        self._late += map(self._late_row, late)
        if error is not None:
            self._warnings.append(SqlWarning(place, str(error.code), error.message))

    def feed_values(self, name: str, rows: Relation, passing: bool) -> None:
        """As `feed` of a `Rows` event (if ``passing``) or of a `Load`, but with internal values.

        A run with such rows is not recorded for `explain`, as if it had too many rows.
        """
        if self._failed:
            return
        self._fed += 1
        self._rows_remembered = MOST_ROWS_TRACED + 1
        self._events.clear()
        full = self._name(name)
        columns = self._open_session.columns(full)
        try:
            for place, values, dropped in self._open_session.take_values(full, rows, passing):
                pairs = zip(columns, values, strict=True)
                row = tuple(to_wire(column.type, value) for column, value in pairs)
                self._late.append(self._late_row(DroppedRow(full, row, place, dropped)))
        except SqlError as failed:
            self._error, self._failed = refused(failed, self._ddl), True

    def _remember(self, event: Event) -> None:
        """Record an event for `explain`, while the run is short enough."""
        if isinstance(event, Load | Rows):
            self._rows_remembered += len(event.rows)
        if self._rows_remembered <= MOST_ROWS_TRACED:
            self._events.append(event)
        else:
            self._events.clear()

    def _apply(self, event: Event, session: Session) -> tuple[list[DroppedRow], SqlError | None]:
        """Apply ``event`` to ``session``; return the rows that it drops, and the error of a bound.

        Raises the run-time errors of a streaming query.  `explain` applies the recorded events to
        a session of its own.
        """
        match event:
            case Load(name, rows):
                return session.load(self._name(name), rows), None
            case Rows(name, rows, producer, weights):
                return session.take_rows(self._name(name), rows, producer, weights), None
            case Bound(name, at, strict, producer):
                return [], session.set_bound(self._name(name), _millis(at) + strict, producer)
            case OpenProducer(name, producer):
                session.open_producer(self._name(name), producer)
            case CloseProducer(name, producer):
                session.close_producer(self._name(name), producer)
            case Now(at):
                session.set_clock(_millis(at))
            case Elapse():
                pass  # nothing reads a wall clock (S-106.b)
            case End(name):
                session.end(None if name is None else self._name(name))
        return [], None

    def poll(self) -> Output:
        """The output since the last poll: rows, the bound, late rows, and an error or warnings."""
        session = self._open_session
        query = None if self._prepared is None else self._prepared.query
        rows: tuple[WireRow, ...] = ()
        error, self._error = self._error, None
        bound = "end" if session.ended else None
        weights: tuple[int, ...] = ()
        if session.changes is not None and query is not None:
            try:
                weighted = () if self._failed else session.new_changes()
            except SqlError as failed:
                weighted, error, self._failed = (), refused(failed, self._ddl), True
            rows = wire_rows(query, [row for row, _ in weighted])
            weights = tuple(weight for _, weight in weighted)
        elif session.flow is not None and query is not None:
            rows = wire_rows(query, session.flow.drained())
            bound = _bound_text(session.flow.bound)
        elif session.ended and not self._done and query is not None:
            self._done = True
            try:
                rows = wire_rows(query, session.result())
            except SqlError as failed:
                error = refused(failed, self._ddl)
        self._late += map(self._refused_row, session.refusals)
        session.refusals.clear()
        late, self._late = tuple(self._late), []
        warnings, self._warnings = tuple(self._warnings), []
        return Output(rows, bound, late, error, _state(session), warnings, weights=weights)

    def explain(self, row: int | None = None) -> str:
        """A text that explains the open query, or one row of its output.

        ``row`` None: the text is the plan.  Else ``row`` is the place of an output row, and the
        text says why the row was emitted.  It is empty for a relational query, because no event
        emits its rows, and after `MOST_ROWS_TRACED` rows of input, because longer runs are not
        recorded.
        """
        if self._prepared is None or self._prepared.query is None:
            return ""
        if row is None:
            return explain(self._prepared.query)
        if not isinstance(self._prepared.query, Delta):
            return ""
        provenance = Provenance(self._prepared)
        for event in self._events:
            try:
                provenance.happened(event_text(event), partial(self._apply, event))
            except SqlError:  # the query has failed; the rows before the error are recorded
                break
        return provenance.reason(row) if row < len(provenance.emissions) else ""

    def close(self) -> None:
        """End the query."""
        self._prepared = self._session = self._error = None
        self._late, self._warnings = [], []
        self._events, self._fed, self._rows_remembered = [], 0, 0
        self._done = self._failed = False

    def stop(self) -> None:
        """End the query, and release everything."""
        self.close()

    @property
    def _open_session(self) -> Session:
        """The session of the accepted query."""
        assert self._session is not None, "events and polls follow an accepted open"
        return self._session

    def _name(self, name: str) -> QualifiedName:
        """The stream or table with a name such as ``SALES.ORDERS``, as in the catalog."""
        names = {".".join(each): each for each in self._open_session.names}
        if name not in names:
            raise ValueError(f"{name}: no stream or table of that name; there are {sorted(names)}")
        return names[name]

    def _late_row(self, late: DroppedRow) -> LateRow:
        """The report of a dropped row of the input."""
        name, row, place, dropped = late
        return LateRow(".".join(name), row, place, str(dropped.fault), dropped.reason)

    def _refused_row(self, refusal: Refusal) -> LateRow:
        """The report of a row of a standing statement or a producer that its target dropped."""
        columns = self._open_session.columns(refusal.target)
        row = tuple(to_wire(c.type, v) for c, v in zip(columns, refusal.row, strict=True))
        dropped = refusal.dropped
        name = ".".join(refusal.target)
        return LateRow(name, row, refusal.fed, str(dropped.fault), dropped.reason)


def fast_backend() -> ReferenceBackend:
    """The reference in its fast forms, for `rowtime run`."""
    return ReferenceBackend(FAST, changelog_form=ChangesNetwork)


def accepted(query: Plan) -> Accepted:
    """The answer to a valid query: its columns, metadata and, if it streams, monotonicity."""
    fields = row_type(query)
    columns = tuple(ColumnInfo(f.name, str(f.type), f.type.nullable) for f in fields)
    metadata = Summary(query)
    if not isinstance(query, Delta):
        return Accepted(isinstance(query, Changes), columns, metadata=metadata)
    orders = zip(fields, column_monotonicity(query), strict=True)
    return Accepted(True, columns, {field.name: str(order) for field, order in orders}, metadata)


def refused(error: SqlError, ddl: str) -> Refused:
    """The answer to an error, whose place is in the query or in the script ``ddl``."""
    return Refused(
        code=str(error.code),
        message=error.message,
        at=(error.at.start, error.at.end),
        in_ddl=bool(error.sql) and error.sql == ddl,
        hint=error.hint,
        rendered=str(error),
    )


def wire_rows(query: Plan, rows: Relation) -> tuple[WireRow, ...]:
    """``rows`` on the wire; they have the columns of ``query``."""
    return tuple(row_writer([field.type for field in row_type(query)])(rows))


def event_text(event: Event) -> str:
    """An event as a short text."""
    match event:
        case Load(name, rows):
            return f"contents of {name}: {len(rows)} row{'' if len(rows) == 1 else 's'}"
        case Rows(name, rows, producer, weights):
            return _rows_text(sender(name, producer), rows, weights)
        case Bound(name, at, strict, producer):
            return f"{'strict ' if strict else ''}bound of {sender(name, producer)} at {at}"
        case OpenProducer(name, producer):
            return f"{sender(name, producer)} opens"
        case CloseProducer(name, producer):
            return f"{sender(name, producer)} closes"
        case Now(at):
            return f"the session's clock at {at}"
        case Elapse(span):
            return f"{span} of wall-clock time"
        case End(name):
            return "end of all input" if name is None else f"end of {name}"


def _rows_text(name: str, rows: tuple[WireRow, ...], weights: tuple[int, ...]) -> str:
    """A text for rows that arrive together: their number and the last row; or one deleted row."""
    if not rows:
        return f"no row of {name}"
    last = "(" + ", ".join(map(shown, rows[-1])) + ")"
    if len(rows) == 1 and weights == (-1,):
        return f"delete of {name} {last}"
    return f"row of {name} {last}" if len(rows) == 1 else f"{len(rows)} rows of {name} up to {last}"


def _state(session: Session) -> State | None:
    """The size of the state of a streaming query; None: the query is relational."""
    if session.flow is None:
        return None
    states = session.flow.network.states().values()
    return State(sum(each.rows for each in states), sum(each.groups for each in states))


def _bound_text(time: float) -> str | None:
    """A bound of the output on the wire, clamped to the years 1 to 9999; None: unknown."""
    if time == ENDED:
        return "end"
    if time == NOTHING_KNOWN:
        return None
    return format_bound(time)


def _millis(at: str) -> int:
    """A timestamp on the wire, in milliseconds."""
    return integer(from_wire(TIMESTAMP, at))
