"""Lineage: rewrites a plan so that each output row has the names of its input rows in a column.

`reference.provenance.provenance` runs the rewritten plan to explain from which input rows an output
row is made.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias, TypeVar, cast

from algebra.catalog import Column, Stream
from algebra.expression import (
    AggregateCall,
    AggregateFunction,
    Call,
    Cast,
    Expression,
    InputRef,
    Literal,
    Op,
    OuterRef,
    Subquery,
    WindowCall,
)
from algebra.parts.node_expressions import with_expressions
from algebra.plan import (
    Aggregate,
    AsofJoin,
    Changes,
    Delta,
    Hop,
    Join,
    Joining,
    Passing,
    Plan,
    Project,
    RangeOffset,
    Scan,
    Session,
    SetOp,
    Window,
    WindowGroup,
    WindowJoin,
    inputs_of,
    row_type,
    with_inputs,
)
from algebra.rewrite import operands, shifted, with_operands
from algebra.types import TIMESTAMP, VARCHAR, Kind
from grammar.tree import SetOperator

#: The name of the added column.  Its text is a list of origins with commas:
#:
#: - ``ORDERS#3`` is the row at place 3 of ORDERS.
#: - ``@start/end`` after an origin is the window that contains the row; both are timestamps.
#: - ``@time;start;end`` is a frame: its ends, in milliseconds from the timestamp ``time``.
#: - ``(…)`` is the origin of a row of OVER: the row, its frame, and the rows of the frame.
ORIGIN: Final = "$ORIGIN"
_TEXT: Final = VARCHAR.as_nullable(False)
_NONE: Final = Literal("", _TEXT)
_COMMA: Final = Literal(",", _TEXT)

#: The place of each column of a plan in the plan with origins.
Places: TypeAlias = tuple[int, ...]
_Node = TypeVar("_Node", bound=Plan)


@dataclass(frozen=True, slots=True)
class Lineage:
    """A rewritten plan: the new ``places`` of the old columns, and the ``origin`` of a row.

    ``origin`` is an expression over the rewritten plan's rows.
    """

    plan: Plan
    places: Places
    origin: Expression


def traced(query: Delta) -> Delta:
    """The query with a last column ``$ORIGIN``: the names of each row's input rows, with commas.

    All its streams have that column, too, with the names of their own rows.  The other columns stay
    the same, and so do the order and the time of emission.  A row of a table has no name, and a row
    of INTERSECT or EXCEPT has no name, either.
    """
    below = lineage(query.input)
    columns = row_type(query)
    own = tuple(InputRef(p, f.type) for p, f in zip(below.places, columns, strict=True))
    names = tuple(each.name for each in columns)
    if below.places == tuple(range(len(columns))) and _is_last(below):
        return Delta(below.plan)
    return Delta(Project(below.plan, (*own, below.origin), (*names, ORIGIN)))


def _is_last(below: Lineage) -> bool:
    """Whether the origin is the last column already, so that all columns keep their places."""
    width = len(row_type(below.plan))
    return isinstance(below.origin, InputRef) and below.origin.index == width - 1 == len(
        below.places
    )


def lineage(plan: Plan) -> Lineage:
    """Rewrite ``plan`` so that the origin of each of its rows can be computed."""
    match plan:
        case Scan(Stream() as source):
            named = replace(source, columns=(*source.columns, Column(ORIGIN, _TEXT)))
            return _appended(replace(plan, source=named), len(source.columns))
        case Delta(input) | Changes(input):
            return lineage(input)
        case Passing():
            below = lineage(plan.input)
            moved = _moved(plan, below.places)
            return replace(below, plan=replace(moved, input=below.plan))
        case Project(input, _, names):
            below = lineage(input)
            made = (*_moved(plan, below.places).expressions, below.origin)
            return _appended(Project(below.plan, made, (*names, ORIGIN)), len(names))
        case Hop(input) | Session(input):
            return _hop(plan, lineage(input))
        case Aggregate(input):
            return _aggregate(plan, lineage(input))
        case Window(input):
            return _window(plan, lineage(input))
        case Joining():
            return _join(plan, lineage(plan.left), lineage(plan.right))
        case SetOp():
            return _set_operation(plan)
        case _:
            return _unknown(plan)


def _unknown(plan: Plan) -> Lineage:
    """``plan`` as it is; its rows have an empty origin."""
    return Lineage(plan, tuple(range(len(row_type(plan)))), _NONE)


def _appended(plan: Plan, columns: int) -> Lineage:
    """A ``plan`` whose rows have their origin after their ``columns`` columns."""
    return Lineage(plan, tuple(range(columns)), InputRef(columns, _TEXT))


# --- node by node -----------------------------------------------------------------------------


def _hop(plan: Hop | Session, below: Lineage) -> Lineage:
    """HOP or SESSION: the origin of an output row is that of its input row, then ``@start/end``."""
    width = len(row_type(below.plan))
    time = TIMESTAMP.as_nullable(False)
    start, end = InputRef(width, time), InputRef(width + 1, time)
    hopped = replace(_moved(plan, below.places), input=below.plan)
    parts = (
        below.origin,
        _literal_text("@"),
        Cast(start, _TEXT),
        _literal_text("/"),
        Cast(end, _TEXT),
    )
    return Lineage(hopped, (*below.places, width, width + 1), _joined(parts))


def _aggregate(plan: Aggregate, below: Lineage) -> Lineage:
    """GROUP BY: the origin of a group is the list of the origins of its rows."""
    listed = AggregateCall(AggregateFunction.LISTAGG, (below.origin, _COMMA), VARCHAR)
    moved = _moved(plan, below.places)
    measures = (*moved.measures, listed)
    grouped = replace(moved, input=below.plan, measures=measures, names=(*plan.names, ORIGIN))
    columns = len(plan.names)
    origin = _or_none(InputRef(columns, VARCHAR))
    return Lineage(grouped, tuple(range(columns)), origin)


def _window(plan: Window, below: Lineage) -> Lineage:
    """OVER: the origin of a row has its own origin, its frames in time, and their rows' origins.

    It is in parentheses, because the origins of the frames' rows are not parts of this row.
    """
    width = len(row_type(below.plan))
    groups: list[WindowGroup] = []
    places = list(below.places)
    moved = _moved(plan, below.places).groups
    frames = [each for group in moved for each in _frame(group)]
    origins: list[Expression] = [below.origin, *frames]
    names: list[str] = []
    rest = iter(plan.names)
    for group in moved:
        listed = WindowCall(AggregateFunction.LISTAGG, (below.origin, _COMMA), VARCHAR)
        groups.append(replace(group, calls=(*group.calls, listed)))
        places += range(width + len(names), width + len(names) + len(group.calls))
        names += [next(rest) for _ in group.calls]
        origins += [_COMMA, _or_none(InputRef(width + len(names), VARCHAR))]
        names.append(ORIGIN)
    window = Window(below.plan, tuple(groups), tuple(names))
    origins = [_literal_text("("), *origins, _literal_text(")")]
    return Lineage(window, tuple(places), _joined(origins))


def _frame(group: WindowGroup) -> tuple[Expression, ...]:
    """The text of a row's frame in its origin; empty unless both ends are distances in time.

    A frame of rows, of months or without a start has no such ends; the origins of its rows show it.
    """
    key = group.order[0] if len(group.order) == 1 else None
    if key is None or key.expression.type.kind is not Kind.TIMESTAMP:
        return ()
    distances = list[int]()
    for bound in (group.frame.start, group.frame.end):
        match bound:
            case RangeOffset(Literal(int(length), kind), preceding) if kind.kind is not Kind.MONTHS:
                distances.append(-length if preceding else length)
            case _:
                return ()
    if distances == [0, 0]:
        return ()
    if key.descending:
        distances = [-each for each in reversed(distances)]
    start, end = distances
    ends = (Cast(key.expression, VARCHAR), _literal_text(f";{start};{end}"))
    return (_or_none(_joined((_literal_text("@"), *ends))),)


def _join(plan: Join | WindowJoin | AsofJoin, left: Lineage, right: Lineage) -> Lineage:
    """A join: the origin of a pair has the origins of both rows; an unmatched row keeps its own."""
    width = len(row_type(left.plan))
    places = (*left.places, *(width + place for place in right.places))
    parts = (
        _or_none(shifted(left.origin, 0, padded=plan.kind.preserves_right)),
        _COMMA,
        _or_none(shifted(right.origin, width, padded=plan.kind.preserves_left)),
    )
    joined = replace(_moved(plan, places), left=left.plan, right=right.plan)
    if isinstance(plan, WindowJoin):
        assert isinstance(joined, WindowJoin)
        rowtimes = (left.places[plan.left_rowtime], right.places[plan.right_rowtime])
        joined = replace(joined, left_rowtime=rowtimes[0], right_rowtime=rowtimes[1])
        places = (*places, width + len(row_type(right.plan)))
    return Lineage(joined, places, _joined(parts))


def _set_operation(plan: SetOp) -> Lineage:
    """UNION: the origin of a row has those of all equal rows.  INTERSECT and EXCEPT have none."""
    columns = row_type(plan)
    width = len(columns)
    below = [lineage(each) for each in plan.inputs]
    sides = tuple(_as_columns(b, each) for b, each in zip(below, plan.inputs, strict=True))
    union = SetOp(sides, SetOperator.UNION, all=True)
    if plan.operator is SetOperator.UNION and plan.all:
        return _appended(union, width)
    if plan.operator is SetOperator.UNION:
        keys = tuple(InputRef(i, each.type) for i, each in enumerate(columns))
        listed = AggregateCall(AggregateFunction.LISTAGG, (InputRef(width, _TEXT), _COMMA), VARCHAR)
        names = (*(each.name for each in columns), ORIGIN)
        grouped = Aggregate(union, keys, (tuple(range(width)),), (listed,), names)
        return Lineage(grouped, tuple(range(width)), _or_none(InputRef(width, VARCHAR)))
    bare = tuple(
        Project(b.plan, side.expressions[:-1], side.names[:-1])
        for b, side in zip(below, sides, strict=True)
    )
    return _unknown(replace(plan, inputs=bare))


def _as_columns(below: Lineage, plan: Plan) -> Project:
    """Project a rewritten input ``below`` to the columns of the input ``plan``, then the origin."""
    columns = row_type(plan)
    own = tuple(InputRef(p, f.type) for p, f in zip(below.places, columns, strict=True))
    return Project(below.plan, (*own, below.origin), (*(f.name for f in columns), ORIGIN))


# --- expressions ------------------------------------------------------------------------------


def _literal_text(text: str) -> Literal:
    """A text as a literal of the type of origins."""
    return Literal(text, _TEXT)


def _joined(parts: Sequence[Expression]) -> Expression:
    """The concatenation of ``parts``, which are texts; there is at least one."""
    whole = parts[0]
    for each in parts[1:]:
        whole = Call(Op.CONCAT, (whole, each), _TEXT)
    return whole


def _or_none(text: Expression) -> Expression:
    """``text``, or the empty text if it is NULL."""
    return Call(Op.COALESCE, (text, _NONE), _TEXT)


def _moved(node: _Node, places: Places) -> _Node:
    """``node`` with its own expressions changed for input rows whose columns are at ``places``."""
    moved = with_expressions(node, lambda each: _at_places(each, places))
    return cast("_Node", moved)  # it is the same node


def _at_places(expression: Expression, places: Places, depth: int = 0) -> Expression:
    """An expression in which the references to one row are changed to ``places``.

    It is the input row of the expression (``depth`` 0), or the row of the query that is ``depth``
    queries outside of it.
    """
    match expression:
        case InputRef(index) if depth == 0:
            return replace(expression, index=places[index])
        case OuterRef(level, index) if level == depth:
            return replace(expression, index=places[index])
        case _:
            inner = [_at_places(each, places, depth) for each in operands(expression)]
            changed = with_operands(expression, inner)
            if isinstance(changed, Subquery):
                return replace(changed, plan=_inside(changed.plan, places, depth + 1))
            return changed


def _inside(plan: Plan, places: Places, depth: int) -> Plan:
    """A sub-query's ``plan`` with its references to an outer row changed to ``places``.

    ``depth`` is the number of queries between this row and the expressions of the plan.
    """
    below = with_inputs(plan, [_inside(each, places, depth) for each in inputs_of(plan)])
    return with_expressions(below, lambda each: _at_places(each, places, depth))
