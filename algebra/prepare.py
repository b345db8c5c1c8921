"""A script and a query, bound: what a backend opens."""

from dataclasses import dataclass, replace

from algebra.binding.query.bind import bind_query
from algebra.binding.scope.names import parts_of
from algebra.binding.statement.define import define, pumped
from algebra.binding.statement.modify import bind_modify
from algebra.catalog import Catalog, Profile, Pump, QualifiedName, Schema
from algebra.plan import Delta, Insert, Modify, Plan
from grammar import statement as syntax
from grammar import tree
from grammar.codes import Code
from grammar.parse import parse_script, parse_statement
from grammar.source import SqlError


@dataclass(frozen=True, slots=True)
class Prepared:
    """The catalog after a script, the statements that the script runs, and the query's plan.

    ``steps`` is relational DML, in the order of the script.  ``standing`` are the INSERTs and
    UPSERTs over streams, and the pumps that are started at the end of the script, in the order in
    which they were started.  ``query`` is None if only a script was prepared.
    """

    catalog: Catalog
    steps: tuple[Modify, ...]
    standing: tuple[Insert, ...]
    query: Plan | None


def prepare(ddl: str, sql: str | None, profile: Profile) -> Prepared:
    """The script ``ddl`` and the query ``sql``, bound; ``sql`` is None if there is no query.

    Raises `SqlError`, whose ``sql`` is the text that its span counts in.  A query or an EXPLAIN in
    the script is checked and has no other effect.
    """
    catalog = Catalog()
    steps: list[Modify] = []
    standing: dict[QualifiedName | int, Insert] = {}
    for number, statement in enumerate(parse_script(ddl)):
        match statement:
            case tree.Query():
                bind_query(statement, catalog, profile, ddl)
            case syntax.Explain(inner):
                _check(inner, catalog, profile, ddl)
            case syntax.SetOption():
                catalog = _set(statement, catalog, ddl)
            case syntax.Insert() | syntax.Update() | syntax.Delete() | syntax.Merge():
                bound = bind_modify(statement, catalog, profile, ddl)
                if isinstance(bound, Insert) and isinstance(bound.input, Delta):
                    standing[number] = bound
                else:
                    steps.append(bound)
            case syntax.Transaction():
                bind_modify(statement, catalog, profile, ddl)
            case _:
                catalog = define(statement, catalog, profile, ddl)
                _follow_pumps(standing, catalog, profile)
    query = None if sql is None else _query(sql, catalog, profile)
    return Prepared(catalog, tuple(steps), tuple(standing.values()), query)


def _query(sql: str, catalog: Catalog, profile: Profile) -> Plan:
    """The plan of the query ``sql``; another statement is refused, since it belongs in a script."""
    statement = parse_statement(sql)
    match statement:
        case tree.Query():
            return bind_query(statement, catalog, profile, sql)
        case syntax.Transaction():
            bind_modify(statement, catalog, profile, sql)
        case _:
            pass
    hint = "put other statements into the script that comes before it (--ddl)"
    raise SqlError(Code.NOT_SUPPORTED, "this is not a query", sql, statement.span, hint)


def _follow_pumps(
    standing: dict[QualifiedName | int, Insert], catalog: Catalog, profile: Profile
) -> None:
    """Keep the statements of started pumps, in the order of their start, and drop the others'."""
    started = {
        name: each
        for name, each in catalog.objects.items()
        if isinstance(each, Pump) and each.started
    }
    for key in [each for each in standing if not isinstance(each, int) and each not in started]:
        del standing[key]
    for name, pump in started.items():
        if name not in standing:
            assert isinstance(pump.statement.statement, syntax.Insert)
            standing[name] = pumped(pump.statement.statement, catalog, profile, pump.sql)


def _check(statement: syntax.Statement, catalog: Catalog, profile: Profile, sql: str) -> None:
    """Bind the statement of an EXPLAIN, to raise its faults."""
    match statement:
        case tree.Query():
            bind_query(statement, catalog, profile, sql)
        case syntax.Insert() | syntax.Update() | syntax.Delete() | syntax.Merge():
            bind_modify(statement, catalog, profile, sql)
        case syntax.Transaction():
            bind_modify(statement, catalog, profile, sql)
        case syntax.Explain(inner):
            _check(inner, catalog, profile, sql)
        case syntax.SetOption():
            _set(statement, catalog, sql)
        case _:
            define(statement, catalog, profile, sql)


def _set(statement: syntax.SetOption, catalog: Catalog, sql: str) -> Catalog:
    """SET SCHEMA: the schema in which names without one are found and created."""
    value = statement.value
    match value:
        case tree.Literal(_, text):
            schema: QualifiedName = tuple(part.strip('"') for part in text.split("."))
        case tree.ColumnRef(name):
            schema = parts_of(name)
        case _:
            schema = ()
    if parts_of(statement.name) != ("SCHEMA",):
        raise SqlError(
            Code.NOT_SUPPORTED,
            "there is no such option",
            sql,
            statement.name.span,
            "SET SCHEMA 'S'",
        )
    if not isinstance(catalog.objects.get(schema), Schema):
        raise SqlError(
            Code.UNKNOWN_OBJECT,
            f"schema '{'.'.join(schema)}' not found",
            sql,
            value.span,
            f"CREATE SCHEMA {'.'.join(schema) or 'S'}",
        )
    return replace(catalog, schema=schema)
