"""How much of its streams' history a relational query needs, read off its conditions (S-308)."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from algebra.distance import longest
from algebra.expression import (
    Call,
    Case,
    Cast,
    Exists,
    Expression,
    InputRef,
    InQuery,
    Literal,
    Op,
    OuterRef,
    Quantified,
    Round,
    ScalarQuery,
)
from algebra.linear import LONG_MONTH, SHORT_MONTH, calendar_width
from algebra.monotonicity import rowtime_column
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
    row_type,
)
from algebra.ranges import MIRROR, conjuncts, value_range
from algebra.rewrite import below, columns_of, has_subquery, rewritten
from algebra.types import BOOLEAN, MILLIS_PER_DAY, Kind, interval
from grammar.tree import JoinKind, TimeUnit

MILLIS: Final = interval(TimeUnit.DAY, TimeUnit.SECOND)


@dataclass(frozen=True, slots=True)
class NeededHistory:
    """What a query needs of one scan of a history: the rows with rowtime ``since`` or later.

    ``since`` is a TIMESTAMP without columns; CURRENT_TIMESTAMP and parameters may stand in it.  If
    its value is NULL no row is needed.  None: all rows are, from the beginning of the stream.
    """

    scan: Scan
    since: Expression | None


def needed_history(plan: Plan) -> tuple[NeededHistory, ...]:
    """What ``plan`` needs of each history that it scans, those in sub-queries included.

    In the order of the plan's nodes, a node's sub-queries before its inputs.  Never too little: a
    condition that is not understood asks for all rows.
    """
    return tuple(_needs(plan, ()))


def _needs(plan: Plan, known: tuple[Expression, ...]) -> Iterator[NeededHistory]:
    """The needs of ``plan``, of whose rows only those count for which all of ``known`` is true."""
    for expression in _expressions(plan):
        yield from _needs_inside(expression)
    match plan:
        case Scan(_, Reads.HISTORY):
            rowtime = rowtime_column(plan)
            yield NeededHistory(plan, None if rowtime is None else _since(known, rowtime))
        case Scan() | Values():
            return
        case Filter(input, condition):
            yield from _needs(input, (*known, *conjuncts(condition)))
        case Project(input, expressions):
            yield from _needs(input, _rewritten(known, expressions))
        case Aggregate(input, keys, sets):
            common = {i for i in range(len(keys)) if all(i in each for each in sets)}
            yield from _needs(input, _rewritten(_about(known, common), keys))
        case Hop(input):
            yield from _needs(input, _about(known, set(range(len(row_type(input))))))
        case Window(input):
            # Rows that are left out in the end are in the frames of those that are not.
            yield from _needs(input, ())
        case Join() | WindowJoin():
            yield from _join(plan, known)
        case SetOp(inputs):
            for each in inputs:
                yield from _needs(each, known)
        case Sort(input, _, None, None):
            yield from _needs(input, known)
        case Sort(input):
            yield from _needs(input, ())
        case Delta(input):
            yield from _needs(input, known)


def _join(plan: Join | WindowJoin, known: tuple[Expression, ...]) -> Iterator[NeededHistory]:
    """A padded side's rows are needed where ON holds; a preserved side's whatever ON says.

    What is known of the result holds for the rows of a side that is not padded.
    """
    width, all_ = len(row_type(plan.left)), len(row_type(plan.left)) + len(row_type(plan.right))
    on = tuple(conjuncts(plan.condition))
    keeps_left = plan.kind in (JoinKind.LEFT, JoinKind.FULL)
    keeps_right = plan.kind in (JoinKind.RIGHT, JoinKind.FULL)
    of_left = (() if keeps_left else on) + (() if keeps_right else known)
    of_right = (() if keeps_right else on) + (() if keeps_left else known)
    yield from _needs(plan.left, _about(of_left, set(range(width))))
    places = [InputRef(i - width, each.type) for i, each in enumerate(row_type(plan))]
    right = _about(of_right, set(range(width, all_)))
    yield from _needs(plan.right, _rewritten(right, places))


def _about(conditions: Iterable[Expression], columns: set[int]) -> tuple[Expression, ...]:
    """The conditions on ``columns`` alone."""
    return tuple(each for each in conditions if columns_of(each) <= columns)


def _rewritten(
    conditions: Iterable[Expression], columns: Sequence[Expression]
) -> tuple[Expression, ...]:
    """The conditions with each column replaced by what it is made of."""

    def change(leaf: Expression) -> Expression:
        return columns[leaf.index] if isinstance(leaf, InputRef) else leaf

    return tuple(rewritten(each, change) for each in conditions)


def _expressions(plan: Plan) -> Iterator[Expression]:
    """The expressions in which a node's sub-queries stand."""
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
                yield from _needs(plan, ())
            case Quantified(plan=plan):
                yield from _needs(plan, ())
            case _:
                pass


# --- the least rowtime ------------------------------------------------------------------------


def _since(conditions: Iterable[Expression], rowtime: int) -> Expression | None:
    """The greatest of the lower ends that all of ``conditions`` give ``rowtime``."""
    ends = (_lower_end(each, rowtime) for each in conditions)
    return _extreme([each for each in ends if each is not None], Op.GREATER_OR_EQUAL)


def _extreme(ends: list[Expression], op: Op) -> Expression | None:
    """The end that is ``op`` all the others; None: there are none."""
    if not ends:
        return None
    extreme = ends[0]
    for each in ends[1:]:
        chosen = Call(op, (extreme, each), BOOLEAN)
        extreme = Case(((chosen, extreme),), each, each.type) if each != extreme else extreme
    return extreme


def _lower_end(condition: Expression, rowtime: int) -> Expression | None:
    """The least rowtime of a row for which ``condition`` is true; None: it gives none."""
    match condition:
        case Call(Op.AND, operands):
            return _since(operands, rowtime)
        case Call(Op.OR, operands):
            ends = [_lower_end(each, rowtime) for each in operands]
            found = [each for each in ends if each is not None]
            return _extreme(found, Op.LESS_OR_EQUAL) if len(found) == len(ends) else None
        case Call(Op.IS_TRUE, (operand,)):
            return _lower_end(operand, rowtime)
        case Call(op, (a, b)) if op in MIRROR:
            return _compared(a, op, b, rowtime) or _compared(b, MIRROR[op], a, rowtime)
        case _:
            return None


def _compared(side: Expression, op: Op, limit: Expression, rowtime: int) -> Expression | None:
    """The least rowtime at which ``side op limit``, where ``side`` holds the rowtime."""
    if columns_of(side) != frozenset({rowtime}) or not _is_fixed(limit):
        return None
    if isinstance(side, Call) and side.op is Op.DATETIME_MINUS:
        return _age(side, op, limit, rowtime)
    if op in (Op.LESS, Op.LESS_OR_EQUAL):
        return None
    strict = op is Op.GREATER and limit.type.kind is Kind.TIMESTAMP
    return _inverse(side, _later(limit, 1) if strict else limit)


def _is_fixed(expression: Expression) -> bool:
    """Whether ``expression`` has one value for all rows."""
    fixed = not any(isinstance(each, OuterRef) for each in below(expression))
    return fixed and not columns_of(expression) and not has_subquery(expression)


def _age(minus: Call, op: Op, limit: Expression, rowtime: int) -> Expression | None:
    """The least rowtime at which ``(now - rowtime) HOUR <= limit`` and its kin."""
    now, then = minus.operands
    age = value_range(limit).value
    if op not in (Op.LESS, Op.LESS_OR_EQUAL, Op.EQUAL) or age is None:
        return None
    if (
        columns_of(then) != frozenset({rowtime})
        or not _is_fixed(now)
        or now.type.kind is not Kind.TIMESTAMP
    ):
        return None
    oldest = longest(minus, age - 1 if op is Op.LESS else age)
    return _inverse(then, _later(now, -int(oldest)))


def _later(time: Expression, millis: int) -> Expression:
    """``time`` plus ``millis``."""
    return Call(Op.DATETIME_PLUS, (time, Literal(millis, MILLIS)), time.type) if millis else time


def _inverse(side: Expression, least: Expression) -> Expression | None:
    """The least rowtime at which ``side``, made of it, is ``least`` or more."""
    match side:
        case InputRef(_, type_):
            return least if type_.kind is Kind.TIMESTAMP else None
        case Round(False, operand) | Call(Op.STEP, (operand, Literal())):
            return _inverse(operand, least)
        case Call(Op.MONOTONIC, (operand,)):
            return _inverse(operand, least)
        case Round(True, operand, unit) if operand.type.kind is Kind.TIMESTAMP:
            return _inverse(operand, _later(least, 1 - calendar_width(unit, operand.type)))
        case Call(Op.DATETIME_PLUS, (operand, shift)) if operand.type.kind is Kind.TIMESTAMP:
            millis = _most(shift)
            return None if millis is None else _inverse(operand, _later(least, -millis))
        case Cast(operand, type_) if operand.type.kind is Kind.TIMESTAMP:
            if type_.kind is Kind.DATE:
                return _inverse(operand, Cast(least, operand.type))
            return _inverse(operand, least) if type_.kind is Kind.TIMESTAMP else None
        case _:
            return None


def _most(shift: Expression) -> int | None:
    """The most milliseconds that a constant interval adds to a TIMESTAMP; None: not known."""
    amount = value_range(shift).value
    if amount is None:
        return None
    if shift.type.kind is Kind.MILLIS:
        return int(amount)
    return int(amount) * (LONG_MONTH if amount >= 0 else SHORT_MONTH) * MILLIS_PER_DAY
