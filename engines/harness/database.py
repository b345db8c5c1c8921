"""A backend over a database: relational queries, answered when all inputs have ended."""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence

from algebra.catalog import Profile, Stream, Table
from algebra.plan import Delta, Plan, row_type
from algebra.prepare import Prepared, prepare
from algebra.types import Type
from engines.dialect.statements import StatementPrinter
from engines.dialect.unsupported import UnsupportedError
from engines.harness.spellings import Spellings
from grammar.source import SqlError
from tck.protocol import (
    Accepted,
    Bound,
    CloseProducer,
    ColumnInfo,
    Elapse,
    End,
    Event,
    Hello,
    Load,
    Now,
    Open,
    OpenProducer,
    Output,
    Refused,
    Rows,
    Unsupported,
    Wire,
    WireRow,
)


class DatabaseError(Exception):
    """The database's own refusal of a statement, or its failure; ``code`` is its own, too."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class Database(ABC):
    """An empty database, as a driver uses it; every method may raise `DatabaseError`."""

    @abstractmethod
    def run(self, sql: str) -> None:
        """Run a statement without a result."""

    @abstractmethod
    def insert(self, sql: str, rows: Sequence[WireRow], types: Sequence[Type]) -> None:
        """Run ``sql``, an INSERT with a ``?`` for each column, for rows as they are on the wire."""

    @abstractmethod
    def columns(self, sql: str, types: Sequence[Type]) -> Sequence[str]:
        """The types of the query's columns in the kit's words, ``ANY`` where there is none.

        ``types`` are those that rowtime gives the columns.
        """

    @abstractmethod
    def rows(self, sql: str, types: Sequence[Type]) -> Iterable[Sequence[Wire]]:
        """The query's rows on the wire, in order."""

    @abstractmethod
    def close(self) -> None:
        """Discard the database."""


class DatabaseBackend(ABC):
    """The kit's protocol over a `Database` for each case, at tier ``final``.

    A query goes through rowtime's binder, and its plan is printed in the engine's dialect, unless
    `spellings` has a text for it.  So the engine is not asked what it refuses: every driver of this
    kind has the gap ``refusals``.
    """

    def __init__(self, spellings: Spellings) -> None:
        self._spellings = spellings
        self._database: Database | None = None
        self._tables: dict[str, Table | Stream] = {}
        self._sql = ""
        self._types: tuple[Type, ...] = ()
        self._due = False  # whether the inputs have ended, and the answer has not been given

    @abstractmethod
    def start(self) -> Hello:
        """The engine's name and version, and what it lacks."""

    @abstractmethod
    def printer(self) -> StatementPrinter:
        """A printer for one statement."""

    @abstractmethod
    def connect(self) -> Database:
        """An empty database."""

    def open(self, request: Open) -> Accepted | Refused | Unsupported:
        """Make the tables, run the script's DML, and ask the engine for the query's columns.

        A plan that the dialect has no words for is not implemented.
        """
        self.close()
        try:
            prepared = prepare(request.ddl, request.sql, Profile(request.profile))
            return self._opened(request, prepared)
        except SqlError as error:
            return Refused(str(error.code), error.message)
        except UnsupportedError as error:
            return Unsupported(error.reason)
        except DatabaseError as error:
            return Refused(error.code, str(error))

    def _opened(self, request: Open, prepared: Prepared) -> Accepted:
        self._database = self.connect()
        for each in prepared.catalog.objects.values():
            if isinstance(each, Table | Stream):
                self._tables[".".join(each.name)] = each
                self._database.run(self.printer().create_table(each))
        for step in prepared.steps:
            self._database.run(self.printer().modify(step))
        if prepared.standing:
            raise UnsupportedError("no standing statements")
        if prepared.query is None:
            return Accepted(streaming=False, columns=())
        spelled = self._spellings.find(request)
        fields = row_type(prepared.query)
        self._types = tuple(each.type for each in fields)
        query = spelled or self.printer().query(prepared.query)
        declared = self._database.columns(query, self._types)
        self._sql = spelled or self.printer().answer(prepared.query)
        return Accepted(
            is_delta(prepared.query),
            tuple(
                ColumnInfo(field.name, type, nullable=True)
                for field, type in zip(fields, declared, strict=True)
            ),
        )

    def feed(self, event: Event) -> None:
        """Insert rows; the end of all inputs makes the answer due."""
        match event:
            case Load(name, rows) | Rows(name, rows):
                assert self._database is not None, "only an open query is fed"
                relation = self._tables[name]
                types = [each.type for each in relation.columns]
                self._database.insert(self.printer().insert_row(relation), rows, types)
            case End(None):
                self._due = True
            case End() | Bound() | OpenProducer() | CloseProducer() | Now() | Elapse():
                pass  # tables have no progress

    def poll(self) -> Output:
        """All rows at the first poll after the end."""
        if not self._due or self._database is None or not self._sql:
            return Output()
        self._due = False
        try:
            rows = tuple(tuple(each) for each in self._database.rows(self._sql, self._types))
        except DatabaseError as error:
            return Output(error=Refused(error.code, str(error)))
        return Output(rows, bound="end")

    def explain(self, row: int | None = None) -> str:
        """The text that the engine is asked."""
        return self._sql if row is None else ""

    def close(self) -> None:
        """Discard the database of the case."""
        if self._database is not None:
            self._database.close()
        self._database, self._tables, self._sql = None, {}, ""
        self._types, self._due = (), False

    def stop(self) -> None:
        """Discard the database of the case."""
        self.close()


def is_delta(plan: Plan) -> bool:
    """Whether the query is streaming."""
    return isinstance(plan, Delta)


def wire_float(value: float) -> Wire:
    """A float on the wire: JSON has no number for NaN and the infinities."""
    if math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
