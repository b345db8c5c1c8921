"""Suggestions for STREAM, the columns, ORDER BY and LIMIT of a query."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count
from typing import Final

from algebra.binding.scope.calls import inside
from algebra.binding.scope.streaming import branches, selects
from algebra.refusal.suggestion import Namespace, insert, leave_out, seconds, word_before, words
from grammar import tree
from grammar.source import Edit, Span
from grammar.suggestion import Suggestion

#: The slack suggested for a column that is declared without one.
SLACK: Final = "WITHIN INTERVAL '10' SECOND"

# --- STREAM -----------------------------------------------------------------------------------


def suggest_without_stream(query: tree.QueryBody, sql: str) -> Iterator[Suggestion]:
    """Suggest the query without STREAM: over tables and the histories of streams."""
    places = [each.stream_span for each in selects(query) if each.stream_span is not None]
    if places:
        where = " of all branches" if len(places) > 1 else ""
        advice = f"leave STREAM out{where}, to get the rows there are"
        yield Suggestion(advice, tuple(leave_out(each, sql) for each in places))


def suggest_with_stream(query: tree.QueryBody) -> Iterator[Suggestion]:
    """Suggest the query with STREAM in all its branches."""
    places = [each.span.start for each in selects(query) if each.stream_span is None]
    if places and len(list(selects(query))) == len(list(branches(query))):
        where = " in all branches" if len(list(selects(query))) > 1 else ""
        advice = f"write STREAM{where}, to get rows as they arrive"
        yield Suggestion(advice, tuple(insert(each + len("SELECT"), " STREAM") for each in places))


def suggest_without_branch(node: object, at: Span, sql: str) -> Iterator[Suggestion]:
    """Suggest the query ``node`` without a branch of a set operation that contains ``at``.

    Only right branches are left out, the innermost first.
    """
    for each in inside(node):
        yield from suggest_without_branch(each, at, sql)
    if isinstance(node, tree.SetOperation):
        right = node.right.span
        if right.to(at) == right:  # the right branch contains ``at``
            out = _rest_after(node.left.span, node.span, sql)
            yield Suggestion(f"leave this branch of {node.operator} out", (leave_out(out, sql),))


def _rest_after(first: Span, whole: Span, sql: str) -> Span:
    """The part of ``whole`` that follows ``first`` and the brackets that close after ``first``."""
    end = first.end
    for word, at in words(sql, Span(first.end, whole.end)):
        if word != ")":
            break
        end = at.end
    return Span(end, whole.end)


# --- the columns ------------------------------------------------------------------------------


def suggest_new_name(
    item: tree.SelectItem,
    expanded: Callable[[tree.Star], Sequence[tuple[str, str]]],
    names: Iterable[str],
    sql: str,
) -> Iterator[Suggestion]:
    """Suggest another name for ``item``, a select item that is named ROWTIME.

    ``names`` are the names of all columns.  If the item is a ``*``, ``expanded`` gives the texts
    and names of its columns, and the one that is named ROWTIME gets an alias.
    """
    columns = expanded(item.expression) if isinstance(item.expression, tree.Star) else ()
    taken = {*names, *(name for _, name in columns)}
    fresh = next(name for name in _fresh_names() if name not in taken)
    advice = f"give the column another name, such as {fresh}"
    if not isinstance(item.expression, tree.Star):
        text = sql[item.expression.span.start : item.expression.span.end]
        if item.alias is not None:
            yield Suggestion(advice, (Edit(item.alias.span, fresh),))
        elif isinstance(item.expression, tree.ColumnRef):
            yield Suggestion(advice, (Edit(item.span, f"{text} AS {fresh}"),))
        return
    texts = [text for text, _ in columns]
    place = next((i for i, (_, name) in enumerate(columns) if name == "ROWTIME"), None)
    if place is not None:
        texts[place] += f" AS {fresh}"
        yield Suggestion(advice, (Edit(item.span, ", ".join(texts)),))


def _fresh_names() -> Iterator[str]:
    """Names to suggest, without end."""
    yield "EVENT_TIME"
    yield from (f"EVENT_TIME{i}" for i in count())


def suggest_constant(at: Span, value: str) -> Iterator[Suggestion]:
    """Suggest the constant ``value`` for the call at ``at``, whose value is never the same."""
    yield Suggestion(
        "write one number, or let the producer send it with the row", (Edit(at, value),)
    )


# --- the order --------------------------------------------------------------------------------


def suggest_order(
    items: Sequence[tree.SortItem], namespaces: Iterable[Namespace], sql: str
) -> Iterator[Suggestion]:
    """Suggest other ORDER BYs for one that cannot be streamed.

    In this order: the direction in which the rows arrive; a monotonic column first; a t-sort (ORDER
    BY … WITHIN); no ORDER BY.  ``namespaces`` have the columns that ORDER BY can name.
    """
    first = items[0]
    written = sql[first.expression.span.start : first.expression.span.end]
    namespaces = tuple(namespaces)
    for order in (each for namespace in namespaces for each in namespace.orders()):
        if _column(order) == _column(written):
            yield Suggestion(
                "sort in the order in which the rows arrive", (Edit(first.span, order),)
            )
    for order in (each for namespace in namespaces for each in namespace.orders(hours=True)):
        yield Suggestion(f"sort by {order} first", (insert(first.span.start, f"{order}, "),))
    yield from suggest_slack(first.expression.span)
    start = word_before("ORDER", first.span.start, Span(0, len(sql)), sql)
    if start is not None:
        whole = Span(start, items[-1].span.end)
        yield Suggestion(
            "leave ORDER BY out: rows arrive in rowtime order", (leave_out(whole, sql),)
        )


def _column(item: str) -> str:
    """The name of the column by which a sort item sorts, without its qualifier.

    If the item is not a column, the result is a text that is not a name.
    """
    return item.upper().removesuffix(" DESC").rpartition(".")[2]


def suggest_slack(at: Span, unordered: str | None = None) -> Iterator[Suggestion]:
    """Suggest a slack (WITHIN) for the timestamp at ``at``.

    ``unordered`` is the name of its column if this has no declared order; then the advice is to
    declare one.
    """
    advice = "write how far its rows may be out of order"
    if unordered is not None:
        advice = (
            f"column {unordered} has no declared order: declare it ASCENDING [WITHIN …], "
            f"or {advice}"
        )
    yield Suggestion(advice, (insert(at.end, f" {SLACK}"),))


def suggest_declared_slack(within: Span, slack: int) -> Iterator[Suggestion]:
    """Suggest the declared ``slack``, in milliseconds, for the smaller one at ``within``."""
    yield Suggestion("wait as long as is declared", (Edit(within, seconds(slack)),))


def suggest_without_limit(limit: tree.Limit, sql: str) -> Iterator[Suggestion]:
    """Suggest the query without OFFSET, LIMIT and FETCH."""
    text = sql[limit.span.start : limit.span.end]
    yield Suggestion(f"leave {text} out: a stream has no end", (leave_out(limit.span, sql),))
