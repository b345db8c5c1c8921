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
    """Streams, tables and the clock between two events.

    ``events`` counts the events.  ``tables`` has the current version of each table's rows: a change
    replaces the version.
    """

    def __init__(self, forms: Forms) -> None:
        self.now: int = 0
        self.events: int = 0
        self.streams: dict[QualifiedName, NamedStream] = {}
        self._forms = forms
        self.tables: Contents = {}
        # The number of changes of tables and histories so far: the answers of sub-queries are
        # cached until it changes.
        self._version = 0
        # The streams and tables that this event has changed, for the changelogs that read them.
        self._touched = set[QualifiedName]()
        self.numbers = 0  # the greatest number of a producer, statement or reader

    def next_number(self) -> int:
        """A number that no producer, statement or reader had before."""
        self.numbers += 1
        return self.numbers

    def environment(self, parameters: Row) -> Environment:
        """An environment in which expressions read the state at the time of their evaluation.

        ``parameters`` has the values of a statement's ``?``.
        """

        def query(plan: Plan, outer: tuple[Row, ...]) -> Relation:
            return evaluate(plan, self.world(plan, parameters), self._forms, outer)

        return Environment(
            lambda: self.now, parameters, (), query, self._forms, version=lambda: self._version
        )

    def world(self, plan: Plan | Modify, parameters: Row = ()) -> World:
        """The present rows of the tables and histories that ``plan`` reads, and the present time.

        Later events do not change the result.

        Rows that are older than the declared history of their stream are left out (`remembered`).
        """
        read = {each.source.name for each in scans(plan) if each.reads is Reads.HISTORY}
        rows = {name: [row for _, row in self.streams[name].history.rows] for name in read}
        # Another thread can change the tables while the query is evaluated, and the versions of a
        # table share their rows (`TableRows`).  So the tables that are read become lists now.  The
        # other tables are included because ``plan`` can be a statement that changes one of them.
        scanned = {each.source.name for each in scans(plan) if each.reads is Reads.TABLE}
        lists = {name: listed(self.rows_of(name)) for name in scanned if name in self.tables}
        world = World({**self.tables, **lists}, rows, now=self.now, parameters=parameters)
        return remembered(world, self._ingresses(read))

    def check_history(self, plan: Plan, parameters: Row) -> None:
        """Raise INSUFFICIENT_HISTORY if ``plan`` needs rows that a stream's history has evicted."""
        read = {each.source.name for each in scans(plan) if each.reads is Reads.HISTORY}
        histories = {name: self.streams[name].history for name in read}
        expired = {name: h.expired for name, h in histories.items() if h.expired is not None}
        rows = {name: [row for _, row in each.rows] for name, each in histories.items()}
        env = self.environment(parameters)
        check_history(plan, rows, expired, self._ingresses(read), env)

    def _ingresses(self, names: Iterable[QualifiedName]) -> Ingresses:
        """The states of the ingresses of some streams, by name."""
        return {name: self.streams[name].ingress for name in names}

    def rows_of(self, table: QualifiedName) -> Relation:
        """The current rows of a table; none if nothing was written into it."""
        return self.tables.get(table, ())

    def _set_table(self, table: QualifiedName, rows: Relation) -> None:
        """Replace the rows of a table, and note the change."""
        self.tables = {**self.tables, table: rows}
        self._touched.add(table)
        self._version += 1
