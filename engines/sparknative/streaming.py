"""Streaming queries of Spark's SQL, as its users write them; queries over tables, too."""

from collections.abc import Sequence
from dataclasses import replace

from algebra.expression import AggregateCall, AggregateFunction
from algebra.plan import Aggregate, Delta, Plan, Sort, Window, column_names, is_streaming
from engines.dialect.block import Block, Stage, distinct_names
from engines.dialect.expressions import Scope
from engines.dialect.unsupported import UnsupportedError
from engines.sparknative.moving_windows import MovingWindows


class StreamPrinter(MovingWindows):
    """Prints one statement: groups of a stream are by an event time, or by a window over one."""

    def windowed(self, node: Window, below: Block, outer: Scope) -> Block:
        """OVER: unchanged over a table; over a stream a join of the stream with itself."""
        if is_streaming(node):
            return self.moving_window(node, below, outer)
        return super().windowed(node, below, outer)

    def measure(self, call: AggregateCall, keys: Sequence[str], scope: Scope) -> str:
        """An aggregate; COUNT(DISTINCT …), which streams lack, is the size of a set."""
        counts = call.function is AggregateFunction.COUNT and call.distinct
        if self.streaming and counts and len(call.arguments) == 1:
            counted = self.expression(call.arguments[0], scope)
            return f"size(collect_set({counted}){self.filtered(call.filter, scope)})"
        return super().measure(call, keys, scope)

    def aggregated(self, node: Aggregate, below: Block, outer: Scope) -> Block:
        """GROUP BY the finest of the buckets, and by keys that are not buckets.

        Spark allows one window in a GROUP BY: a coarser one is computed from the finest.
        """
        if self.streaming and below.stage is Stage.SELECTED and below.group is None:
            below = replace(below, stage=Stage.WHERE)  # its items are texts over its source
        below = self.until(below, Stage.WHERE)
        scope = (below.items, *outer)
        written = [self.expression(each, scope) for each in node.keys]
        buckets = [self.bucket(each) for each in written]
        known = [each for each in buckets if each is not None]
        if not known:
            return super().aggregated(node, below, outer)
        finest = min(known, key=lambda each: each.size)
        through = tuple(finest.value if each in self.times else each for each in below.items)
        keys: list[str] = []
        values: list[str] = []
        for key, text, bucket in zip(node.keys, written, buckets, strict=True):
            if bucket is None:
                keys.append(text)
                values.append(text)
                continue
            keys.append(finest.group)
            if bucket.group == finest.group:
                values.append(bucket.value)
                if bucket.event is not None:
                    self.times[bucket.value] = bucket.event
            else:
                values.append(self.expression(key, (through, *outer)))
        self.check_session(finest.group, [each for each in keys if each != finest.group])
        measures = tuple(self.measure(each, keys, scope) for each in node.measures)
        plain = node.sets == (tuple(range(len(keys))),)
        if not plain and any(each.group != finest.group for each in known):
            raise UnsupportedError("no grouping sets of several windows")  # each set has its own
        group = ", ".join(dict.fromkeys(keys)) if plain else self.grouping_sets(node, keys)
        names = distinct_names(node.names)
        items = (*self.shown_keys(node, values), *measures)
        return replace(below, items=items, names=names, stage=Stage.GROUPED, group=group)


def order_of(plan: Plan) -> str | None:
    """The keys of the ORDER BY of a streaming query, over its result; None: it has none."""
    match plan:
        case Delta(Sort(_, keys)):
            printer = StreamPrinter()
            names = distinct_names(column_names(plan))
            return printer.order_by(keys, (tuple(map(printer.identifier, names)),))
        case _:
            return None
