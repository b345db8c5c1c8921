"""Binding of INSERT, UPSERT, UPDATE, DELETE and MERGE (S-604, S-605, S-606)."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from algebra.binding.expression.bind_expression import bind_condition, bind_expression
from algebra.binding.expression.scopes import RowScope
from algebra.binding.query.bind import bind_source, detached, emitted
from algebra.binding.query.bind_from import relation
from algebra.binding.query.bind_join import bind_from
from algebra.binding.query.from_row import unique_columns
from algebra.binding.scope.environment import BoundQuery, Environment, Modality
from algebra.binding.scope.names import FromRow, Variable, Visible
from algebra.binding.statement.defaults import (
    default_of,
    is_default,
    missing,
    required_default,
    with_defaults,
    without_defaults,
)
from algebra.build import TRUE
from algebra.catalog import Catalog, Profile, Stream, Table
from algebra.expression import Expression, InputRef, Parameter
from algebra.functions.coerce import Operand, cast_to
from algebra.modify import Delete, Insert, Merge, MergeAction, Modify, Update
from algebra.monotonicity.columns import rowtime_column
from algebra.plan import Project, Reads, Scan, Values, row_type
from algebra.refusal.tried_suggestions import with_suggestion
from algebra.refusal.validate_changes import check_target
from grammar import statement as syntax
from grammar import tree
from grammar.codes import Code
from grammar.counts import counted
from grammar.parse import parse_statement
from grammar.source import Location, SqlError

#: The statements that `bind_modify` takes; it refuses those on transactions.
Dml = syntax.Insert | syntax.Update | syntax.Delete | syntax.Merge | syntax.Transaction


def bind_modify(statement: Dml, catalog: Catalog, profile: Profile, sql: str) -> Modify:
    """The plan of the statement.

    The query of an INSERT has a Delta (or Changes) on top if it is streaming.  STREAM_DML for a
    statement other than INSERT on a stream.  WRONG_OBJECT for a view, and for an UPSERT into a
    table without a primary key.  NOT_SUPPORTED for COMMIT, ROLLBACK and SAVEPOINT.

    Defines: S-605.a, S-605.c
    """

    def try_suggestion(text: str) -> None:
        other = parse_statement(text)
        assert isinstance(other, Dml), "edits keep the kind of the statement"
        _bind_modify(other, catalog, profile, text)

    try:
        return _bind_modify(statement, catalog, profile, sql)
    except SqlError as error:
        raise with_suggestion(error, statement.span, sql, try_suggestion) from error.__cause__


def _bind_modify(statement: Dml, catalog: Catalog, profile: Profile, sql: str) -> Modify:
    """As `bind_modify`, but the suggestions of a refusal have not been tried."""
    environment = detached(catalog, profile, sql)
    bound: Modify | None = None
    with environment.faults.noted(statement.span):
        match statement:
            case syntax.Insert():
                bound = _insert(statement, environment)
            case syntax.Update():
                bound = _update(statement, environment)
            case syntax.Delete():
                bound = _delete(statement, environment)
            case syntax.Merge():
                bound = _merge(statement, environment)
            case syntax.Transaction(kind, span):
                raise environment.error(
                    Code.NOT_SUPPORTED,
                    f"{kind} is not supported: each statement is done when it is executed",
                    span,
                    "leave it out",
                )
    environment.faults.raise_first()
    assert bound is not None
    return bound


# --- INSERT -------------------------------------------------------------------------------------


def _insert(node: syntax.Insert, environment: Environment) -> Insert:
    """The plan of an INSERT or UPSERT."""
    target = _target(node.target, environment)
    if node.upsert:
        if isinstance(target, Stream) or target.changing:
            raise _stream_dml("UPSERT", node.target, environment)
        if not target.primary_key:
            raise environment.error(
                Code.WRONG_OBJECT,
                f"table '{node.target.parts[-1].name}' has no PRIMARY KEY to find a row by",
                node.target.span,
                "INSERT INTO …, or declare a PRIMARY KEY",
            )
    places = _insert_places(node, target, environment)
    query, defaults = without_defaults(node.source)
    # The query carries the rowtime of its rows, for a statement that gives the target's rowtime no
    # value (`_inserted_row`).
    modality, source = bind_source(
        query,
        environment.catalog,
        environment.profile,
        environment.sql,
        carry=isinstance(target, Stream) and environment.profile is Profile.SQLSTREAM,
        assigned=tuple(target.columns[i].type for i in places),
    )
    if len(source.names) != len(places):
        at = node.columns[0].span.to(node.columns[-1].span) if node.columns else node.source.span
        raise environment.error(
            Code.COLUMN_COUNT,
            f"{counted(len(source.names), 'value')} for {counted(len(places), 'column')}",
            at,
            _columns_hint(node, target, places, len(source.names)),
        )
    if defaults:
        assert isinstance(source.plan, Values), "DEFAULT stands in VALUES"
        assert isinstance(node.source.body, tree.Values), "DEFAULT stands in VALUES"
        values = with_defaults(
            source.plan, places, defaults, target, node.source.body, environment.sql
        )
        source = replace(source, plan=values)
    streaming = modality is Modality.STREAM
    check_target(target, node, modality, environment)
    row = _inserted_row(node, target, places, source, streaming, environment)
    names = tuple(each.name for each in target.columns)
    refs = tuple(InputRef(i, each.type) for i, each in enumerate(row_type(source.plan)))
    plan = source.plan if row == refs else Project(source.plan, row, names)
    location = Location(environment.sql, node.source.span)
    upsert = node.upsert or _is_keyed(target)
    return Insert(target, emitted(plan, modality), upsert, location)


def _is_keyed(target: Table | Stream) -> bool:
    """Whether an INSERT into ``target`` replaces the row that has the same key.

    That is the case for a stream WITH CHANGES KEY (S-1005).
    """
    return isinstance(target, Table) and target.changing and bool(target.primary_key)


def _columns_hint(
    node: syntax.Insert, target: Table | Stream, places: Sequence[int], values: int
) -> str:
    """A hint for an INSERT of ``values`` values into the columns at ``places``.

    It names as many columns as there are values: those at ``places``, then others of the target.
    """
    others = [i for i, each in enumerate(target.columns) if i not in places and not each.implicit]
    names = [target.columns[i].name for i in (*places, *others)]
    if values > len(names):
        return f"write one value for each of {', '.join(names)}"
    return f"INSERT INTO {node.target.parts[-1].name} ({', '.join(names[:values])})"


def _target(name: tree.Name, environment: Environment) -> Table | Stream:
    """The table or stream of that name; WRONG_OBJECT for a view."""
    found = relation(name, environment)
    if not isinstance(found, Table | Stream):
        raise environment.error(
            Code.WRONG_OBJECT,
            f"'{name.parts[-1].name}' is a view, and holds no rows of its own",
            name.span,
            "name the table or stream that the view reads",
        )
    return found


def _stream_dml(verb: str, name: tree.Name, environment: Environment) -> SqlError:
    """The error for a statement on the stream ``name``, whose ``verb`` is not INSERT.

    Defines: S-1005.i
    """
    return environment.error(
        Code.STREAM_DML,
        f"{verb} does not apply to stream '{name.parts[-1].name}'",
        name.span,
        f"a stream only takes rows: INSERT INTO {name.parts[-1].name}",
    )


def _insert_places(
    node: syntax.Insert, target: Table | Stream, environment: Environment
) -> list[int]:
    """The places of the target's columns that get values; by default all but an implicit one."""
    if not node.columns:
        return [i for i, each in enumerate(target.columns) if not each.implicit]
    unique_columns(node.columns, environment)
    return _places(node.columns, target, environment)


def _places(
    names: Iterable[tree.Identifier], target: Table | Stream, environment: Environment
) -> list[int]:
    """The places of the columns ``names`` in the target; UNKNOWN_COLUMN for an unknown name."""
    places = {each.name: place for place, each in enumerate(target.columns)}
    for each in names:
        if each.name not in places:
            raise environment.error(
                Code.UNKNOWN_COLUMN,
                f"column '{each.name}' not found in '{target.name[-1]}'",
                each.span,
                f"the columns are: {', '.join(places)}",
            )
    return [places[each.name] for each in names]


def _inserted_row(
    node: syntax.Insert,
    target: Table | Stream,
    places: Sequence[int],
    source: BoundQuery,
    streaming: bool,
    environment: Environment,
) -> tuple[Expression, ...]:
    """The value of each column of the target, over the rows of the query ``source``.

    It is the value of the query's column, or else the default (for a rowtime, the session's clock).
    In profile sqlstream a streaming query carries the rowtime of its rows, selected or not, as a
    further column at the place ``source.rowtime``.  This becomes the value of the target's rowtime
    if the statement gives it no other value.
    """
    fields = row_type(source.plan)
    refs = [InputRef(i, each.type) for i, each in enumerate(fields) if i != source.rowtime]
    values: dict[int, Expression] = {}
    for i, (place, ref) in enumerate(zip(places, refs, strict=True)):
        written = _written_value(node.source, i)
        name = fields[ref.index].name if isinstance(written, tree.QueryBody) else ""
        value = Operand(ref, written.span, environment.sql, name)
        values[place] = cast_to(value, target.columns[place].type)
    time = rowtime_column(Scan(target, Reads.HISTORY))
    carried = source.rowtime if streaming else None
    row: list[Expression] = []
    for place, column in enumerate(target.columns):
        if place in values:
            row.append(values[place])
        elif place == time and column.default is None and carried is not None:
            # The carried rowtime (EXT-033).
            row.append(InputRef(carried, fields[carried].type))
        else:
            row.append(_left_out(target, place, node.columns, environment))
    return tuple(row)


def _left_out(
    target: Table | Stream,
    place: int,
    columns: Sequence[tree.Identifier],
    environment: Environment,
) -> Expression:
    """The value of a column that is not among the listed ``columns``: its default.

    COLUMN_COUNT if it has none.  Without a list, only an implicit rowtime is left out, and it has a
    default.
    """
    default = default_of(target, place)
    if default is None:
        column, at = target.columns[place], columns[0].span.to(columns[-1].span)
        raise missing(column, at, environment.sql, f"name {column.name}, too")
    return default


def _written_value(query: tree.QueryBody, place: int) -> tree.Expression | tree.QueryBody:
    """The expression of column ``place`` of ``query``; of VALUES, in the first row.

    With ``*`` in the select list, and for ``TABLE t``, it is the SELECT or the TABLE.
    """
    match query:
        case tree.Query(_, body):
            return _written_value(body, place)
        case tree.Values(rows):
            return rows[0][place]
        case tree.Select(_, _, items):
            stars = any(isinstance(each.expression, tree.Star) for each in items)
            return query if stars else items[place].expression
        case tree.SetOperation(_, _, left):
            return _written_value(left, place)
        case tree.ExplicitTable():
            return query


# --- UPDATE, DELETE, MERGE ----------------------------------------------------------------------


def _table(verb: str, name: tree.Name, environment: Environment) -> Table:
    """The table that a statement ``verb`` changes; STREAM_DML for a stream."""
    found = _target(name, environment)
    if isinstance(found, Stream) or found.changing:
        raise _stream_dml(verb, name, environment)
    return found


def _table_row(table: Table, alias: tree.Alias | None) -> FromRow:
    """The row of ``table``; its alias qualifies the columns, or without one the table's name."""
    columns = tuple(Visible(c.name, InputRef(i, c.type)) for i, c in enumerate(table.columns))
    name = table.name if alias is None else (alias.name.name,)
    return FromRow(Scan(table, Reads.TABLE), (Variable(name, columns),), columns, columns)


def _assigned(
    assignments: Sequence[syntax.Assignment],
    table: Table,
    scope: RowScope,
    environment: Environment,
) -> tuple[Expression, ...]:
    """The new row after ``SET`` with these assignments; the other columns are unchanged."""
    names = [each.column for each in assignments]
    unique_columns(names, environment)
    row: list[Expression] = [InputRef(i, c.type) for i, c in enumerate(table.columns)]
    for place, each in zip(_places(names, table, environment), assignments, strict=True):
        value = _value(each.value, table, place, scope, environment)
        operand = Operand(value, each.value.span, environment.sql)
        row[place] = cast_to(operand, table.columns[place].type)
    return tuple(row)


def _value(
    node: tree.Expression, table: Table, place: int, scope: RowScope, environment: Environment
) -> Expression:
    """The value ``node`` for the column at ``place``, before it is converted to the column's type.

    The word DEFAULT is the column's default, and a parameter has the column's type.
    """
    if is_default(node):
        return required_default(table, place, node.span, environment.sql)
    if isinstance(node, tree.Parameter):
        at = Location(environment.sql, node.span)
        return Parameter(node.index, table.columns[place].type.as_nullable(), at)
    return bind_expression(node, scope)


def _update(node: syntax.Update, environment: Environment) -> Update:
    """The plan of UPDATE; without WHERE, it changes all rows."""
    table = _table("UPDATE", node.target, environment)
    scope = RowScope(environment, _table_row(table, node.alias), "UPDATE")
    row = _assigned(node.assignments, table, scope, environment)
    condition = TRUE if node.where is None else bind_condition(node.where, scope)
    return Update(table, row, condition, Location(environment.sql, node.span))


def _delete(node: syntax.Delete, environment: Environment) -> Delete:
    """The plan of DELETE; without WHERE, it deletes all rows."""
    table = _table("DELETE", node.target, environment)
    scope = RowScope(environment, _table_row(table, node.alias), "DELETE")
    return Delete(table, TRUE if node.where is None else bind_condition(node.where, scope))


def _merge(node: syntax.Merge, environment: Environment) -> Merge:
    """The plan of MERGE; its expressions are over a row of the target, then one of the source.

    WHEN NOT MATCHED has no row of the target, so it can only name the columns of the source.  These
    have the same places as in the other clauses.
    """
    table = _table("MERGE", node.target, environment)
    own = _table_row(table, node.alias)
    source = bind_from(node.source, environment, {}).row
    width = len(table.columns)

    def after_target(columns: tuple[Visible, ...]) -> tuple[Visible, ...]:
        # Not padded with NULL, because no clause names columns of a row that is not there.
        return tuple(each.shifted(width, False) for each in columns)

    others = tuple(Variable(v.name, after_target(v.columns)) for v in source.variables)
    both = FromRow(
        own.plan,
        own.variables + others,
        own.star + after_target(source.star),
        own.unqualified + after_target(source.unqualified),
    )
    source_row = FromRow(
        source.plan, others, after_target(source.star), after_target(source.unqualified)
    )
    condition = bind_condition(node.on, RowScope(environment, both, "ON"))
    actions = tuple(
        _action(each, table, both if each.matched else source_row, environment)
        for each in node.clauses
    )
    return Merge(table, source.plan, condition, actions, Location(environment.sql, node.span))


def _action(
    node: syntax.MergeClause, table: Table, row: FromRow, environment: Environment
) -> MergeAction:
    """The action of a WHEN clause, whose expressions can name the columns of ``row``."""
    scope = RowScope(environment, row, "MERGE")
    condition = TRUE if node.condition is None else bind_condition(node.condition, scope)
    if node.values:
        return MergeAction(node.matched, condition, _merged_row(node, table, scope, environment))
    if node.assignments:
        new = _assigned(node.assignments, table, scope, environment)
        return MergeAction(node.matched, condition, new)
    return MergeAction(node.matched, condition, None)


def _merged_row(
    node: syntax.MergeClause, table: Table, scope: RowScope, environment: Environment
) -> tuple[Expression, ...]:
    """The row that WHEN NOT MATCHED inserts: the given values, and defaults of other columns."""
    unique_columns(node.columns, environment)
    places = _places(node.columns, table, environment)
    places = places or list(range(len(table.columns)))
    if len(places) != len(node.values):
        raise environment.error(
            Code.COLUMN_COUNT,
            f"{counted(len(node.values), 'value')} for {counted(len(places), 'column')}",
            node.values[0].span.to(node.values[-1].span),
            f"write one value for each of {', '.join(table.columns[i].name for i in places)}",
        )
    values: dict[int, Expression] = {}
    for place, value in zip(places, node.values, strict=True):
        bound = _value(value, table, place, scope, environment)
        operand = Operand(bound, value.span, environment.sql)
        values[place] = cast_to(operand, table.columns[place].type)
    return tuple(
        values[place] if place in values else _left_out(table, place, node.columns, environment)
        for place in range(len(table.columns))
    )
