"""`prepare` binds a script and a query; a backend opens the result."""

from dataclasses import dataclass, replace
from functools import lru_cache

from algebra.binding.query.bind import bind_query
from algebra.binding.scope.names import parts_of
from algebra.binding.statement.define import bind_pump_insert, define
from algebra.binding.statement.modify import bind_modify
from algebra.catalog import Catalog, Profile, Pump, QualifiedName, Schema
from algebra.modify import Insert, Modify
from algebra.plan import Changes, Delta, Plan
from grammar import statement as syntax
from grammar import tree
from grammar.codes import Code
from grammar.parse import parse_script, parse_statement
from grammar.source import SqlError
from grammar.stack import room


@dataclass(frozen=True, slots=True)
class Prepared:
    """The catalog after a script, the statements that the script runs, and the query's plan.

    ``steps`` is the relational DML, in the order of the script.  ``standing`` are the standing
    statements that run at the end of the script: INSERTs and UPSERTs over streams or over changes
    (EMIT CHANGES), and the statements of started pumps, in the order in which they were started.
    ``query`` is None if only a script was prepared.
    """

    catalog: Catalog
    steps: tuple[Modify, ...]
    standing: tuple[Insert, ...]
    query: Plan | None


def prepare(ddl: str, sql: str | None, profile: Profile) -> Prepared:
    """The script ``ddl`` and the query ``sql``, bound; ``sql`` is None if there is no query.

    Raises `SqlError`, whose ``sql`` is the text to which its span refers.  A query or an EXPLAIN in
    the script is checked, and has no other effect.
    """
    with room():
        script = _script(ddl, profile)
        query = None if sql is None else _query(sql, script.catalog, profile)
    return replace(script, query=query)


@lru_cache(maxsize=16)  # many queries over one script are opened one after the other
def _script(ddl: str, profile: Profile) -> Prepared:
    """The script ``ddl``, bound, without a query."""
    script = ScriptBinder(profile)
    for statement in parse_script(ddl):
        script.bind(statement, ddl)
    return Prepared(script.catalog, tuple(script.steps), tuple(script.standing.values()), None)


class ScriptBinder:
    """Binds the statements of a script one by one.

    ``catalog``, ``steps`` and ``standing`` are those of `Prepared`, as far as the script is bound.
    The keys of ``standing`` are the names of pumps, and for other statements their places in the
    script.  A statement that is refused has no effect.
    """

    def __init__(self, profile: Profile) -> None:
        self.catalog = Catalog()
        self.steps: list[Modify] = []
        self.standing: dict[QualifiedName | int, Insert] = {}
        self._profile = profile

    def bind(self, statement: syntax.Statement, sql: str) -> None:
        """Bind the next statement, whose spans refer to ``sql``.  Raises `SqlError`."""
        profile = self._profile
        match statement:
            case tree.Query():
                bind_query(statement, self.catalog, profile, sql)
            case syntax.Explain(inner):
                _check(inner, self.catalog, profile, sql)
            case syntax.SetOption():
                self.catalog = set_option(statement, self.catalog, sql)
            case syntax.Insert() | syntax.Update() | syntax.Delete() | syntax.Merge():
                bound = bind_modify(statement, self.catalog, profile, sql)
                if isinstance(bound, Insert) and isinstance(bound.input, Delta | Changes):
                    self.standing[statement.span.start] = bound
                else:
                    self.steps.append(bound)
            case syntax.Transaction():
                # This always raises: COMMIT, ROLLBACK and SAVEPOINT are refused.
                bind_modify(statement, self.catalog, profile, sql)
            case _:
                catalog = define(statement, self.catalog, profile, sql)
                _follow_pumps(self.standing, catalog, profile)
                self.catalog = catalog


def _query(sql: str, catalog: Catalog, profile: Profile) -> Plan:
    """The plan of the query ``sql``.

    Other statements are rejected, because they belong in a script.
    """
    statement = parse_statement(sql)
    match statement:
        case tree.Query():
            return bind_query(statement, catalog, profile, sql)
        case syntax.Transaction():
            # This always raises: COMMIT, ROLLBACK and SAVEPOINT are refused.
            bind_modify(statement, catalog, profile, sql)
        case _:
            pass
    hint = "put other statements into the script that comes before it (--ddl)"
    raise SqlError(Code.NOT_SUPPORTED, "this is not a query", sql, statement.span, hint)


def _follow_pumps(
    standing: dict[QualifiedName | int, Insert], catalog: Catalog, profile: Profile
) -> None:
    """Add the statements of pumps that ``catalog`` has as started, and remove those of other pumps.

    ``standing`` is changed.  Its other statements stay; their keys are places in the script.
    """
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
            standing[name] = bind_pump_insert(pump.statement.statement, catalog, profile, pump.sql)


def _check(statement: syntax.Statement, catalog: Catalog, profile: Profile, sql: str) -> None:
    """Bind the statement inside an EXPLAIN, so that its errors are raised."""
    match statement:
        case tree.Query():
            bind_query(statement, catalog, profile, sql)
        case syntax.Insert() | syntax.Update() | syntax.Delete() | syntax.Merge():
            bind_modify(statement, catalog, profile, sql)
        case syntax.Transaction():
            # This always raises: COMMIT, ROLLBACK and SAVEPOINT are refused.
            bind_modify(statement, catalog, profile, sql)
        case syntax.Explain(inner):
            _check(inner, catalog, profile, sql)
        case syntax.SetOption():
            set_option(statement, catalog, sql)
        case _:
            define(statement, catalog, profile, sql)


def set_option(statement: syntax.SetOption, catalog: Catalog, sql: str) -> Catalog:
    """The catalog after SET SCHEMA.

    In it, names without a schema are looked up first in the schema that the statement names.
    Raises NOT_SUPPORTED for another option, and UNKNOWN_OBJECT for an unknown schema.
    """
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
