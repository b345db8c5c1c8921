"""Binds the statement of a cursor to the catalog, and says which action executes it.

An *action* is what the database must do for a statement, such as answering a query or changing a
table.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypeAlias

from algebra.binding.query.bind import bind_query
from algebra.binding.statement.modify import bind_modify
from algebra.catalog import Catalog, Profile, QualifiedName, Stream
from algebra.explain import explain
from algebra.expression import (
    Call,
    Expression,
    External,
    InputRef,
    Op,
    Parameter,
    Subquery,
    Value,
)
from algebra.modify import Insert, Modify
from algebra.parts.mentions import parameter_types, parts, reads_clock
from algebra.plan import Changes, Delta, Plan, Project, Values
from algebra.prepare import set_option
from algebra.rewrite import rewritten, subexpressions, substituted
from algebra.types import VARCHAR, Kind, Type
from grammar import statement as syntax
from grammar import tree
from grammar.codes import Code
from grammar.source import SqlError
from grammar.stack import room
from rowtime.database.binding import parameters_in, parsed
from rowtime.database.trace_log import SYSTEM
from rowtime.driver.values import Python, converter


@dataclass(frozen=True, slots=True)
class Query:
    """A query; a streaming query has a Delta or Changes on top."""

    plan: Plan


@dataclass(frozen=True, slots=True)
class SendRows:
    """An INSERT into a stream; ``expedited``: the rows of `executemany` are sent together."""

    insert: Insert
    expedited: bool


@dataclass(frozen=True, slots=True)
class BeginStatement:
    """A standing INSERT or UPSERT."""

    insert: Insert


@dataclass(frozen=True, slots=True)
class ChangeTable:
    """A statement that writes into a table."""

    step: Modify


@dataclass(frozen=True, slots=True)
class Define:
    """A statement of DDL."""


@dataclass(frozen=True, slots=True)
class SetSchema:
    """SET SCHEMA."""

    schema: QualifiedName


@dataclass(frozen=True, slots=True)
class ShowPlan:
    """EXPLAIN, which shows the lines of the plan."""

    lines: tuple[str, ...]


Action: TypeAlias = Query | SendRows | BeginStatement | ChangeTable | Define | SetSchema | ShowPlan


@dataclass(frozen=True)
class BoundStatement:
    """A statement bound to a catalog.

    ``parameters`` is the number of its ``?``.  ``types`` has the types of the parameters by their
    places, from 0.  A parameter without a type is not used: the plan does not have it.
    """

    action: Action
    parameters: int
    types: Mapping[int, Type]

    @cached_property
    def converters(self) -> Sequence[Callable[[Python], Value] | None]:
        """For each parameter, the function that converts its value; None if it is not used."""
        places = range(self.parameters)
        return [converter(self.types[i]) if i in self.types else None for i in places]

    @cached_property
    def row(self) -> Sequence[Expression] | None:
        """The row that an INSERT … VALUES of one row writes, as expressions.

        The expressions are over the row of parameters, so `executemany` can compute the rows
        without evaluating a plan for each.  None for any other statement, and in two cases more:
        an UPSERT into a table, because its rows can replace one another; and a value that depends
        on more than the parameters, such as the clock, a sub-query, or a function of an extension.
        """
        match self.action:
            case SendRows(Insert(input=source)) | ChangeTable(Insert(input=source, upsert=False)):
                values = _values_of_one_row(source)
            case _:
                return None
        if values is None or any(map(reads_clock, values)):
            return None
        inside_values = [each for value in values for each in subexpressions(value)]
        if any(isinstance(each, Subquery | External) for each in inside_values):
            return None
        return [rewritten(each, _over_parameters) for each in values]


def _values_of_one_row(source: Plan) -> Sequence[Expression] | None:
    """The values of the one row of VALUES; None for any other plan.

    If the INSERT does not list all columns, a Project over VALUES adds the other values.
    """
    match source:
        case Values(rows=(row,)):
            return row
        case Project(Values(rows=(row,)), expressions):
            return [substituted(each, row) for each in expressions]
        case _:
            return None


def _over_parameters(leaf: Expression) -> Expression:
    """The column of the row of parameters, in place of a parameter; any other leaf is unchanged."""
    return InputRef(leaf.index, leaf.type) if isinstance(leaf, Parameter) else leaf


def bound_statement(sql: str, catalog: Catalog, profile: Profile) -> BoundStatement:
    """Parse and bind ``sql``, which is one statement.  Raises `SqlError`."""
    with room():
        return _bind(parsed(sql), catalog, profile, sql)


def _bind(
    statement: syntax.Statement, catalog: Catalog, profile: Profile, sql: str
) -> BoundStatement:
    """The statement, with its action, and with the number and the types of its parameters."""
    action = _action(statement, catalog, profile, sql)
    types: Mapping[int, Type] = {}
    match action:
        case Query(plan):
            types = {**parameter_types(plan), **dict(_compared_texts(plan))}
        case SendRows(modify) | BeginStatement(modify) | ChangeTable(modify):
            types = parameter_types(modify)
        case _:
            pass
    return BoundStatement(action, len(list(parameters_in(statement))), types)


_COMPARISONS: Final = frozenset(
    {Op.EQUAL, Op.NOT_EQUAL, Op.LESS, Op.LESS_OR_EQUAL, Op.GREATER, Op.GREATER_OR_EQUAL}
)


def _compared_texts(plan: Plan) -> Iterator[tuple[int, Type]]:
    """The parameters that are compared with a text: their places, and VARCHAR of any length.

    The other operand may have a type of limited length.  A parameter that is longer is not an
    error: it is not equal to any text of that type.
    """
    for node, _ in parts(plan):
        if isinstance(node, Call) and node.op in _COMPARISONS:
            for operand in node.operands:
                if isinstance(operand, Parameter) and operand.type.kind is Kind.VARCHAR:
                    yield operand.index, VARCHAR


def _action(statement: syntax.Statement, catalog: Catalog, profile: Profile, sql: str) -> Action:
    """The action of a statement, bound to the catalog.  Raises `SqlError`."""
    match statement:
        case tree.Query():
            return Query(bind_query(statement, catalog, profile, sql))
        case syntax.Insert() | syntax.Update() | syntax.Delete() | syntax.Merge():
            modify = bind_modify(statement, catalog, profile, sql)
            _check_target(modify, statement, sql)
            if not isinstance(modify, Insert):
                return ChangeTable(modify)
            if isinstance(modify.input, Delta | Changes):
                return BeginStatement(modify)
            if isinstance(modify.target, Stream):
                return SendRows(
                    modify, isinstance(statement, syntax.Insert) and statement.expedited
                )
            return ChangeTable(modify)
        case syntax.Transaction():
            bind_modify(statement, catalog, profile, sql)
            raise AssertionError(statement)  # `bind_modify` has raised an error (S-606)
        case syntax.SetOption():
            return SetSchema(set_option(statement, catalog, sql).schema)
        case syntax.Explain(inner):
            return ShowPlan(_explained(_action(inner, catalog, profile, sql)))
        case _:
            return Define()


def _explained(action: Action) -> tuple[str, ...]:
    """The lines of the plan of an action; empty for an action without a plan."""
    match action:
        case Query(plan):
            return tuple(explain(plan).splitlines())
        case SendRows(insert) | BeginStatement(insert) | ChangeTable(Insert() as insert):
            return tuple(explain(insert.input).splitlines())
        case ShowPlan(lines):
            return lines
        case _:
            return ()


def _check_target(
    modify: Modify,
    statement: syntax.Insert | syntax.Update | syntax.Delete | syntax.Merge,
    sql: str,
) -> None:
    """Raise WRONG_OBJECT if a statement writes into the trace."""
    if modify.target.name[0] == SYSTEM:
        raise SqlError(
            Code.WRONG_OBJECT,
            f"'{'.'.join(modify.target.name)}' is written by the database alone",
            sql,
            statement.target.span,
            "write into an object of your own",
        )
