"""What a plan means: its rows over finite tables and histories."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from algebra.catalog import QualifiedName
from algebra.expression import Expression
from algebra.plan import (
    Aggregate,
    Delta,
    Filter,
    Hop,
    Join,
    Plan,
    Project,
    Reads,
    Scan,
    SetOp,
    Sort,
    Values,
    Window,
    WindowJoin,
    is_streaming,
    row_type,
)
from reference.relation import Environment, Relation, Row
from reference.relational.aggregates import aggregate
from reference.relational.emission import in_emission_order, on_time, within
from reference.relational.hop import hop
from reference.relational.joins import join, window_join
from reference.relational.sets import set_operation
from reference.relational.sorting import sort
from reference.relational.windows import window
from reference.scalar.expression import row_of, truth_of
from reference.values import integer

#: Rows by the name of what holds them.
Contents: TypeAlias = Mapping[QualifiedName, Relation]


@dataclass(frozen=True, slots=True)
class World:
    """All that a plan may read; rows in order of arrival, what is not there is empty.

    ``histories`` are the rows of streams that can be read again, those of ``streams`` included;
    ``streams`` the ones that pass while the query runs; ``now`` the session's clock, in
    milliseconds since 1970-01-01; ``parameters`` the values for each ``?``.
    """

    tables: Contents = field(default_factory=dict[QualifiedName, Relation])
    histories: Contents = field(default_factory=dict[QualifiedName, Relation])
    streams: Contents = field(default_factory=dict[QualifiedName, Relation])
    now: int = 0
    parameters: Row = ()

    def contents(self, reads: Reads) -> Contents:
        """What a Scan that reads so looks into."""
        match reads:
            case Reads.TABLE:
                return self.tables
            case Reads.HISTORY:
                return self.histories
            case Reads.STREAM:
                return self.streams


def evaluate(plan: Plan, world: World, outer: tuple[Row, ...] = ()) -> Relation:
    """The rows of ``plan``; ``outer`` are the rows of the enclosing queries, the nearest first.

    Of a Delta: in the order in which they are emitted once all input has ended (S-303).  Raises the
    run-time errors of `grammar.codes`.
    """
    return _Evaluation(world, outer, streaming=False).rows(plan)


@dataclass(frozen=True, slots=True)
class _Evaluation:
    """One reading of a plan: ``streaming`` below a Delta, but not in sub-queries of expressions."""

    world: World
    outer: tuple[Row, ...]
    streaming: bool

    @property
    def env(self) -> Environment:
        """What the plan's expressions see."""

        def query(plan: Plan, outer: tuple[Row, ...]) -> Relation:
            return evaluate(plan, self.world, outer)

        return Environment(lambda: self.world.now, self.world.parameters, self.outer, query)

    def rows(self, plan: Plan) -> Relation:
        """The rows of ``plan``; streaming, every node gives them in the order of emission."""
        rows = self._rows(plan)
        return in_emission_order(rows, plan) if self.streaming else rows

    def timely(self, input: Plan, *expressions: Expression) -> Relation:
        """The rows of an input; streaming, without those that a MONOTONIC there calls late."""
        rows = self.rows(input)
        return on_time(rows, expressions, self.env) if self.streaming else rows

    def _rows(self, plan: Plan) -> Relation:
        """The definition of every node."""
        env = self.env
        match plan:
            case Scan(source, reads):
                return self.world.contents(reads).get(source.name, ())
            case Values(given):
                return [row_of(row, env)(()) for row in given]
            case Filter(input, condition):
                return list(filter(truth_of(condition, env), self.timely(input, condition)))
            case Project(input, expressions):
                return list(map(row_of(expressions, env), self.timely(input, *expressions)))
            case Hop(input, time, emit, retain, align):
                return hop(self.timely(input, time), time, emit, retain, align, env)
            case Aggregate(input, keys, sets, measures):
                return aggregate(self.timely(input, *keys), keys, sets, measures, env)
            case Window(input, groups):
                used = [each for group in groups for each in group.partition]
                used += [key.expression for group in groups for key in group.order]
                return window(self.timely(input, *used), groups, env)
            case Join(left, right, kind, condition):
                widths = (len(row_type(left)), len(row_type(right)))
                inputs = self.rows(left), self.rows(right)
                if not self.streaming or is_streaming(left):
                    return join(*inputs, widths, kind, condition, env)
                # The table is on the left: the stream's rows are joined as they pass (S-508).
                passing = [(*row, place) for place, row in enumerate(inputs[1])]
                widths = (widths[0], widths[1] + 1)
                pairs = join(inputs[0], passing, widths, kind, condition, env)
                return [row[:-1] for row in sorted(pairs, key=lambda row: integer(row[-1]))]
            case WindowJoin(left, right, kind, condition):
                rowtimes = (plan.left_rowtime, plan.right_rowtime)
                sides = (
                    by_rowtime(self.rows(left), rowtimes[0]),
                    by_rowtime(self.rows(right), rowtimes[1]),
                )
                widths = (len(row_type(left)), len(row_type(right)))
                windows = (plan.left_window, plan.right_window)
                return window_join(*sides, widths, kind, condition, windows, rowtimes, env)
            case SetOp(inputs, operator, all):
                return set_operation([self.rows(each) for each in inputs], operator, all)
            case Sort(input, keys, offset, limit, with_ties, slack):
                rows = self.timely(input, *(key.expression for key in keys))
                if slack is not None and self.streaming:
                    rows = within(rows, keys[0], slack, env)
                return sort(rows, keys, offset, limit, with_ties, env)
            case Delta(input):
                return _Evaluation(self.world, self.outer, streaming=True).rows(input)


def by_rowtime(rows: Relation, place: int) -> Relation:
    """The rows in the order of the TIMESTAMP at ``place``, ties as they came."""
    return sorted(rows, key=lambda row: integer(row[place]))
