"""What is known of every row of a plan: its columns as terms, and rules that relate them (S-510).

A view may compute a column, drop rows, or join: all of that is so of its rows, and helps to hold a
join of it in lock step.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from algebra.constraints.conditions import GRAINED, LinearValue, Reader, column, ranged
from algebra.constraints.constraint_system import Space
from algebra.constraints.linear_terms import (
    ALWAYS,
    Rule,
    Term,
    all_of,
    any_of,
    at_most,
    below,
    equal,
    within,
)
from algebra.constraints.ranges import MIRROR, Range, column_ranges
from algebra.expression import (
    NULL_TOLERANT,
    AggregateCall,
    AggregateFunction,
    Call,
    Cast,
    Expression,
    Extract,
    InputRef,
    Op,
    Round,
)
from algebra.plan import (
    Aggregate,
    Delta,
    Filter,
    Hop,
    Join,
    Plan,
    Project,
    RowsWindow,
    Scan,
    SetOp,
    SideWindow,
    Sort,
    TimeWindow,
    Values,
    Window,
    WindowJoin,
    row_type,
    window_sizes,
)
from algebra.types import MILLIS_PER_DAY, Kind, RowType
from grammar.tree import JoinKind, SetOperator

#: The aggregates whose value is that of one of the group's rows.
PICKING: Final = frozenset(
    {AggregateFunction.MIN, AggregateFunction.MAX, AggregateFunction.ANY_VALUE}
)

#: Where a row comes from: the inputs taken on the way down to it.
Path = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """Any row of a plan: its columns, and what is so of them where they are not NULL."""

    columns: tuple[LinearValue, ...]
    rule: Rule = ALWAYS

    def reader(self, space: Space, ranges: Sequence[Range]) -> Reader:
        """What reads expressions of the row."""
        return Reader(space, lambda place: self.columns[place.index], ranges)


def row_of(plan: Plan, space: Space, present: frozenset[int], path: Path) -> Row:
    """Any row of ``plan`` in which the columns ``present`` are not NULL.

    ``path`` makes the names of its columns differ from those of other rows.
    """
    match plan:
        case Scan():
            return _scanned(plan, space, path)
        case Values(_, fields):
            return _unknown(fields, column_ranges(plan), space, path)
        case Filter(input, condition):
            row = row_of(input, space, present | present_in(condition), path)
            return Row(row.columns, all_of((row.rule, _said(row, condition, input, space))))
        case Project(input, expressions):
            needed = (present_in_value(expressions[place]) for place in present)
            row = row_of(input, space, frozenset[int]().union(*needed), path)
            reader = row.reader(space, column_ranges(input))
            return Row(tuple(reader.read(each) for each in expressions), row.rule)
        case Hop(input):
            return hopped(plan, row_of(input, space, _inner(present, input), path), space, path)
        case Aggregate():
            return _grouped(plan, space, path)
        case Window(input):
            row = row_of(input, space, _inner(present, input), path)
            fields = row_type(plan)[len(row.columns) :]
            added = _unknown(fields, (), space, (*path, "window"))
            return Row(row.columns + added.columns, row.rule)
        case Join() | WindowJoin():
            return _joined(plan, space, present, path)
        case SetOp(inputs, operator):
            rows = [row_of(each, space, present, (*path, i)) for i, each in enumerate(inputs)]
            return _united(rows, operator, row_type(plan), space, path)
        case Sort(input) | Delta(input):
            return row_of(input, space, present, path)


def _inner(present: frozenset[int], input: Plan) -> frozenset[int]:
    return frozenset(place for place in present if place < len(row_type(input)))


def _said(row: Row, condition: Expression, plan: Plan, space: Space) -> Rule:
    return row.reader(space, column_ranges(plan)).holds(condition)


def _unknown(fields: RowType, ranges: Sequence[Range], space: Space, path: Path) -> Row:
    """Columns of which no more than their range is known."""
    columns = tuple(column(space, (*path, i), each.type) for i, each in enumerate(fields))
    return Row(columns, _ranged(columns, ranges))


def _ranged(columns: Sequence[LinearValue], ranges: Sequence[Range]) -> Rule:
    """Every column is in its range, where that is known."""
    return all_of(
        ranged(each, known)
        for each, known in zip(columns, ranges, strict=False)
        if isinstance(each, Term)
    )


def _scanned(plan: Scan, space: Space, path: Path) -> Row:
    """A row of a table or stream."""
    columns = tuple(column(space, (*path, i), f.type) for i, f in enumerate(row_type(plan)))
    return Row(columns, scanned(plan, Row(columns), space))


def scanned(plan: Scan, row: Row, space: Space) -> Rule:
    """What is so of a row that was let in: no CHECK is false of it.

    Those that cannot be unknown are true; of the others only the ranges count that they give.
    """
    reader = row.reader(space, ())
    said = (reader.holds(each) for each in plan.source.checks if not each.type.nullable)
    return all_of((_ranged(row.columns, column_ranges(plan)), *said))


def hopped(plan: Hop, row: Row, space: Space, path: Path) -> Row:
    """A row and one of its windows: ``start <= time < end``, as far apart as the window is long."""
    time = row.reader(space, column_ranges(plan.input)).term(plan.time)
    emit, retain = window_sizes(plan)
    if plan.retain.type.kind is Kind.MILLIS:
        end = space.named((*path, "window"), emit).add(plan.align)
        start = end.add(-retain)
    else:
        month = space.named((*path, "window"), emit)
        end = space.start_of_month(month).times(MILLIS_PER_DAY)
        start = space.start_of_month(month.add(-retain)).times(MILLIS_PER_DAY)
    rule = all_of((row.rule, at_most(start, time), below(time, end)))
    return Row((*row.columns, start, end), rule)


# --- groups -----------------------------------------------------------------------------------


def _grouped(plan: Aggregate, space: Space, path: Path) -> Row:
    """A group: its keys are those of all its rows, a MIN or MAX the value of one of them."""
    everywhere = [i for i in range(len(plan.keys)) if all(i in each for each in plan.sets)]
    fields = row_type(plan)
    ranges = column_ranges(plan.input)
    if not everywhere:
        return _unknown(fields, (), space, path)
    some = row_of(plan.input, space, frozenset(), (*path, "group"))
    reader = some.reader(space, ranges)
    keys = [
        reader.read(key) if i in everywhere else column(space, (*path, i), key.type)
        for i, key in enumerate(plan.keys)
    ]
    rules = [some.rule]
    measures: list[LinearValue] = []
    for j, measure in enumerate(plan.measures, start=len(plan.keys)):
        if not _picks(measure):
            measures.append(column(space, (*path, j), measure.type))
            continue
        one = row_of(plan.input, space, frozenset(), (*path, "group", j))
        own = one.reader(space, ranges)
        measures.append(own.read(measure.arguments[0]))
        group = (same(keys[i], own.read(plan.keys[i])) for i in everywhere)
        rules += [one.rule, *group]
    return Row((*keys, *measures), all_of(rules))


def _picks(measure: AggregateCall) -> bool:
    return measure.function in PICKING and measure.type.kind in GRAINED


def same(a: LinearValue, b: LinearValue) -> Rule:
    """Two values are equal."""
    return equal(a, b) if isinstance(a, Term) and isinstance(b, Term) else ALWAYS


# --- several inputs ---------------------------------------------------------------------------


def _joined(plan: Join | WindowJoin, space: Space, present: frozenset[int], path: Path) -> Row:
    """A pair; of a row that may be padded, what is so only if it is not, is left out."""
    width = len(row_type(plan.left))
    all_ = width + len(row_type(plan.right))
    padded_left = plan.kind in (JoinKind.RIGHT, JoinKind.FULL) and not any(
        place < width for place in present
    )
    padded_right = plan.kind in (JoinKind.LEFT, JoinKind.FULL) and not any(
        width <= place < all_ for place in present
    )
    paired = not padded_left and not padded_right
    said = present_in(plan.condition) if paired else frozenset[int]()
    asked = present | said
    left = row_of(plan.left, space, frozenset(i for i in asked if i < width), (*path, 0))
    right = row_of(
        plan.right, space, frozenset(i - width for i in asked if width <= i < all_), (*path, 1)
    )
    pair = Row(left.columns + right.columns)
    ranges = column_ranges(plan.left) + column_ranges(plan.right)
    # A padded side has no row: what is so of its rows is so of nothing.
    rules = [row.rule for row, padded in ((left, padded_left), (right, padded_right)) if not padded]
    if paired:
        rules.append(pair.reader(space, ranges).holds(plan.condition))
    if isinstance(plan, Join):
        return Row(pair.columns, all_of(rules))
    columns = (*pair.columns, space.named((*path, "rowtime")))
    sides = tuple(port for port, padded in enumerate((padded_left, padded_right)) if not padded)
    return Row(columns, all_of((*rules, in_windows(plan, columns, sides))))


def in_windows(
    plan: WindowJoin, columns: Sequence[LinearValue], sides: Sequence[int] = (0, 1)
) -> Rule:
    """A pair joins at a time in the windows of its rows (S-509), those of ``sides`` at least."""
    places = (plan.left_rowtime, len(row_type(plan.left)) + plan.right_rowtime)
    windows = (plan.left_window, plan.right_window)
    return all_of(_in_window(columns[-1], columns[places[i]], windows[i]) for i in sides)


def _in_window(time: LinearValue, rowtime: LinearValue, window: SideWindow) -> Rule:
    """A row joins at a time in its own window; of ROWS no earlier than itself."""
    if not isinstance(rowtime, Term) or not isinstance(time, Term):
        return ALWAYS
    match window:
        case TimeWindow(preceding, following):
            return within(time.minus(rowtime), Fraction(-following), Fraction(preceding))
        case RowsWindow():
            return at_most(rowtime, time)


def _united(
    rows: list[Row], operator: SetOperator, fields: RowType, space: Space, path: Path
) -> Row:
    """A row of some input, of all, or of the first (S-502)."""
    if operator is SetOperator.EXCEPT:
        return rows[0]
    union = _unknown(fields, (), space, path)
    origins = [all_of((row.rule, *map(same, union.columns, row.columns))) for row in rows]
    return Row(union.columns, any_of(origins) if operator is SetOperator.UNION else all_of(origins))


# --- NULL -------------------------------------------------------------------------------------


def present_in(condition: Expression) -> frozenset[int]:
    """Columns that are not NULL in any row of which ``condition`` is true."""
    match condition:
        case Call(Op.AND, operands):
            return frozenset[int]().union(*map(present_in, operands))
        case Call(Op.OR, operands):
            return frozenset[int].intersection(*map(present_in, operands))
        case Call(Op.IS_TRUE, (operand,)):
            return present_in(operand)
        case Call(Op.NOT, (Call(op, (a, b)),)) if op in _COMPARISONS:
            return present_in_value(a) | present_in_value(b)
        case Call(op, (a, b)) if op in _COMPARISONS:
            return present_in_value(a) | present_in_value(b)
        case Call(Op.IN, (a, *_)) | Call(Op.IS_NOT_NULL, (a,)):
            return present_in_value(a)
        case _:
            return frozenset()


_COMPARISONS: Final = frozenset({*MIRROR, Op.NOT_EQUAL})


def present_in_value(expression: Expression) -> frozenset[int]:
    """Columns that are not NULL in any row where ``expression`` is not."""
    match expression:
        case InputRef(index):
            return frozenset({index})
        case Cast(operand) | Extract(_, operand) | Round(_, operand):
            return present_in_value(operand)
        case Call(op, operands) if op not in NULL_TOLERANT:
            return frozenset[int]().union(*map(present_in_value, operands))
        case _:
            return frozenset()
