"""The plan of a changelog as a network of operators over weighted rows.

At each event, every operator turns the changes of its inputs into the changes of its output.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from algebra.catalog import QualifiedName
from algebra.expression import AggregateCall
from algebra.parts.node_expressions import expressions_of
from algebra.plan import (
    Aggregate,
    Filter,
    Hop,
    Join,
    Plan,
    Project,
    Reads,
    Scan,
    Session,
    SetOp,
    Sort,
    Window,
    columns,
    inputs_of,
    row_type,
)
from algebra.rewrite import has_subquery
from grammar.tree import SetOperator
from reference.environment import Environment
from reference.evaluate import World
from reference.incremental.changes.first import First
from reference.incremental.changes.grouped import Aggregate as AggregateOperator
from reference.incremental.changes.groups import Groups
from reference.incremental.changes.join import Join as JoinOperator
from reference.incremental.changes.linear import Linear, Union
from reference.incremental.changes.operator import Answers, Operator, WeightedRows
from reference.incremental.changes.recomputed import Recomputed
from reference.incremental.changes.retractable import NewAccumulator, accumulator
from reference.relation import Relation, Row, identity_by, order_by
from reference.relational.aggregates import aggregate
from reference.relational.hop import in_windows
from reference.relational.sessions import in_sessions
from reference.relational.sets import set_operation
from reference.relational.sorting import row_count
from reference.relational.table_rows import changes_between
from reference.relational.windows import window
from reference.scalar.expression import row_of, truth_in_turn, truth_of
from reference.scalar.join_keys import equalities
from reference.snapshot import stateful


@stateful
class ChangesNetwork:
    """The operators of a plan.  `step` returns the changes of its answer at each event.

    Raises the run-time errors of the plan's expressions.
    """

    def __init__(self, plan: Plan, env: Environment) -> None:
        self._part = _lowered(plan, env)

    def step(self, world: World) -> WeightedRows:
        """The changes of the answer in ``world`` since the last event; all rows, at the first."""
        return self._part.step(world)

    @property
    def retained(self) -> int:
        """The number of distinct rows that the operators retain."""
        return self._part.retained


@stateful
class _Node:
    """An operator and its inputs."""

    def __init__(self, operator: Operator, inputs: Sequence[Answers]) -> None:
        self._operator, self._inputs = operator, inputs

    def step(self, world: World) -> WeightedRows:
        """The changes of the operator's output in ``world`` since the last event."""
        return self._operator.step([each.step(world) for each in self._inputs])

    @property
    def retained(self) -> int:
        """The number of distinct rows that the operator and its inputs retain."""
        return self._operator.retained + sum(each.retained for each in self._inputs)


@stateful
class _Table:
    """The changes of a table; ``rows`` returns its present rows.

    After a change, ``rows`` returns another object, so that an unchanged table costs nothing.
    """

    def __init__(self, rows: Callable[[World], Relation]) -> None:
        self._rows = rows
        self._before: Relation = ()

    def step(self, world: World) -> WeightedRows:
        """The changes of the rows since the last event."""
        now = self._rows(world)
        changed = () if now is self._before else changes_between(now, self._before)
        self._before = now
        return changed

    @property
    def retained(self) -> int:
        """The number of rows at the last event."""
        return len(self._before)

    def saved_state(self) -> object:
        """The rows at the last event."""
        return list(self._before)

    def restore_state(self, state: list[Row], /) -> None:
        """Take over the rows at the last event."""
        self._before = state


@dataclass(frozen=True)
class _Stream:
    """The changes of a stream: its new rows, because rows are only added."""

    name: QualifiedName
    retained = 0

    def step(self, world: World) -> WeightedRows:
        """The rows since the last event."""
        new = world.streams.get(self.name, ())
        return [(row, 1) for row in new]


def _lowered(plan: Plan, env: Environment) -> Answers:
    """The operators of ``plan``.

    A node with a sub-query is recomputed, because it may read any relation; so is a node for which
    there is no operator here.
    """
    if any(map(has_subquery, expressions_of(plan))):
        return Recomputed(plan, env)
    inputs = [_lowered(each, env) for each in inputs_of(plan)]
    match plan:
        case Scan(source, Reads.STREAM):
            return _Stream(source.name)
        case Scan(source, reads):
            return _Table(lambda world: world.contents(reads).get(source.name, ()))
        case Filter(_, condition):
            chosen = truth_of(condition, env)
            return _Node(Linear(lambda row: (row,) if chosen(row) else ()), inputs)
        case Project(input, expressions) if expressions == columns(input):
            return inputs[0]
        case Project(_, expressions):
            new_row = row_of(expressions, env)
            return _Node(Linear(lambda row: (new_row(row),)), inputs)
        case Hop():
            windows = in_windows(plan, env)
            return _Node(Linear(lambda row: windows([row])), inputs)
        case Session(_, keys_of_sessions):
            key = row_of(keys_of_sessions, env) if keys_of_sessions else None
            return _Node(Groups(1, key, lambda sides: in_sessions(plan, sides[0], env)), inputs)
        case Join(left, right, kind, condition):
            types = ([f.type for f in row_type(left)], [f.type for f in row_type(right)])
            matches, equal = truth_in_turn(condition, env), equalities(condition, len(types[0]))
            return _Node(JoinOperator(matches, equal, kind, types), inputs)
        case SetOp(_, SetOperator.UNION, True):
            return _Node(Union(), inputs)
        case SetOp(_, operator, every):
            combined = Groups(
                len(inputs), _itself, lambda sides: set_operation(sides, operator, every)
            )
            return _Node(combined, inputs)
        # One grouping set with all keys, and measures whose accumulators can remove rows.
        case Aggregate(_, group_keys, (chosen_keys,), measures) if (
            chosen_keys == tuple(range(len(group_keys)))
            and (accumulated := _accumulated(measures, env)) is not None
        ):
            keys_on = row_of(group_keys, env) if group_keys else None
            same = identity_by(each.type for each in group_keys)
            return _Node(AggregateOperator(keys_on, same, accumulated), inputs)
        # Other groups are evaluated again: each by its keys; or all rows as one, if there are
        # several sets or no keys.
        case Aggregate(_, group_keys, sets, measures):
            whole = tuple(range(len(group_keys)))
            return _Node(
                Groups(
                    1,
                    row_of(group_keys, env) if group_keys and sets == (whole,) else None,
                    lambda sides: aggregate(sides[0], group_keys, sets, measures, env),
                ),
                inputs,
            )
        case Window(_, groups):  # all rows are one group if calls partition them differently
            partitions = {each.partition for each in groups}
            partition = partitions.pop() if len(partitions) == 1 else ()
            key = row_of(partition, env) if partition else None
            return _Node(Groups(1, key, lambda sides: window(sides[0], groups, env)), inputs)
        case Sort(_, _, None, None):  # the answer is a multiset, which has no order
            return _Node(Union(), inputs)
        case Sort(_, keys, offset, limit, with_ties):
            values_on, order = row_of([each.expression for each in keys], env), order_by(keys)
            first = First(
                lambda row: order(values_on(row)),
                lambda: (row_count(offset, env) or 0, row_count(limit, env)),
                with_ties,
            )
            return _Node(first, inputs)
        case _:  # there is no incremental operator for it
            return Recomputed(plan, env)


def _accumulated(
    calls: Sequence[AggregateCall], env: Environment
) -> Sequence[NewAccumulator] | None:
    """The makers of the measures' accumulators; None if a measure has none."""
    makers = [accumulator(each, env) for each in calls]
    known = [each for each in makers if each is not None]
    return known if len(known) == len(makers) else None


def _itself(row: Row) -> Row:
    """``row``: as a key, it puts equal rows into one group."""
    return row
