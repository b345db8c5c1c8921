"""Plans as text in Calcite's format: one line for each node, its inputs indented below it.

Equal plans have equal texts.  The plan of a sub-query in an expression is in braces, on lines of
its own.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from algebra.catalog import Stream, Table
from algebra.expression import (
    AggregateCall,
    Call,
    Case,
    Cast,
    Exists,
    Expression,
    External,
    Extract,
    GroupId,
    Grouping,
    InputRef,
    InQuery,
    Literal,
    Op,
    OuterRef,
    Parameter,
    Quantified,
    Round,
    ScalarQuery,
    SortKey,
    Value,
    WindowCall,
)
from algebra.functions.datetimes import format_date, format_time, format_timestamp
from algebra.modify import Delete, Insert, Merge, MergeAction, Modify, Update
from algebra.plan import (
    Aggregate,
    AsofJoin,
    Changes,
    Delta,
    Exclude,
    Filter,
    Frame,
    FrameBound,
    GroupOffset,
    Hop,
    Join,
    Plan,
    Project,
    RangeOffset,
    RowOffset,
    RowsWindow,
    Scan,
    Session,
    SetOp,
    SideWindow,
    Sort,
    TimeWindow,
    Unbounded,
    Values,
    Window,
    WindowGroup,
    WindowJoin,
)
from algebra.types import Kind, Type
from grammar.tree import SetOperator

#: The operators that are not printed by their value in `Op`.
SPELLING: Final = {Op.NEGATE: "-", Op.DATETIME_PLUS: "+", Op.DATETIME_MINUS: "-"}
#: The names of the nodes of set operations.
SET_NODE: Final = {
    SetOperator.UNION: "LogicalUnion",
    SetOperator.INTERSECT: "LogicalIntersect",
    SetOperator.EXCEPT: "LogicalMinus",
}


def explain(plan: Plan | Modify) -> str:
    """The text of ``plan``, root first, without a line break at the end.

    >>> from algebra.types import INTEGER, Field
    >>> one = Values(((Literal(1, INTEGER), Literal(None, INTEGER)),), (Field("A", INTEGER),) * 2)
    >>> print(explain(Delta(one)))
    LogicalDelta
      LogicalValues(tuples=[[{ 1, null:INTEGER }]])
    """
    return "\n".join(_lines(plan, ""))


def headline(plan: Plan | Modify) -> str:
    """The line of the topmost node of ``plan``; several lines if it has a sub-query.

    >>> headline(Delta(Values((), ())))
    'LogicalDelta'
    """
    name, attributes, _ = _node(plan)
    shown = ", ".join(f"{key}=[{value}]" for key, value in attributes)
    return f"{name}({shown})" if attributes else name


def _lines(plan: Plan | Modify, indent: str) -> Iterator[str]:
    """The line of ``plan``, and those of its inputs, which are indented further."""
    _, _, inputs = _node(plan)
    yield indent + headline(plan)
    for each in inputs:
        yield from _lines(each, indent + "  ")


#: A node's name, its attributes as they are printed, and its inputs.
_Node = tuple[str, list[tuple[str, str]], tuple[Plan, ...]]


def _node(plan: Plan | Modify) -> _Node:
    """A node's name, its attributes, and its inputs."""
    match plan:
        case Scan(source, reads):
            return "LogicalTableScan", [("table", _table(source)), ("reads", str(reads))], ()
        case Values(rows):
            tuples = ", ".join("{ " + _list(row) + " }" for row in rows)
            return "LogicalValues", [("tuples", f"[{tuples}]")], ()
        case Filter(input, condition):
            return "LogicalFilter", [("condition", _text(condition))], (input,)
        case Project(input, expressions, names):
            named = [(n, _text(e)) for n, e in zip(names, expressions, strict=True)]
            return "LogicalProject", named, (input,)
        case Hop(input, time_, emit, retain, align):
            hop = [("time", _text(time_)), ("emit", _text(emit)), ("retain", _text(retain))]
            hop += [("align", str(align))]
            hop += [("cumulative", "true")] if plan.cumulative else []
            return "LogicalHop", hop, (input,)
        case Session(input, keys, time_, gap):
            session = [("keys", "{" + _list(keys) + "}"), ("time", _text(time_))]
            return "LogicalSession", [*session, ("gap", _text(gap))], (input,)
        case Aggregate(input):
            return "LogicalAggregate", _aggregate(plan), (input,)
        case Window(input, groups, names):
            windows = [(f"window#{i}", _window(each)) for i, each in enumerate(groups)]
            return "LogicalWindow", [*windows, ("names", f"[{', '.join(names)}]")], (input,)
        case Join(left, right, kind, condition):
            join = [("condition", _text(condition)), ("joinType", kind.lower())]
            return "LogicalJoin", join, (left, right)
        case WindowJoin(left, right, kind, condition):
            join = [("condition", _text(condition)), ("joinType", kind.lower())]
            join += [("leftWindow", _side(plan.left_window))]
            join += [("rightWindow", _side(plan.right_window))]
            join += [("rowtimes", f"[{plan.left_rowtime}, {plan.right_rowtime}]")]
            return "LogicalWindowJoin", join, (left, right)
        case AsofJoin(left, right, kind, condition, match):
            join = [("condition", _text(condition)), ("matchCondition", _text(match))]
            return "LogicalAsofJoin", [*join, ("joinType", kind.lower())], (left, right)
        case SetOp(inputs, operator, every):
            return SET_NODE[operator], [("all", _truth(every))], inputs
        case Sort(input):
            return "LogicalSort", _sort(plan), (input,)
        case Delta(input):
            return "LogicalDelta", [], (input,)
        case Changes(input):
            return "LogicalChanges", [], (input,)
        case Insert(target, input, upsert):
            return _modify(target, "UPSERT" if upsert else "INSERT", [], (input,))
        case Update(target, row, condition):
            change = [("row", f"[{_list(row)}]"), ("condition", _text(condition))]
            return _modify(target, "UPDATE", change, ())
        case Delete(target, condition):
            return _modify(target, "DELETE", [("condition", _text(condition))], ())
        case Merge(target, source, condition, actions):
            whens = ", ".join(_action(each) for each in actions)
            merge = [("condition", _text(condition)), ("actions", f"[{whens}]")]
            return _modify(target, "MERGE", merge, (source,))


def _table(source: Table | Stream) -> str:
    """The full name of a table or stream: ``[SALES, ORDERS]``."""
    return f"[{', '.join(source.name)}]"


def _modify(
    target: Table | Stream, operation: str, more: list[tuple[str, str]], inputs: tuple[Plan, ...]
) -> _Node:
    """The node of a DML statement; ``more`` are its attributes after the table and operation."""
    attributes = [("table", _table(target)), ("operation", operation), *more]
    return "LogicalTableModify", attributes, inputs


def _action(action: MergeAction) -> str:
    """One WHEN clause of a MERGE, without a condition that is always true."""
    when = "WHEN MATCHED" if action.matched else "WHEN NOT MATCHED"
    always = isinstance(action.condition, Literal) and action.condition.value is True
    condition = "" if always else f" AND {_text(action.condition)}"
    if action.row is None:
        return f"{when}{condition} THEN DELETE"
    verb = "UPDATE" if action.matched else "INSERT"
    return f"{when}{condition} THEN {verb} [{_list(action.row)}]"


def _aggregate(node: Aggregate) -> list[tuple[str, str]]:
    """The attributes of an Aggregate: its keys, grouping sets and measures.

    The keys are written as numbers if all of them are columns.
    """
    columns = [str(each.index) for each in node.keys if isinstance(each, InputRef)]
    keys = columns if len(columns) == len(node.keys) else [_text(each) for each in node.keys]
    attributes = [("group", "{" + ", ".join(keys) + "}")]
    if node.sets != (tuple(range(len(keys))),):
        sets = ("{" + ", ".join(keys[i] for i in each) + "}" for each in node.sets)
        attributes.append(("groups", f"[{', '.join(sets)}]"))
    measures = zip(node.names[len(keys) :], node.measures, strict=True)
    return attributes + [(name, _call(each)) for name, each in measures]


def _call(call: AggregateCall | WindowCall) -> str:
    """An aggregate or window function: ``SUM(DISTINCT $1) WITHIN GROUP ([$2 ASC]) FILTER $3``."""
    distinct = "DISTINCT " if call.distinct else ""
    filter_ = "" if call.filter is None else f" FILTER {_text(call.filter)}"
    nulls = " IGNORE NULLS" if isinstance(call, WindowCall) and call.ignore_nulls else ""
    return f"{call.function}({distinct}{_list(call.arguments)}){_within(call)}{filter_}{nulls}"


def _within(call: AggregateCall | WindowCall) -> str:
    """The text ``WITHIN GROUP ([$1 DESC])`` after a blank; empty without WITHIN GROUP."""
    if isinstance(call, WindowCall) or not call.order:
        return ""
    keys = ", ".join(f"{_text(each.expression)} {_direction(each)}" for each in call.order)
    return f" WITHIN GROUP ([{keys}])"


def _window(group: WindowGroup) -> str:
    """The window of a group of calls with OVER, and the calls (``aggs``)."""
    partition = "{" + _list(group.partition) + "}"
    order = ", ".join(f"{_text(each.expression)} {_direction(each)}" for each in group.order)
    calls = ", ".join(_call(each) for each in group.calls)
    return f"partition {partition} order by [{order}] {_frame(group.frame)} aggs [{calls}]"


def _frame(frame: Frame) -> str:
    """A frame: ``between 2 ROWS PRECEDING and CURRENT ROW``; EXCLUDE only if it leaves rows out."""
    between = f"between {_bound(frame.start, 'PRECEDING')} and {_bound(frame.end, 'FOLLOWING')}"
    return between if frame.exclude is Exclude.NO_OTHERS else f"{between} EXCLUDE {frame.exclude}"


def _bound(bound: FrameBound, unbounded: str) -> str:
    """An end of a frame: PEERS for the row's peers, CURRENT ROW for the row alone.

    ``unbounded`` is the direction that an `Unbounded` end has: PRECEDING or FOLLOWING.
    """
    match bound:
        case Unbounded():
            return f"UNBOUNDED {unbounded}"
        case RowOffset(0):
            return "CURRENT ROW"
        case RowOffset(rows):
            return f"{abs(rows)} ROWS {'PRECEDING' if rows < 0 else 'FOLLOWING'}"
        case GroupOffset(0):
            return "PEERS"
        case GroupOffset(groups):
            return f"{abs(groups)} GROUPS {'PRECEDING' if groups < 0 else 'FOLLOWING'}"
        case RangeOffset(Literal(0)):
            return "PEERS"
        case RangeOffset(distance, preceding):
            return f"RANGE {_text(distance)} {'PRECEDING' if preceding else 'FOLLOWING'}"


def _side(window: SideWindow) -> str:
    """The window of one side of a join, in milliseconds or in rows."""
    match window:
        case TimeWindow(preceding, following):
            return f"RANGE {preceding} PRECEDING {following} FOLLOWING"
        case RowsWindow(rows):
            return f"ROWS {rows}"


def _sort(node: Sort) -> list[tuple[str, str]]:
    """The attributes of a Sort: its keys, their directions, its limits and its slack."""
    sorts = [(f"sort{i}", _text(each.expression)) for i, each in enumerate(node.keys)]
    directions = [(f"dir{i}", _direction(each)) for i, each in enumerate(node.keys)]
    limits = [("offset", node.offset), ("fetch", node.limit), ("within", node.within)]
    more = [(name, _text(each)) for name, each in limits if each is not None]
    return sorts + directions + more + ([("withTies", "true")] if node.with_ties else [])


def _direction(key: SortKey) -> str:
    """ASC or DESC, and the place of NULLs if it is not the default (S-206)."""
    direction = "DESC" if key.descending else "ASC"
    if key.nulls_first == key.descending:
        return direction
    return f"{direction}-nulls-{'first' if key.nulls_first else 'last'}"


def _list(expressions: Iterable[Expression]) -> str:
    """The texts of ``expressions``, separated by commas."""
    return ", ".join(_text(each) for each in expressions)


def expression_text(expression: Expression) -> str:
    """The text of ``expression`` as `explain` prints it in a plan."""
    return _text(expression)


def _text(expression: Expression) -> str:
    """An expression as Calcite prints a RexNode: ``CAST(+($1, 2)):DOUBLE``."""
    match expression:
        case InputRef(index):
            return f"${index}"
        case OuterRef(level, index):
            return f"$cor{level}.${index}"
        case Literal(value, type_):
            return _literal(value, type_)
        case Parameter(index):
            return f"?{index}"
        case Call(Op.CURRENT_TIMESTAMP, _, type_):
            return "CURRENT_" + type_.kind
        case Call(Op.DATETIME_MINUS as op, operands, type_):
            return f"{SPELLING[op]}({_list(operands)}):{type_}"
        case Call(op, operands):
            return f"{SPELLING.get(op, op)}({_list(operands)})"
        case External(function, operands):
            return f"{function.name[-1]}({_list(operands)})"
        case Cast(operand, type_):
            return f"CAST({_text(operand)}):{type_}"
        case Case(branches, otherwise):
            return f"CASE({_list(e for each in branches for e in each)}, {_text(otherwise)})"
        case Extract(unit, operand):
            return f"EXTRACT(FLAG({unit}), {_text(operand)})"
        case Round(up, operand, unit):
            return f"{'CEIL' if up else 'FLOOR'}({_text(operand)}, FLAG({unit}))"
        case Grouping(keys):
            return f"GROUPING({', '.join(map(str, keys))})"
        case GroupId():
            return "GROUP_ID()"
        case ScalarQuery(plan):
            return f"$SCALAR_QUERY({_braces(plan)})"
        case Exists(plan):
            return f"EXISTS({_braces(plan)})"
        case InQuery(operands, plan):
            return f"IN({_list(operands)}, {_braces(plan)})"
        case Quantified(op, every, operand, plan):
            return f"{op} {'ALL' if every else 'SOME'}({_text(operand)}, {_braces(plan)})"


def _braces(plan: Plan) -> str:
    """A sub-query's plan as Calcite prints it: lines without indentation, in braces."""
    return "{\n" + explain(plan) + "\n}"


def _literal(value: Value, type_: Type) -> str:
    """A constant, followed by its type if the text does not show the type."""
    if value is None:
        return f"null:{type_}"
    if isinstance(value, bytes):
        return f"X'{value.hex().upper()}'"
    match type_.kind:
        case Kind.BOOLEAN:
            return _truth(value is True)
        case Kind.INTEGER | Kind.NULL:
            return str(value)
        case Kind.VARCHAR | Kind.CHAR:
            quoted = "'" + str(value).replace("'", "''") + "'"
            return quoted if type_.kind is Kind.VARCHAR else f"{quoted}:{type_}"
        case Kind.DATE:
            return format_date(_whole(value))
        case Kind.TIME:
            return format_time(_whole(value))
        case Kind.TIMESTAMP:
            return format_timestamp(_whole(value))
        case _:
            return f"{value}:{type_}"


def _whole(value: Value) -> int:
    assert isinstance(value, int), "a datetime is represented as an integer"
    return value


def _truth(value: bool) -> str:
    return "true" if value else "false"
