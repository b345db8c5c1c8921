"""Group windows that are not at Flink's place: in Flink, window table functions with an offset.

An alignment is such an offset.  Here the ends of HOP windows are multiples of the step, and in
Flink their starts are: if the step does not divide the size, the two differ by an offset, too.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final, TypeGuard

from algebra.functions.literals import interval_literal
from algebra.types import Kind
from engines.dialect.unsupported import UnsupportedError
from engines.flink.nodes import NOWHERE, call, column, millis_literal, select
from engines.flink.rewriting import rewrite
from engines.flink.table_functions import literal_millis
from grammar.tree import (
    Alias,
    DerivedTable,
    Expression,
    FromItem,
    FunctionCall,
    GroupBy,
    GroupExpression,
    Identifier,
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

#: The number of arguments of a window with an alignment.
_ALIGNED: Final = {"TUMBLE": 3, "HOP": 4}


def by_table_function(node: Select) -> Select:
    """``GROUP BY TUMBLE(rowtime, size, TIME '00:12:00')`` over ``TABLE(TUMBLE(…))``.

    So is a HOP whose step does not divide its size.  Raises `UnsupportedError` for an alignment
    over more than one table.
    """
    items = () if node.group_by is None else node.group_by.items
    aligned = [each for each in items if _is_aligned(each)]
    if node.group_by is None or not aligned:
        return node
    (key,) = aligned
    assert isinstance(key, GroupExpression), "only those are aligned"
    window = key.expression
    assert isinstance(window, FunctionCall), "only those are aligned"
    function = window.name.parts[-1].name
    data = _data(node.from_)
    if data is None:
        if len(window.arguments) < _ALIGNED[function]:
            return node
        raise UnsupportedError("an aligned window of more than a table")
    others = tuple(each for each in items if each is not key)
    ends = tuple(GroupExpression(column(name), None, NOWHERE) for name in _ENDS.values())

    def end(each: Any) -> Any:  # Any: a node of any class
        if _is_window(each) and _meant(each) == _meant(window):
            word = each.name.parts[-1].name.removeprefix(f"{function}_")
            return column(_ENDS[word]) if word in _ENDS else each
        return each

    items_, having = rewrite((node.items, node.having), end)
    return replace(
        node,
        items=items_,
        having=having,
        from_=_windows(window, function, *data),
        group_by=GroupBy((*ends, *others), NOWHERE),
    )


_WINDOWS: Final = frozenset(name + end for name in _ALIGNED for end in ("", "_START", "_END"))
_ENDS: Final = {"START": "window_start", "END": "window_end"}


def _is_window(node: object) -> TypeGuard[FunctionCall]:
    return isinstance(node, FunctionCall) and node.name.parts[-1].name in _WINDOWS


def _meant(window: FunctionCall) -> list[object]:
    """The arguments of a window by their milliseconds, its alignment within the period."""
    function = window.name.parts[-1].name.removesuffix("_START").removesuffix("_END")
    meant: list[object] = []
    for each in window.arguments:
        millis = literal_millis(each)
        meant.append(each if millis is None else millis)
    match meant:
        case [_, int(period), *_, int(alignment)] if len(meant) == _ALIGNED[function] and period:
            return [*meant[:-1], alignment % period]
        case _:
            return meant


def _is_aligned(item: object) -> bool:
    match item:
        case GroupExpression(FunctionCall(name, arguments)):
            aligned = _ALIGNED.get(name.parts[-1].name) == len(arguments)
            return aligned or bool(_unevenness(name.parts[-1].name, arguments))
        case _:
            return False


def _data(source: FromItem | None) -> tuple[Query, Identifier] | None:
    """The rows of one table or query, and their name; None of anything else."""
    match source:
        case TableRef(name, alias=alias):
            every = SelectItem(Star(None, NOWHERE), None, NOWHERE)
            called = name.parts[-1] if alias is None else alias.name
            return Query(None, select((every,), source), (), None, NOWHERE), called
        case DerivedTable(query, None, Alias(name, ())):
            return query, name
        case _:
            return None


def _windows(window: FunctionCall, function: str, data: Query, name: Identifier) -> TableFunction:
    count = _ALIGNED[function] - 1
    time, *sizes = window.arguments[:count]
    unevenness = _unevenness(function, window.arguments)
    offset = _offset(window.arguments[count:], literal_millis(sizes[0]) or 0, unevenness)
    values = (data, call("DESCRIPTOR", time), *sizes, offset)
    arguments = tuple(TableArgument(None, each, (), (), NOWHERE) for each in values)
    windows = TableCall(call(function).name, arguments, NOWHERE)
    return TableFunction(windows, Alias(name, (), NOWHERE), NOWHERE)


def _offset(alignment: Sequence[Expression], period: int, unevenness: int) -> Expression:
    """How long after 1970-01-01 windows start: shorter than their period.

    A time of day is that since midnight.
    """
    millis = literal_millis(alignment[0]) if alignment else None
    if millis is not None and period and abs(millis) >= period:
        return millis_literal(millis % period)
    match alignment:
        case [] if unevenness:
            return millis_literal(-unevenness)
        case [Literal(LiteralKind.TIME, text)] if not unevenness:
            fields = IntervalQualifier(TimeUnit.DAY, TimeUnit.SECOND, None, None, NOWHERE)
            return IntervalLiteral(f"0 {text}", False, fields, NOWHERE)
        case [IntervalLiteral() as literal] if not unevenness:
            return literal
        case _:
            raise UnsupportedError("an alignment that is not a literal, or that of uneven windows")


def _unevenness(function: str, arguments: Sequence[Expression]) -> int:
    """By how many milliseconds the size of a HOP is longer than the multiple of its step below."""
    match function, arguments:
        case "HOP", [_, IntervalLiteral() as step, IntervalLiteral() as size, *_]:
            values = [interval_literal(each, "") for each in (step, size)]
            emit, retain = (each.value for each in values)
            if isinstance(emit, int) and isinstance(retain, int) and emit > 0:
                timed = all(each.type.kind is Kind.MILLIS for each in values)
                return retain % emit if timed else 0
            return 0
        case _:
            return 0
