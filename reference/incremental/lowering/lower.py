"""Lowering: makes the network of operators that runs a plan over streams.

`network` is called for each streaming query.  Each node of the plan becomes an operator, sometimes
with a filter or projection below it.  The *implicit rowtime* of a stream without a rowtime column
is one more value of each row, after the columns.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from algebra.catalog import Stream
from algebra.expression import Expression
from algebra.monotonicity.hop_windows import first_window, no_row_follows
from algebra.monotonicity.progress import columns_read
from algebra.parts.clock_readings import with_clock_read_first
from algebra.parts.mentions import monotonic_calls
from algebra.plan import (
    Aggregate,
    AsofJoin,
    Changes,
    Delta,
    Filter,
    Hop,
    Join,
    Plan,
    Project,
    Scan,
    Session,
    SetOp,
    Sort,
    Values,
    Window,
    WindowJoin,
)
from grammar.tree import SetOperator
from reference.environment import Environment
from reference.incremental import rowwise
from reference.incremental.end_of_values import EndOfValues
from reference.incremental.lowering.lower_asof import asof_node
from reference.incremental.lowering.lower_groups import aggregate_node, set_node
from reference.incremental.lowering.lower_join import join_node, window_join_node
from reference.incremental.lowering.lower_session import session_node
from reference.incremental.lowering.lower_sort import sort_node
from reference.incremental.lowering.lower_window import window_node
from reference.incremental.merge import MergeUnion
from reference.incremental.monotonic_filter import MonotonicFilter
from reference.incremental.network import Leaf, Network, Node
from reference.incremental.node_facts import Input, input_of, shape_of
from reference.incremental.rowwise import Limit, chosen
from reference.incremental.train import Shape, nothing
from reference.relation import Relation, Row
from reference.relational.hop import in_windows
from reference.scalar.expression import Meaning, meaning_of, row_of, truth_of

#: The places of the output columns whose bounds the reader of a node requests.  The rowtime is
#: always one of them.
RequestedColumns: TypeAlias = frozenset[int]


def network(plan: Plan, env: Environment, requested: RequestedColumns = frozenset()) -> Network:
    """Make a network for ``plan``, which is a Delta or the plan below one.

    ``env`` is the environment of its expressions, from which the session's clock and the rows of
    sub-queries are read for each event. ``requested`` has the output columns whose bounds are
    requested; the rowtime is added to them.
    """
    shape = shape_of(plan)
    return Network(Lowering(env).lowered(plan, requested | {shape.time}), shape)


@dataclass(frozen=True, slots=True)
class Lowering:
    """Makes the operators of a plan's nodes; ``env`` is the environment of their expressions."""

    env: Environment

    def lowered(
        self,
        plan: Plan,
        requested: RequestedColumns,
    ) -> Node | Leaf:
        """Make the part of the network for ``plan``, with bounds for the ``requested`` columns."""
        if isinstance(plan, Aggregate | Session | Sort | Window):
            plan = with_clock_read_first(plan)
        env, shape = self.env, shape_of(plan)
        match plan:
            case Scan(source):
                assert isinstance(source, Stream), "a streaming query has tables in joins alone"
                return Leaf(source.name, nothing(shape))
            case Delta(input):
                return self.lowered(input, requested)
            case Values() | Changes():
                raise AssertionError(f"{type(plan).__name__} inside a streaming query")
            case Filter(input, condition):
                below = input_of(input)
                node = self.monotonic_input(below, plan, requested, (condition,))
                return Node(plan, rowwise.Filter(shape, truth_of(condition, env)), (node,))
            case Project(input, expressions):
                return self._project(plan, input_of(input), expressions, shape, requested)
            case Hop(input):
                return self._hop(plan, input_of(input), shape, requested)
            case Session(input):
                return session_node(plan, input_of(input), shape, self)
            case SetOp(inputs, SetOperator.UNION, True):
                sides = [input_of(each) for each in inputs]
                return self._merge_union(plan, sides, shape, requested)
            case SetOp(inputs):
                sides = [input_of(each) for each in inputs]
                return set_node(plan, sides, shape, self)
            case Aggregate(input):
                return aggregate_node(plan, input_of(input), shape, requested, self)
            case Sort(input):
                return sort_node(plan, input_of(input), shape, requested, self)
            case Window(input):
                return window_node(plan, input_of(input), shape, requested, self)
            case Join():
                return join_node(plan, shape, requested, self)
            case WindowJoin():
                return window_join_node(plan, shape, requested, self)
            case AsofJoin():
                return asof_node(plan, shape, requested, self)

    def input(
        self,
        below: Input,
        requested: RequestedColumns,
    ) -> Node | Leaf:
        """Make the part of the network for the input ``below`` of a node.

        ``requested`` has the input's columns whose bounds the node needs; the rowtime is added to
        them.  A node that evaluates expressions of the rows calls `monotonic_input` or
        `evaluated_input` instead.
        """
        return self.lowered(below.plan, requested | {below.shape.time})

    def monotonic_input(
        self,
        below: Input,
        plan: Plan,
        requested: RequestedColumns,
        expressions: Sequence[Expression],
    ) -> Node | Leaf:
        """As `input`, but without the rows that a MONOTONIC in ``expressions`` drops (S-407).

        ``plan`` is the node that evaluates the expressions.
        """
        node = self.input(below, requested)
        declared: dict[Expression, Meaning] = {
            each: meaning_of(each, self.env) for each in monotonic_calls(expressions)
        }
        return Node(plan, MonotonicFilter(below.shape, declared), (node,)) if declared else node

    def evaluated_input(
        self,
        below: Input,
        plan: Plan,
        requested: RequestedColumns,
        expressions: Sequence[Expression],
    ) -> Node | Leaf:
        """As `monotonic_input`, for a node that has ``expressions`` as its keys or columns.

        The input also ends when one of the expressions fails on all later rows (S-405).
        """
        advances = [below.progress(each, self.env) for each in expressions]
        ending = [each for each in advances if each is not None and each.may_end]
        needed = requested | columns_read([each.expression for each in ending])
        node = self.monotonic_input(below, plan, needed, expressions)
        return Node(plan, EndOfValues(below.shape, ending), (node,)) if ending else node

    def _project(
        self,
        plan: Project,
        below: Input,
        expressions: tuple[Expression, ...],
        shape: Shape,
        requested: RequestedColumns,
    ) -> Node:
        """Make a projection to ``expressions``; an implicit rowtime is that of the input row."""
        env, time = self.env, below.shape.time
        limits: list[Limit | None] = [
            below.limit(each, env) if place in requested else None
            for place, each in enumerate(expressions)
        ]
        made = row_of(expressions, env)
        needed = columns_read([e for place, e in enumerate(expressions) if place in requested])
        node = self.evaluated_input(below, plan, needed, expressions)
        if not shape.hidden:
            return Node(plan, rowwise.Project(shape, made, limits), (node,))

        def with_time(row: Row) -> Row:
            return (*made(row), row[time])

        limits.append(lambda bounds: bounds.columns[time])
        return Node(plan, rowwise.Project(shape, with_time, limits), (node,))

    def _hop(self, plan: Hop, below: Input, shape: Shape, requested: RequestedColumns) -> Node:
        """Make a HOP; its rows have the input's columns, the window's ends, an implicit rowtime."""
        env, width = self.env, below.shape.width
        time = below.progress(plan.time, env)

        hopped = in_windows(plan, env)

        def with_rowtime_last(rows: Relation) -> Relation:
            """The rows with their windows; `hopped` puts the ends after the implicit rowtime."""
            return [(*row[:width], *row[width + 1 :], row[width]) for row in hopped(rows)]

        descending = time is not None and time.descending

        def first(time: int) -> tuple[int | None, int | None]:
            """The ends of the first window that can have a row at the bound ``time`` or later."""
            return first_window(plan, time, descending)

        def ended(time: int) -> bool:
            """Whether the output has ended when the bound of the time is ``time``."""
            return no_row_follows(plan, time, descending)

        needed = frozenset(i for i in requested if i < width) | columns_read([plan.time])
        node = self.evaluated_input(below, plan, needed, (plan.time,))
        rows_of = with_rowtime_last if below.shape.hidden else hopped
        return Node(plan, rowwise.Hop(shape, width, rows_of, time, first, ended), (node,))

    def _merge_union(
        self, plan: SetOp, sides: Sequence[Input], shape: Shape, requested: RequestedColumns
    ) -> Node:
        """Make a merge of the inputs by rowtime; an implicit rowtime is that of the input's row."""
        nodes: list[Node | Leaf] = []
        for side in sides:
            # For each value of the output its place in a row of the side.  An implicit rowtime of
            # the output can be a column of the side.
            places = [*range(shape.width), *([side.shape.time] if shape.hidden else [])]
            node = self.input(side, frozenset(places[i] for i in requested))
            nodes.append(Node(plan, chosen(shape, places), (node,)))
        bounded = input_of(plan).bounded_columns(requested)
        return Node(plan, MergeUnion(shape, len(nodes), bounded), tuple(nodes))
