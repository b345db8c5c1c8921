"""Suggestions for groups, set operations and windows that never complete."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from algebra.binding.scope.calls import leaves_in
from algebra.binding.scope.streaming import selects
from algebra.refusal.suggest_query import suggest_slack
from algebra.refusal.suggestion import Namespace, insert, leave_out, word_before, words
from grammar import tree
from grammar.source import Edit, Span
from grammar.suggestion import Suggestion
from grammar.tree import BoundKind, SetOperator

#: The words that may follow the opening bracket of a window; any other word is the name of the
#: window that it refines.
_WINDOW_WORDS: Final = frozenset({"PARTITION", "ORDER", "ROWS", "RANGE", "GROUPS", ")"})

# --- GROUP BY ---------------------------------------------------------------------------------


def suggest_progressing_key(
    node: tree.Select,
    sets: Sequence[Sequence[tree.Expression]],
    moving: Sequence[tree.Expression],
    namespace: Namespace,
    sql: str,
) -> Iterator[Suggestion]:
    """Suggest a key by which the groups of every grouping set complete.

    ``sets`` are the grouping sets of the SELECT ``node``, as keys in the text.  The suggestions are
    in this order: (1) ``moving``, which are monotonic keys that are not in every set; (2) monotonic
    columns of FROM, which ``namespace`` names; (3) a slack for a key of the clause.
    """

    def text(key: tree.Expression) -> str:
        return sql[key.span.start : key.span.end]

    clause = node.group_by
    if clause is not None:
        texts = [tuple(dict.fromkeys(map(text, one))) for one in sets]
        for key in moving:
            yield from suggest_key_in_every_set(clause, text(key), texts)
    yield from suggest_one_more_key(node, namespace, sql)
    for item in () if clause is None else clause.items:
        if isinstance(item, tree.GroupExpression) and item.within is None:
            columns = [each for each in leaves_in(item) if isinstance(each, tree.ColumnRef)]
            # No column of FROM is monotonic, so a slack alone does not help this column.
            unordered = columns[0] if columns and not namespace.buckets() else None
            name = None if unordered is None else unordered.name.parts[-1].name
            yield from suggest_slack(item.span, name)


def suggest_key_in_every_set(
    clause: tree.GroupBy, key: str, sets: Sequence[tuple[str, ...]]
) -> Iterator[Suggestion]:
    """Suggest GROUP BY with ``key`` in each grouping set; ``sets`` has the texts of their keys."""
    # The sets without the key, each once.
    rest = list(dict.fromkeys(tuple(each for each in one if each != key) for one in sets))
    # The sets that ROLLUP makes of the first one: all its keys, then one key less each time.
    rolled = [rest[0][:n] for n in range(len(rest[0]), -1, -1)]
    if len(rest) == 1:
        text = ", ".join((key, *rest[0]))
    elif rest == rolled:
        text = f"{key}, ROLLUP({', '.join(rest[0])})"
    else:
        listed = ", ".join(f"({', '.join(each)})" for each in rest)
        text = f"{key}, GROUPING SETS ({listed})"
    yield Suggestion(f"group by {key} in every set", (Edit(clause.span, f"GROUP BY {text}"),))


def suggest_one_more_key(node: tree.Select, namespace: Namespace, sql: str) -> Iterator[Suggestion]:
    """Suggest the SELECT with one more key, by which its groups complete.

    If FROM has no monotonic column but begins with a sub-query, it is suggested to select the
    rowtime in the sub-query.
    """
    for key in namespace.buckets():
        too = "" if node.group_by is None else ", too"
        yield Suggestion(f"group by {key}{too}", (_with_key(node, key, sql),))
    if namespace.buckets():
        return
    source = node.from_
    while isinstance(source, tree.Join):
        source = source.left
    if isinstance(source, tree.DerivedTable):
        for inner in selects(source.query):
            if inner.from_ is not None:
                added = insert(inner.items[-1].span.end, ", ROWTIME")
                grouped = _with_key(node, "FLOOR(ROWTIME TO HOUR)", sql)
                yield Suggestion(
                    "select the rowtime in the sub-query, and group by it", (added, grouped)
                )


def _with_key(node: tree.Select, key: str, sql: str) -> Edit:
    """The edit that puts ``key`` first among the keys of GROUP BY, or adds the clause."""
    clause = node.group_by
    if clause is None:
        place = None  # of the clause that follows GROUP BY
        if node.having is not None:
            place = word_before("HAVING", node.having.span.start, node.span, sql)
        elif node.windows:
            place = word_before("WINDOW", node.windows[0].span.start, node.span, sql)
        if place is None:
            return insert(node.span.end, f" GROUP BY {key}")
        return insert(place, f"GROUP BY {key} ")
    if all(isinstance(each, tree.GroupTuple) and not each.items for each in clause.items):
        # GROUP BY () has no key.
        return Edit(clause.span, f"GROUP BY {key}")
    return insert(clause.items[0].span.start, f"{key}, ")


# --- DISTINCT and set operations --------------------------------------------------------------


def suggest_distinct(
    node: tree.Select, namespace: Namespace, names: Sequence[str], sql: str
) -> Iterator[Suggestion]:
    """Suggest SELECT DISTINCT with a monotonic column, then the SELECT without DISTINCT.

    ``names`` are the names of the columns that are selected already.
    """
    for key in namespace.buckets():
        alias = " AS ROWTIME" if key.startswith("FLOOR(") and "ROWTIME" not in names else ""
        added = insert(node.items[0].span.start, f"{key}{alias}, ")
        yield Suggestion(f"select {key}, too", (added,))
    for word, at in words(sql, Span(node.span.start, node.items[0].span.start)):
        if word == "DISTINCT":
            yield Suggestion("leave DISTINCT out", (leave_out(at, sql),))


def suggest_union_all(node: tree.SetOperation, sql: str) -> Iterator[Suggestion]:
    """Suggest UNION ALL for UNION; then, for all set operations, the rowtime in all branches."""
    operators = {"UNION", "INTERSECT", "EXCEPT", "MINUS"}
    between = Span(node.left.span.end, node.right.span.start)
    found = [at for word, at in words(sql, between) if word in operators]
    if node.operator is SetOperator.UNION and found:
        yield Suggestion("keep equal rows: UNION ALL", (insert(found[0].end, " ALL"),))
    lists = [each.items for each in (*selects(node.left), *selects(node.right))]
    added = tuple(insert(each[-1].span.end, ", ROWTIME") for each in lists)
    yield Suggestion("select the rowtime in all branches", added)


# --- OVER -------------------------------------------------------------------------------------


def suggest_bounded_window(
    over: tree.WindowSpec,
    spec: tree.WindowSpec,
    named: Mapping[str, tree.WindowSpec],
    namespace: Namespace,
    sql: str,
) -> Iterator[Suggestion]:
    """Suggest a frame that ends at the current row, the order of the input, or a PARTITION BY.

    ``over`` is the window as written; ``spec`` also has the clauses of the named window that it
    refines.  ``named`` has all named windows of the SELECT.
    """
    if spec.frame is not None:
        last = spec.frame.end or spec.frame.start
        if last.kind is BoundKind.UNBOUNDED_FOLLOWING:
            yield Suggestion("end the frame at the current row", (Edit(last.span, "CURRENT ROW"),))
    for order in namespace.orders():
        if spec.order and order.split(" ")[0] == _written(spec.order[0], sql):
            yield Suggestion(
                "use the direction in which the rows arrive", (Edit(spec.order[0].span, order),)
            )
    for key in namespace.buckets():
        advice = f"partition by {key}, so that windows end"
        if spec.partition:
            yield Suggestion(advice, (insert(spec.partition[0].span.start, f"{key}, "),))
            continue
        place = _partition_place(over, named, sql)
        if place is not None:
            before = " " if sql[place - 1] not in "( " else ""
            after = "" if sql[place] == ")" else " "
            yield Suggestion(advice, (insert(place, f"{before}PARTITION BY {key}{after}"),))


def _written(item: tree.SortItem, sql: str) -> str:
    """The text of the expression of ``item``, in upper case."""
    return sql[item.expression.span.start : item.expression.span.end].upper()


def _partition_place(
    over: tree.WindowSpec, named: Mapping[str, tree.WindowSpec], sql: str
) -> int | None:
    """The place where PARTITION BY can be inserted into the window ``over``; None: nowhere.

    It follows the opening bracket, and the name of the window that is refined.  For ``OVER w`` it
    is in the definition of ``w``.
    """
    written = list(words(sql, over.span))
    if all(word != "(" for word, _ in written):
        base = None if over.base is None else named.get(over.base.name)
        if base is None:
            return None
        written = list(words(sql, base.span))
    start = next((i for i, (word, _) in enumerate(written) if word == "("), None)
    if start is None:
        return None
    refines = written[start + 1][0] not in _WINDOW_WORDS
    _, last = written[start + 1 if refines else start]
    return last.end
