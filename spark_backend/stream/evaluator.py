"""Plans and expressions evaluated by Spark over the rows that an engine retains."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from algebra.catalog import QualifiedName, Stream
from algebra.expression import Expression, InputRef, Literal, Value
from algebra.parts.mentions import scans
from algebra.plan import Plan, Project, Reads, Scan, row_type
from algebra.plan import Values as ValuesOf
from algebra.rewrite import rewritten
from algebra.types import Type
from spark_backend.data.contents import Contents
from spark_backend.order.set_operation_groups import SO_FAR
from spark_backend.relation import Relation, first_columns, types_of
from spark_backend.runtime.arrow import collected
from spark_backend.runtime.failures import failures
from spark_backend.runtime.session import MANY_ROWS, tune, tune_micro_batch
from spark_backend.stream.retention.row_places import PLACED, REPEATED, placed, repeated
from spark_backend.stream.row_stores import RowStores
from spark_backend.translate import in_order
from spark_backend.translator import Translator
from spark_backend.types import Row, row_values

#: The number of values of expressions at bounds that are memoised.
_REMEMBERED: Final = 1_000


@dataclass(slots=True)
class Evaluator:
    """Evaluates plans: streams are read from ``stores``, tables and histories from ``contents``."""

    contents: Contents
    stores: RowStores
    #: The values of expressions without columns, by the session's clock and the expression.
    _values: dict[tuple[int, Expression], Value] = field(
        default_factory=dict[tuple[int, Expression], Value]
    )

    def rows(self, plan: Plan) -> Sequence[Row]:
        """The rows of a plan, in its order: one query of Spark."""
        plan = self.stores.compactor.applied(plan)
        reads_relations = any(True for _ in scans(plan))
        translator = self.translator() if reads_relations else self._translator_of_constants()
        types = types_of(row_type(plan))
        return self.collect_rows(translator.translate(plan), types, small=translator.small)

    def collect_rows(
        self, relation: Relation, types: tuple[Type, ...], *, small: bool
    ) -> Sequence[Row]:
        """The rows of a relation, in its order, as internal values of its first columns.

        ``types`` are the types of these columns.  ``small``: few rows are read to compute them, so
        they are collected as Spark's own rows, without Arrow.
        """
        frame = in_order(replace(relation, types=types))
        if not small:
            return list(collected(frame, types))
        return [row_values(types, each) for each in frame.collect()]

    def translator(self) -> Translator:
        """A translator that reads the present retained rows of streams."""
        base = self.contents.translator()
        count = self.contents.count() + self.stores.count
        if self.stores.framed:
            tune_micro_batch(base.session)
        else:
            tune(base.session, count)
        #: The relations that have been read, because a plan can scan one several times.
        known: dict[QualifiedName, Relation] = {}

        def source(scan: Scan) -> Relation:
            """The rows that a scan reads, with as many columns as the scan has."""
            name, width = scan.source.name, len(scan.source.columns)
            # A scan of the retained rows of a stream has a hidden last part in its name: `PLACED`
            # and `REPEATED` ask for further columns, `SO_FAR` asks for the rows as those of a table
            # (in a set operation with ALL).
            if name[-1] is PLACED:
                rows = self.stores.of(name[:-1]).relation(base.session)
                return placed(first_columns(rows, width - 1))
            if name[-1] is REPEATED:
                rows = self.stores.of(name[:-1]).relation(base.session)
                return repeated(rows, width - len(rows.types))
            if name[-1] is SO_FAR:
                return first_columns(self.stores.of(name[:-1]).relation(base.session), width)
            compactor = self.stores.compactor
            if name in compactor.types:
                if name not in known:
                    known[name] = compactor.store(name).relation(base.session)
                return known[name]
            if scan.reads is not Reads.STREAM:
                return base.source(scan)
            assert isinstance(scan.source, Stream), "only streams pass"
            if name not in known:
                known[name] = self.stores.of(name).relation(base.session)
            return first_columns(known[name], width)

        return replace(base, source=source, small=count < MANY_ROWS and not self.stores.framed)

    def constant(self, expression: Expression) -> Value:
        """The value of an expression without columns; recent values are memoised."""
        key = (self.contents.now, expression)
        if key not in self._values:
            if len(self._values) >= _REMEMBERED:
                self._values.clear()
            plan = Project(ValuesOf(((),), ()), (expression,), ("VALUE",))
            with failures():
                ((value,),) = self.rows(plan)
            self._values[key] = value
        return self._values[key]

    def meaning_of(self, expression: Expression) -> Callable[[Row], Value]:
        """A function from a row to the value of an expression over the row."""

        def meaning(row: Row) -> Value:
            def with_value(leaf: Expression) -> Expression:
                return Literal(row[leaf.index], leaf.type) if isinstance(leaf, InputRef) else leaf

            return self.constant(rewritten(expression, with_value))

        return meaning

    def _translator_of_constants(self) -> Translator:
        """A translator for expressions without columns; it reads no rows."""
        base = self.contents.translator()
        tune(base.session, 0)
        return replace(base, small=True)
