"""Binding of a FROM clause, in particular of its joins (S-508 to S-513).

A join of two streams by a condition must be in *lock step*: the condition limits how far apart the
times of two joined rows are, so that each row is needed only for a limited time.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from algebra.binding.expression.bind_expression import bind_condition
from algebra.binding.expression.scopes import RowScope
from algebra.binding.over.side_window import side_window
from algebra.binding.query.bind_asof import bind_asof
from algebra.binding.query.bind_from import Item, Windows, at_instant, bind_item, unjoined_row
from algebra.binding.query.where_in_joins import conjunction
from algebra.binding.scope.environment import Environment
from algebra.binding.scope.names import FromRow, Visible, quoted
from algebra.binding.scope.streaming import reads_a_stream
from algebra.build import equal
from algebra.catalog import Profile
from algebra.expression import Call, Expression, InputRef, Op
from algebra.functions.coerce import Operand, compared_type, unify, unify_compared
from algebra.monotonicity.columns import rowtime_column
from algebra.plan import (
    AsofJoin,
    Filter,
    Join,
    Plan,
    SideWindow,
    TimeWindow,
    WindowJoin,
    is_streaming,
    row_type,
)
from algebra.refusal.validate_join import check_lock_step, check_preserved
from algebra.rewrite import shifted
from grammar import tree
from grammar.codes import Code
from grammar.source import Edit, Span
from grammar.suggestion import Suggestion
from grammar.tree import JoinKind


@dataclass(frozen=True, slots=True)
class StreamJoin:
    """A join of two streams by condition: its syntax, and the place of its first column.

    ``offset`` is this place in FROM's row.
    """

    node: tree.Join
    offset: int


@dataclass(frozen=True, slots=True)
class From:
    """A FROM clause, bound: its row, and its joins of two streams by condition.

    The joins in the sides of a join come before the join itself.
    """

    row: FromRow
    stream_joins: tuple[StreamJoin, ...]


def bind_from(node: tree.FromItem, environment: Environment, windows: Windows) -> From:
    """The FROM clause ``node``, bound; ``windows`` are those that its SELECT names."""
    if isinstance(node, tree.Join):
        return _bind_join(node, environment, windows)
    item = bind_item(node, environment)
    if item.over is not None:
        # EXT-012: a window limits the rows that a join reads; without a join it changes nothing.
        _check_unjoined_window(item, environment, windows)
    return From(unjoined_row(item, environment), ())


def check_lock_steps(
    joined: From, plan: Plan, select: tree.Select, environment: Environment
) -> bool:
    """Check that all joins of streams in the SELECT are in lock step; faults are noted.

    Returns whether they are.  ``plan`` is the plan of FROM and WHERE, because conditions of WHERE
    can bring a join into lock step.

    Defines: S-801.f
    """
    in_lock_step = True
    for each, join in zip(joined.stream_joins, _stream_joins(plan), strict=True):
        naming = _naming(joined.row, each.offset)
        in_lock_step &= check_lock_step(join, each.node, naming, select, environment)
    return in_lock_step


def _stream_joins(plan: Plan) -> Iterator[Join]:
    """The joins of two streams by condition in ``plan``, in the order of `From.stream_joins`.

    ``plan`` is the plan of FROM, perhaps under the filter of WHERE.
    """
    while isinstance(plan, Filter):
        plan = plan.input
    if isinstance(plan, Join | WindowJoin | AsofJoin):
        yield from _stream_joins(plan.left)
        yield from _stream_joins(plan.right)
        if isinstance(plan, Join) and is_streaming(plan.left) and is_streaming(plan.right):
            yield plan


def _naming(row: FromRow, offset: int) -> Callable[[int], str | None]:
    """A function from the place of a column of a join to its name in the query; None: no name.

    The columns of the join start at the place ``offset`` of FROM's row.
    """
    names = {
        column.expression.index: f"{quoted(variable.name[-1])}.{quoted(column.name)}"
        for variable in row.variables
        for column in variable.columns
        if isinstance(column.expression, InputRef)
    }
    return lambda place: names.get(offset + place)


def _bind_join(node: tree.Join, environment: Environment, windows: Windows) -> From:
    """A join in FROM, bound; its plan is an AsofJoin, a WindowJoin, or a Join by condition."""
    left, left_item = _bind_side(node.left, environment, windows)
    right, right_item = _bind_side(node.right, environment, windows)
    left_row = left.row
    # FOR SYSTEM_TIME of the left item cannot read the right row, so it filters the item alone.
    if left_item is not None:
        left_row = unjoined_row(left_item, environment)
    _check_aliases(left_row, right.row, node, environment)
    width = len(row_type(left_row.plan))
    # Conditions see the rows before any is padded, as in an INNER join.
    both = _side_by_side(left_row, right.row, JoinKind.INNER)
    pairs = _column_pairs(node, left_row, right.row, environment)
    conditions = [_equal(each, width, environment) for each in pairs]
    scope = RowScope(environment, both, "ON")
    if right_item is not None and right_item.system_time is not None:
        # The instant may be a column of the left row, so this is a condition on pairs.
        conditions.append(at_instant(right_item, scope, width))
    if node.on is not None:
        with environment.faults.noted(node.on.span):
            conditions.append(bind_condition(node.on, scope))
    of_right = tuple(replace(each, offset=each.offset + width) for each in right.stream_joins)
    if node.match is not None:
        sides, items = (left_row.plan, right.row.plan), (left_item, right_item)
        asof = bind_asof(node, sides, both, conditions, items, environment)
        row = _joined_row(asof, left_row, right.row, pairs, environment)
        return From(row, (*left.stream_joins, *of_right))
    kind = JoinKind.INNER if node.kind is JoinKind.CROSS else node.kind
    plan = Join(left_row.plan, right.row.plan, kind, conjunction(*conditions))
    window_join = _window_join(plan, left_item, right_item, environment, windows)
    check_preserved(plan, node, environment)
    row = _joined_row(window_join or plan, left_row, right.row, pairs, environment)
    if window_join is not None or not (is_streaming(plan.left) and is_streaming(plan.right)):
        own: tuple[StreamJoin, ...] = ()
    else:
        own = (StreamJoin(node, 0),)
    return From(row, (*left.stream_joins, *of_right, *own))


def _bind_side(
    node: tree.FromItem, environment: Environment, windows: Windows
) -> tuple[From, Item | None]:
    """A side of a join as a FROM clause, and as an item (None: the side is itself a join).

    FOR SYSTEM_TIME and OVER of the item are not applied yet.
    """
    if isinstance(node, tree.Join):
        return _bind_join(node, environment, windows), None
    item = bind_item(node, environment)
    return From(item.row, ()), item


def _check_aliases(
    left: FromRow, right: FromRow, node: tree.Join, environment: Environment
) -> None:
    """Refuse a join whose sides have an alias or a name in common: DUPLICATE_NAME."""
    taken = {each.name for each in left.variables}
    for each in right.variables:
        if each.name in taken:
            alias = _alias(node.right)
            raise environment.refusal(
                Code.DUPLICATE_NAME,
                f"Duplicate relation name '{each.name[-1]}' in FROM clause",
                node.right.span if alias is None else alias.name.span,
                "give one of them another name",
                partial(_another_name, node.right, each.name[-1]),
            )


def _alias(item: tree.FromItem) -> tree.Alias | None:
    """The alias of an item of FROM; None for an item without an alias, and for a join."""
    return None if isinstance(item, tree.Join) else item.alias


def _another_name(item: tree.FromItem, name: str) -> Iterator[Suggestion]:
    """Suggest an alias for an item of FROM, in place of the one that it has."""
    other, alias = quoted(f"{name}2"), _alias(item)
    end = item.span.end
    edit = Edit(Span(end, end), f" AS {other}") if alias is None else Edit(alias.name.span, other)
    yield Suggestion(f"give one of them another name: AS {other}", (edit,))


# --- USING and NATURAL --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Pair:
    """A column of USING or NATURAL, in the row of each side; ``at`` is its place in the text."""

    name: str
    left: Expression
    right: Expression
    at: Span


def _column_pairs(
    node: tree.Join, left: FromRow, right: FromRow, environment: Environment
) -> list[_Pair]:
    """The columns of USING, or the common ones of NATURAL, in the left side's order.

    Defines: S-205.h
    """
    if node.natural:
        shared = {each.name for each in right.star}
        names = [(each.name, node.span) for each in left.star if each.name in shared]
    else:
        names = [(each.name, each.span) for each in node.using]
    pairs: list[_Pair] = []
    for name, at in names:
        sides: list[Expression] = []
        for row in (left, right):
            found = row.named(name)
            if len(found) != 1:
                raise environment.error(
                    Code.AMBIGUOUS_COLUMN if found else Code.UNKNOWN_COLUMN,
                    f"column '{name}' is {'ambiguous' if found else 'not found'} on one side",
                    at,
                    "write the condition: ON a.x = b.x",
                )
            sides.append(found[0].expression)
        if any(each.name == name for each in pairs):
            raise environment.error(
                Code.DUPLICATE_NAME, f"column '{name}' is named twice", at, "name it once"
            )
        pairs.append(_Pair(name, sides[0], sides[1], at))
    order = [each.name for each in left.star]
    return sorted(pairs, key=lambda each: order.index(each.name))


def _equal(pair: _Pair, width: int, environment: Environment) -> Expression:
    """The condition that the columns of ``pair`` are equal; the left row has ``width`` columns.

    TYPE_MISMATCH if their types cannot be compared.
    """
    sides = (pair.left, shifted(pair.right, width))
    compared = [Operand(each, pair.at, environment.sql) for each in sides]
    if compared_type(compared) is None:
        left, right = (each.type for each in compared)
        raise environment.error(
            Code.TYPE_MISMATCH,
            f"column '{pair.name}' is {left} on the left, and {right} on the right",
            pair.at,
            f"join with ON, and convert one of the two columns {pair.name}",
        )
    _, operands = unify_compared(compared)
    return equal(*operands)


# --- the row of a join --------------------------------------------------------------------------


def _side_by_side(left: FromRow, right: FromRow, kind: JoinKind) -> FromRow:
    """The row with the columns of both sides; those of a side that ``kind`` pads are nullable.

    The plan of this row is only a placeholder, because the plan of the join is not known yet.  The
    row serves to look up names.
    """
    width = len(row_type(left.plan))

    def of_left(columns: tuple[Visible, ...]) -> tuple[Visible, ...]:
        return tuple(each.shifted(0, kind.preserves_right) for each in columns)

    def of_right(columns: tuple[Visible, ...]) -> tuple[Visible, ...]:
        return tuple(each.shifted(width, kind.preserves_left) for each in columns)

    return FromRow(
        left.plan,
        tuple(replace(v, columns=of_left(v.columns)) for v in left.variables)
        + tuple(replace(v, columns=of_right(v.columns)) for v in right.variables),
        of_left(left.star) + of_right(right.star),
        of_left(left.unqualified) + of_right(right.unqualified),
    )


def _joined_row(
    plan: Join | WindowJoin | AsofJoin,
    left: FromRow,
    right: FromRow,
    pairs: list[_Pair],
    environment: Environment,
) -> FromRow:
    """The row of the join ``plan``: merged columns first, then those of both sides.

    The name ROWTIME alone is that of the join, if the join has one (S-513).

    Defines: S-513.c
    """
    both = _side_by_side(left, right, plan.kind)
    names = {each.name for each in pairs}
    width = len(row_type(left.plan))
    merged = tuple(_merged(each, width, plan.kind, environment) for each in pairs)
    star = merged + tuple(each for each in both.star if each.name not in names)
    unqualified = merged + tuple(each for each in both.unqualified if each.name not in names)
    base = _base_time(plan, left, both, environment)
    if base is not None:
        unqualified = (*(each for each in unqualified if each.name != "ROWTIME"), base)
    return FromRow(plan, both.variables, star, unqualified)


def _merged(pair: _Pair, width: int, kind: JoinKind, environment: Environment) -> Visible:
    """The one column for a pair of USING or NATURAL: the value of the side that is not padded.

    In a FULL join, in which both can be padded, it is the first value that is not NULL.

    Defines: S-205.i
    """
    left = shifted(pair.left, 0, kind.preserves_right)
    right = shifted(pair.right, width, kind.preserves_left)
    match kind:
        case JoinKind.INNER | JoinKind.LEFT | JoinKind.CROSS:
            return Visible(pair.name, left)
        case JoinKind.RIGHT:
            return Visible(pair.name, right)
        case JoinKind.FULL:
            sides = [Operand(each, pair.at, environment.sql) for each in (left, right)]
            type, operands = unify(sides, "joined columns")
            return Visible(pair.name, Call(Op.COALESCE, operands, type))


def _base_time(
    plan: Join | WindowJoin | AsofJoin, left: FromRow, both: FromRow, environment: Environment
) -> Visible | None:
    """The column that the unqualified name ROWTIME means over the join ``plan`` (S-513).

    None: the name means any column ROWTIME of the two sides, as other names do.

    In a window join it is the last column.  In other joins of profile sqlstream it is the one
    column ROWTIME of the base side.  That is the right side of a RIGHT join, or of a join of a
    table with a stream.  In all other joins, and in each ASOF join, it is the left side.

    Defines: S-510.k, S-513.a, S-513.b
    """
    if isinstance(plan, WindowJoin):
        last = len(row_type(plan)) - 1
        return Visible("ROWTIME", InputRef(last, row_type(plan)[last].type))
    if environment.profile is Profile.CALCITE:
        return None
    # A side that reads no stream has no time.  An ASOF join never has the time of its right side,
    # because each of its rows has the time of its left row.
    on_left = plan.kind is not JoinKind.RIGHT and reads_a_stream(plan.left)
    if not on_left and (isinstance(plan, AsofJoin) or not reads_a_stream(plan.right)):
        return None
    width = len(left.unqualified)
    columns = both.unqualified[:width] if on_left else both.unqualified[width:]
    times = [each for each in columns if each.name == "ROWTIME"]
    return times[0] if len(times) == 1 else None


# --- windows ------------------------------------------------------------------------------------


def _check_unjoined_window(item: Item, environment: Environment, windows: Windows) -> None:
    """Check the window of an item that is not joined with another.

    Defines: S-509.j
    """
    assert item.over is not None
    _require_time(item.row.plan, item.over, environment)
    side_window(item.over, windows, environment)


def _require_time(plan: Plan, over: tree.WindowSpec, environment: Environment) -> None:
    """Refuse the window ``over`` of a plan that is not a stream with a rowtime: WRONG_OBJECT."""
    if _time_of_stream(plan) is None:
        raise environment.error(
            Code.WRONG_OBJECT,
            "OVER in FROM requires a stream with a rowtime",
            over.span,
            "leave OVER out: a table takes part in a join as a whole",
        )


def _time_of_stream(plan: Plan) -> int | None:
    """The place of the rowtime of a plan that reads a stream; None: it has none, or reads none."""
    return rowtime_column(plan) if reads_a_stream(plan) else None


def _window_join(
    plan: Join,
    left: Item | None,
    right: Item | None,
    environment: Environment,
    windows: Windows,
) -> WindowJoin | None:
    """``plan`` as a window join if a side has a window and both are streams (S-509); else None.

    ``left`` and ``right`` are the sides as items, None for a side that is a join.
    """
    left_over = None if left is None else left.over
    right_over = None if right is None else right.over
    if left_over is None and right_over is None:
        return None
    # A side without OVER has the window CURRENT ROW.
    left_window: SideWindow = TimeWindow(0, 0)
    right_window: SideWindow = TimeWindow(0, 0)
    if left_over is not None:
        _require_time(plan.left, left_over, environment)
        left_window = side_window(left_over, windows, environment)
    if right_over is not None:
        _require_time(plan.right, right_over, environment)
        right_window = side_window(right_over, windows, environment)
    left_time, right_time = _time_of_stream(plan.left), _time_of_stream(plan.right)
    if left_time is None or right_time is None:
        return None  # the stream's window does not apply to the rows of a table
    return WindowJoin(
        plan.left,
        plan.right,
        plan.kind,
        plan.condition,
        left_window,
        right_window,
        left_time,
        right_time,
    )
