"""The kinds of ASOF JOIN, and the suggestion for one without MATCH_CONDITION (S-904).

In DuckDB the comparison of the times is one of the conditions in ON.
"""

from collections.abc import Iterator
from typing import Final

from grammar.source import Edit, Span
from grammar.suggestion import Suggestion
from grammar.tree import Binary, BinaryOperator, Expression, JoinKind

#: The kinds of ASOF JOIN: each left row gives at most one row.
ASOF_KINDS: Final = frozenset({JoinKind.INNER, JoinKind.LEFT})
MATCH_ADVICE: Final = "write MATCH_CONDITION (l.t >= r.t) before ON"
_COMPARISONS: Final = frozenset(
    {
        BinaryOperator.GREATER,
        BinaryOperator.GREATER_OR_EQUAL,
        BinaryOperator.LESS,
        BinaryOperator.LESS_OR_EQUAL,
    }
)


def suggest_match_condition(on: Expression | None, on_at: Span, sql: str) -> tuple[Suggestion, ...]:
    """The suggestion to move the one comparison in ON, as DuckDB writes it, to MATCH_CONDITION.

    Empty if ON has no comparison with < or >, or several.  ``on_at`` is the span of the word ON.

    Defines: S-904.o
    """
    if on is None:
        return ()
    operands = list(_operands(on))
    compared = [each for each in operands if _is_comparison(each)]
    if len(compared) != 1:
        return ()

    def text(node: Expression) -> str:
        return sql[node.span.start : node.span.end]

    others = " AND ".join(text(each) for each in operands if each is not compared[0])
    written = f"MATCH_CONDITION ({text(compared[0])})" + (f" ON {others}" if others else "")
    edit = Edit(Span(on_at.start, on.span.end), written)
    return (Suggestion(f"write MATCH_CONDITION ({text(compared[0])}) before ON", (edit,)),)


def _operands(condition: Expression) -> Iterator[Expression]:
    """The operands of nested ANDs from left to right; ``condition`` itself if it is not an AND."""
    if isinstance(condition, Binary) and condition.operator is BinaryOperator.AND:
        yield from _operands(condition.left)
        yield from _operands(condition.right)
    else:
        yield condition


def _is_comparison(node: Expression) -> bool:
    """Whether ``node`` compares two values with <, <=, > or >=."""
    return isinstance(node, Binary) and node.operator in _COMPARISONS
