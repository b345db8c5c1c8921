"""Windows after OVER: Flink computes one in a SELECT over a stream, and that by a rowtime."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from engines.flink.nodes import NOWHERE, column
from engines.flink.rewriting import rewrite
from grammar.tree import (
    Alias,
    DerivedTable,
    FromItem,
    FunctionCall,
    Identifier,
    Query,
    Select,
    SelectItem,
    SortItem,
    Star,
    TableRef,
    WindowSpec,
)

#: The order of a stream's window that names none (S-505).
_BY_ROWTIME: Final = SortItem(column("ROWTIME"), False, None, None, NOWHERE)


def windows_inline(node: Select, *, streaming: bool) -> Select:
    """Each window written out after its OVER; in a stream with an order."""
    named: dict[str, WindowSpec] = {}
    for each in node.windows:
        named[each.name.name] = _refined(each.spec, named)

    def inline(call: Any) -> Any:  # Any: a node of any class
        if not isinstance(call, FunctionCall) or call.over is None:
            return call
        over = _refined(call.over, named)
        if streaming and not over.order:
            over = replace(over, order=(_BY_ROWTIME,))
        return replace(call, over=over)

    return replace(node, items=rewrite(node.items, inline), windows=())


def _refined(window: WindowSpec, named: Mapping[str, WindowSpec]) -> WindowSpec:
    """The window with the clauses of the window that it refines."""
    if window.base is None or window.base.name not in named:
        return window
    base = named[window.base.name]
    return replace(
        window,
        base=None,
        partition=window.partition or base.partition,
        order=window.order or base.order,
        frame=window.frame or base.frame,
    )


def one_window_each(node: Select) -> Select:
    """A SELECT with calls over several windows as one over another, each with one window.

    One with a join, a group or ``*`` stays as it is.
    """
    calls = _calls(node)
    windows = list(dict.fromkeys(each.over for each in calls))
    alias = _alias(node.from_)
    stars = any(isinstance(each.expression, Star) for each in node.items)
    if len(windows) < 2 or alias is None or node.group_by is not None or stars:
        return node
    first = [each for each in calls if each.over == windows[0]]
    # Windows are left from step to step, so that their number makes the names differ.
    names = {each: f"OVER{len(windows)}_{i}" for i, each in enumerate(first)}
    every = SelectItem(Star(None, NOWHERE), None, NOWHERE)
    added = [SelectItem(c, Identifier(name, True, NOWHERE), NOWHERE) for c, name in names.items()]
    inner = replace(node, distinct=False, items=(every, *added), having=None)
    source = DerivedTable(
        Query(None, inner, (), None, NOWHERE), None, Alias(alias, (), NOWHERE), NOWHERE
    )
    items = rewrite(node.items, lambda each: column(names[each]) if each in first else each)
    return one_window_each(replace(node, items=items, from_=source, where=None))


def _calls(node: Select) -> list[FunctionCall]:
    """The calls over windows in a select list, each once."""
    found: list[FunctionCall] = []

    def note(each: Any) -> Any:  # Any: a node of any class
        if isinstance(each, FunctionCall) and each.over is not None and each not in found:
            found.append(each)
        return each

    rewrite(node.items, note)
    return found


def _alias(source: FromItem | None) -> Identifier | None:
    """The name of the one source of a SELECT; None if it has several or none."""
    match source:
        case TableRef(name, alias=alias):
            return name.parts[-1] if alias is None else alias.name
        case DerivedTable(alias=alias):
            return Identifier("T", True, NOWHERE) if alias is None else alias.name
        case _:
            return None
