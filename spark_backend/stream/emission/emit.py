"""The rows that a micro-batch emits, as a DataFrame: a query for the rows between two bounds."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses

from algebra.plan import Plan, row_type
from algebra.types import Type
from spark_backend.columns.logic import all_of
from spark_backend.data.row_buffer import RowBuffer
from spark_backend.made_once import col
from spark_backend.order.output_order import OutputOrder
from spark_backend.relation import Relation, SortColumn, column_name
from spark_backend.stream.emission.sorting import sorted_in_spans, window_by
from spark_backend.translator import Spans, Translator
from spark_backend.workarounds.non_inlined_literals import non_inlined

#: The approximate number of rows that a Python worker gets at a time.
_PER_TURN: Final = 1_000_000


def all_rows(plan: Plan, translator: Translator, types: tuple[Type, ...]) -> RowBuffer:
    """All rows of a plan, which has these column types, as a buffer over a DataFrame."""
    rows = translator.translate(plan)
    return RowBuffer.of_frame(rows.frame, types, order=rows.order)


@dataclass(frozen=True, slots=True)
class Emission:
    """The rows that a micro-batch emits: the bound passes them in this batch.

    ``before`` and ``limit`` are the previous and the new bound in milliseconds: the new one has
    passed the rows, and the previous one had not. ``before`` is None if no bound was known;
    ``limit`` is None if the input has ended, because the end passes NULL, too.

    A row *at* the bound can be emitted, too, if the order ``emits_at_bound``.  Then the plan's last
    column is the row's emit batch: the number of the first micro-batch at whose end the row is
    determined; NULL if no micro-batch so far has determined the row.  Such a row is emitted in its
    emit batch, and not again when the bound passes it.

    ``batch`` is the number of this micro-batch.  ``start`` is a lower bound of the rowtimes in
    frames; None: it is not known.  ``retained`` is the number of retained input rows.
    """

    order: OutputOrder
    before: int | None
    limit: int | None
    batch: int
    start: int | None
    retained: int

    def relation(self, translator: Translator) -> Relation:
        """The rows with their order, ties as in the plan; the bounds are `non_inlined` literals."""
        order, rows = self.order, translator.translate(self.order.plan)
        if not order.sorted:
            value = SortColumn(column_name(order.place), order.descending, nulls_first=True)
            rows = replace(rows, order=(value, *rows.order))
        conditions = list(self._conditions())
        if not conditions:
            return rows
        return replace(rows, frame=rows.frame.filter(all_of(conditions)))

    def as_frame(self, translator: Translator, types: tuple[Type, ...]) -> RowBuffer:
        """The rows in their order, as a buffer over a DataFrame."""
        within = self._within
        if within is not None:
            translator = replace(translator, spans=self._spans(translator, *within))
        rows = self.relation(translator)
        sort: Callable[[DataFrame], DataFrame] | None = None
        if within is not None:
            sort_spans = partial(sorted_in_spans, order=rows.order, start=within[0], end=within[1])
            sort = (lambda sorted_rows: sorted_rows) if rows.sorted else sort_spans
        return RowBuffer.of_frame(rows.frame, types, order=rows.order, sort=sort)

    @property
    def _within(self) -> tuple[int, int] | None:
        """The interval of time that contains the rows, if both of its ends are known."""
        start = self.start if self.before is None else self.before
        if start is None or self.limit is None or not self.order.by_time or self.order.out_of_order:
            return None
        end = self.limit + 1 if self.order.emits_at_bound else self.limit
        return start, end  # the end itself is not included

    def _spans(self, translator: Translator, start: int, end: int) -> Spans | None:
        """The intervals of time in which the plan's OVER is evaluated, each by one worker.

        None if the plan has no OVER that can be evaluated in this way (`window_by`).
        """
        window = window_by(self.order.plan, self.order.place)
        cores = max(1, translator.session.sparkContext.defaultParallelism)
        turns = max(1, -(-self.retained // (cores * _PER_TURN)))
        if window is None:
            return None
        return Spans(window, start, end, cores * turns, unbounded=self.before is None)

    def _conditions(self) -> Iterator[Column]:
        """The conditions of the emitted rows: not emitted before, and passed or determined by now.

        ===========================  ======================================================
        the row's key                the row is emitted in this micro-batch
        ===========================  ======================================================
        before ``before``            no: it was emitted earlier
        at ``before``                yes, unless an earlier micro-batch is its emit batch
        between the two bounds       yes
        at ``limit``                 if it has an emit batch, and the order `emits_at_bound`
        after ``limit``              no
        NULL                         only at the end of the input
        ===========================  ======================================================
        """
        order = self.order
        value = col(column_name(order.place)).cast("bigint")
        # The 0 is never read: an order that is out of order also emits at the bound.
        emit_batch = (
            col(column_name(len(row_type(order.plan)) - 1)) if order.emits_at_bound else F.lit(0)
        )
        if order.out_of_order:  # the emit batch alone decides
            yield emit_batch == non_inlined(self.batch, emit_batch)
            return
        if self.before is not None:
            bound = non_inlined(self.before, value)
            later = value <= bound if order.descending else value >= bound
            if order.emits_at_bound:
                # A row at the previous bound that an earlier micro-batch determined was emitted.
                emitted = (value == bound) & (emit_batch < non_inlined(self.batch, emit_batch))
                later &= ~F.coalesce(emitted, F.lit(False))
            yield value.isNull() | later
        if self.limit is not None:
            bound = non_inlined(self.limit, value)
            passed = value > bound if order.descending else value < bound
            yield (
                passed | ((value == bound) & emit_batch.isNotNull())
                if order.emits_at_bound
                else passed
            )
