"""The state of a database: streams, tables and the session's clock, as queries read them."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from algebra.catalog import QualifiedName
from algebra.modify import Modify
from algebra.parts.mentions import scans
from algebra.plan import Plan, Reads
from reference.engine.history_scan import check_history, remembered
from reference.environment import Environment, Forms
from reference.evaluate import Contents, World, evaluate
from reference.ingress import Ingresses
from reference.relation import Relation, Row
from reference.relational.table_rows import listed

if TYPE_CHECKING:
    from rowtime.database.named_stream import NamedStream


class State:
    """Streams and tables between two events: readers see all events so far, and no later ones.

    ``events`` counts the events.  ``tables`` has the current version of each table's rows: a change
    replaces the version.
    """

    def __init__(self, forms: Forms) -> None:
        self.now: int = 0
        self.events: int = 0
        self.streams: dict[QualifiedName, NamedStream] = {}
        self._forms = forms
        self.tables: Contents = {}
        # It counts the changes of tables and histories: answers of sub-queries are cached until the
        # next one.
        self._version = 0
        # The streams and tables that this event has changed, for the changelogs that read them.
        self._touched = set[QualifiedName]()
        self.numbers = 0  # the greatest of a producer, statement or reader

    def next_number(self) -> int:
        """A number that no producer, statement or reader had before."""
        self.numbers += 1
        return self.numbers

    def environment(self, parameters: Row) -> Environment:
        """The environment of expressions, which read the state at the time of their evaluation."""

        def query(plan: Plan, outer: tuple[Row, ...]) -> Relation:
            return evaluate(plan, self.world(plan, parameters), self._forms, outer)

        return Environment(
            lambda: self.now, parameters, (), query, self._forms, version=lambda: self._version
        )

    def world(self, plan: Plan | Modify, parameters: Row = ()) -> World:
        """The present rows that ``plan`` reads; later events do not change the result.

        Rows that are older than the declared history of their stream are left out (`remembered`).
        """
        read = {each.source.name for each in scans(plan) if each.reads is Reads.HISTORY}
        rows = {name: [row for _, row in self.streams[name].history.rows] for name in read}
        # Another thread may change the tables while the query is evaluated.  The versions of a
        # table share their rows (`TableRows`), so those that are read become lists now.  The others
        # are there for a statement that changes one of them.
        scanned = {each.source.name for each in scans(plan) if each.reads is Reads.TABLE}
        lists = {name: listed(self.rows_of(name)) for name in scanned if name in self.tables}
        world = World({**self.tables, **lists}, rows, now=self.now, parameters=parameters)
        return remembered(world, self._ingresses(read))

    def check_history(self, plan: Plan, parameters: Row) -> None:
        """INSUFFICIENT_HISTORY if ``plan`` needs rows of streams that are not retained any more."""
        read = {each.source.name for each in scans(plan) if each.reads is Reads.HISTORY}
        histories = {name: self.streams[name].history for name in read}
        expired = {name: h.expired for name, h in histories.items() if h.expired is not None}
        rows = {name: [row for _, row in each.rows] for name, each in histories.items()}
        env = self.environment(parameters)
        check_history(plan, rows, expired, self._ingresses(read), env)

    def _ingresses(self, names: Iterable[QualifiedName]) -> Ingresses:
        return {name: self.streams[name].ingress for name in names}

    def rows_of(self, table: QualifiedName) -> Relation:
        """The rows of a table."""
        return self.tables.get(table, ())

    def _set_table(self, table: QualifiedName, rows: Relation) -> None:
        self.tables = {**self.tables, table: rows}
        self._touched.add(table)
        self._version += 1
