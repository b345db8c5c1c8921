"""Records of the algebra in few words, for tests of what they mean."""

from collections.abc import Sequence

from algebra.catalog import Column, History, Ordering, Stream, Table
from algebra.expression import (
    AggregateCall,
    AggregateFunction,
    Call,
    Expression,
    InputRef,
    Literal,
    Op,
    SortKey,
    Value,
)
from algebra.plan import Delta, Plan, Reads, Scan, Values
from algebra.types import (
    BIGINT,
    BOOLEAN,
    DOUBLE,
    INTEGER,
    TIMESTAMP,
    VARCHAR,
    Field,
    Type,
    interval,
)
from algebra.wire import from_wire
from grammar.tree import TimeUnit
from reference.definitions import DEFINITIONS
from reference.environment import Environment
from reference.evaluate import Contents, World, evaluate
from reference.relation import Relation, Row
from reference.scalar.expression import value_of


def no_query(plan: Plan, outer: tuple[Row, ...]) -> Relation:
    """The rows of a sub-query that reads nothing but its own Values and the enclosing rows."""
    return evaluate(plan, World(), outer=outer)


#: 2015-02-15 10:17:00.250
NOW = 1_423_995_420_250
ENV = Environment(clock=lambda: NOW, parameters=(), outer=(), query=no_query, forms=DEFINITIONS)


def literal(value: Value, type: Type | None = None) -> Literal:
    """A literal, of the obvious type if none is said."""
    if type is None:
        match value:
            case bool():
                type = BOOLEAN
            case int():
                type = INTEGER
            case str():
                type = VARCHAR
            case float():
                type = DOUBLE
            case _:
                raise AssertionError("say the type")
    return Literal(value, type)


def call(op: Op, type: Type, *operands: Literal | Expression) -> Call:
    """An operator at its operands."""
    return Call(op, operands, type)


def result(expression: Expression, *row: Value, env: Environment = ENV) -> Value:
    """The value of ``expression`` on a row."""
    return value_of(expression, row, env)


def ref(index: int, type: Type = INTEGER) -> InputRef:
    """A column of the input row."""
    return InputRef(index, type)


def ts(text: str) -> int:
    """The milliseconds of ``'2015-02-15 10:17:00'``; a time alone is on 2015-02-15."""
    value = from_wire(TIMESTAMP, text if "-" in text else f"2015-02-15 {text}")
    assert isinstance(value, int)
    return value


def span_of(text: str, first: TimeUnit, last: TimeUnit | None = None) -> Literal:
    """An interval literal."""
    type = interval(first, last)
    return Literal(from_wire(type, text), type)


def ascending(expression: Expression) -> SortKey:
    """A sort key, NULLs last (S-206)."""
    return SortKey(expression, descending=False, nulls_first=False)


def descending(expression: Expression) -> SortKey:
    """A falling sort key, NULLs first (S-206)."""
    return SortKey(expression, descending=True, nulls_first=True)


def given(rows: Sequence[Row], *types: Type) -> Values:
    """A relation of these rows, with columns C0, C1 and so on."""
    literals = tuple(tuple(Literal(v, t) for v, t in zip(row, types, strict=True)) for row in rows)
    return Values(literals, tuple(Field(f"C{i}", t) for i, t in enumerate(types)))


def rows_of(plan: Plan, **streams: Sequence[Row]) -> list[Row]:
    """The rows of a plan over named streams, tables of the same name holding the same."""
    contents: Contents = {(name,): list(rows) for name, rows in streams.items()}
    return list(evaluate(plan, World(contents, contents, contents, NOW)))


def count() -> AggregateCall:
    """COUNT(*)."""
    return AggregateCall(AggregateFunction.COUNT, (), BIGINT.as_nullable(False))


def aggregate_call(
    function: AggregateFunction,
    type: Type,
    *arguments: Expression,
    distinct: bool = False,
    filter: Expression | None = None,
) -> AggregateCall:
    """An aggregate."""
    return AggregateCall(function, arguments, type, distinct=distinct, filter=filter)


ROWTIME = TIMESTAMP.as_nullable(False)


def stream(
    name: str = "ORDERS",
    ordering: Ordering | None = None,
    *columns: Column,
    checks: tuple[Expression, ...] = (),
    history: History | None = None,
) -> Stream:
    """A stream of a rowtime, ascending if nothing is said, and more columns."""
    rowtime = Column("ROWTIME", ROWTIME, Ordering() if ordering is None else ordering)
    return Stream((name,), (rowtime, *columns), checks, history)


def table(name: str, *columns: Column, primary_key: tuple[int, ...] = ()) -> Table:
    """A table."""
    return Table((name,), columns, primary_key)


def streaming(plan: Plan) -> Delta:
    """The streaming query of a plan."""
    return Delta(plan)


def scan(source: Stream | Table, reads: Reads = Reads.STREAM) -> Scan:
    """The rows of a stream that pass, if nothing else is said."""
    return Scan(source, reads)
