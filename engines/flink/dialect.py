"""A query in the dialect of Flink SQL."""

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Final

from engines.flink.aligned import by_table_function
from engines.flink.completion import completed, merges, ordered
from engines.flink.nodes import cast_to_string
from engines.flink.over import one_window_each, windows_inline
from engines.flink.rewriting import rewrite
from engines.flink.table_functions import by_both_edges, in_order
from engines.flink.window_join import by_condition
from engines.flink.windows import grouped_by_window, windows_as_groups
from grammar.tree import (
    Binary,
    BinaryOperator,
    Expression,
    FunctionCall,
    Identifier,
    Literal,
    LiteralKind,
    Name,
    Query,
    Select,
    SetOperation,
    SortItem,
    TableCall,
)
from grammar.unparse import unparse

#: A text literal, or a name in double quotes.
_QUOTED: Final = re.compile(r"'(?:[^']|'')*'|\"((?:[^\"]|\"\")*)\"")


def is_streaming(query: Query) -> bool:
    """Whether the query itself says SELECT STREAM."""
    body = query.body
    while isinstance(body, (Query, SetOperation)):
        body = body.body if isinstance(body, Query) else body.left
    return isinstance(body, Select) and body.stream


def in_flink(query: Query, *, streaming: bool) -> tuple[str, ...]:
    """The texts of a query for Flink, of which the driver takes the first that Flink can plan.

    Of a group by ``FLOOR(rowtime TO HOUR)`` Flink does not see that it is complete at the hour's
    end: the first text says TUMBLE there, the last says it as written.  Neither says EMIT CHANGES:
    that is how each updating query of Flink answers.
    """
    plain = rewrite(replace(query, emit=None), lambda node: _plain(node, streaming=streaming))
    grouped = windows_as_groups(plain)
    return tuple(dict.fromkeys((_text(grouped), _text(plain))))


def tried_in_flink(query: Query, *, disordered: bool) -> tuple[str, ...]:
    """The texts of a streaming query that are tried one after the other.

    First come those by whose words Flink emits each row once and in the order of the rowtimes, if
    rows of several inputs come together, or inputs are ``disordered``.
    """
    plain = rewrite(query, lambda node: _plain(node, streaming=True))
    words = [windows_as_groups(completed(plain)), windows_as_groups(plain), plain]
    if disordered or merges(plain):
        words = [each for word in words[:2] for each in (ordered(word), word)] + words[2:]
    return tuple(dict.fromkeys(map(_text, words)))


def quoted(*names: str) -> str:
    """A qualified name in Flink's quotes."""
    return ".".join("`" + each.replace("`", "``") + "`" for each in names)


def column_list(names: Iterable[str]) -> str:
    """A bracketed list of names in Flink's quotes."""
    return "(" + ", ".join(quoted(each) for each in names) + ")"


def _text(query: Query) -> str:
    return _QUOTED.sub(_backticks, unparse(query))


def _backticks(found: re.Match[str]) -> str:
    return found[0] if found[1] is None else quoted(found[1].replace('""', '"'))


def _plain(node: Any, *, streaming: bool) -> Any:  # Any: a node of any class
    """The node in words that Flink has, where other words mean the same."""
    match node:
        case Identifier("WINDOW_START" | "WINDOW_END" as name, _, span):
            # The columns that Flink's window table functions add are in lower case.
            return Identifier(name.lower(), True, span)
        case Identifier(name, _, span):
            # Every name is quoted: Flink reserves other words, and tells case apart.
            return Identifier(name, True, span)
        case FunctionCall(name):
            return replace(node, name=_unquoted(name))
        case TableCall(name):
            return in_order(replace(node, name=_unquoted(name)))
        case Select():
            inline = windows_inline(replace(node, stream=False), streaming=streaming)
            joined = by_condition(by_table_function(grouped_by_window(by_both_edges(inline))))
            return one_window_each(joined) if streaming else joined
        case SortItem(nulls_first=None) if not streaming:
            return _with_nulls(node)
        case Query(order_by=(first, *others)):
            # Flink plans no place of NULL for the time that comes first.
            return replace(node, order_by=(first, *map(_with_nulls, others)))
        case Binary(BinaryOperator.CONCAT, left, right):
            return replace(node, left=_as_string(left), right=_as_string(right))
        case _:
            return node


def _unquoted(name: Name) -> Name:
    """The name of a function, which Flink knows in any case."""
    return replace(name, parts=tuple(replace(each, quoted=False) for each in name.parts))


def _with_nulls(item: SortItem) -> SortItem:
    """The item with its place of NULL: NULL is the greatest value here, and the least in Flink."""
    return item if item.nulls_first is not None else replace(item, nulls_first=item.descending)


def _as_string(operand: Expression) -> Expression:
    """An operand of ``||``, which takes no numbers in Flink."""
    match operand:
        case Literal(LiteralKind.STRING) | Binary(BinaryOperator.CONCAT):
            return operand
        case _:
            return cast_to_string(operand)
