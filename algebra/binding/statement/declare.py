"""From CREATE TABLE and CREATE STREAM to tables and streams of the catalog (S-301, S-311)."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from algebra.binding.expression.bind_expression import bind_condition, bind_expression
from algebra.binding.expression.constants import constant, whole
from algebra.binding.expression.scopes import NO_COLUMNS, RowScope
from algebra.binding.query.bind import detached
from algebra.binding.query.from_row import unique_columns
from algebra.binding.scope.environment import Environment
from algebra.binding.scope.names import FromRow, Variable, Visible, quoted
from algebra.binding.statement.outside import json_path_of, option_of, time_unit_of
from algebra.catalog import (
    Catalog,
    Column,
    History,
    Ordering,
    Profile,
    QualifiedName,
    Stream,
    Table,
)
from algebra.expression import Expression, InputRef
from algebra.functions.coerce import Operand, cast_to
from algebra.functions.type_names import bind_type
from algebra.outside.foreign import Connection, Format, connection
from algebra.plan import Reads, Scan
from algebra.types import MILLIS_PER_DAY, NUMERIC, TEXT, TIMESTAMP, Kind, Type
from grammar import statement as syntax
from grammar import tree
from grammar.codes import Code
from grammar.statement import Direction

#: The kinds of columns that can be declared ascending or descending.
_ORDERED: Final = NUMERIC | TEXT | {
    Kind.DATE, Kind.TIME, Kind.TIMESTAMP, Kind.MONTHS, Kind.MILLIS
}  # fmt: skip
#: The ROWTIME that a stream of profile sqlstream has if it declares none (S-311, EXT-030).
IMPLICIT_ROWTIME: Final = Column("ROWTIME", TIMESTAMP.as_nullable(False), Ordering(), implicit=True)


def declare_table(
    name: QualifiedName,
    statement: syntax.CreateTable,
    catalog: Catalog,
    profile: Profile,
    sql: str,
) -> Table:
    """The table that the statement declares.

    Defines: S-301.i
    """
    environment = detached(catalog, profile, sql)
    columns = _columns(statement.columns, statement.constraints, environment)
    key, period = _keys(statement.columns, statement.constraints, columns, environment)
    columns = _with_key(columns, key)
    checks = _checks(name, columns, statement.columns, statement.constraints, environment)
    return Table(name, columns, key, checks, period)


def declare_stream(
    name: QualifiedName,
    statement: syntax.CreateStream,
    catalog: Catalog,
    profile: Profile,
    sql: str,
) -> Stream | Table:
    """The stream that the statement declares; in profile sqlstream it always has a ROWTIME.

    A stream WITH CHANGES is a `Table`, whose events change its rows (S-1005).

    Defines: S-301.b
    """
    environment = detached(catalog, profile, sql)
    if statement.changes is not None:
        return _changing(name, statement, statement.changes, environment)
    for constraint in statement.constraints:
        if constraint.primary_key or constraint.period:
            raise environment.error(
                Code.NOT_SUPPORTED,
                "a stream has no PRIMARY KEY and no PERIOD",
                constraint.span,
                "CREATE TABLE",
            )
    columns = _columns(statement.columns, statement.constraints, environment)
    for each in statement.columns:
        if each.primary_key:
            raise environment.error(
                Code.NOT_SUPPORTED, "a stream has no PRIMARY KEY", each.span, "CREATE TABLE"
            )
    if profile is Profile.SQLSTREAM and all(each.name != "ROWTIME" for each in columns):
        columns = (IMPLICIT_ROWTIME, *columns)
    checks = _checks(name, columns, statement.columns, statement.constraints, environment)
    history = _history(statement, environment)
    connected = _connection(statement, environment)
    return Stream(name, columns, checks, history, statement.foreign, connected)


def _changing(
    name: QualifiedName,
    statement: syntax.CreateStream,
    changes: syntax.WithChanges,
    environment: Environment,
) -> Table:
    """The `Table` for the rows of a stream WITH CHANGES; the columns of its KEY are NOT NULL.

    An order of a column, PRIMARY KEY, PERIOD and WITH HISTORY are refused.

    Defines: S-1005.a, S-1005.b, S-1005.f
    """
    orders = [(each.name, each.order.span) for each in statement.columns if each.order is not None]
    watermarks = [each.watermark for each in statement.constraints if each.watermark is not None]
    orders += [(each.column, each.span) for each in watermarks]
    if orders:
        column, span = orders[0]
        raise environment.error(
            Code.NOT_APPEND_ONLY,
            f"column '{column.name}' of a stream WITH CHANGES has no order: a row that is "
            "deleted repeats an earlier value",
            span,
            "leave the order out",
        )
    keys = [each.span for each in statement.columns if each.primary_key]
    keys += [each.span for each in statement.constraints if each.check is None]
    if keys:
        message = "a stream has no PRIMARY KEY and no PERIOD"
        raise environment.error(Code.NOT_SUPPORTED, message, keys[0], "WITH CHANGES KEY (…)")
    if statement.history:
        message = "a stream WITH CHANGES has no history: it holds the rows that are valid"
        raise environment.error(Code.NOT_SUPPORTED, message, changes.span, "leave it out")
    columns = _columns(statement.columns, (), environment)
    unique_columns(changes.key, environment)
    key = tuple(_place(each, columns, environment) for each in changes.key)
    columns = _with_key(columns, key)
    checks = _checks(name, columns, statement.columns, statement.constraints, environment)
    return Table(
        name,
        columns,
        key,
        checks,
        changing=True,
        foreign=statement.foreign,
        connection=_connection(statement, environment),
    )


def _connection(statement: syntax.CreateStream, environment: Environment) -> Connection | None:
    """The connection that the OPTIONS of a foreign stream declare; None: there are no OPTIONS.

    BAD_OPTION if the format has changes and the declaration has no WITH CHANGES, or the reverse.

    Defines: S-1009.a
    """
    options = [option_of(each, environment) for each in statement.options]
    if not options:
        return None
    if not statement.foreign:
        message = "only a foreign stream has OPTIONS"
        raise environment.error(
            Code.BAD_OPTION, message, statement.options[0].span, "CREATE FOREIGN STREAM"
        )
    declared = connection(options, environment.sql)
    if (declared.format is Format.DEBEZIUM) != (statement.changes is not None):
        changing = statement.changes is not None
        raise environment.error(
            Code.BAD_OPTION,
            f"format '{declared.format}' has no deletes, and the stream is WITH CHANGES"
            if changing
            else "format 'debezium' has deletes, and only a stream WITH CHANGES takes them",
            declared.at("format" if any(each.name == "format" for each in options) else "path"),
            "format 'debezium'" if changing else "CREATE FOREIGN STREAM … WITH CHANGES",
        )
    return declared


def _columns(
    definitions: Sequence[syntax.ColumnDef],
    constraints: Sequence[syntax.TableConstraint],
    environment: Environment,
) -> tuple[Column, ...]:
    """The columns of a table or stream, as the ``definitions`` declare them.

    A WATERMARK among ``constraints`` declares the order of the column that it names.
    """
    unique_columns([each.name for each in definitions], environment)
    columns = [_column(each, environment) for each in definitions]
    for constraint in constraints:
        if constraint.watermark is not None:
            place = _place(constraint.watermark.column, columns, environment)
            columns[place] = _with_watermark(columns[place], constraint.watermark, environment)
    return tuple(columns)


def _with_key(columns: tuple[Column, ...], key: tuple[int, ...]) -> tuple[Column, ...]:
    """The columns, of which those at the places ``key`` become NOT NULL."""
    return tuple(
        replace(each, type=each.type.as_nullable(each.type.nullable and i not in key))
        for i, each in enumerate(columns)
    )


def _with_watermark(column: Column, node: syntax.Watermark, environment: Environment) -> Column:
    """The column, declared ascending; its slack is the interval that its watermark subtracts.

    DUPLICATE_NAME if the column has an order already; TYPE_MISMATCH if the watermark is neither the
    column nor the column minus a constant that is a slack.

    Defines: S-903.a, S-903.b, S-903.c, S-903.d
    """
    if column.ordering is not None:
        raise environment.error(
            Code.DUPLICATE_NAME,
            f"the order of {column.name} is declared twice",
            node.span,
            "leave WATERMARK or ASCENDING out",
        )
    if column.type.kind not in _ORDERED:
        message = f"{column.type} has no order to follow"
        raise environment.error(Code.TYPE_MISMATCH, message, node.column.span, "TIMESTAMP(3)")
    match node.bound:
        case tree.ColumnRef(name) if _names(name, column):
            slack = 0
        case tree.Binary(tree.BinaryOperator.MINUS, tree.ColumnRef(name), distance) if _names(
            name, column
        ):
            slack = _slack(distance, column.type, environment, "WATERMARK")
        case _:
            shown = quoted(column.name)
            raise environment.error(
                Code.TYPE_MISMATCH,
                f"the watermark of {shown} is the column, or the column minus a constant",
                node.bound.span,
                f"{shown} - INTERVAL '5' SECOND",
            )
    ordering = Ordering(slack=slack)
    return replace(column, type=column.type.as_nullable(False), ordering=ordering)


def _names(name: tree.Name, column: Column) -> bool:
    """Whether ``name`` is the name of ``column``."""
    return len(name.parts) == 1 and name.parts[0].name == column.name


def _column(node: syntax.ColumnDef, environment: Environment) -> Column:
    """The column that ``node`` declares; one with an order or a primary key is NOT NULL."""
    type = bind_type(node.type, environment.sql)
    ordering = None if node.order is None else _ordering(node.order, type, environment)
    type = type.as_nullable(not node.not_null and ordering is None and not node.primary_key)
    default: Expression | None = None
    if node.default is not None:
        scope = RowScope(environment, NO_COLUMNS, "DEFAULT")
        value = Operand(bind_expression(node.default, scope), node.default.span, environment.sql)
        default = cast_to(value, type)
    path, unit = json_path_of(node, environment), time_unit_of(node, type, environment)
    return Column(node.name.name, type, ordering, default, path=path, time_unit=unit)


def _ordering(node: syntax.ColumnOrder, type: Type, environment: Environment) -> Ordering:
    """The order of a column of ``type``; TYPE_MISMATCH if the type has no order."""
    if type.kind not in _ORDERED:
        raise environment.error(
            Code.TYPE_MISMATCH, f"{type} has no order to follow", node.span, "leave it out"
        )
    descending = node.direction is Direction.DESCENDING
    if node.disorder is None:
        return Ordering(descending, node.strict)
    slack = node.disorder.within
    return Ordering(
        descending,
        node.strict,
        slack=None if slack is None else _slack(slack, type, environment),
        rows=node.disorder.rows,
        punctuated=node.disorder.punctuated,
    )


def _slack(
    node: tree.Expression, type: Type, environment: Environment, clause: str = "WITHIN"
) -> int:
    """The slack ``node`` of a column of ``type``, in the unit of this type: milliseconds, days, ….

    ``clause`` is the clause that declares it, WITHIN or WATERMARK.  TYPE_MISMATCH unless it is a
    constant distance between values of ``type`` that is not negative.

    Defines: S-301.c
    """
    found = constant(node, RowScope(environment, NO_COLUMNS, clause))
    if found is not None and isinstance(found.value, int) and found.value >= 0:
        kind, value = found.type.kind, found.value
        if type.kind in (Kind.TIMESTAMP, Kind.TIME, Kind.MILLIS) and kind is Kind.MILLIS:
            return value
        if type.kind is Kind.DATE and kind is Kind.MILLIS and value % MILLIS_PER_DAY == 0:
            return value // MILLIS_PER_DAY
        if type.kind is kind is Kind.MONTHS or {type.kind, kind} <= NUMERIC:
            return value
    subject = "WITHIN" if clause == "WITHIN" else "this"
    message = f"{subject} is not a distance between values of {type}"
    hint = _slack_hint(type, clause)
    raise environment.error(Code.TYPE_MISMATCH, message, node.span, hint)


def _slack_hint(type: Type, clause: str) -> str:
    """A slack that a column of ``type`` can have, as ``clause`` writes it."""
    match type.kind:
        case kind if kind in TEXT:
            example = ""
        case kind if kind in NUMERIC:
            example = "100"
        case Kind.DATE:
            example = "INTERVAL '1' DAY"
        case Kind.MONTHS:
            example = "INTERVAL '1' MONTH"
        case _:
            example = "INTERVAL '10' SECOND"
    if clause == "WITHIN":
        return f"WITHIN {example}, or WITHIN 5 ROWS" if example else "a number of rows: 5 ROWS"
    return example or "texts have no distance: leave the subtraction out"


def _keys(
    definitions: Sequence[syntax.ColumnDef],
    constraints: Sequence[syntax.TableConstraint],
    columns: Sequence[Column],
    environment: Environment,
) -> tuple[tuple[int, ...], tuple[int, int] | None]:
    """The places of the columns of the primary key, and those of the period.

    The key is () and the period None if they are not declared.  Each must not be declared twice.
    """
    keys: list[tuple[int, ...]] = [(i,) for i, each in enumerate(definitions) if each.primary_key]
    spans = [each.span for each in definitions if each.primary_key]
    periods: list[tuple[int, ...]] = []
    for each in constraints:
        if each.primary_key:
            keys.append(tuple(_place(n, columns, environment) for n in each.primary_key))
            spans.append(each.span)
        if each.period:
            periods.append(tuple(_place(n, columns, environment) for n in each.period))
            _check_period(each, periods, columns, environment)
    if len(keys) > 1:
        raise environment.error(
            Code.DUPLICATE_NAME, "a table has one PRIMARY KEY", spans[1], "PRIMARY KEY (a, b)"
        )
    period = (periods[0][0], periods[0][1]) if periods else None
    return keys[0] if keys else (), period


def _check_period(
    node: syntax.TableConstraint,
    periods: Sequence[tuple[int, ...]],
    columns: Sequence[Column],
    environment: Environment,
) -> None:
    """Refuse the last of ``periods``, declared by ``node``, if it is wrong.

    It must be the only one, and have two columns that are TIMESTAMPs.
    """
    hint = "PERIOD (startDate, endDate)"
    if len(periods) > 1:
        raise environment.error(Code.DUPLICATE_NAME, "a table has one PERIOD", node.span, hint)
    if len(node.period) != 2:
        raise environment.error(Code.COLUMN_COUNT, "a period has two ends", node.span, hint)
    for name, place in zip(node.period, periods[-1], strict=True):
        if columns[place].type.kind is not Kind.TIMESTAMP:
            raise environment.error(
                Code.TYPE_MISMATCH,
                f"a period is of TIMESTAMPs, not {columns[place].type}",
                name.span,
                f"{name.name} TIMESTAMP(3)",
            )


def _place(name: tree.Identifier, columns: Sequence[Column], environment: Environment) -> int:
    """The place of the column of that name; UNKNOWN_COLUMN if there is none."""
    for place, each in enumerate(columns):
        if each.name == name.name:
            return place
    known = ", ".join(each.name for each in columns)
    raise environment.error(
        Code.UNKNOWN_COLUMN,
        f"column '{name.name}' not found",
        name.span,
        f"the columns are: {known}",
    )


def _checks(
    name: QualifiedName,
    columns: tuple[Column, ...],
    definitions: Sequence[syntax.ColumnDef],
    constraints: Sequence[syntax.TableConstraint],
    environment: Environment,
) -> tuple[Expression, ...]:
    """The CHECK conditions over the row, in the order of the text."""
    plan = Scan(Table(name, columns), Reads.TABLE)
    visible = tuple(Visible(c.name, InputRef(i, c.type)) for i, c in enumerate(columns))
    row = FromRow(plan, (Variable(name, visible),), visible, visible)
    scope = RowScope(environment, row, "CHECK")
    nodes = [*(each.check for each in definitions), *(each.check for each in constraints)]
    return tuple(bind_condition(each, scope) for each in nodes if each is not None)


def _history(statement: syntax.CreateStream, environment: Environment) -> History | None:
    """How much of the stream is retained; None if it is declared without a history.

    WITH HISTORY without an interval retains all of it.

    Defines: S-301.d, S-301.j
    """
    if not statement.history:
        return None
    if statement.history_length is None:
        return History()
    found = constant(statement.history_length, RowScope(environment, NO_COLUMNS, "WITH HISTORY"))
    if found is None or found.type.kind is not Kind.MILLIS or whole(found) <= 0:
        raise environment.error(
            Code.TYPE_MISMATCH,
            "WITH HISTORY requires a constant interval of time",
            statement.history_length.span,
            "WITH HISTORY INTERVAL '24' HOUR",
        )
    return History(whole(found))
