"""The meaning of a plan: its rows over finite tables, histories and streams.

For a streaming query, these are all rows that the query emits until its inputs end.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import chain
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

from algebra.catalog import QualifiedName
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
    Reads,
    Scan,
    Session,
    SetOp,
    Sort,
    Values,
    Window,
    WindowJoin,
    is_streaming,
    row_type,
)
from reference.definitions import DEFINITIONS
from reference.environment import Environment, Forms
from reference.relation import Relation, Row
from reference.relational.aggregates import aggregate
from reference.relational.asof import asof_join
from reference.relational.emission import emission_keys, not_late, timed
from reference.relational.hop import in_windows
from reference.relational.joins import join, window_join
from reference.relational.sessions import in_sessions
from reference.relational.sets import set_operation
from reference.relational.sorting import sort
from reference.relational.table_rows import listed
from reference.relational.windows import window
from reference.scalar.expression import row_of, truth_of
from reference.values import integer

#: The rows of tables or streams, by name.
Contents: TypeAlias = Mapping[QualifiedName, Relation]


_NO_CONTENTS: Final[Contents] = MappingProxyType({})


class World(NamedTuple):
    """All that a plan can read; rows are in order of arrival, and a missing relation is empty.

    ``streams`` has the rows that arrive while the query runs.  ``histories`` has the rows of the
    streams with a history, both those of ``streams`` and those that arrived before.  ``now`` is the
    session's clock, in milliseconds since 1970-01-01.  ``parameters`` has the value of each ``?``.

    Defines: S-106.d
    """

    tables: Contents = _NO_CONTENTS
    histories: Contents = _NO_CONTENTS
    streams: Contents = _NO_CONTENTS
    now: int = 0
    parameters: Row = ()

    def contents(self, reads: Reads) -> Contents:
        """The rows that a Scan of this kind reads."""
        match reads:
            case Reads.TABLE:
                return self.tables
            case Reads.HISTORY:
                return self.histories
            case Reads.STREAM:
                return self.streams


def evaluate(
    plan: Plan, world: World, forms: Forms = DEFINITIONS, outer: tuple[Row, ...] = ()
) -> Relation:
    """The rows of ``plan``; ``outer`` are the rows of the enclosing queries, the nearest first.

    The rows of a Delta are all rows that the stream emits until its inputs end, in order (S-303).
    Raises the run-time errors of `grammar.codes`.

    Defines: S-303.a
    """

    def query(plan: Plan, outer: tuple[Row, ...]) -> Relation:
        return evaluate(plan, world, forms, outer)

    env = Environment(lambda: world.now, world.parameters, outer, query, forms)
    return _Evaluation(world, env).relation(plan)


@dataclass(frozen=True, slots=True)
class _Evaluation:
    """The meaning of plans in one world.

    `relation` gives the rows of a plan over relations, and `stream` those of a plan below a Delta,
    which turns a relation into a stream.
    """

    world: World
    env: Environment

    def relation(self, plan: Plan) -> Relation:
        """The rows of ``plan``, whose inputs are read as relations."""
        return self.node(plan, self.relation)

    def stream(self, plan: Plan) -> Relation:
        """All rows of ``plan``, whose inputs are read as streams.

        Each input stream is taken as a relation: its rows in the order of their emission, without
        those that are late at this node.  The node is then evaluated over these relations.
        """

        def arriving(input: Plan) -> Relation:
            """The rows of an input in the order of their emission, without late rows."""
            rows = env.forms.in_order(timed(self.stream(input), input, env), emission_keys(input))
            return not_late([row for _, row in rows], plan, env)

        env = self.env
        match plan:
            case Join(left, right, kind, condition) if not is_streaming(left):
                # S-508: each row of the stream is joined with the table when it arrives.
                table, widths = arriving(left), (len(row_type(left)), len(row_type(right)))
                joined = (
                    join(table, [row], widths, kind, condition, env) for row in arriving(right)
                )
                return list(chain.from_iterable(joined))
            case _:
                return self.node(plan, arriving)

    def node(self, plan: Plan, rows: Callable[[Plan], Relation]) -> Relation:
        """The rows of the node ``plan``; ``rows`` returns the rows of an input of the node."""
        env = self.env
        match plan:
            case Scan(source, reads):
                return listed(self.world.contents(reads).get(source.name, ()))
            case Values(constants):
                return [row_of(row, env)(()) for row in constants]
            case Filter(input, condition):
                return list(filter(truth_of(condition, env), rows(input)))
            case Project(input, expressions):
                return list(map(row_of(expressions, env), rows(input)))
            case Hop(input):
                return in_windows(plan, env)(rows(input))
            case Session(input):
                return in_sessions(plan, rows(input), env)
            case Aggregate(input, keys, sets, measures):
                return aggregate(rows(input), keys, sets, measures, env)
            case Window(input, groups):
                return window(rows(input), groups, env)
            case Join(left, right, kind, condition):
                widths = (len(row_type(left)), len(row_type(right)))
                return join(rows(left), rows(right), widths, kind, condition, env)
            case WindowJoin(left, right, kind, condition):
                rowtimes = (plan.left_rowtime, plan.right_rowtime)
                sides = (
                    by_rowtime(rows(left), rowtimes[0]),
                    by_rowtime(rows(right), rowtimes[1]),
                )
                widths = (len(row_type(left)), len(row_type(right)))
                windows = (plan.left_window, plan.right_window)
                return window_join(*sides, widths, kind, condition, windows, rowtimes, env)
            case AsofJoin(left, right):
                return asof_join(plan, rows(left), rows(right), env)
            case SetOp(inputs, operator, all):
                return set_operation([rows(each) for each in inputs], operator, all)
            case Sort(input, keys, offset, limit, with_ties):
                return sort(rows(input), keys, offset, limit, with_ties, env)
            case Changes(input):
                return self.relation(input)
            case Delta(input):
                # The rows that the relation gains at each moment of the stream's time (S-303).
                return env.forms.emitted(
                    timed(self.stream(input), input, env), emission_keys(input)
                )


def by_rowtime(rows: Relation, place: int) -> Relation:
    """The rows in the order of the TIMESTAMP at ``place``, ties in their order of arrival.

    Defines: S-307.a, S-307.d
    """
    return sorted(rows, key=lambda row: integer(row[place]))
