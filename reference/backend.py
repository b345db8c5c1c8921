"""The reference as a backend of the kit: the right rows, after the end of input."""

from importlib.metadata import PackageNotFoundError, version

from algebra.catalog import Profile, QualifiedName
from algebra.explain import explain
from algebra.monotonicity import column_monotonicity
from algebra.plan import Delta, Plan, row_type
from algebra.prepare import Prepared, prepare
from algebra.types import TIMESTAMP
from algebra.wire import Wire, from_wire, to_wire, writer
from grammar.source import SqlError
from reference.relation import Relation
from reference.session import Late, Session
from reference.standing import Refusal
from reference.values import integer
from tck.protocol import (
    Accepted,
    Bound,
    ColumnInfo,
    End,
    Event,
    Hello,
    LateRow,
    Load,
    Now,
    Open,
    Output,
    Refused,
    Rows,
)


class ReferenceBackend:
    """Relational evaluation behind the kit's protocol: tier ``final``.

    What a query gives is evaluated at the first poll after the end of its inputs; late rows are
    told at the poll after they came.
    """

    def __init__(self) -> None:
        self._prepared: Prepared | None = None
        self._session: Session | None = None
        self._ddl = ""
        self._late: list[LateRow] = []
        self._error: Refused | None = None
        self._done = False

    def start(self) -> Hello:
        """Who answers."""
        try:
            release = version("rowtime")
        except PackageNotFoundError:  # run from a folder, not installed
            release = "0"
        profiles = tuple(str(each) for each in Profile)
        return Hello("reference", release, "Python", "final", profiles)

    def open(self, request: Open) -> Accepted | Refused:
        """Judge the query, and run the script's DML."""
        self.close()
        self._ddl = request.ddl
        try:
            self._prepared = prepare(request.ddl, request.sql, Profile(request.profile))
            self._session = Session(self._prepared)
        except SqlError as error:
            self.close()
            return refused(error, request.ddl)
        self._late = [self._lost(each) for each in self._session.refusals]
        query = self._prepared.query
        return Accepted(False, ()) if query is None else accepted(query)

    def feed(self, event: Event) -> None:
        """Take an event."""
        session = self._open_session
        match event:
            case Load(name, rows):
                self._late += map(self._told, session.load(self._name(name), rows))
            case Rows(name, rows):
                self._late += map(self._told, session.rows(self._name(name), rows))
            case Bound(name, at, strict):
                error = session.bound(self._name(name), _millis(at) + strict)
                self._error = self._error if error is None else refused(error, self._ddl)
            case Now(at):
                session.now(_millis(at))
            case End(name):
                session.end(None if name is None else self._name(name))

    def poll(self) -> Output:
        """What came out since the last poll: late rows at once, rows after the end."""
        session = self._open_session
        query = None if self._prepared is None else self._prepared.query
        rows: tuple[tuple[Wire, ...], ...] = ()
        error, self._error = self._error, None
        if session.ended and not self._done and query is not None:
            self._done = True
            try:
                result, refusals = session.result()
                rows = wire_rows(query, result)
                self._late += map(self._lost, refusals)
            except SqlError as failed:
                error = refused(failed, self._ddl)
        late, self._late = tuple(self._late), []
        return Output(rows, "end" if session.ended else None, late, error)

    def explain(self) -> str:
        """The plan of the open query."""
        query = None if self._prepared is None else self._prepared.query
        return "" if query is None else explain(query)

    def close(self) -> None:
        """Forget the query."""
        self._prepared = self._session = self._error = None
        self._late, self._done = [], False

    def stop(self) -> None:
        """Forget everything."""
        self.close()

    @property
    def _open_session(self) -> Session:
        """The session of the accepted query."""
        assert self._session is not None, "events and polls follow an accepted open"
        return self._session

    def _name(self, name: str) -> QualifiedName:
        """The object of that name, written as catalogued: ``SALES.ORDERS``."""
        names = {".".join(each): each for each in self._open_session.names}
        if name not in names:
            raise ValueError(f"{name}: no stream or table of that name; there are {sorted(names)}")
        return names[name]

    def _told(self, late: Late) -> LateRow:
        """A dropped row of the input, on the wire."""
        name, row, place, dropped = late
        return LateRow(".".join(name), row, place, str(dropped.fault), dropped.reason)

    def _lost(self, refusal: Refusal) -> LateRow:
        """A row that a statement offered in vain, on the wire."""
        columns = self._open_session.columns(refusal.target)
        row = tuple(to_wire(c.type, v) for c, v in zip(columns, refusal.row, strict=True))
        dropped = refusal.dropped
        name = ".".join(refusal.target)
        return LateRow(name, row, refusal.place, str(dropped.fault), dropped.reason)


def accepted(query: Plan) -> Accepted:
    """The answer to a legal query: its columns, and of a stream their monotonicity."""
    fields = row_type(query)
    columns = tuple(ColumnInfo(f.name, str(f.type), f.type.nullable) for f in fields)
    if not isinstance(query, Delta):
        return Accepted(False, columns)
    orders = zip(fields, column_monotonicity(query), strict=True)
    return Accepted(True, columns, {field.name: str(order) for field, order in orders})


def refused(error: SqlError, ddl: str) -> Refused:
    """The answer to an error; one without a text of its own has no place in either."""
    return Refused(
        code=str(error.code),
        message=error.message,
        at=(error.at.start, error.at.end),
        in_ddl=bool(error.sql) and error.sql == ddl,
        hint=error.hint,
        rendered=str(error),
    )


def wire_rows(query: Plan, rows: Relation) -> tuple[tuple[Wire, ...], ...]:
    """The rows of the result on the wire."""
    writers = [writer(field.type) for field in row_type(query)]
    return tuple(tuple([w(v) for w, v in zip(writers, row, strict=True)]) for row in rows)


def _millis(at: str) -> int:
    """A timestamp on the wire, in milliseconds."""
    return integer(from_wire(TIMESTAMP, at))
