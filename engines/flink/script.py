"""A script in the dialect of Flink SQL: tables that the driver feeds, and views."""

from typing import Final

from algebra.catalog import Catalog, Column, QualifiedName, Stream, Table
from algebra.types import Kind
from engines.dialect.unsupported import UnsupportedError
from engines.flink.dialect import column_list, in_flink, quoted
from grammar.parse import parse_script
from grammar.statement import (
    CreatePump,
    CreateSchema,
    CreateStream,
    CreateTable,
    CreateView,
    Insert,
    Statement,
)
from grammar.tree import Name

_TYPES: Final = {Kind.INTEGER: "INT", Kind.REAL: "FLOAT", Kind.VARCHAR: "STRING"}


def statements(ddl: str, catalog: Catalog, *, bounded: bool) -> tuple[str, ...]:
    """The script's statements; ``catalog`` is what the script makes.

    A table or stream reads the driver's input of its name; ``bounded``: they can be read in batch.
    A table into which the script inserts is a view of the fed rows and the inserted rows.  Raises
    `UnsupportedError`.
    """
    script = parse_script(ddl)
    inserted = _inserted(script, catalog, streaming=not bounded)
    texts: list[str] = []
    for each in script:
        match each:
            case CreateSchema(name):
                texts.append(f"CREATE DATABASE {quoted(*_parts(name))}")
            case CreateStream(name) | CreateTable(name):
                relation = catalog.objects[_parts(name)]
                assert isinstance(relation, (Stream, Table)), "it was created so"
                if relation.name not in inserted:
                    texts.append(_table(relation, relation.name, bounded=bounded))
                else:
                    fed = _fed(relation)
                    texts.append(_table(relation, fed, bounded=bounded))
                    inserted[relation.name].insert(0, f"SELECT * FROM {quoted(*fed)}")
            case CreateView(name, _, columns, query):
                listed = f" {column_list(each.name for each in columns)}" if columns else ""
                body = in_flink(query, streaming=not bounded)[0]
                texts.append(f"CREATE TEMPORARY VIEW {quoted(*_parts(name))}{listed} AS {body}")
            case Insert() | CreatePump():
                target = _parts(_insert(each).target)
                if target in inserted:
                    branches = " UNION ALL ".join(inserted.pop(target))
                    names = column_list(c.name for c in _relation(catalog, target).columns)
                    texts.append(f"CREATE TEMPORARY VIEW {quoted(*target)} {names} AS {branches}")
            case _:
                raise UnsupportedError(type(each).__name__)
    return tuple(texts)


def _inserted(
    script: tuple[Statement, ...], catalog: Catalog, *, streaming: bool
) -> dict[QualifiedName, list[str]]:
    """The rows inserted into each table and stream, as queries."""
    queries: dict[QualifiedName, list[str]] = {}
    for each in script:
        if isinstance(each, Insert) or (isinstance(each, CreatePump) and each.started):
            insert = _insert(each)
            target = _parts(insert.target)
            source = in_flink(insert.source, streaming=streaming)[0]
            queries.setdefault(target, []).append(
                _by_place(source, insert, _relation(catalog, target))
            )
    return queries


def _insert(statement: Insert | CreatePump) -> Insert:
    insert = statement.statement if isinstance(statement, CreatePump) else statement
    if not isinstance(insert, Insert) or insert.upsert:
        raise UnsupportedError("UPSERT")
    return insert


def _by_place(source: str, insert: Insert, target: Stream | Table) -> str:
    """The source with a column for each of the target's, NULL where the statement names none.

    The source's columns are named by place, because two of them may have one name.
    """
    named = [each.name for each in insert.columns or target.columns]
    columns = [
        quoted(each.name) if each.name in named else f"CAST(NULL AS {_type(each)})"
        for each in target.columns
    ]
    return f"SELECT {', '.join(columns)} FROM ({source}) AS `I` {column_list(named)}"


def _relation(catalog: Catalog, name: QualifiedName) -> Stream | Table:
    relation = catalog.objects[name]
    if not isinstance(relation, (Stream, Table)):
        raise UnsupportedError("INSERT into a view")
    return relation


def _fed(relation: Stream | Table) -> QualifiedName:
    """The table of the fed rows of a table into which the script inserts."""
    return (*relation.name[:-1], relation.name[-1] + "$FED")


def rowtime_of(stream: Stream | Table) -> int | None:
    """The place of the column that the stream's watermarks are of; None if it has none."""
    places = [i for i, each in enumerate(stream.columns) if _is_rowtime(each)]
    named = [i for i in places if stream.columns[i].name == "ROWTIME"]
    return next(iter([*named, *places]), None)


def _is_rowtime(column: Column) -> bool:
    return (
        column.type.kind is Kind.TIMESTAMP
        and column.ordering is not None
        and not column.ordering.descending
    )


def _table(relation: Stream | Table, name: QualifiedName, *, bounded: bool) -> str:
    columns = [f"{quoted(each.name)} {_type(each)}" for each in relation.columns]
    place = rowtime_of(relation)
    if place is not None and not bounded:
        rowtime = quoted(relation.columns[place].name)
        columns.append(f"WATERMARK FOR {rowtime} AS SOURCE_WATERMARK()")
    options = f"'connector' = 'input', 'name' = '{'.'.join(relation.name)}'"
    changing = relation if isinstance(relation, Table) and relation.changing else None
    if changing is not None:
        columns += _primary_key(changing)
        options += f", 'changes' = '{'UPSERT' if changing.primary_key else 'RETRACT'}'"
    if bounded or (isinstance(relation, Table) and changing is None):
        options += ", 'bounded' = 'true'"
    return f"CREATE TEMPORARY TABLE {quoted(*name)} ({', '.join(columns)}) WITH ({options})"


def _primary_key(relation: Table) -> list[str]:
    """The declaration of the KEY of a stream WITH CHANGES; none without one."""
    names = column_list(relation.columns[place].name for place in relation.primary_key)
    return [f"PRIMARY KEY {names} NOT ENFORCED"] if relation.primary_key else []


def _type(column: Column) -> str:
    type = column.type
    name = _TYPES.get(type.kind, str(type)) if not type.precision else str(type)
    return name if type.nullable else f"{name} NOT NULL"


def _parts(name: Name) -> QualifiedName:
    return tuple(each.name for each in name.parts)
