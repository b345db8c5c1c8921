"""Binds statements of a database to its catalog: DDL, standing INSERTs and pumps.

A *standing INSERT* writes the rows of a streaming query until it is stopped; a *pump* is one with a
name.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from algebra.binding.scope.calls import nodes_in
from algebra.binding.statement.define import Definition, bind_pump_insert, define
from algebra.binding.statement.modify import bind_modify
from algebra.catalog import Catalog, Profile, Pump, QualifiedName, Stream, Table
from algebra.modify import Insert
from algebra.parts.mentions import parameter_types, read_names
from algebra.plan import Changes, Delta, Plan
from algebra.wire import Wire, from_wire
from grammar import statement as syntax
from grammar import tree
from grammar.codes import Code
from grammar.parse import parse_statement
from grammar.source import SqlError
from grammar.statement import Statement
from reference.relation import Row


@lru_cache(maxsize=1)
def parsed(sql: str) -> Statement:
    """The statement ``sql``, as `parse_statement` returns or rejects it.

    The result of the last call is cached, because a cursor and the event of its statement parse the
    same text.
    """
    return parse_statement(sql)


def defined(sql: str, catalog: Catalog, profile: Profile) -> Catalog:
    """The catalog after the statement of DDL ``sql``; raises the statement's errors."""
    statement = parsed(sql)
    assert isinstance(statement, Definition), "DDL"
    parameter = next(parameters_in(statement), None)
    if parameter is not None:
        raise SqlError(
            Code.NOT_SUPPORTED,
            "a definition has no parameters",
            sql,
            parameter.span,
            "write the value",
        )
    return define(statement, catalog, profile, sql)


def bound_pumps(old: Catalog, new: Catalog, profile: Profile) -> dict[QualifiedName, Insert]:
    """The statements of the pumps that must be bound after a definition, by the pumps' names.

    ``old`` and ``new`` are the catalogs before and after the definition.  A pump must be bound if
    it is new, or uses a stream or table that was replaced; not if it was only started or stopped.
    Raises the errors of pumps that are not valid in the new catalog.
    """
    replaced = {
        name
        for name, each in old.objects.items()
        if isinstance(each, Stream | Table) and new.objects.get(name) is not each
    }
    pumps: dict[QualifiedName, Insert] = {}
    for name, each in new.objects.items():
        if not isinstance(each, Pump):
            continue
        before = old.objects.get(name)
        is_old = isinstance(before, Pump) and before.statement is each.statement
        if is_old and not replaced:
            continue
        insert = bound_pump(each, new, profile)
        uses = read_names(insert.input) | {insert.target.name}
        if not is_old or uses & replaced:
            pumps[name] = insert
    return pumps


def bound_pump(pump: Pump, catalog: Catalog, profile: Profile) -> Insert:
    """The statement of a pump, bound to ``catalog``; raises its errors."""
    assert isinstance(pump.statement.statement, syntax.Insert)
    return bind_pump_insert(pump.statement.statement, catalog, profile, pump.sql)


def standing_insert(
    sql: str, catalog: Catalog, profile: Profile, parameters: Sequence[Wire]
) -> tuple[Insert, Row]:
    """The standing INSERT ``sql``, and the values of its parameters; raises its errors."""
    statement = parsed(sql)
    assert isinstance(statement, syntax.Insert)
    insert = bind_modify(statement, catalog, profile, sql)
    assert isinstance(insert, Insert)
    assert isinstance(insert.input, Delta | Changes)
    return insert, values_of(insert, parameters)


def values_of(plan: Plan | Insert, parameters: Sequence[Wire]) -> Row:
    """The values of parameters, converted to the types that they have in ``plan``.

    A parameter that the plan does not use is NULL.  Raises `ValueError` for a parameter that is not
    a value of its type.
    """
    types = parameter_types(plan)
    return tuple(
        from_wire(types[place], each) if place in types else None
        for place, each in enumerate(parameters)
    )


def parameters_in(node: object) -> Iterator[tree.Parameter]:
    """The parameters in a syntax tree, in the order of the text."""
    return (each for each in nodes_in(node) if isinstance(each, tree.Parameter))
