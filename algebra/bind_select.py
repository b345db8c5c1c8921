"""One SELECT: FROM, WHERE, GROUP BY, HAVING, OVER, the list, DISTINCT, ORDER BY (S-302)."""

from collections.abc import Sequence
from dataclasses import replace

from algebra.bind_expression import bind_condition, bind_expression
from algebra.bind_from import Windows as NamedWindows
from algebra.bind_group import aggregate, bind_group_by, check_progress
from algebra.bind_join import From, bind_from, check_lock_steps
from algebra.bind_order import Output, arranged, order_values
from algebra.bind_window import ItemScope, Windows
from algebra.calls import first_aggregate, leaves_in
from algebra.environment import BoundQuery, Environment, Modality
from algebra.expression import Expression, InputRef
from algebra.grouped_scope import GroupedScope
from algebra.monotonicity import is_streaming, key_progresses
from algebra.names import Row, Visible, own_name, parts_of, unique_names
from algebra.plan import Aggregate, Filter, Plan, Project, row_type
from algebra.scopes import NO_COLUMNS, RowScope
from algebra.streaming import (
    ordered_by_nature,
    rises,
    source_name,
    source_span,
    sources,
)
from algebra.window_spec import named_windows
from grammar import tree
from grammar.codes import Code
from grammar.source import Span, SqlError


def bind_select(
    node: tree.Select,
    order_by: Sequence[tree.SortItem],
    limit: tree.Limit | None,
    environment: Environment,
) -> BoundQuery:
    """The SELECT with the ORDER BY and LIMIT of its query, which may use what it selects from."""
    named = named_windows(node.windows, environment)
    row, sound = _bind_rows(node, named, environment)
    if not sound:
        environment = environment.undecided()
    if node.group_by is not None or node.having is not None or _aggregates(node, order_by):
        return _grouped(node, row, named, order_by, limit, environment)
    windows = Windows(lambda: row.plan, named, environment)
    items = ItemScope(RowScope(environment, row, "SELECT"), windows)
    outputs = _outputs(node, row, items, environment)
    windows.check(items.inner)
    values = order_values(order_by, outputs, items, environment)
    if None in outputs or None in values:
        environment.faults.settle()
    carried = _carried(row, outputs, node.distinct, environment)
    return _selected(
        node, row.plan, windows, outputs, values, order_by, limit, environment, carried
    )


def _aggregates(node: tree.Select, order_by: Sequence[tree.SortItem]) -> bool:
    return first_aggregate(node.items, node.windows, order_by) is not None


def _bind_rows(
    node: tree.Select, named: NamedWindows, environment: Environment
) -> tuple[Row, bool]:
    """FROM and WHERE, and whether FROM is without fault."""
    faults = environment.faults
    before = faults.count
    if node.from_ is None:
        joined = From(NO_COLUMNS, ())
    else:
        joined = bind_from(node.from_, environment, named)
    _check_streamable(node, joined.row.plan, environment)
    sound = faults.count == before
    row = joined.row
    if node.where is None:
        return row, check_lock_steps(joined, None, environment) and sound
    with faults.noted(node.where.span):
        where = bind_condition(node.where, RowScope(environment, row, "WHERE"))
        sound = check_lock_steps(joined, where, environment) and sound
        row = replace(row, plan=Filter(row.plan, where))
    return row, sound


def _check_streamable(node: tree.Select, plan: Plan, environment: Environment) -> None:
    """Note a streaming query without a stream in its FROM (S-309, S-802)."""
    if environment.modality is not Modality.STREAM or not environment.top or is_streaming(plan):
        return
    found = [node] if node.from_ is None else list(sources(node.from_))
    names = ", ".join(source_name(each) for each in found)
    if len(found) == 1 and isinstance(found[0], tree.Values | tree.Select):
        environment.fault(
            Code.STREAMING_VALUES,
            "Cannot stream VALUES",
            found[0].span,
            "leave STREAM out",
        )
    elif len(found) == 1:
        environment.fault(
            Code.TABLE_TO_STREAM,
            f"Cannot convert table '{names}' to a stream",
            source_span(found[0]),
            "leave STREAM out",
        )
    elif node.from_ is not None:
        environment.fault(
            Code.NO_STREAMING_INPUT,
            f"Cannot stream results of a query with no streaming inputs: '{names}'. "
            "At least one input should be convertible to a stream",
            node.from_.span,
            "leave STREAM out",
        )


# --- groups -------------------------------------------------------------------------------------


def _grouped(
    node: tree.Select,
    row: Row,
    named: NamedWindows,
    order_by: Sequence[tree.SortItem],
    limit: tree.Limit | None,
    environment: Environment,
) -> BoundQuery:
    """A SELECT with GROUP BY, HAVING, or an aggregate in it."""
    try:
        grouping = bind_group_by(node.group_by, row, environment)
    except SqlError:
        # Without groups the list cannot be bound, but what is wrong with its leaves comes first.
        for leaf in leaves_in(node.items):
            with environment.faults.noted(leaf.span):
                bind_expression(leaf, RowScope(environment, row, "SELECT"))
        raise
    scope = GroupedScope(grouping, "SELECT")

    def grouped() -> Plan:
        return aggregate(grouping, row.plan, scope.measures)

    windows = Windows(grouped, named, environment)
    items = ItemScope(scope, windows)
    outputs = _outputs(node, row, items, environment)
    having: Expression | None = None
    if node.having is not None:
        with environment.faults.noted(node.having.span):
            having = bind_condition(node.having, scope.in_clause("HAVING"))
    windows.check(items.inner)
    values = order_values(order_by, outputs, items, environment)
    plan = grouped()
    if not check_progress(grouping, plan, *_group_span(node, order_by, environment)):
        environment = environment.undecided()
    if None in outputs or None in values or (having is None) != (node.having is None):
        environment.faults.settle()
    if having is not None:
        plan = Filter(plan, having)
    return _selected(node, plan, windows, outputs, values, order_by, limit, environment)


def _group_span(
    node: tree.Select, order_by: Sequence[tree.SortItem], environment: Environment
) -> tuple[Span, str]:
    """Where a missing monotonic key is told, and the keys there are, as written (S-802)."""
    if node.group_by is not None:
        plain = all(isinstance(each, tree.GroupExpression) for each in node.group_by.items)
        first, last = node.group_by.items[0].span, node.group_by.items[-1].span
        return node.group_by.span, environment.sql[first.start : last.end] if plain else ""
    found = first_aggregate(node.items, node.having, order_by)
    if found is not None:
        return found.span, ""
    assert node.having is not None
    return node.having.span, ""


# --- the list -----------------------------------------------------------------------------------


def _outputs(
    node: tree.Select, row: Row, scope: ItemScope, environment: Environment
) -> list[Output | None]:
    """The columns of the list, ``*`` expanded; None for one that is at fault."""
    given: list[tuple[str | None, Expression | None, tree.SelectItem]] = []
    for item in node.items:
        if isinstance(item.expression, tree.Star):
            columns = None
            with environment.faults.noted(item.span):
                columns = _expanded(item.expression, row, scope, environment)
            given += [(n, e, item) for n, e in columns or [(None, None)]]
            continue
        bound = None
        with environment.faults.noted(item.span):
            bound = bind_expression(item.expression, scope)
        name = own_name(item.expression) if item.alias is None else item.alias.name
        given.append((name, bound, item))
    names = unique_names(name for name, _, _ in given)
    return [
        None if bound is None else Output(own, name, bound, item)
        for (own, bound, item), name in zip(given, names, strict=True)
    ]


def _expanded(
    star: tree.Star, row: Row, scope: ItemScope, environment: Environment
) -> list[tuple[str | None, Expression | None]]:
    """The columns of ``*`` or ``t.*``; an implicit ROWTIME is not among them (EXT-031)."""
    columns: tuple[Visible, ...]
    if star.qualifier is None:
        columns = row.star
        if not row.variables and not row.star:
            raise environment.error(
                Code.UNKNOWN_OBJECT, "SELECT * requires a FROM clause", star.span, "SELECT 1"
            )
    else:
        variables = row.qualified(parts_of(star.qualifier))
        if len(variables) != 1:
            code = Code.AMBIGUOUS_COLUMN if variables else Code.UNKNOWN_OBJECT
            known = ", ".join(each.name[-1] for each in row.variables)
            raise environment.error(
                code,
                f"table '{'.'.join(parts_of(star.qualifier))}' not found in FROM",
                star.qualifier.span,
                f"FROM has {known}",
            )
        columns = tuple(each for each in variables[0].columns if not each.implicit)
    return [(each.name, scope.visible(each, star.span)) for each in columns]


def _carried(
    row: Row, outputs: Sequence[Output | None], distinct: bool, environment: Environment
) -> Expression | None:
    """The implicit ROWTIME behind the columns, where it is wanted and can be had (S-311)."""
    if (
        not environment.carry
        or distinct
        or any(o is not None and o.name == "ROWTIME" for o in outputs)
    ):
        return None
    found = row.named("ROWTIME")
    if len(found) != 1 or not ordered_by_nature(row.plan):
        return None
    return found[0].expression


# --- the plan -----------------------------------------------------------------------------------


def _selected(
    node: tree.Select,
    source: Plan,
    windows: Windows,
    outputs: Sequence[Output | None],
    values: Sequence[Expression | None],
    order_by: Sequence[tree.SortItem],
    limit: tree.Limit | None,
    environment: Environment,
    carried: Expression | None = None,
) -> BoundQuery:
    """The list over ``source``, then DISTINCT, ORDER BY and LIMIT."""
    shown = [each for each in outputs if each is not None]
    names = tuple(each.name for each in shown)
    columns = [each.expression for each in shown]
    if carried is not None:
        columns.append(carried)
    width = len(columns)
    keys: list[int] = []
    for item, value in zip(order_by, values, strict=True):
        assert value is not None, "faults are settled before"
        if value not in columns:
            if node.distinct:
                raise environment.error(
                    Code.NOT_GROUPED,
                    "ORDER BY of SELECT DISTINCT takes what is selected",
                    item.expression.span,
                    f"ORDER BY {names[0]}",
                )
            columns.append(value)
        keys.append(columns.index(value))
    labels = (*names, *(["ROWTIME"] if carried is not None else []))
    labels += tuple(f"$s{i}" for i in range(len(columns) - width))
    plan: Plan = Project(
        windows.over(source), tuple(windows.placed(each, source) for each in columns), labels
    )
    _check_rowtime(plan, shown, environment)
    if node.distinct:
        plan = _distinct(plan, node, environment)
    fields = row_type(plan)
    plan = arranged(plan, [InputRef(i, fields[i].type) for i in keys], order_by, limit, environment)
    if len(columns) > width:
        refs = (InputRef(i, each.type) for i, each in enumerate(row_type(plan)[:width]))
        plan = Project(plan, tuple(refs), labels[:width])
    return BoundQuery(plan, names, None if carried is None else width - 1)


def _distinct(plan: Plan, node: tree.Select, environment: Environment) -> Plan:
    """One row of each: GROUP BY all columns (S-512)."""
    keys = tuple(InputRef(i, each.type) for i, each in enumerate(row_type(plan)))
    asked = environment.modality is Modality.STREAM and is_streaming(plan)
    if asked and not any(key_progresses(plan, each, environment.profile) for each in keys):
        at = node.items[0].span.to(node.items[-1].span)
        environment.fault(
            Code.NO_MONOTONIC_KEY,
            "Streaming SELECT DISTINCT requires at least one monotonic column",
            at,
            f"ROWTIME, {environment.sql[at.start : at.end]}",
        )
    names = tuple(each.name for each in row_type(plan))
    return Aggregate(plan, keys, (tuple(range(len(keys))),), (), names)


def _check_rowtime(plan: Plan, outputs: Sequence[Output], environment: Environment) -> None:
    """Note a column ROWTIME of a stream that does not ascend (S-311)."""
    if environment.modality is not Modality.STREAM or not is_streaming(plan):
        return
    for place, each in enumerate(outputs):
        if each.name == "ROWTIME" and not rises(plan, place):
            assert each.item is not None, "a select list is of items"
            environment.fault(
                Code.ROWTIME_NOT_ASCENDING,
                "The column ROWTIME of a stream must be an ascending TIMESTAMP",
                each.item.span,
                _renamed_hint(each.item, environment),
            )


def _renamed_hint(item: tree.SelectItem, environment: Environment) -> str:
    """The item under another name; of ``*`` what to do instead."""
    if isinstance(item.expression, tree.Star):
        return "name the columns, and give this one another name"
    return f"{environment.sql[item.expression.span.start : item.expression.span.end]} AS t"
