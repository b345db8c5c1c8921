"""Binding of the items of FROM that are not joins (S-302, S-308).

Such an item is a table, a stream, a view, a query of WITH, a sub-query, or a table function.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from algebra.binding.expression.bind_expression import bind_expression
from algebra.binding.expression.scopes import NO_COLUMNS, OutwardScope, RowScope
from algebra.binding.query.bind_table_function import bind_table_function
from algebra.binding.query.bind_window_function import bind_window_function, is_window_function
from algebra.binding.query.from_row import renamed, row_of
from algebra.binding.scope.environment import BoundQuery, CommonQuery, Environment, Modality
from algebra.binding.scope.faults import Faults
from algebra.binding.scope.meant import names_meant
from algebra.binding.scope.names import FromRow, parts_of
from algebra.build import and_, at_least, at_most
from algebra.catalog import Catalog, CatalogObject, Stream, Table, View
from algebra.expression import Expression, InputRef
from algebra.outside.file_names import format_named
from algebra.plan import Filter, Reads, Scan, row_type
from algebra.refusal.validate import check_reading
from algebra.refusal.validate_changes import check_changing, check_clock
from algebra.types import Kind
from grammar import tree
from grammar.codes import Code
from grammar.source import Location, Span, SqlError

#: The objects that FROM can name.
Readable = Table | Stream | View
#: The windows that a SELECT names, which OVER in its FROM may use, too.
Windows = Mapping[str, tree.WindowSpec]


@dataclass(frozen=True, slots=True)
class SystemTime:
    """FOR SYSTEM_TIME AS OF ``instant``: a row must be valid at this instant.

    ``first`` and ``last`` are the places of the two columns of the table's PERIOD.
    """

    first: int
    last: int
    instant: tree.Expression


@dataclass(frozen=True, slots=True)
class Item:
    """A FROM item that is not a join: its row, and its clauses OVER and FOR SYSTEM_TIME.

    A clause is None if the item does not have it.  The clauses are not applied to ``row`` yet,
    because a join applies them in another way than a SELECT from the item alone.
    """

    row: FromRow
    over: tree.WindowSpec | None
    system_time: SystemTime | None


def bind_item(
    node: tree.TableRef | tree.DerivedTable | tree.TableFunction, environment: Environment
) -> Item:
    """The item that ``node`` denotes; its row has the alias and the column names of ``node``."""
    match node:
        case tree.TableRef():
            return _table_ref(node, environment)
        case tree.DerivedTable(query, over, alias):
            bound = environment.bind(query, environment.in_from())
            return Item(row_of(bound, (), alias, environment), over, None)
        case tree.TableFunction(call, alias) if is_window_function(call):
            bound = bind_window_function(call, environment)
            return Item(row_of(bound, (), alias, environment), None, None)
        case tree.TableFunction(call, alias):
            bound = bind_table_function(call, environment)
            return Item(row_of(bound, parts_of(call.name), alias, environment), None, None)


def at_instant(item: Item, scope: RowScope, offset: int) -> Expression:
    """The condition that a row is valid at FOR SYSTEM_TIME's instant, both ends included (S-508).

    ``item`` has this clause.  TYPE_MISMATCH if the instant is not a TIMESTAMP.
    ``scope`` has the columns that the instant may use; the item's columns start at ``offset``.

    Defines: S-508.b
    """
    time = item.system_time
    assert time is not None
    instant = bind_expression(time.instant, scope)
    if instant.type.kind is not Kind.TIMESTAMP:
        raise scope.environment.error(
            Code.TYPE_MISMATCH,
            f"FOR SYSTEM_TIME AS OF requires a TIMESTAMP, not {instant.type}",
            time.instant.span,
            "FOR SYSTEM_TIME AS OF o.rowtime",
        )
    fields = row_type(item.row.plan)
    first = InputRef(offset + time.first, fields[time.first].type)
    last = InputRef(offset + time.last, fields[time.last].type)
    return and_(at_least(instant, first), at_most(instant, last))


def unjoined_row(item: Item, environment: Environment) -> FromRow:
    """The row of an item with FOR SYSTEM_TIME applied, if it has this clause.

    The instant cannot use columns, because there is no other item whose columns it could use.
    """
    if item.system_time is None:
        return item.row
    valid = at_instant(item, RowScope(environment, NO_COLUMNS, "FOR SYSTEM_TIME AS OF"), 0)
    return replace(item.row, plan=Filter(item.row.plan, valid))


def _table_ref(node: tree.TableRef, environment: Environment) -> Item:
    """The item for a name: the query of WITH that has this name, else the object of the catalog."""
    name = parts_of(node.name)
    common = environment.tables.get(name[0]) if len(name) == 1 else None
    if common is not None:
        bound = bind_common(common, environment)
        time = _system_time(node, None, environment)
        return Item(row_of(bound, name, node.alias, environment), node.over, time)
    found = relation(node.name, environment)
    time = _system_time(node, found, environment)
    bound = bind_object(found, node.name, environment)
    return Item(row_of(bound, found.name, node.alias, environment), node.over, time)


def bind_common(common: CommonQuery, environment: Environment) -> BoundQuery:
    """A query of WITH, bound for a use in ``environment``: with the modality of the use.

    Its names have the meaning that they have in the WITH clause.
    """
    defined = common.environment
    # The number of queries by which the use is nested deeper than the WITH clause.
    levels = environment.depth - defined.depth
    outer = None if defined.outer is None else OutwardScope(defined.outer, levels)
    inside = replace(
        defined.in_from(),
        modality=environment.modality,
        faults=environment.faults,
        outer=outer,
        depth=environment.depth,
    )
    bound = environment.bind(common.table.query, inside)
    return renamed(bound, common.table.columns, environment)


def _hint_of_unknown(name: str, catalog: Catalog) -> str:
    """The hint for a table that is not in the catalog; its name could be that of a file."""
    known = [".".join(n) for n, each in catalog.objects.items() if isinstance(each, Readable)]
    if format_named(name) is not None:
        return "a file stands in single quotes, as in rowtime run \"SELECT … FROM 'orders.csv'\""
    return f"the catalog has {', '.join(known)}" if known else "the catalog is empty: CREATE one"


def relation(name: tree.Name, environment: Environment) -> Readable:
    """The table, stream or view of that name; raises UNKNOWN_OBJECT or WRONG_OBJECT."""
    found = environment.catalog.find(parts_of(name))
    if found is None:
        objects = environment.catalog.objects.items()
        parts = parts_of(name)
        near = [
            n[-1]
            for n, o in objects
            if isinstance(o, Readable) and n[:-1] == (parts[:-1] or environment.catalog.schema)
        ]
        raise environment.refusal(
            Code.UNKNOWN_OBJECT,
            f"object '{'.'.join(parts)}' not found",
            name.span,
            _hint_of_unknown(".".join(parts), environment.catalog),
            lambda: names_meant(name.parts[-1], near),
        )
    if not isinstance(found, Readable):
        raise environment.error(
            Code.WRONG_OBJECT,
            f"'{'.'.join(parts_of(name))}' cannot be read: it is a {type(found).__name__.lower()}",
            name.span,
            "name a table, stream or view",
        )
    return found


def bind_object(found: Readable, name: tree.Name, environment: Environment) -> BoundQuery:
    """The rows of an object, read as the modality of the query requires."""
    location = Location(environment.sql, name.span)
    match found:
        case Table():
            check_changing(found, name, environment)
            return _scanned(Scan(found, Reads.TABLE, location))
        case Stream():
            if environment.modality in (Modality.STREAM, Modality.CHANGES):
                return _scanned(Scan(found, Reads.STREAM, location))
            if found.history is None:
                check_reading(name, environment)
            return _scanned(Scan(found, Reads.HISTORY, location))
        case View():
            return _bind_view(found, name.span, environment)


def _scanned(scan: Scan) -> BoundQuery:
    """The rows of a scan, whose implicit ROWTIME, if there is one, has no name."""
    columns = scan.source.columns
    implicit = next((i for i, each in enumerate(columns) if each.implicit), None)
    return BoundQuery(scan, tuple(e.name for e in columns if not e.implicit), implicit)


def _bind_view(view: View, at: Span, environment: Environment) -> BoundQuery:
    """The query of a view; faults that this use causes are reported at ``at``, the view's name.

    No edits of the view's text are suggested, because the text had no fault when the view was
    created (S-802).

    Defines: S-802.g
    """
    faults = Faults(view.sql)
    inside = replace(
        environment.in_from(),
        sql=view.sql,
        faults=faults,
        tables={},
        outer=None,
        query=None,
    )
    try:
        bound = environment.bind(view.statement.query, inside)
        check_clock(bound.plan, view.statement.query, inside)
        bound = renamed(bound, view.statement.columns, inside)
        faults.raise_first()
    except SqlError as error:
        message = f"{error.message} (in view '{view.name[-1]}')"
        raise environment.error(error.code, message, at, error.hint) from error
    return bound


def _system_time(
    node: tree.TableRef, found: CatalogObject | None, environment: Environment
) -> SystemTime | None:
    """The clause FOR SYSTEM_TIME of the name ``node``; None without the clause.

    ``found`` is the object of that name; None: it is a query of WITH.  NOT_TEMPORAL unless the
    object is a table with a PERIOD.

    Defines: S-508.c
    """
    if node.system_time is None:
        return None
    if not isinstance(found, Table) or found.period is None:
        shown = node.name.parts[-1].name
        raise environment.error(
            Code.NOT_TEMPORAL,
            f"Table '{shown}' is not a temporal table, can not be queried in system time period "
            "specification",
            node.name.span,
            f"declare it so: CREATE TABLE {shown} (…, PERIOD (startDate, endDate))",
        )
    first, last = found.period
    return SystemTime(first, last, node.system_time)
