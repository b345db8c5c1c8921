"""What tables and streams hold while a query is open."""

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
from grammar.source import Span, SqlError
from spark_backend.columns.expression import column_of
from spark_backend.data.ingress import gate_of
from spark_backend.data.row_buffer import Store
from spark_backend.operators.subqueries import with_names
from spark_backend.relation import Relation, types_of
from spark_backend.runtime.arrow import collected
from spark_backend.runtime.failures import failures
from spark_backend.runtime.session import MANY_ROWS, tune
from spark_backend.translate import in_order, translated
from spark_backend.translator import Translator
from spark_backend.types import row_values


@dataclass(slots=True)
class Held:
    """The rows of one object: those from before the session, and those that have passed since."""

    before: Store
    passed: Store


@dataclass(slots=True)
class Contents:
    """The rows of all objects, by name, and the session's clock: what a plan is evaluated over."""

    session: SparkSession
    now: int
    held: dict[QualifiedName, Held] = field(default_factory=dict[QualifiedName, Held])

    def of(self, relation: Table | Stream) -> Held:
        """The rows of an object."""
        if relation.name not in self.held:
            types = types_of(row_type_of(relation))
            self.held[relation.name] = Held(Store(types), Store(types))
        return self.held[relation.name]

    def rows(self, plan: Plan) -> Iterator[tuple[Value, ...]]:
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
        """An evaluation over what is held now; each object is sent to Spark once."""
        known: dict[tuple[QualifiedName, Reads], Relation] = {}

        def source(scan: Scan) -> Relation:
            key = (scan.source.name, scan.reads)
            if key not in known:
                known[key] = self._scanned(scan)
            return known[key]

        return Translator(
            self.session, source, self.now, translated, small=self.count() < MANY_ROWS
        )

    def checks(self, relation: Table | Stream) -> "ChecksOf":
        """What tells of typed rows whether every CHECK is true or unknown of them."""
        return ChecksOf(self, relation)

    def close(self) -> None:
        """Give back the files."""
        for each in self.held.values():
            each.before.close()
            each.passed.close()

    def constant(self, expression: Expression) -> Value:
        """The value of an expression without columns."""
        plan = Project(Values(((),), ()), (expression,), ("VALUE",))
        ((value,),) = self.rows(plan)
        return value

    def count(self) -> int:
        """How many rows there are, in all objects; those of a frame count as `MANY_ROWS`."""
        return sum(each.before.count + each.passed.count for each in self.held.values())

    def _scanned(self, scan: Scan) -> Relation:
        """The rows that a scan reads."""
        held = self.of(scan.source)
        match scan.reads:
            case Reads.STREAM:
                return held.passed.relation(self.session)
            case Reads.TABLE:
                return self._both(held)
            case Reads.HISTORY:
                return self._recent(scan, self._both(held))

    def _both(self, held: Held) -> Relation:
        """The rows from before, then those that have passed."""
        if not held.passed.count:
            return held.before.relation(self.session)
        late = held.passed.relation(self.session)
        if not held.before.count:
            return late
        early = held.before.relation(self.session)
        (order,) = late.order
        behind = late.frame.withColumn(order.column, F.col(order.column) + F.lit(held.before.count))
        return Relation(early.frame.union(behind), early.types, early.order)

    # --- histories ----------------------------------------------------------------------------

    def _horizon(self, stream: Stream) -> tuple[int, int] | None:
        """The place of a stream's rowtime, and the least one that its history still has."""
        place = gate_of(stream).rowtime
        if stream.history is None or stream.history.millis is None or place is None:
            return None
        with failures():
            times = self._both(self.of(stream)).frame.agg(F.max(F.col(f"c{place}")))
            clock = times.collect()[0][0]
        return None if clock is None else (place, clock - stream.history.millis)

    def _recent(self, scan: Scan, rows: Relation) -> Relation:
        """The rows that the history has not yet dropped."""
        horizon = self._horizon(scan.source) if isinstance(scan.source, Stream) else None
        if horizon is None:
            return rows
        place, least = horizon
        kept = rows.frame.filter(F.col(f"c{place}") >= least)
        return Relation(kept, rows.types, rows.order)

    def _check_histories(self, plan: Plan) -> None:
        """INSUFFICIENT_HISTORY if a row that the query needs has been dropped (S-308)."""
        for need in needed_history(plan):
            stream = need.scan.source
            horizon = self._horizon(stream) if isinstance(stream, Stream) else None
            if horizon is None:
                continue
            place, least = horizon
            since = None if need.since is None else self._since(need.since)
            if need.since is not None and since is None:
                continue  # compared with NULL: no row is needed
            time = F.col(f"c{place}")
            lost = self._both(self.of(stream)).frame.filter(time < least)
            if since is not None:
                lost = lost.filter(time >= since)
            if lost.limit(1).count():
                name = ".".join(stream.name)
                message = f"the history of {name} no longer has all rows that the query needs"
                hint = f"CREATE STREAM {name} (…) WITH HISTORY"
                raise SqlError(Code.INSUFFICIENT_HISTORY, message, "", Span(0, 0), hint)

    def _since(self, since: Expression) -> int | None:
        value = self.constant(since)
        assert value is None or isinstance(value, int), "a TIMESTAMP"
        return value


@dataclass(frozen=True, slots=True)
class ChecksOf:
    """The CHECKs of a relation."""

    contents: Contents
    relation: Table | Stream

    @property
    def session(self) -> SparkSession:
        """The session that they are asked in."""
        return self.contents.session

    def __call__(self, rows: Sequence[tuple[Value, ...]]) -> Sequence[bool]:
        """Of each row whether no CHECK is false."""
        if not rows:
            return []
        tune(self.session, len(rows))
        store = Store.of(types_of(row_type_of(self.relation)), rows)
        with failures():
            judged = self.judged(store.relation(self.session), "broken")
            ordered = judged.frame.orderBy(*(each.key() for each in judged.order))
            found = [not row[0] for row in ordered.select("broken").collect()]
        store.close()
        return found

    def judged(self, rows: Relation, name: str) -> Relation:
        """The rows, and in a column of this name whether a CHECK is false of each."""
        checks = self.relation.checks
        rows, names = with_names(rows, checks, self.contents.translator())
        broken = F.lit(False)
        for each in checks:
            broken = broken | ~F.coalesce(column_of(each, names).cast(BooleanType()), F.lit(True))
        return replace(rows, frame=rows.frame.withColumn(name, broken))
