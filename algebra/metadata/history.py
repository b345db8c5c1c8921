"""How much of its streams' histories a relational query needs, by its conditions (S-308)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from algebra.build import at_least
from algebra.constraints.column_ranges import column_ranges
from algebra.constraints.conditions import Linearizer
from algebra.constraints.constraint_system import ConstraintSystem
from algebra.constraints.extremes import goal_ranges
from algebra.constraints.linear_terms import Constraint, Term, all_of, any_of, at_most
from algebra.constraints.linear_values import LinearValue, column_value
from algebra.constraints.row_facts import (
    SymbolicRow,
    equal_values,
    hop_row,
    in_windows,
    scan_constraint,
    symbolic_row,
)
from algebra.expression import (
    AggregateFunction,
    Call,
    Case,
    Cast,
    Exists,
    Expression,
    InQuery,
    Literal,
    Op,
    OuterRef,
    Parameter,
    Quantified,
    ScalarQuery,
    WindowFunction,
)
from algebra.functions.datetimes import max_millis
from algebra.monotonicity.columns import rowtime_column
from algebra.plan import (
    Aggregate,
    Delta,
    Filter,
    Hop,
    Join,
    Plan,
    Project,
    RangeOffset,
    Reads,
    RowOffset,
    Scan,
    SetOp,
    Sort,
    Values,
    Window,
    WindowGroup,
    WindowJoin,
    row_type,
)
from algebra.rewrite import below, columns_of, has_subquery, operands
from algebra.types import DATETIME, INTERVAL, TIMESTAMP, Kind, interval
from grammar.tree import JoinKind, TimeUnit

MILLIS: Final = interval(TimeUnit.DAY, TimeUnit.SECOND)
INSTANT: Final = TIMESTAMP.as_nullable(False)
NOW: Final = Call(Op.CURRENT_TIMESTAMP, (), INSTANT)

#: The window functions that depend on the rows of their frame alone.
FRAMED: Final = frozenset(
    {WindowFunction.FIRST_VALUE, WindowFunction.LAST_VALUE, WindowFunction.NTH_VALUE}
)


@dataclass(frozen=True, slots=True)
class NeededHistory:
    """What a query needs of one scan of a history: the rows with rowtime ``since`` or later.

    ``since`` is a TIMESTAMP without columns, but perhaps with CURRENT_TIMESTAMP and parameters.  If
    its value is NULL, no row is needed; if ``since`` is None, all rows from the beginning of the
    stream.
    """

    scan: Scan
    since: Expression | None


def needed_history(plan: Plan) -> tuple[NeededHistory, ...]:
    """What ``plan`` needs of each history that it scans, also in sub-queries.

    In the order of the plan's nodes, a node's sub-queries before its inputs.  Never too little: a
    condition that is not understood does not restrict what is needed.

    Defines: S-308.f
    """
    return tuple(_needed(plan))


def _needed(plan: Plan) -> Iterator[NeededHistory]:
    """The needs of a plan whose rows all count."""
    rows = _Relevant(ConstraintSystem(fixed_clock=True), (), ())
    yield from _needs(plan, rows.of(plan))


@dataclass(frozen=True, slots=True)
class _Relevant:
    """Any row of a plan that contributes to the result: its columns, and constraints on them.

    ``anchors`` are the fixed times that conditions compare with.  ``path`` names the plan, so that
    its variables differ from those of other plans.
    """

    system: ConstraintSystem
    columns: tuple[LinearValue, ...]
    constraints: tuple[Constraint, ...]
    anchors: frozenset[Expression] = frozenset()
    path: tuple[object, ...] = ()

    def linearizer(self, plan: Plan) -> Linearizer:
        """Translates expressions over the columns."""
        return SymbolicRow(self.columns).linearizer(self.system, column_ranges(plan))

    def of(self, plan: Plan, place: object = 0) -> "_Relevant":
        """Any row of ``plan``, an input, under the constraints collected so far."""
        path = (*self.path, place)
        columns = (
            column_value(self.system, (*path, i), f.type) for i, f in enumerate(row_type(plan))
        )
        return replace(self, columns=tuple(columns), path=path)

    def with_constraints(self, *constraints: Constraint) -> "_Relevant":
        """The same row under further constraints."""
        return replace(self, constraints=(*self.constraints, *constraints))

    def where(self, condition: Expression, plan: Plan) -> "_Relevant":
        """The same row if ``condition`` on the columns of ``plan`` is true of it."""
        known = self.with_constraints(self.linearizer(plan).where_true(condition))
        return replace(known, anchors=known.anchors | frozenset(_anchors(condition)))

    def unconstrained(self) -> "_Relevant":
        """The same row without any constraint."""
        return replace(self, constraints=(), anchors=frozenset[Expression]())


def _needs(plan: Plan, rows: _Relevant) -> Iterator[NeededHistory]:
    """What ``plan`` needs for those of its rows that ``rows`` describes.

    Defines: S-308.e
    """
    for expression in _expressions(plan):
        yield from _needs_inside(expression)
    match plan:
        case Scan():
            if plan.reads is Reads.HISTORY:
                yield NeededHistory(plan, _since(plan, rows))
        case Values():
            return
        case Filter(input, condition):
            yield from _needs(input, rows.where(condition, input))
        case Project(input, expressions):
            yield from _needs(input, _made_of(input, expressions, rows))
        case Aggregate(input, keys, sets):
            common = [i for i in range(len(keys)) if all(i in each for each in sets)]
            group = replace(rows, columns=tuple(rows.columns[i] for i in common))
            yield from _needs(input, _made_of(input, [keys[i] for i in common], group))
        case Hop(input):
            width = len(row_type(input))
            row = SymbolicRow(rows.columns[:width])
            windows = hop_row(plan, row, rows.system, rows.path)
            ends = zip(windows.columns[width:], rows.columns[width:], strict=True)
            known = rows.with_constraints(
                windows.constraint, *(equal_values(a, b) for a, b in ends)
            )
            yield from _needs(input, replace(known, columns=row.columns))
        case Window(input):
            yield from _needs(input, _in_frames(plan, rows))
        case Join() | WindowJoin():
            yield from _join(plan, rows)
        case SetOp(inputs):
            for i, each in enumerate(inputs):
                yield from _needs(each, replace(rows, path=(*rows.path, i)))
        case Sort(input, _, None, None) | Delta(input):
            yield from _needs(input, rows)
        case Sort(input):
            # A row that the conditions above drop may be one of the first rows all the same.
            yield from _needs(input, rows.unconstrained())


def _made_of(input: Plan, expressions: Sequence[Expression], rows: _Relevant) -> _Relevant:
    """The input rows from which a node computes the described rows, by ``expressions``."""
    below_ = rows.of(input)
    linearizer = below_.linearizer(input)
    made = [linearizer.value_of(each) for each in expressions]
    return below_.with_constraints(*map(equal_values, rows.columns, made))


def _join(plan: Join | WindowJoin, rows: _Relevant) -> Iterator[NeededHistory]:
    """What either side needs: a row contributes through the pairs that contribute.

    A row of a side that may be padded also keeps its partner from being emitted unmatched; but a
    constraint from a condition that is true of NULLs holds of any row in their place.  An unmatched
    row has the last time of its window, a pair the first time that both windows share (S-509).
    """
    width, all_ = len(row_type(plan.left)), len(row_type(plan.left)) + len(row_type(plan.right))
    sides = (rows.columns[:width], rows.columns[width:all_])
    for own, (side, alone) in enumerate(
        zip((plan.left, plan.right), _emitted_alone(plan), strict=True)
    ):
        known = rows
        if not alone:
            known = rows.where(plan.condition, plan).with_constraints(
                *_partner(plan, 1 - own, rows)
            )
        if isinstance(plan, WindowJoin):
            known = known.with_constraints(_in_time(plan, own, rows))
        yield from _needs(side, replace(known, columns=sides[own], path=(*rows.path, own)))


def _emitted_alone(plan: Join | WindowJoin) -> tuple[bool, bool]:
    """Whether rows of the left, and of the right, are emitted without a partner."""
    return (
        plan.kind in (JoinKind.LEFT, JoinKind.FULL),
        plan.kind in (JoinKind.RIGHT, JoinKind.FULL),
    )


def _in_time(plan: WindowJoin, own: int, rows: _Relevant) -> Constraint:
    """When a row of one side contributes: in a pair, unmatched, or by keeping another from that."""
    other, columns = 1 - own, rows.columns
    keeps = _emitted_alone(plan)
    counts = [in_windows(plan, columns, (own,) if keeps[own] else (own, other))]
    if keeps[other]:
        meeting = (*columns[:-1], rows.system.fresh())
        counts.append(all_of((in_windows(plan, columns, (other,)), in_windows(plan, meeting))))
    return any_of(counts)


def _partner(plan: Join | WindowJoin, port: int, rows: _Relevant) -> Iterator[Constraint]:
    """The constraints on the other row of a pair."""
    width = len(row_type(plan.left))
    side, offset = (plan.right, width) if port else (plan.left, 0)
    row = symbolic_row(side, rows.system, frozenset(), (*rows.path, port, "partner"))
    yield row.constraint
    yield from map(equal_values, rows.columns[offset : offset + len(row.columns)], row.columns)


def _in_frames(plan: Window, rows: _Relevant) -> _Relevant:
    """The rows in the frames of the described rows; any row, unless all frames start by a time."""
    input, width = plan.input, len(row_type(plan.input))
    own = replace(rows, columns=rows.columns[:width])
    starts = [_reaches_back(each, own, input) for each in plan.groups]
    other = rows.of(input, "frame")
    linearizer, theirs = own.linearizer(input), other.linearizer(input)
    constraints: list[Constraint] = []
    for group, least in zip(plan.groups, starts, strict=True):
        if least is None:
            return own.unconstrained()
        one = (
            equal_values(linearizer.value_of(each), theirs.value_of(each))
            for each in group.partition
        )
        later = at_most(least, theirs.term(group.order[0].expression))
        constraints.append(all_of((later, *one)))
    return other.with_constraints(any_of(constraints))


def _reaches_back(group: WindowGroup, own: _Relevant, input: Plan) -> Term | None:
    """The least value of the sort key in the frame of a row; None: not known."""
    framed = all(
        isinstance(call.function, AggregateFunction) or call.function in FRAMED
        for call in group.calls
    )
    if not framed or len(group.order) != 1 or group.order[0].descending:
        return None
    key = group.order[0].expression
    if key.type.kind not in DATETIME or key.type.nullable:
        return None
    match group.frame.start:
        case RangeOffset(distance, True) if distance.type.kind in INTERVAL:
            # Of months the longest: a month before March 31st is February 28th.
            back = Literal(-max_millis(distance), MILLIS)
            return own.linearizer(input).term(Call(Op.DATETIME_PLUS, (key, back), key.type))
        case RangeOffset(Literal(0), _) | RowOffset(0):
            return own.linearizer(input).term(key)
        case _:
            return None


# --- sub-queries --------------------------------------------------------------------------------


def _expressions(plan: Plan) -> Iterator[Expression]:
    """The expressions of a node, in which its sub-queries are."""
    match plan:
        case Filter(_, condition) | Join(condition=condition) | WindowJoin(condition=condition):
            yield condition
        case Project(_, expressions):
            yield from expressions
        case Hop(_, time):
            yield time
        case Aggregate(_, keys, _, measures):
            yield from keys
            for measure in measures:
                yield from (*measure.arguments, *(key.expression for key in measure.order))
                if measure.filter is not None:
                    yield measure.filter
        case Window(_, groups):
            for group in groups:
                yield from (*group.partition, *(key.expression for key in group.order))
                for call in group.calls:
                    yield from call.arguments
                    if call.filter is not None:
                        yield call.filter
        case Sort(_, keys):
            yield from (key.expression for key in keys)
        case Values(rows):
            for row in rows:
                yield from row
        case Scan() | SetOp() | Delta():
            return


def _needs_inside(expression: Expression) -> Iterator[NeededHistory]:
    for each in below(expression):
        match each:
            case ScalarQuery(plan) | Exists(plan) | InQuery(_, plan):
                yield from _needed(plan)
            case Quantified(plan=plan):
                yield from _needed(plan)
            case _:
                pass


# --- the least rowtime ------------------------------------------------------------------------


def _since(plan: Scan, rows: _Relevant) -> Expression | None:
    """The least rowtime of a row that contributes; None: unbounded, or not known.

    Defines: S-308.d
    """
    place = rowtime_column(plan)
    rowtime = None if place is None else rows.columns[place]
    if not isinstance(rowtime, Term):
        return None
    linearizer = Linearizer(rows.system, lambda _: Term())
    anchors = sorted(rows.anchors, key=repr)
    goals = [rowtime, *(rowtime.minus(linearizer.instant(each)) for each in anchors)]
    constraints = (
        *rows.constraints,
        scan_constraint(plan, SymbolicRow(rows.columns), rows.system),
    )
    found = goal_ranges(rows.system, constraints, goals)
    if found is None:
        return Literal(None, TIMESTAMP)
    ends = [
        _later(anchor, int(each.lower))
        for anchor, each in zip((None, *anchors), found, strict=True)
        if each.lower is not None
    ]
    return _greatest(ends)


def _later(anchor: Expression | None, millis: int) -> Expression:
    """The time ``millis`` after ``anchor``, or after 1970-01-01 if that is None."""
    if anchor is None:
        return Literal(millis, INSTANT)
    distance = Literal(millis, MILLIS)
    return Call(Op.DATETIME_PLUS, (anchor, distance), TIMESTAMP) if millis else anchor


def _greatest(ends: Sequence[Expression]) -> Expression | None:
    """The greatest of some times; NULLs in between do not count, one at the end does."""
    if not ends:
        return None
    greatest = ends[0]
    for each in ends[1:]:
        chosen = at_least(greatest, each)
        greatest = Case(((chosen, greatest),), each, TIMESTAMP)
    return greatest


def _anchors(condition: Expression) -> Iterator[Expression]:
    """The times in ``condition`` that are fixed while the query runs, but not known before."""
    if not _is_fixed(condition):
        for each in operands(condition):
            yield from _anchors(each)
        return
    inside = list(below(condition))
    if any(isinstance(each, Parameter) for each in inside):
        if condition.type.kind in (Kind.TIMESTAMP, Kind.DATE):
            yield condition if condition.type.kind is Kind.TIMESTAMP else Cast(condition, TIMESTAMP)
        return
    if any(isinstance(each, Call) and each.op is Op.CURRENT_TIMESTAMP for each in inside):
        yield NOW


def _is_fixed(expression: Expression) -> bool:
    """Whether ``expression`` has one value for all rows."""
    fixed = not any(isinstance(each, OuterRef) for each in below(expression))
    return fixed and not columns_of(expression) and not has_subquery(expression)
