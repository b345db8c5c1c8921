"""Windows in FROM: arguments in Flink's order, and groups by one end of a window."""

from dataclasses import replace
from typing import Final

from algebra.functions.datetimes import parse_time
from algebra.functions.literals import interval_literal
from algebra.types import Kind
from engines.flink.nodes import NOWHERE, column, millis_literal
from grammar.tree import (
    ColumnRef,
    GroupBy,
    GroupExpression,
    IntervalLiteral,
    Literal,
    LiteralKind,
    Select,
    TableArgument,
    TableCall,
    TableFunction,
)

#: The parameters of each function in Flink's order.
_PARAMETERS: Final = {
    "TUMBLE": ("DATA", "TIMECOL", "SIZE", "OFFSET"),
    "HOP": ("DATA", "TIMECOL", "SLIDE", "SIZE", "OFFSET"),
    "CUMULATE": ("DATA", "TIMECOL", "STEP", "SIZE", "OFFSET"),
    "SESSION": ("DATA", "TIMECOL", "GAP"),
}
#: The parameter that is the distance of two windows: an offset counts modulo this distance.
_PERIODS: Final = {"TUMBLE": "SIZE", "HOP": "SLIDE", "CUMULATE": "SIZE"}
_EDGES: Final = ("window_start", "window_end")


def in_order(call: TableCall) -> TableCall:
    """The call of a window function with its arguments by place.

    Flink plans named arguments in its own order alone, and no offset that is a time, or is as long
    as the windows' period.
    """
    function = call.name.parts[-1].name
    parameters = _PARAMETERS.get(function)
    if parameters is None:
        return call
    named = {
        parameters[place] if each.name is None else each.name.name: each
        for place, each in enumerate(call.arguments)
    }
    if "OFFSET" in named:
        period = named[_PERIODS[function]]
        named["OFFSET"] = _within(named["OFFSET"], period)
    ordered = tuple(replace(named[each], name=None) for each in parameters if each in named)
    return replace(call, arguments=ordered)


def _within(offset: TableArgument, period: TableArgument) -> TableArgument:
    """An offset as an interval shorter than the period; unchanged if it is not a literal."""
    size, moved = literal_millis(period.value), literal_millis(offset.value)
    if size is None or moved is None or size <= 0:
        return offset
    if isinstance(offset.value, IntervalLiteral) and abs(moved) < size:
        return offset
    return replace(offset, value=millis_literal(moved % size))


def literal_millis(value: object) -> int | None:
    """The milliseconds of a literal, a time's since midnight; None for anything else."""
    match value:
        case Literal(LiteralKind.TIME, text):
            return parse_time(text)
        case IntervalLiteral() as literal:
            constant = interval_literal(literal, "")
            timed = constant.type.kind is Kind.MILLIS and isinstance(constant.value, int)
            return constant.value if timed and isinstance(constant.value, int) else None
        case _:
            return None


def by_both_edges(node: Select) -> Select:
    """A group by one end of the windows in FROM as a group by both, which alone Flink completes.

    The other end follows from the one, but the start of a cumulative window has several ends.
    """
    if not isinstance(node.from_, TableFunction) or node.group_by is None:
        return node
    function = node.from_.call.name.parts[-1].name
    if function not in _PERIODS or (node.from_.alias is not None and node.from_.alias.columns):
        return node
    keys = [
        each.expression.name.parts[-1].name
        for each in node.group_by.items
        if isinstance(each, GroupExpression) and isinstance(each.expression, ColumnRef)
    ]
    grouped = [each for each in _EDGES if each in keys]
    if len(grouped) != 1 or (function == "CUMULATE" and grouped == ["window_start"]):
        return node
    (other,) = (each for each in _EDGES if each not in keys)
    added = GroupExpression(column(other), None, NOWHERE)
    return replace(node, group_by=GroupBy((*node.group_by.items, added), NOWHERE))
