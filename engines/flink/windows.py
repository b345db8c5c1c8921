"""Group windows: those of the language, and FLOOR as TUMBLE."""

from dataclasses import replace
from typing import Any, Final

from engines.flink.nodes import call, interval
from engines.flink.rewriting import rewrite
from grammar.tree import (
    ColumnRef,
    Expression,
    FunctionCall,
    GroupBy,
    GroupExpression,
    Query,
    Round,
    Select,
    TimeUnit,
)

#: The units whose multiples are TUMBLE's windows, too: both count from 1970-01-01 00:00.
FIXED: Final = (TimeUnit.SECOND, TimeUnit.MINUTE, TimeUnit.HOUR, TimeUnit.DAY)

#: The function of a window by the functions that return its start or its end.
_WINDOWS: Final = {
    "TUMBLE_START": "TUMBLE",
    "TUMBLE_END": "TUMBLE",
    "HOP_START": "HOP",
    "HOP_END": "HOP",
    "SESSION_START": "SESSION",
    "SESSION_END": "SESSION",
}


def grouped_by_window(node: Select) -> Select:
    """``TUMBLE_END(rowtime)`` with the sizes of the window that the query groups by."""
    windows = {
        _name(key): key.arguments
        for key in _keys(node.group_by)
        if isinstance(key, FunctionCall) and _name(key) in _WINDOWS.values()
    }

    def complete(part: Any) -> Any:  # Any: a node of any class
        if not isinstance(part, FunctionCall) or len(part.arguments) != 1:
            return part
        sizes = windows.get(_WINDOWS.get(_name(part), ""), part.arguments)[1:]
        return replace(part, arguments=(*part.arguments, *sizes))

    items, having = rewrite((node.items, node.having), complete)
    return replace(node, items=items, having=having)


def windows_as_groups(query: Query) -> Query:
    """The query with TUMBLE and TUMBLE_START for each ``FLOOR(column TO unit)`` it groups by."""
    return rewrite(query, lambda node: grouped_by_floor(node) if isinstance(node, Select) else node)


def grouped_by_floor(node: Select) -> Select:
    """A SELECT that groups by one ``FLOOR(column TO unit)`` as one that groups by TUMBLE."""
    floors = [each for each in _keys(node.group_by) if _is_window(each)]
    if node.group_by is None or len(floors) != 1:
        return node
    (floor,) = floors
    assert isinstance(floor, Round), "only those are windows"
    keys = rewrite(node.group_by, lambda each: _call("TUMBLE", floor) if each == floor else each)
    items, having = rewrite(
        (node.items, node.having),
        lambda each: _call("TUMBLE_START", floor) if each == floor else each,
    )
    return replace(node, items=items, group_by=keys, having=having)


def _is_window(key: Expression) -> bool:
    """Whether a key is ``FLOOR(column TO unit)`` for one of the units of `FIXED`."""
    match key:
        case Round(False, ColumnRef(), unit):
            return unit in FIXED
        case _:
            return False


def _call(function: str, floor: Round) -> FunctionCall:
    """TUMBLE, or its start, of the windows that a FLOOR has."""
    assert floor.unit is not None, "FLOOR TO a unit"
    return call(function, floor.operand, interval("1", floor.unit))


def _keys(group_by: GroupBy | None) -> tuple[Expression, ...]:
    """The keys that are expressions by themselves, not parts of grouping sets."""
    items = () if group_by is None else group_by.items
    return tuple(each.expression for each in items if isinstance(each, GroupExpression))


def _name(call: FunctionCall) -> str:
    return call.name.parts[-1].name
