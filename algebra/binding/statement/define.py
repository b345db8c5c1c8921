"""Execution of CREATE, DROP and ALTER PUMP, which return a changed catalog (S-301)."""

from collections.abc import Iterator
from dataclasses import replace

from algebra.binding.expression.bind_expression import bind_expression
from algebra.binding.expression.bind_function import expand_values
from algebra.binding.query.bind import check_definition, detached
from algebra.binding.query.from_row import renamed
from algebra.binding.scope.calls import nodes_in
from algebra.binding.scope.names import parts_of
from algebra.binding.statement.declare import declare_stream, declare_table
from algebra.binding.statement.modify import bind_modify
from algebra.catalog import (
    Catalog,
    CatalogObject,
    Function,
    Profile,
    Pump,
    QualifiedName,
    Schema,
    Stream,
    Table,
    View,
)
from algebra.expression import Expression, Parameter
from algebra.functions.type_names import bind_type
from algebra.modify import Insert
from algebra.plan import Changes, Delta
from algebra.refusal.tried_suggestions import with_suggestion
from grammar import statement as syntax
from grammar import tree
from grammar.codes import Code
from grammar.parse import parse_statement
from grammar.source import SqlError
from grammar.statement import ObjectKind

#: The statements that `define` takes.
Definition = (
    syntax.CreateSchema
    | syntax.CreateStream
    | syntax.CreateTable
    | syntax.CreateView
    | syntax.CreatePump
    | syntax.CreateFunction
    | syntax.Drop
    | syntax.AlterPump
)


def kind_of(found: CatalogObject) -> ObjectKind:
    """The kind of an object, as CREATE and DROP name it.

    A foreign stream has another kind than a stream.  A stream WITH CHANGES, which the catalog holds
    as a changing `Table`, is a stream.
    """
    match found:
        case Schema():
            return ObjectKind.SCHEMA
        case Stream():
            return ObjectKind.FOREIGN_STREAM if found.foreign else ObjectKind.STREAM
        case Table():
            return ObjectKind.STREAM if found.changing else ObjectKind.TABLE
        case View():
            return ObjectKind.VIEW
        case Pump():
            return ObjectKind.PUMP
        case Function():
            return ObjectKind.FUNCTION


def define(statement: Definition, catalog: Catalog, profile: Profile, sql: str) -> Catalog:
    """The catalog after ``statement``.

    DUPLICATE_NAME if the name is taken (OR REPLACE replaces an object of the same kind).
    UNKNOWN_OBJECT if an object that is dropped or altered does not exist, and WRONG_OBJECT if it is
    of another kind.  WRONG_OBJECT also for DROP of an object that other objects use; with CASCADE
    these are dropped, too.  The faults of the body of a view, function or pump are raised as well.
    """

    def try_suggestion(text: str) -> None:
        other = parse_statement(text)
        assert isinstance(other, Definition), "edits keep the kind of the statement"
        _define(other, catalog, profile, text)

    try:
        return _define(statement, catalog, profile, sql)
    except SqlError as error:
        raise with_suggestion(error, statement.span, sql, try_suggestion) from error.__cause__


def _define(statement: Definition, catalog: Catalog, profile: Profile, sql: str) -> Catalog:
    """As `define`, but the suggestions of a refusal have not been tried."""
    match statement:
        case syntax.Drop():
            return _drop(statement, catalog, sql)
        case syntax.AlterPump(name, start):
            hint = "CREATE PUMP … AS INSERT INTO … SELECT STREAM …"
            found = _existing(name, ObjectKind.PUMP, catalog, sql, hint)
            assert isinstance(found, Pump)
            return catalog.with_object(replace(found, started=start))
        case _:
            return _create(statement, catalog, profile, sql)


def _create(statement: Definition, catalog: Catalog, profile: Profile, sql: str) -> Catalog:
    """The catalog with the object that a CREATE statement creates."""
    match statement:
        case syntax.CreateSchema(name):
            full = _free(name, ObjectKind.SCHEMA, statement.replace, catalog, sql)
            return catalog.with_object(Schema(full))
        case syntax.CreateTable(name):
            full = _free(name, ObjectKind.TABLE, statement.replace, catalog, sql)
            return catalog.with_object(declare_table(full, statement, catalog, profile, sql))
        case syntax.CreateStream(name):
            kind = ObjectKind.FOREIGN_STREAM if statement.foreign else ObjectKind.STREAM
            full = _free(name, kind, statement.replace, catalog, sql)
            return catalog.with_object(declare_stream(full, statement, catalog, profile, sql))
        case syntax.CreateView(name):
            full = _free(name, ObjectKind.VIEW, statement.replace, catalog, sql)
            # Without the old view of that name: a view that is replaced cannot be part of itself.
            rest = catalog.without(full)
            bound = check_definition(statement.query, rest, profile, sql)
            # The result is not needed, only the errors of the column list.
            renamed(bound, statement.columns, detached(rest, profile, sql))
            return catalog.with_object(View(full, statement, sql))
        case syntax.CreateFunction(name):
            full = _free(name, ObjectKind.FUNCTION, statement.replace, catalog, sql)
            function = Function(full, statement, sql)
            _check_function(function, catalog.without(full), profile)
            return catalog.with_object(function)
        case syntax.CreatePump(name):
            full = _free(name, ObjectKind.PUMP, statement.replace, catalog, sql)
            if not isinstance(statement.statement, syntax.Insert):
                raise SqlError(
                    Code.NOT_SUPPORTED,
                    "a pump runs an INSERT",
                    sql,
                    statement.statement.span,
                    "CREATE PUMP … AS INSERT INTO … SELECT STREAM …",
                )
            bind_pump_insert(statement.statement, catalog, profile, sql)
            return catalog.with_object(Pump(full, statement, sql, statement.started))
        case syntax.Drop() | syntax.AlterPump():
            raise AssertionError(statement)


def bind_pump_insert(
    statement: syntax.Insert, catalog: Catalog, profile: Profile, sql: str
) -> Insert:
    """The standing INSERT of a pump; NO_STREAMING_INPUT if its query is not streaming."""
    bound = bind_modify(statement, catalog, profile, sql)
    assert isinstance(bound, Insert)
    if not isinstance(bound.input, Delta | Changes):
        raise SqlError(
            Code.NO_STREAMING_INPUT,
            "a pump's INSERT must be a standing statement",
            sql,
            statement.source.span,
            "SELECT STREAM …",
        )
    return bound


def _free(
    name: tree.Name, kind: ObjectKind, may_replace: bool, catalog: Catalog, sql: str
) -> QualifiedName:
    """The full name of a new object of ``kind``; UNKNOWN_OBJECT if its schema does not exist.

    DUPLICATE_NAME if the name is taken; with ``may_replace``, only by an object of another kind.

    Defines: S-612.a, S-612.b
    """
    parts = parts_of(name)
    schema = parts[:-1]
    if schema and not isinstance(catalog.objects.get(schema), Schema):
        raise SqlError(
            Code.UNKNOWN_OBJECT,
            f"schema '{'.'.join(schema)}' not found",
            sql,
            name.parts[0].span.to(name.parts[-2].span),
            f"CREATE SCHEMA {'.'.join(schema)}",
        )
    full = parts if schema or kind is ObjectKind.SCHEMA else catalog.schema + parts
    found = catalog.objects.get(full)
    if found is not None and not (may_replace and kind_of(found) is kind):
        raise SqlError(
            Code.DUPLICATE_NAME,
            f"'{'.'.join(full)}' exists already: a {kind_of(found).lower()}",
            sql,
            name.span,
            f"choose another name, such as {parts[-1]}2, or DROP it first",
        )
    return full


def _check_function(function: Function, catalog: Catalog, profile: Profile) -> None:
    """Bind the body with a ``?`` of the right type for each parameter, to raise its faults."""
    values: dict[str, Expression] = {}
    for place, each in enumerate(function.statement.parameters):
        if each.name.name in values:
            raise SqlError(
                Code.DUPLICATE_NAME,
                f"duplicate parameter '{each.name.name}'",
                function.sql,
                each.name.span,
                f"{each.name.name}{place}",
            )
        values[each.name.name] = Parameter(place, bind_type(each.type, function.sql))
    expand_values(function, values, catalog, profile, bind_expression)


# --- DROP ---------------------------------------------------------------------------------------


def _existing(
    name: tree.Name, kind: ObjectKind, catalog: Catalog, sql: str, hint: str | None = None
) -> CatalogObject:
    """The object of that name and kind, for DROP or ALTER.

    UNKNOWN_OBJECT if there is none, WRONG_OBJECT if it is of another kind.  ``hint`` is the hint of
    these errors; None: the statement is a DROP, and the hint corrects it.

    Defines: S-612.c
    """
    found = catalog.find(parts_of(name))
    if found is None:
        raise SqlError(
            Code.UNKNOWN_OBJECT,
            f"{kind} '{'.'.join(parts_of(name))}' not found",
            sql,
            name.span,
            hint or "DROP … IF EXISTS",
        )
    actual = kind_of(found)
    if actual is not kind:
        raise SqlError(
            Code.WRONG_OBJECT,
            f"'{'.'.join(parts_of(name))}' is a {actual.lower()}, not a {kind.lower()}",
            sql,
            name.span,
            hint or f"write DROP {actual} {'.'.join(parts_of(name))}",
        )
    return found


def _drop(statement: syntax.Drop, catalog: Catalog, sql: str) -> Catalog:
    """The catalog without the object, with CASCADE also without all objects that use it.

    Defines: S-612.d
    """
    if statement.if_exists and catalog.find(parts_of(statement.name)) is None:
        return catalog
    found = _existing(statement.name, statement.kind, catalog, sql)
    users = list(_users(found, catalog))
    if users and not statement.cascade:
        raise SqlError(
            Code.WRONG_OBJECT,
            f"'{'.'.join(found.name)}' is used by '{'.'.join(users[0].name)}'",
            sql,
            statement.name.span,
            f"write DROP {statement.kind} {'.'.join(found.name)} CASCADE to drop both",
        )
    for each in users:
        catalog = catalog.without(each.name)
    return catalog.without(found.name)


def _users(found: CatalogObject, catalog: Catalog) -> Iterator[CatalogObject]:
    """The objects whose definitions name ``found``, directly or through others; each once.

    Defines: S-612.e
    """
    used = {found.name}
    rest = [each for each in catalog.objects.values() if each is not found]
    # A view that was replaced can name objects that were created after it.  So one pass through the
    # catalog is not enough.
    while users := [each for each in rest if _uses(each, found, used, catalog)]:
        yield from users
        used |= {each.name for each in users}
        rest = [each for each in rest if each not in users]


def _uses(
    each: CatalogObject, dropped: CatalogObject, used: set[QualifiedName], catalog: Catalog
) -> bool:
    """Whether ``each`` is in the schema ``dropped``, or its definition names one of ``used``."""
    # Only the full name of a schema is the beginning of the full names of other objects.
    inside = each.name[: len(dropped.name)] == dropped.name
    return inside or any(_full_name(name, catalog) in used for name in _names_in(each))


def _full_name(name: QualifiedName, catalog: Catalog) -> QualifiedName | None:
    """The full name of the object that ``name`` finds; None if it finds none."""
    found = catalog.find(name)
    return None if found is None else found.name


def _names_in(each: CatalogObject) -> Iterator[QualifiedName]:
    """The names of objects in the definition of ``each``, in the form in which they are written."""
    if isinstance(each, View | Function | Pump):
        yield from _object_names(each.statement)


def _object_names(definition: object) -> Iterator[QualifiedName]:
    """The names of objects in a definition."""
    for node in nodes_in(definition):
        if isinstance(
            node, tree.TableRef | tree.ExplicitTable | tree.FunctionCall | tree.TableCall
        ):
            yield parts_of(node.name)
        if isinstance(node, tree.TableCall) and node.arguments:
            first = node.arguments[0].value
            # The stream that a table function reads is parsed as a column.
            if isinstance(first, tree.ColumnRef):
                yield parts_of(first.name)
        if isinstance(node, syntax.Insert):
            yield parts_of(node.target)
