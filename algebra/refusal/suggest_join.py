"""Suggestions for joins that never complete, and for sub-queries over streams."""

from collections.abc import Iterator

from algebra.binding.scope.calls import inside
from algebra.refusal.suggestion import insert, leave_out, words
from grammar import tree
from grammar.source import Edit, Span
from grammar.suggestion import Suggestion
from grammar.tree import BinaryOperator, BoundKind, FrameUnit, JoinKind

# --- joins ------------------------------------------------------------------------------------


def suggest_without_unmatched(node: tree.Join, on_left: bool, sql: str) -> Iterator[Suggestion]:
    """Suggest the outer join without the unmatched rows of one of its sides.

    It is the left side if ``on_left``, else the right side.  Nothing is suggested if the words of
    the join's kind are not found between its sides.
    """
    kinds = {"LEFT", "RIGHT", "FULL"}
    between = words(sql, Span(node.left.span.end, node.right.span.start))
    found = [(word, at) for word, at in between if word in kinds or word == "OUTER"]
    if not found or found[0][0] not in kinds:
        return
    at = found[0][1].to(found[-1][1])
    if node.kind is JoinKind.FULL:
        side = "RIGHT" if on_left else "LEFT"
        yield Suggestion(f"keep only the rows of the stream: {side} JOIN", (Edit(at, side),))
    else:
        yield Suggestion("join without the rows that match none", (leave_out(at, sql),))


def suggest_finite_end(bound: tree.FrameBound, unit: FrameUnit) -> Iterator[Suggestion]:
    """Suggest the window with a finite end in place of the unbounded end ``bound``."""
    preceding = bound.kind is BoundKind.UNBOUNDED_PRECEDING
    text = "INTERVAL '10' MINUTE PRECEDING" if preceding else "INTERVAL '10' MINUTE FOLLOWING"
    if unit is FrameUnit.ROWS:
        text = "10 PRECEDING" if preceding else "CURRENT ROW"
    yield Suggestion("bound the window", (Edit(bound.span, text),))


def suggest_frame(spec: tree.WindowSpec, sql: str) -> Iterator[Suggestion]:
    """Suggest a frame for a window that has none."""
    frame = "RANGE INTERVAL '10' MINUTE PRECEDING"
    text = sql[spec.span.start : spec.span.end]
    if not text.endswith(")"):
        changed = f"({text} {frame})"
    elif text[:-1].rstrip().endswith("("):
        changed = f"{text[:-1].rstrip()}{frame})"
    else:
        changed = f"{text[:-1].rstrip()} {frame})"
    yield Suggestion("bound the window", (Edit(spec.span, changed),))


# --- sub-queries ------------------------------------------------------------------------------


def suggest_join(query: tree.Query | None, at: Span, sql: str) -> Iterator[Suggestion]:
    """Suggest a join with the stream in place of the IN or EXISTS around ``at`` in a WHERE.

    The result has a row for each match.  There are two suggestions.  The first joins the stream
    itself; it is ambiguous if the stream has a column name in common with the rest of FROM.  The
    second joins a sub-query that renames the stream's columns.  Both have only the conditions of
    the sub-query.  If these do not bring the join into lock step, the refusal of the join suggests
    the missing inequalities.
    """
    found = None if query is None else _conjunct_around(query, at)
    if found is None:
        return
    select, conjunct = found
    inner = conjunct.query.body
    assert select.from_ is not None
    if not isinstance(inner, tree.Select) or not isinstance(inner.from_, tree.TableRef):
        return
    if inner.group_by is not None or inner.having is not None:
        return
    if conjunct.query.order_by or conjunct.query.limit is not None:
        return
    removal = _without(select, conjunct, sql)
    place = select.from_.span.end
    stream = sql[inner.from_.span.start : inner.from_.span.end]
    own = [] if inner.where is None else [_bracketed(inner.where, sql)]
    advice = "join the stream in FROM"

    equal = []
    if isinstance(conjunct, tree.InQuery):
        equal = [f"{_text(conjunct.operand, sql)} = {_text(inner.items[0].expression, sql)}"]
    condition = " AND ".join([*equal, *own]) or "TRUE"
    yield Suggestion(advice, (insert(place, f" JOIN {stream} ON {condition}"), removal))

    items, same_key = "ROWTIME AS T0", "TRUE"
    if isinstance(conjunct, tree.InQuery):
        items += f", {_text(inner.items[0].expression, sql)} AS K0"
        same_key = f"{_text(conjunct.operand, sql)} = K0"
    where = "" if inner.where is None else f" WHERE {_text(inner.where, sql)}"
    derived = f"(SELECT {items} FROM {stream}{where}) AS S0"
    yield Suggestion(advice, (insert(place, f" JOIN {derived} ON {same_key}"), removal))


def _conjunct_around(
    node: object, at: Span
) -> tuple[tree.Select, tree.InQuery | tree.Exists] | None:
    """The IN or EXISTS around ``at`` that is a conjunct of a WHERE, after the SELECT of this WHERE.

    The innermost is found.  NOT IN and NOT EXISTS are not found, because no join replaces them.
    """
    for each in inside(node):
        found = _conjunct_around(each, at)
        if found is not None:
            return found
    if not isinstance(node, tree.Select) or node.where is None or node.from_ is None:
        return None
    for each in _conjuncts(node.where):
        if not isinstance(each, tree.InQuery | tree.Exists):
            continue
        negated = isinstance(each, tree.InQuery) and each.negated
        if each.query.span.start <= at.start < each.query.span.end and not negated:
            return node, each
    return None


def _conjuncts(node: tree.Expression) -> Iterator[tree.Expression]:
    """The operands of the ANDs at the top of a condition; without AND, the condition itself."""
    if isinstance(node, tree.Binary) and node.operator is BinaryOperator.AND:
        yield from _conjuncts(node.left)
        yield from _conjuncts(node.right)
    else:
        yield node


def _without(select: tree.Select, conjunct: tree.InQuery | tree.Exists, sql: str) -> Edit:
    """The edit that removes ``conjunct`` from the WHERE of ``select``.

    If the conjunct is the whole condition and not in brackets, the clause WHERE is removed.  Else
    the conjunct is replaced by TRUE.
    """
    assert select.from_ is not None
    before = Span(select.from_.span.end, conjunct.span.start)
    if select.where is conjunct and [word for word, _ in words(sql, before)] == ["WHERE"]:
        return Edit(before.to(conjunct.span), "")
    return Edit(conjunct.span, "TRUE")


def _text(node: tree.Expression | tree.Identifier, sql: str) -> str:
    return sql[node.span.start : node.span.end]


def _bracketed(node: tree.Expression, sql: str) -> str:
    """The text of a condition as an operand of AND: an OR is in brackets."""
    text = _text(node, sql)
    is_or = isinstance(node, tree.Binary) and node.operator is BinaryOperator.OR
    return f"({text})" if is_or else text
