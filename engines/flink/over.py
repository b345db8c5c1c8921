"""Windows behind OVER, of which Flink computes one in a SELECT over a stream."""

from dataclasses import replace
from typing import Any

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
    Star,
    TableRef,
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
    names = {each: f"{alias.name}${i}" for i, each in enumerate(first, len(windows) * 10)}
    every = SelectItem(Star(None, NOWHERE), None, NOWHERE)
    added = [SelectItem(c, Identifier(name, True, NOWHERE), NOWHERE) for c, name in names.items()]
    inner = Select(
        False, False, (every, *added), node.from_, node.where, None, None, (), None, NOWHERE
    )
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
