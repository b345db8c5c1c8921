"""The rows of all tables and streams while a query is open, and the evaluation of plans over them.

Both backends store their rows in `Contents`, and so does a query over the user's own DataFrames
(`spark_backend.data.dataframes`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses
from pyspark.sql.types import BooleanType

from algebra.catalog import QualifiedName, Stream, Table, row_type_of
from algebra.expression import Expression, Value
from algebra.metadata.history import needed_history
from algebra.plan import Plan, Project, Reads, Scan, Values, row_type
from grammar.codes import Code
from grammar.source import Span, SqlError, located
from spark_backend.columns.expression import column_of
from spark_backend.data.ingress import ingress_of
from spark_backend.data.row_buffer import RowBuffer
from spark_backend.made_once import col
from spark_backend.operators.subqueries import with_names
from spark_backend.order.implicit_rowtime import with_rowtime_column
from spark_backend.order.set_operation_groups import SO_FAR
from spark_backend.relation import Relation, column_name, of_width, types_of
from spark_backend.runtime.arrow import collected
from spark_backend.runtime.failures import failures
from spark_backend.runtime.session import MANY_ROWS, tune
from spark_backend.translate import in_order, translate_node
from spark_backend.translator import Translator
from spark_backend.types import Row, row_values


@dataclass(slots=True)
class ObjectRows:
    """The rows of one table or stream.

    ``before`` has the rows from before the session, and ``passed`` the rows that ingress has
    accepted since then.  If `timed` was called, the rows in ``passed`` have one more value, their
    implicit rowtime.
    """

    before: RowBuffer
    passed: RowBuffer

    def rows(self) -> Iterator[Row]:
        """All rows of a table, those from before the session first."""
        yield from self.before.rows()
        yield from self.passed.rows()

    def replace(self, rows: Sequence[Row]) -> None:
        """Replace all rows of a table by ``rows``."""
        self.before.close()
        self.passed.close()
        self.before, self.passed = (
            RowBuffer.of(self.before.types, rows),
            RowBuffer(self.before.types),
        )

    def timed(self, stream: Stream) -> RowBuffer:
        """The buffer ``passed``, for rows of a stream that has no rowtime column.

        A row has its implicit rowtime after its columns, NULL while it is not known (S-311.b).  So
        while the buffer is empty, it is replaced by one with a further column for the rowtime.
        """
        if not self.passed.count:
            self.passed = RowBuffer(types_of(row_type_of(with_rowtime_column(stream))))
        return self.passed


@dataclass(slots=True)
class Contents:
    """The inputs of a plan's evaluation: the rows of tables and streams, and the session's clock.

    ``now``: the clock, in milliseconds since 1970.  ``objects``: the rows, by the object's name.
    """

    session: SparkSession
    now: int
    objects: dict[QualifiedName, ObjectRows] = field(
        default_factory=dict[QualifiedName, ObjectRows]
    )

    def of(self, relation: Table | Stream) -> ObjectRows:
        """The rows of a table or stream; empty buffers if it has no rows yet."""
        if relation.name not in self.objects:
            types = types_of(row_type_of(relation))
            self.objects[relation.name] = ObjectRows(RowBuffer(types), RowBuffer(types))
        return self.objects[relation.name]

    def rows(self, plan: Plan) -> Iterator[Row]:
        """The rows of ``plan``, in its order; one query of Spark, started by the first ``next``.

        Run-time errors are `SqlError`, INSUFFICIENT_HISTORY among them; others `SparkFailure`.
        """
        tune(self.session, self.count())
        types = types_of(row_type(plan))
        with failures():
            self._check_histories(plan)
            frame = in_order(self.translator().translate(plan))
            if self.count() < MANY_ROWS:
                yield from (row_values(types, each) for each in frame.collect())
                return
            yield from collected(frame, types)

    def translator(self) -> Translator:
        """A translator over the present rows; the rows of each object are sent to Spark once."""
        known: dict[tuple[QualifiedName, Reads], Relation] = {}

        def source(scan: Scan) -> Relation:
            """The rows that a scan reads, with as many columns as the scan has."""
            # A set operation with ALL also reads the rows that its stream has so far, as a table
            # whose name ends with `SO_FAR`.
            if scan.source.name[-1] is SO_FAR:
                stream = replace(scan.source, name=scan.source.name[:-1])
                return source(replace(scan, source=stream, reads=Reads.STREAM))
            key = (scan.source.name, scan.reads)
            if key not in known:
                known[key] = self._scanned(scan)
            return of_width(known[key], types_of(row_type(scan)))

        return Translator(
            self.session, source, self.now, translate_node, small=self.count() < MANY_ROWS
        )

    def checks(self, relation: Table | Stream) -> "ChecksOf":
        """A function that returns, for each of some rows, whether no CHECK is false or fails."""
        return ChecksOf(self, relation)

    def close(self) -> None:
        """Delete the files of all rows."""
        for each in self.objects.values():
            each.before.close()
            each.passed.close()

    def constant(self, expression: Expression) -> Value:
        """The value of an expression without columns."""
        plan = Project(Values(((),), ()), (expression,), ("VALUE",))
        ((value,),) = self.rows(plan)
        return value

    def count(self) -> int:
        """The number of rows in all objects; an uncounted frame counts as `MANY_ROWS`."""
        return sum(each.before.count + each.passed.count for each in self.objects.values())

    def _scanned(self, scan: Scan) -> Relation:
        """The rows that a scan reads."""
        rows = self.of(scan.source)
        match scan.reads:
            case Reads.STREAM:
                return rows.passed.relation(self.session)
            case Reads.TABLE:
                return self._both(rows)
            case Reads.HISTORY:
                return self._retained(scan, self._both(rows))

    def _both(self, rows: ObjectRows) -> Relation:
        """The rows from before the session, then those accepted since."""
        if not rows.passed.count:
            return rows.before.relation(self.session)
        passed = of_width(rows.passed.relation(self.session), rows.before.types)
        if not rows.before.count:
            return passed
        before = rows.before.relation(self.session)
        (key,) = passed.order
        place = col(key.column) + F.lit(rows.before.count)
        renumbered = passed.frame.withColumn(key.column, place)
        return Relation(before.frame.union(renumbered), before.types, before.order)

    # --- histories ----------------------------------------------------------------------------

    def _horizon(self, stream: Stream) -> tuple[int, int] | None:
        """The place of a stream's rowtime column, and the least rowtime that its history retains.

        None: the history is unlimited, or there is no rowtime, or no row yet.
        """
        place = ingress_of(stream).rowtime
        if stream.history is None or stream.history.millis is None or place is None:
            return None
        with failures():
            times = self._both(self.of(stream)).frame.agg(F.max(col(f"c{place}")))
            last = times.collect()[0][0]
        return None if last is None else (place, last - stream.history.millis)

    def _retained(self, scan: Scan, rows: Relation) -> Relation:
        """Those of ``rows``, all rows of the scanned stream, that its history retains."""
        horizon = self._horizon(scan.source) if isinstance(scan.source, Stream) else None
        if horizon is None:
            return rows
        place, least = horizon
        retained = rows.frame.filter(col(f"c{place}") >= least)
        return Relation(retained, rows.types, rows.order)

    def _check_histories(self, plan: Plan) -> None:
        """Raise INSUFFICIENT_HISTORY if the query reads rows that a history has dropped (S-308)."""
        for need in needed_history(plan):
            stream = need.scan.source
            horizon = self._horizon(stream) if isinstance(stream, Stream) else None
            if horizon is None:
                continue
            place, least = horizon
            since = None if need.since is None else self._since(need.since)
            if need.since is not None and since is None:
                continue  # compared with NULL: no row is needed
            time = col(f"c{place}")
            lost = self._both(self.of(stream)).frame.filter(time < least)
            if since is not None:
                lost = lost.filter(time >= since)
            if lost.limit(1).count():
                name = ".".join(stream.name)
                message = f"the history of {name} no longer has all rows that the query needs"
                hint = f"CREATE STREAM {name} (…) WITH HISTORY"
                error = SqlError(Code.INSUFFICIENT_HISTORY, message, "", Span(0, 0), hint)
                raise located(error, need.scan.location)

    def _since(self, since: Expression) -> int | None:
        """The value of ``since``, the earliest rowtime that a query reads; None if it is NULL."""
        value = self.constant(since)
        assert value is None or isinstance(value, int), "a TIMESTAMP"
        return value


@dataclass(frozen=True, slots=True)
class ChecksOf:
    """The function, of the type `ingress.Checks`, that evaluates the CHECKs of a relation."""

    contents: Contents
    relation: Table | Stream

    @property
    def session(self) -> SparkSession:
        """The session of Spark that evaluates the CHECKs."""
        return self.contents.session

    def __call__(self, rows: Sequence[Row]) -> Sequence[bool]:
        """For each row, whether no CHECK is false or fails.

        This takes one query of Spark if no CHECK fails.  If one fails, its row is found by binary
        search: further queries read half of the rows each.
        """
        try:
            return self._evaluated(rows) if rows else []
        except SqlError:
            half = len(rows) // 2
            return [*self(rows[:half]), *self(rows[half:])] if half else [False]

    def _evaluated(self, rows: Sequence[Row]) -> Sequence[bool]:
        """For each row, whether no CHECK is false; raises the error of a CHECK that fails."""
        tune(self.session, len(rows))
        buffer = RowBuffer.of(types_of(row_type_of(self.relation)), rows)
        try:
            with failures():
                judged = self.judged(buffer.relation(self.session), "broken")
                ordered = judged.frame.orderBy(*(each.key() for each in judged.order))
                return [not row[0] for row in ordered.select("broken").collect()]
        finally:
            buffer.close()

    def judged(self, rows: Relation, name: str) -> Relation:
        """``rows`` with one more hidden column, ``name``: whether the row violates a constraint.

        The constraints are CHECK, and NOT NULL of a column that is not ordered.
        """
        checks = self.relation.checks
        rows, names = with_names(rows, checks, self.contents.translator())
        broken = F.lit(False)
        for place in ingress_of(self.relation).required:
            broken = broken | col(column_name(place)).isNull()
        for each in checks:
            broken = broken | ~F.coalesce(column_of(each, names).cast(BooleanType()), F.lit(True))
        return replace(rows, frame=rows.frame.withColumn(name, broken))
