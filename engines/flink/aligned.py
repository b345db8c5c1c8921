"""Group windows with an alignment: in Flink the offset of a window table function."""

from dataclasses import replace
from typing import Any, Final

from engines.dialect.unsupported import UnsupportedError
from engines.flink.nodes import NOWHERE, call, column
from engines.flink.rewriting import rewrite
from grammar.tree import (
    Alias,
    Expression,
    FunctionCall,
    GroupBy,
    GroupExpression,
    IntervalLiteral,
    IntervalQualifier,
    Literal,
    LiteralKind,
    Query,
    Select,
    SelectItem,
    Star,
    TableArgument,
    TableCall,
    TableFunction,
    TableRef,
    TimeUnit,
)

#: The windows with an alignment, and the number of their arguments.
_ALIGNED: Final = {"TUMBLE": 3, "HOP": 4}


def by_table_function(node: Select) -> Select:
    """``GROUP BY TUMBLE(rowtime, size, TIME '00:12:00')`` over ``TABLE(TUMBLE(…))``.

    Raises `UnsupportedError` if it is over more than one table.
    """
    items = () if node.group_by is None else node.group_by.items
    aligned = [each for each in items if _is_aligned(each)]
    if node.group_by is None or not aligned:
        return node
    (key,) = aligned
    assert isinstance(key, GroupExpression), "only those are aligned"
    window = key.expression
    assert isinstance(window, FunctionCall), "only those are aligned"
    if not isinstance(node.from_, TableRef):
        raise UnsupportedError("an aligned window of more than a table")
    function = window.name.parts[-1].name
    others = tuple(each for each in items if each is not key)
    ends = tuple(GroupExpression(column(name), None, NOWHERE) for name in _ENDS.values())

    def end(each: Any) -> Any:  # Any: a node of any class
        if isinstance(each, FunctionCall) and each.arguments == window.arguments:
            word = each.name.parts[-1].name.removeprefix(f"{function}_")
            return column(_ENDS[word]) if word in _ENDS else each
        return each

    items_, having = rewrite((node.items, node.having), end)
    return replace(
        node,
        items=items_,
        having=having,
        from_=_windows(window, function, node.from_),
        group_by=GroupBy((*ends, *others), NOWHERE),
    )


_ENDS: Final = {"START": "window_start", "END": "window_end"}


def _is_aligned(item: object) -> bool:
    match item:
        case GroupExpression(FunctionCall(name, arguments)):
            return _ALIGNED.get(name.parts[-1].name) == len(arguments)
        case _:
            return False


def _windows(window: FunctionCall, function: str, table: TableRef) -> TableFunction:
    time, *sizes, alignment = window.arguments
    every = SelectItem(Star(None, NOWHERE), None, NOWHERE)
    rows = Select(False, False, (every,), table, None, None, None, (), None, None, NOWHERE)
    data = Query(None, rows, (), None, NOWHERE)
    name = table.name.parts[-1] if table.alias is None else table.alias.name
    values = (data, call("DESCRIPTOR", time), *sizes, _offset(alignment))
    arguments = tuple(TableArgument(None, each, (), (), NOWHERE) for each in values)
    windows = TableCall(call(function).name, arguments, NOWHERE)
    return TableFunction(windows, Alias(name, (), NOWHERE), NOWHERE)


def _offset(alignment: Expression) -> Expression:
    """An alignment as an interval; a time of day is that since midnight."""
    match alignment:
        case Literal(LiteralKind.TIME, text):
            fields = IntervalQualifier(TimeUnit.DAY, TimeUnit.SECOND, None, None, NOWHERE)
            return IntervalLiteral(f"0 {text}", False, fields, NOWHERE)
        case IntervalLiteral():
            return alignment
        case _:
            raise UnsupportedError("an alignment that is not a literal")
