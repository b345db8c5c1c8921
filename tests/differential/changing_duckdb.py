"""DuckDB as an oracle of changelogs: it answers the whole query again after each step."""

from collections import Counter
from collections.abc import Sequence

from algebra.catalog import Profile, Stream, Table
from algebra.plan import Changes
from algebra.prepare import prepare
from engines.dialect.block import Block
from engines.dialect.expressions import Scope
from engines.dialect.statements import StatementPrinter
from engines.duckdb.backend import DuckdbBackend, DuckdbDatabase
from engines.duckdb.exact import MACROS, ExactDuckdbPrinter
from engines.harness.database import Database
from tck.protocol import (
    Accepted,
    Event,
    Hello,
    Load,
    Open,
    Output,
    Refused,
    Rows,
    Unsupported,
    WireRow,
    weighted,
)


class ChangelogPrinter(ExactDuckdbPrinter):
    """A changelog as the query whose answer it keeps."""

    def changes(self, node: Changes, outer: Scope) -> Block:
        """The relational query."""
        return self.block(node.input, outer)


class ExactDuckdbDatabase(DuckdbDatabase):
    """DuckDB, which sorts NULLs as rowtime does."""

    def __init__(self) -> None:
        super().__init__()
        self.run("SET default_null_order = 'nulls_last_on_asc_first_on_desc'")
        self.run(MACROS)

    def delete(self, relation: Table | Stream, row: WireRow, places: Sequence[int]) -> None:
        """Delete one row that is equal in these columns."""
        printer = ExactDuckdbPrinter()
        name = printer.table_name(relation.name)
        same = [
            f"{printer.identifier(relation.columns[i].name)} IS NOT DISTINCT FROM ?" for i in places
        ]
        first = f"SELECT min(rowid) FROM {name} WHERE {' AND '.join(same)}"
        types = [relation.columns[i].type for i in places]
        self.insert(
            f"DELETE FROM {name} WHERE rowid = ({first})", [tuple(row[i] for i in places)], types
        )


class ChangingDuckdb(DuckdbBackend):
    """A backend of the kit whose changes are the differences of DuckDB's answers."""

    def start(self) -> Hello:
        """The version of the library; it does not report the rows that are not there."""
        gaps = {"late-reports": "it only answers queries", "refusals": "rowtime binds"}
        return Hello("duckdb", super().start().version, "C++", "exact", ("calcite",), gaps)

    def printer(self) -> StatementPrinter:
        """DuckDB's, with rowtime's meaning."""
        return ChangelogPrinter()

    def connect(self) -> Database:
        """A database in memory."""
        return ExactDuckdbDatabase()

    def open(self, request: Open) -> Accepted | Refused | Unsupported:
        """Open the relational query of a changelog."""
        prepared = prepare(request.ddl, request.sql, Profile(request.profile))
        assert isinstance(prepared.query, Changes), prepared.query
        self._shown = Counter[WireRow]()
        answer = super().open(request)
        return Accepted(True, answer.columns) if isinstance(answer, Accepted) else answer

    def feed(self, event: Event) -> None:
        """Insert and delete rows, each in its turn."""
        if not isinstance(event, Load | Rows):
            return
        name = event.object if isinstance(event, Load) else event.input
        weights = event.weights if isinstance(event, Rows) else ()
        relation, database = self._tables[name], self._database
        assert isinstance(database, ExactDuckdbDatabase)
        types = [each.type for each in relation.columns]
        every = range(len(types))
        key = relation.primary_key if isinstance(relation, Table) and relation.changing else ()
        for row, weight in weighted(event.rows, weights):
            if weight < 0 or key:
                database.delete(relation, row, key or every)
            if weight > 0:
                database.insert(self.printer().insert_row(relation), [row], types)

    def poll(self) -> Output:
        """The rows that its answer has gained and lost."""
        assert self._database is not None
        now = Counter(tuple(row) for row in self._database.rows(self._sql, self._types))
        lost, gained = list((self._shown - now).elements()), list((now - self._shown).elements())
        self._shown = now
        return Output((*lost, *gained), weights=(-1,) * len(lost) + (1,) * len(gained))
