"""Binding of whole queries: WITH, set operations, VALUES, and the Delta on top (S-302, S-801)."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from algebra.binding.expression.bind_expression import bind_expression
from algebra.binding.expression.scopes import NO_COLUMNS, RowScope
from algebra.binding.query.bind_from import bind_common, bind_item, unjoined_row
from algebra.binding.query.bind_order import Output, arranged, order_values
from algebra.binding.query.bind_select import bind_select
from algebra.binding.query.from_row import unique_columns
from algebra.binding.scope.environment import BoundQuery, CommonQuery, Environment, Modality
from algebra.binding.scope.faults import Faults
from algebra.binding.scope.names import FromRow, Visible, unique_names
from algebra.binding.scope.streaming import branches
from algebra.catalog import Catalog, Profile
from algebra.expression import Expression, InputRef, Parameter
from algebra.functions.coerce import Operand, common_type, convert, unassignable
from algebra.plan import Changes, Delta, Plan, Project, SetOp, Values, row_type
from algebra.refusal.suggestion import namespace_of_columns
from algebra.refusal.tried_suggestions import with_suggestion
from algebra.refusal.validate import check_branches, check_inputs, check_set_operation, check_state
from algebra.refusal.validate_changes import check_clock, check_emit, check_emit_at_the_end
from algebra.types import Field, Type
from grammar import tree
from grammar.codes import Code
from grammar.counts import counted
from grammar.parse import parse_query
from grammar.source import Location, SqlError
from grammar.suggestion import Suggestion, replacement
from grammar.tree import SetOperator


def bind_query(query: tree.Query, catalog: Catalog, profile: Profile, sql: str) -> Plan:
    """The plan of ``query``, under a Delta or Changes if it is streaming (S-302, S-1001).

    Raises the first fault in the text as `SqlError` (S-801); a fault inside a view has its place at
    the view's name (S-802).

    Defines: S-302.e
    """
    modality, bound = bind_source(query, catalog, profile, sql)
    return emitted(bound.plan, modality)


def emitted(plan: Plan, modality: Modality) -> Plan:
    """``plan`` under the node that emits its rows: a Delta or Changes if the query streams."""
    match modality:
        case Modality.STREAM:
            return Delta(plan)
        case Modality.CHANGES:
            return Changes(plan)
        case Modality.RELATION | Modality.SUBQUERY | Modality.DEFINITION:
            return plan


def bind_source(
    query: tree.Query,
    catalog: Catalog,
    profile: Profile,
    sql: str,
    *,
    carry: bool = False,
    assigned: tuple[Type, ...] = (),
) -> tuple[Modality, BoundQuery]:
    """The modality of ``query``, and its plan without a Delta or Changes.

    ``carry``: an implicit ROWTIME is added after its columns.  ``assigned`` are the types of the
    columns into which an INSERT writes the rows of VALUES.

    Defines: S-302.a, S-302.b
    """

    def try_suggestion(text: str) -> None:
        _bind_source(parse_query(text), catalog, profile, text, carry, assigned)

    try:
        return _bind_source(query, catalog, profile, sql, carry, assigned)
    except SqlError as error:
        raise with_suggestion(error, query.span, sql, try_suggestion) from error.__cause__


def _bind_source(
    query: tree.Query,
    catalog: Catalog,
    profile: Profile,
    sql: str,
    carry: bool,
    assigned: tuple[Type, ...],
) -> tuple[Modality, BoundQuery]:
    """As `bind_source`, but the suggestions of a refusal have not been tried."""
    faults = Faults(sql)
    tops = list(branches(query))
    modality = modality_of(query)
    environment = Environment(
        catalog,
        profile,
        sql,
        modality,
        faults,
        bind_body,
        carry=carry,
        assigned=assigned,
        query=query,
    )
    if not check_branches(tops, environment) or not check_emit(query, environment):
        # The first fault in the text is raised, so the query is still bound to find its others.
        # The streaming rules are not checked: they could report faults that follow from this one.
        environment = environment.undecided()
    bound = None
    with faults.noted(query.span):
        bound = bind_body(query, environment)
    if faults.count == 0:
        assert bound is not None
        check_state(bound.plan, query, environment)
        check_clock(bound.plan, query, environment)
    faults.raise_first()
    assert bound is not None
    return modality, bound


def modality_of(query: tree.Query) -> Modality:
    """The modality of a whole query; STREAM with EMIT AFTER WATERMARK means the same as STREAM.

    Defines: S-1001.a, S-1006.a
    """
    top = next(branches(query))
    if not (isinstance(top, tree.Select) and top.stream):
        return Modality.RELATION
    if query.emit is not None and query.emit.kind is tree.EmitKind.CHANGES:
        return Modality.CHANGES
    return Modality.STREAM


def check_definition(query: tree.Query, catalog: Catalog, profile: Profile, sql: str) -> BoundQuery:
    """The bound body of a view, at its creation; raises its first fault.

    The streaming rules are not checked, because only a use decides whether the view is streaming.
    """
    faults = Faults(sql)
    environment = Environment(catalog, profile, sql, Modality.DEFINITION, faults, bind_body)
    bound = None
    with faults.noted(query.span):
        bound = bind_body(query, environment)
    faults.raise_first()
    assert bound is not None
    return bound


def detached(catalog: Catalog, profile: Profile, sql: str) -> Environment:
    """An environment for the expressions of a statement that is not a query, such as a CHECK.

    It has its own `Faults`.
    """
    return Environment(catalog, profile, sql, Modality.RELATION, Faults(sql), bind_body)


def _cast_item(
    branch: tree.QueryBody, width: int, place: int, type: Type, sql: str
) -> Iterator[Suggestion]:
    """Suggest to cast the column ``place`` of ``branch`` to ``type``.

    Nothing is suggested unless the branch is a SELECT with an item for each of its ``width``
    columns.
    """
    if isinstance(branch, tree.Select) and len(branch.items) == width:
        at = branch.items[place].expression.span
        text = f"CAST({sql[at.start : at.end]} AS {type})"
        yield replacement(f"write {text}", at, text)


# --- bodies -------------------------------------------------------------------------------------


def bind_body(query: tree.QueryBody, environment: Environment) -> BoundQuery:
    """The plan of a query or of a part of one.

    Faults that still allow a plan are noted in the environment; other faults are raised.
    """
    match query:
        case tree.Query():
            return _bind_whole(query, environment)
        case tree.Select():
            return bind_select(query, (), None, environment)
        case tree.Values():
            return _bind_values(query, environment)
        case tree.ExplicitTable(name, span):
            item = bind_item(tree.TableRef(name, None, None, None, span), environment)
            return _all_columns(unjoined_row(item, environment), environment)
        case tree.SetOperation():
            return _bind_set(query, environment)


def _bind_whole(query: tree.Query, environment: Environment) -> BoundQuery:
    """A query with its WITH, ORDER BY and LIMIT."""
    check_emit_at_the_end(query, environment)
    if query.with_ is not None:
        environment = _with_tables(query.with_, environment)
    if isinstance(query.body, tree.Select):
        return bind_select(query.body, query.order_by, query.limit, environment)
    bound = bind_body(query.body, environment)
    return _ordered(bound, query.order_by, query.limit, environment)


def _with_tables(clause: tree.With, environment: Environment) -> Environment:
    """The environment with the queries of WITH, each of which can name those before it.

    A query of WITH is bound again where it is used, because each use has its own modality.  Here it
    is bound only in order to note its faults, even if it is not used.
    """
    if clause.recursive_span is not None:
        raise environment.error(
            Code.NOT_SUPPORTED,
            "WITH RECURSIVE is not supported",
            clause.recursive_span,
            "leave RECURSIVE out: a query of WITH sees those before it, not itself",
        )
    unique_columns([each.name for each in clause.tables], environment)
    for each in clause.tables:
        common = CommonQuery(each, environment)
        check = replace(environment.in_from(), modality=Modality.DEFINITION)
        with environment.faults.noted(each.span):
            bind_common(common, check)
        environment = replace(environment, tables={**environment.tables, each.name.name: common})
    return environment


def _ordered(
    bound: BoundQuery,
    order_by: Sequence[tree.SortItem],
    limit: tree.Limit | None,
    environment: Environment,
) -> BoundQuery:
    """``bound``, a set operation, VALUES or TABLE, with ORDER BY and LIMIT (S-205).

    Sort keys that are not columns of the query become hidden columns, which are removed after the
    sort.
    """
    fields = row_type(bound.plan)
    refs = [InputRef(i, each.type) for i, each in enumerate(fields)]
    shown = [each for each in refs if each.index != bound.rowtime]
    outputs = [Output(n, n, e) for n, e in zip(bound.names, shown, strict=True)]
    visible = tuple(Visible(n, e) for n, e in zip(bound.names, shown, strict=True))
    scope = RowScope(environment, FromRow(bound.plan, (), visible, visible), "ORDER BY")
    sorted_by = order_values(order_by, outputs, scope, environment)
    if len(sorted_by) < len(order_by):  # an item has a fault, which is noted
        environment.faults.raise_first()
    columns: list[Expression] = list(dict.fromkeys([*refs, *sorted_by]))
    places = {each: place for place, each in enumerate(columns)}
    hidden = [f"$s{i}" for i in range(len(columns) - len(refs))]
    base = bound.plan
    if hidden:
        base = Project(base, tuple(columns), (*(each.name for each in fields), *hidden))
    keys = [InputRef(places[each], each.type) for each in sorted_by]
    namespaces = (namespace_of_columns(base, bound.names, environment.profile),)
    plan = arranged(base, keys, order_by, limit, namespaces, environment)
    if hidden:
        plan = Project(plan, tuple(refs), tuple(each.name for each in fields))
    return replace(bound, plan=plan)


def _all_columns(row: FromRow, environment: Environment) -> BoundQuery:
    """The query ``TABLE t``, which selects all columns of ``row``, the row of ``t``."""
    names = tuple(each.name for each in row.star)
    columns = [each.expression for each in row.star]
    carried = [each for each in row.unqualified if each.implicit and environment.carry]
    columns += [each.expression for each in carried]
    labels = (*names, *(each.name for each in carried))
    plan = Project(row.plan, tuple(columns), labels)
    return BoundQuery(plan, names, len(names) if carried else None)


def _bind_values(node: tree.Values, environment: Environment) -> BoundQuery:
    """The rows of VALUES; each column has the common type of its values.

    COLUMN_COUNT if the rows differ in width; TYPE_MISMATCH if the values of a column have no common
    type.
    """
    scope = RowScope(environment, NO_COLUMNS, "VALUES")
    width = len(node.rows[0])
    rows: list[list[Expression]] = []
    for row in node.rows:
        if len(row) != width:
            raise environment.error(
                Code.COLUMN_COUNT,
                f"a row of {counted(len(row), 'value')} after one of {width}",
                row[0].span.to(row[-1].span),
                f"{counted(width, 'value')} in each row",
            )
        rows.append([_value(e, i, scope, environment) for i, e in enumerate(row)])
    types: list[Type] = []
    for place, value in enumerate(rows[0]):
        common = value.type
        for written, bound in zip(node.rows[1:], rows[1:], strict=True):
            wider = common_type((common, bound[place].type))
            if wider is None:
                refused = Operand(bound[place], written[place].span, environment.sql)
                raise unassignable(refused, common)
            common = wider
        types.append(common)
    names = unique_names([None] * width)
    converted = tuple(tuple(convert(e, t) for e, t in zip(row, types, strict=True)) for row in rows)
    fields = tuple(Field(n, t) for n, t in zip(names, types, strict=True))
    return BoundQuery(Values(converted, fields), names)


def _value(
    node: tree.Expression, place: int, scope: RowScope, environment: Environment
) -> Expression:
    """The value ``node`` in column ``place`` of VALUES.

    A parameter has the type of the column into which INSERT writes it.
    """
    if isinstance(node, tree.Parameter) and place < len(environment.assigned):
        at = Location(environment.sql, node.span)
        return Parameter(node.index, environment.assigned[place].as_nullable(), at)
    return bind_expression(node, scope)


# --- set operations -----------------------------------------------------------------------------


def _bind_set(node: tree.SetOperation, environment: Environment) -> BoundQuery:
    """A set operation of two branches, which are cast to common types.

    The names of the columns are those of the left branch.
    """
    left = bind_body(node.left, environment)
    right = bind_body(node.right, environment)
    if len(left.names) != len(right.names):
        raise environment.error(
            Code.COLUMN_COUNT,
            f"{node.operator} of {len(left.names)} and {counted(len(right.names), 'column')}",
            node.right.span,
            f"select {counted(len(left.names), 'column')} in both",
        )
    # Only UNION ALL keeps each row as it is, with its implicit ROWTIME.
    carries = (
        left.rowtime is not None
        and right.rowtime is not None
        and node.operator is SetOperator.UNION
        and node.all
    )
    sides = [_columns(each, carries) for each in (left, right)]
    types: list[Type] = []
    for a, b in zip(*sides, strict=True):
        common = common_type((a.type, b.type))
        if common is None:
            place = len(types)
            raise environment.refusal(
                Code.TYPE_MISMATCH,
                f"Type mismatch in column {place + 1} of {node.operator}: {a.type}, {b.type}",
                node.right.span,
                f"select values of {a.type} in column {place + 1} of both",
                partial(_cast_item, node.right, len(right.names), place, a.type, environment.sql),
            )
        types.append(common)
    labels = left.names + (("ROWTIME",) if carries else ())
    plans = tuple(
        _converted(bound.plan, side, types, labels)
        for bound, side in zip((left, right), sides, strict=True)
    )
    check_inputs(node, plans, environment)
    check_set_operation(node, plans, environment)
    plan = SetOp(plans, node.operator, node.all)
    return BoundQuery(plan, left.names, len(left.names) if carries else None)


def _columns(bound: BoundQuery, carries: bool) -> list[InputRef]:
    """The columns of a branch; an implicit ROWTIME is last if ``carries``, and else left out."""
    refs = [InputRef(i, each.type) for i, each in enumerate(row_type(bound.plan))]
    shown = [each for each in refs if each.index != bound.rowtime]
    return shown + [each for each in refs if carries and each.index == bound.rowtime]


def _converted(
    plan: Plan, columns: Sequence[InputRef], types: Sequence[Type], names: tuple[str, ...]
) -> Plan:
    """The ``columns`` of a branch, cast to ``types``; ``plan`` itself if these are its rows."""
    cast = tuple(convert(e, t) for e, t in zip(columns, types, strict=True))
    has_all_in_order = [each.index for each in columns] == list(range(len(row_type(plan))))
    if has_all_in_order and cast == tuple(columns):
        return plan
    return Project(plan, cast, names)
