"""Binding of one SELECT, clause by clause: from its syntax to a plan (S-302).

The clauses that have modules of their own are called from here: FROM, GROUP BY, OVER, QUALIFY and
ORDER BY.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from algebra.binding.expression.bind_expression import bind_condition, bind_expression
from algebra.binding.expression.scopes import NO_COLUMNS, AggregateMet, PlainScope, RowScope
from algebra.binding.over.bind_window import ItemScope, Windows
from algebra.binding.over.window_spec import named_windows
from algebra.binding.query.bind_from import Windows as NamedWindows
from algebra.binding.query.bind_group import aggregate, bind_group_by, namespace_of_groups
from algebra.binding.query.bind_join import From, bind_from, check_lock_steps
from algebra.binding.query.bind_order import Output, arranged, order_values, put_in_order
from algebra.binding.query.bind_qualify import bind_qualify
from algebra.binding.query.grouped_scope import GroupedScope
from algebra.binding.query.where_in_joins import filtered
from algebra.binding.scope.calls import aggregates_in, leaves_in
from algebra.binding.scope.environment import BoundQuery, Environment
from algebra.binding.scope.join_base import project
from algebra.binding.scope.names import FromRow, Visible, own_name, parts_of, quoted, unique_names
from algebra.binding.scope.streaming import reads_a_stream
from algebra.expression import Expression, InputRef
from algebra.monotonicity.columns import rowtime_column
from algebra.plan import Aggregate, Filter, Plan, Project, row_type
from algebra.refusal.suggestion import Namespace, namespace_of, namespace_of_columns
from algebra.refusal.validate import check_distinct, check_groups, check_input, check_rowtime
from grammar import tree
from grammar.codes import Code
from grammar.source import SqlError


@dataclass(frozen=True, slots=True)
class SelectScope:
    """One SELECT with FROM and WHERE bound: the input for binding its other clauses.

    ``row`` is the row after WHERE, ``named`` are the windows of its WINDOW clause.  ``order_by``
    and ``limit`` are those of its query; they may use columns that the SELECT does not select.
    """

    node: tree.Select
    row: FromRow
    named: NamedWindows
    order_by: Sequence[tree.SortItem]
    limit: tree.Limit | None
    environment: Environment


@dataclass(frozen=True, slots=True)
class _Listed(Output):
    """A column of a SELECT, with the item of the select list from which it comes."""

    item: tree.SelectItem


@dataclass(frozen=True, slots=True)
class _Columns:
    """The expressions of a SELECT over its source, which are bound before its plan is made.

    ``outputs`` are the columns of its list, ``keys`` the values by which ORDER BY sorts, and
    ``qualify`` the condition of QUALIFY.  ``windows`` has the window functions in all these.
    ``rowtime`` is the implicit ROWTIME after the columns (S-311); None if no reader needs one, or
    if none is known.
    """

    outputs: Sequence[_Listed]
    keys: Sequence[Expression]
    windows: Windows
    qualify: Expression | None
    rowtime: Expression | None


def bind_select(
    node: tree.Select,
    order_by: Sequence[tree.SortItem],
    limit: tree.Limit | None,
    environment: Environment,
) -> BoundQuery:
    """The SELECT with the ORDER BY and LIMIT of its query."""
    environment.count_select(node.span)
    named = named_windows(node.windows, environment)
    row, has_sound_from = _bind_rows(node, named, environment)
    if not has_sound_from:
        # The streaming rules could report further faults that follow from the fault in FROM.
        environment = environment.undecided()
    select = SelectScope(node, row, named, order_by, limit, environment)
    scope = PlainScope(environment, row, "SELECT")
    first = _first_aggregate(select, scope)
    if node.group_by is not None or node.having is not None or first is not None:
        return _grouped(select, first)
    try:
        return _plain(select, scope)
    except AggregateMet as met:
        if met.scope is not scope:
            raise  # the aggregate belongs to another SELECT, around this one
        return _grouped(select, met.node)


def _first_aggregate(select: SelectScope, scope: RowScope) -> tree.FunctionCall | None:
    """The first aggregate in the text that belongs to this SELECT, not to an enclosing one.

    Defines: S-512.b
    """
    node = select.node
    found = aggregates_in(node.items, node.having, node.windows, node.qualify, select.order_by)
    return next((each for each in found if not scope.is_outer(each)), None)


def _plain(select: SelectScope, scope: RowScope) -> BoundQuery:
    """A SELECT without groups; raises `AggregateMet` if a sub-query has an aggregate of it."""
    row, environment = select.row, select.environment
    namespace = namespace_of(row, environment.profile)
    windows = Windows(lambda: namespace, select.named, environment)
    items = ItemScope(scope, windows)
    outputs = _outputs(select, items)
    windows.check_named(items.inner)
    known = [each for each in outputs if each is not None]
    qualify = _qualify(select, known, items)
    keys = order_values(select.order_by, known, items, environment)
    if len(known) < len(outputs) or len(keys) < len(select.order_by):
        environment.faults.raise_first()
    rowtime = _carried(select, known)
    columns = _Columns(known, keys, windows, qualify, rowtime)
    return _selected(select, row.plan, namespace, columns)


def _bind_rows(
    node: tree.Select, named: NamedWindows, environment: Environment
) -> tuple[FromRow, bool]:
    """The row after FROM and WHERE, and whether FROM and its joins have no fault."""
    faults = environment.faults
    before = faults.count
    if node.from_ is None:
        joined = From(NO_COLUMNS, ())
    else:
        joined = bind_from(node.from_, environment, named)
    check_input(node, joined.row.plan, environment)
    sound = faults.count == before
    row = joined.row
    if node.where is None:
        return row, check_lock_steps(joined, row.plan, node, environment) and sound
    with faults.noted(node.where.span):
        where = bind_condition(node.where, RowScope(environment, row, "WHERE"))
        row = replace(row, plan=filtered(row.plan, where))
        sound = check_lock_steps(joined, row.plan, node, environment) and sound
    return row, sound


# --- groups -------------------------------------------------------------------------------------


def _grouped(select: SelectScope, first: tree.FunctionCall | None) -> BoundQuery:
    """A SELECT with GROUP BY, HAVING or aggregates; ``first`` is its first aggregate, if any."""
    node, row, environment = select.node, select.row, select.environment
    try:
        grouping = bind_group_by(node.group_by, row, environment)
    except SqlError:
        # Without groups the list cannot be bound, but faults of its leaves come first in the text.
        for leaf in leaves_in(node.items):
            with environment.faults.noted(leaf.span):
                bind_expression(leaf, RowScope(environment, row, "SELECT"))
        raise
    scope = GroupedScope(grouping, "SELECT")

    def grouped() -> Namespace:
        """The names over the groups, whose plan has the aggregates that have been bound so far."""
        return namespace_of_groups(grouping, aggregate(grouping, row.plan, tuple(scope.measures)))

    windows = Windows(grouped, select.named, environment)
    items = ItemScope(scope, windows)
    outputs = _outputs(select, items)
    having: Expression | None = None
    if node.having is not None:
        with environment.faults.noted(node.having.span):
            having = bind_condition(node.having, scope.in_clause("HAVING"))
    windows.check_named(items.inner)
    known = [each for each in outputs if each is not None]
    qualify = _qualify(select, known, items)
    keys = order_values(select.order_by, known, items, environment)
    namespace = grouped()
    plan = namespace.plan
    nodes = [each.node for each in grouping.keys]
    below = namespace_of(row, environment.profile)
    if not check_groups(node, plan, nodes, first, below, environment):
        select = replace(select, environment=environment.undecided())
    if len(known) < len(outputs) or len(keys) < len(select.order_by):
        environment.faults.raise_first()
    rowtime = _time_of_groups(plan) if _carries(select, known) else None
    if having is not None:
        plan = Filter(plan, having)
    columns = _Columns(known, keys, windows, qualify, rowtime)
    return _selected(select, plan, namespace, columns)


# --- the list -----------------------------------------------------------------------------------


def _outputs(select: SelectScope, scope: ItemScope) -> list[_Listed | None]:
    """The columns of the select list, with ``*`` expanded; None for an item with a fault.

    The fault is noted.
    """
    faults = select.environment.faults
    # For each column: its name, its value (None: it has a fault), and its item.
    found: list[tuple[str | None, Expression | None, tree.SelectItem]] = []
    for item in select.node.items:
        if isinstance(item.expression, tree.Star):
            columns = None
            with faults.noted(item.span):
                columns = _expanded(item.expression, select, scope)
            found += [(n, e, item) for n, e in columns or [(None, None)]]
            continue
        bound = None
        with faults.noted(item.span):
            bound = bind_expression(item.expression, scope)
        name = own_name(item.expression) if item.alias is None else item.alias.name
        found.append((name, bound, item))
    names = unique_names(name for name, _, _ in found)
    return [
        None if bound is None else _Listed(own, name, bound, item)
        for (own, bound, item), name in zip(found, names, strict=True)
    ]


def _qualify(select: SelectScope, outputs: Sequence[Output], scope: ItemScope) -> Expression | None:
    """The condition of QUALIFY; None: there is none, or it has a fault, which is noted."""
    node, environment = select.node.qualify, select.environment
    if node is None:
        return None
    with environment.faults.noted(node.span):
        return bind_qualify(node, outputs, scope, environment)
    return None


def _expanded(
    star: tree.Star, select: SelectScope, scope: ItemScope
) -> list[tuple[str | None, Expression | None]]:
    """The columns of ``*`` or ``t.*``; an implicit ROWTIME is not among them (EXT-031)."""
    row, environment = select.row, select.environment
    columns: tuple[Visible, ...]
    if star.qualifier is None:
        columns = row.star
        if not row.star:
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


def _carried(select: SelectScope, outputs: Sequence[Output]) -> Expression | None:
    """The implicit ROWTIME of FROM's row, if it is appended to the columns, else None (S-311).

    Defines: S-311.c
    """
    found = select.row.named("ROWTIME") if _carries(select, outputs) else ()
    if len(found) != 1 or not reads_a_stream(select.row.plan):
        return None
    return found[0].expression


def _carries(select: SelectScope, outputs: Sequence[Output]) -> bool:
    """Whether an implicit ROWTIME may be appended: a reader wants one, and no output is ROWTIME."""
    named = any(each.name == "ROWTIME" for each in outputs)
    return select.environment.carry and not select.node.distinct and not named


def _time_of_groups(groups: Plan) -> Expression | None:
    """The key that is the rowtime of the groups; None: no key is their rowtime (S-311).

    Without such a key, the groups have an implicit rowtime that is not a column (S-503).

    Defines: S-311.f, S-503.g
    """
    place = rowtime_column(groups)
    return None if place is None else InputRef(place, row_type(groups)[place].type)


# --- the plan -----------------------------------------------------------------------------------


def _selected(
    select: SelectScope, source: Plan, namespace: Namespace, selected: _Columns
) -> BoundQuery:
    """The plan of a SELECT: window functions, QUALIFY, its list, DISTINCT, ORDER BY and LIMIT.

    ``source`` has the rows after FROM, WHERE, GROUP BY and HAVING.  Sort keys that are not in the
    list become hidden columns, which are removed after the sort.  ``namespace`` has the names that
    suggestions for expressions over ``source`` may use.

    Defines: S-507.k
    """
    node, order_by, environment = select.node, select.order_by, select.environment
    windows, rowtime = selected.windows, selected.rowtime
    shown = selected.outputs
    names = tuple(each.name for each in shown)
    columns = [each.expression for each in shown]
    if rowtime is not None:
        columns.append(rowtime)
    width = len(columns)
    places: dict[Expression, int] = {}  # the first place of each expression, shown or hidden
    for place, column in enumerate(columns):
        places.setdefault(column, place)
    hidden: list[Expression] = []
    key_places: list[int] = []
    for item, value in zip(order_by, selected.keys, strict=True):
        if value not in places:
            if node.distinct:
                raise environment.error(
                    Code.NOT_GROUPED,
                    "ORDER BY of SELECT DISTINCT takes only selected columns",
                    item.expression.span,
                    f"sort by a selected column: ORDER BY {names[0]}",
                )
            places[value] = width + len(hidden)
            hidden.append(value)
        key_places.append(places[value])
    labels = (*names, *(["ROWTIME"] if rowtime is not None else []))
    labels += tuple(f"$s{i}" for i in range(len(hidden)))
    qualified = windows.plan_over(source)
    if selected.qualify is not None:
        qualified = Filter(qualified, windows.with_final_places(selected.qualify, source))
    listed = project(
        qualified,
        tuple(windows.with_final_places(each, source) for each in (*columns, *hidden)),
        labels,
    )
    plan: Plan = listed
    fields = row_type(plan)
    sort_columns = [InputRef(i, fields[i].type) for i in key_places]
    items = [(each.name, each.item) for each in shown]
    # ROWTIME must ascend as the rows arrive, or after a t-sort of ORDER BY.
    orders = (plan, put_in_order(listed, sort_columns, order_by))
    check_rowtime(orders, items, lambda star: _texts(star, select.row), environment)
    if node.distinct:
        check_distinct(plan, node, names, namespace, environment)
        plan = _distinct(plan)
    namespaces = (namespace_of_columns(plan, names, environment.profile), namespace)
    plan = arranged(plan, sort_columns, order_by, select.limit, namespaces, environment)
    if hidden:
        refs = (InputRef(i, each.type) for i, each in enumerate(row_type(plan)[:width]))
        plan = Project(plan, tuple(refs), labels[:width])
    return BoundQuery(plan, names, None if rowtime is None else width - 1)


def _distinct(plan: Plan) -> Plan:
    """Each distinct row once: GROUP BY all columns (S-512).

    Defines: S-512.a
    """
    keys = tuple(InputRef(i, each.type) for i, each in enumerate(row_type(plan)))
    names = tuple(each.name for each in row_type(plan))
    return Aggregate(plan, keys, (tuple(range(len(keys))),), (), names)


def _texts(star: tree.Star, row: FromRow) -> list[tuple[str, str]]:
    """The text and the name of each column for which ``*`` or ``t.*`` stands."""
    found: list[tuple[str, str]] = []
    inside = row.variables if star.qualifier is None else row.qualified(parts_of(star.qualifier))
    columns = row.star if star.qualifier is None else inside[0].columns
    for column in columns:
        owner = next((v for v in inside if column in v.columns), None)
        name = quoted(column.name)
        if not column.implicit:
            text = name if owner is None else f"{quoted(owner.name[-1])}.{name}"
            found.append((text, column.name))
    return found
