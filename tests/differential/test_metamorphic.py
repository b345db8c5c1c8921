"""Queries that must give the same rows, whatever the rows are: laws of the reference alone."""

from dataclasses import replace
from typing import Final

from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from tests.differential.compare import same_rows
from tests.differential.engines import ask_reference
from tests.differential.printer import Printer
from tests.differential.queries import Queries, Question, Scope
from tests.differential.schema import Features, TableSchema, schemas
from tests.differential.sqltypes import BIGINT, BOOLEAN, INTEGER, summed
from tests.differential.tree import (
    Aggregate,
    Call,
    Case,
    Column,
    Combined,
    Derived,
    Exists,
    Expression,
    InQuery,
    Join,
    Literal,
    Op,
    Query,
    Select,
    Shift,
)
from tests.examples import examples

#: Laws over random queries, of which each takes a tenth of a second.
FEW: Final = examples(12, 10_000)
FEATURES: Final = Features(wild=False, failing=False)
_TABLES: Final = schemas(FEATURES)


@st.composite
def generators(draw: DrawFn) -> tuple[tuple[TableSchema, ...], Queries]:
    """Tables, and a generator of queries over them."""
    tables = draw(_TABLES)
    return tables, Queries(draw, tables, FEATURES)


def assert_same(tables: tuple[TableSchema, ...], left: Query, right: Query) -> None:
    """Both queries have the same rows; nothing is compared where one of them fails (D-14)."""
    a, b = ask_reference(Question(tables, left)), ask_reference(Question(tables, right))
    assume(a.error is None and b.error is None)
    printer = Printer()
    shown = "\n".join([
        "", *(f"{printer.ddl(t)} -- {t.rows}" for t in tables),
        printer.query(left), f"  {a.rows}", printer.query(right), f"  {b.rows}",
    ])  # fmt: skip
    assert same_rows(a.rows, b.rows, ordered=False), shown


def is_(condition: Expression, test: str) -> Expression:
    """``condition IS test``."""
    return Call(Op.IS, (condition,), BOOLEAN, test)


def both(a: Expression | None, b: Expression | None) -> Expression | None:
    """The conjunction of two conditions, each of which may be missing."""
    if a is None or b is None:
        return b if a is None else a
    return Call(Op.AND, (a, b), BOOLEAN)


def union(*queries: Query) -> Query:
    """UNION ALL."""
    first, *others = queries
    found = first
    for each in others:
        found = Combined("UNION", True, found, each)
    return found


def scope(queries: Queries, joins: int = 2) -> Scope:
    """A FROM clause of up to so many joins."""
    return queries.scope(1, queries.draw(st.integers(0, joins)))


@FEW
@given(generators())
def test_a_condition_its_negation_and_unknown_part_the_rows(
    generated: tuple[tuple[TableSchema, ...], Queries],
) -> None:
    """Ternary logic partitioning: p, NOT p, p IS NULL."""
    tables, queries = generated
    source = scope(queries)
    whole = replace(queries.plain(source, 1), where=None, distinct=False)
    p = queries.condition(source.columns, 1)
    parts = (p, Call(Op.NOT, (p,), BOOLEAN), is_(p, "NULL"))
    assert_same(tables, whole, union(*(replace(whole, where=each) for each in parts)))


@FEW
@given(generators())
def test_a_partition_in_two_is_the_whole_also_in_aggregates(
    generated: tuple[tuple[TableSchema, ...], Queries],
) -> None:
    """COUNT and SUM over the rows where p is true, and where it is not, add up."""
    tables, queries = generated
    source = scope(queries)
    p = queries.reach(source.columns).boolean(2)
    argument = queries.addable(queries.reach(source.columns))
    measures = (
        Aggregate("COUNT", None, BIGINT),
        Aggregate("COUNT", argument, BIGINT),
        Aggregate("SUM", argument, summed(argument.type)),
    )
    whole = Select(measures, source.source)
    halves = union(replace(whole, where=is_(p, "TRUE")), replace(whole, where=is_(p, "NOT TRUE")))
    assert_same(tables, whole, added_up(queries, halves, 0))


def added_up(queries: Queries, parts: Query, keys: int, functions: str = "SUM") -> Select:
    """The parts' rows grouped by their first columns, the others added, or as ``functions``."""
    derived = queries.derived(parts)
    names = functions.split() * (len(derived.columns) - keys if " " not in functions else 1)
    first = derived.columns[:keys]
    measures = (
        Aggregate(name, each, summed(each.type) if name == "SUM" else each.type)
        for name, each in zip(names, derived.columns[keys:], strict=True)
    )
    return Select((*first, *measures), derived.source, keys=first)


@FEW
@given(generators())
def test_groups_can_be_split_and_merged(
    generated: tuple[tuple[TableSchema, ...], Queries],
) -> None:
    """COUNT, SUM, MIN and MAX by k are those of the groups by k and anything else."""
    tables, queries = generated
    source = scope(queries)
    reach = queries.reach(source.columns)
    key = queries.draw(st.sampled_from(source.columns))
    other = queries.draw(st.sampled_from(source.columns))
    assume(key != other)
    argument = queries.addable(reach)
    value = reach.any(1)
    measures = (
        Aggregate("COUNT", value, BIGINT),
        Aggregate("SUM", argument, summed(argument.type)),
        Aggregate("MIN", value, value.type),
        Aggregate("MAX", value, value.type),
    )
    coarse = Select((key, *measures), source.source, keys=(key,))
    fine = Select((key, *measures), source.source, keys=(key, other))
    assert_same(tables, coarse, added_up(queries, fine, 1, "SUM SUM MIN MAX"))


@FEW
@given(generators())
def test_a_condition_can_be_pushed_into_a_sub_query(
    generated: tuple[tuple[TableSchema, ...], Queries],
) -> None:
    """Filtering a derived table is filtering inside of it."""
    tables, queries = generated
    source = scope(queries)
    inner = Select(source.columns, source.source)
    outside = queries.derived(inner)
    items = tuple(queries.items(outside.columns, 0))
    p = queries.reach(outside.columns).boolean(2)
    names = dict(zip(outside.columns, source.columns, strict=True))
    assert isinstance(outside.source, Derived)
    pushed = replace(inner, where=renamed(p, names))
    assert_same(
        tables,
        Select(items, outside.source, p),
        Select(items, replace(outside.source, query=pushed)),
    )


def renamed(node: Expression, names: dict[Column, Column]) -> Expression:
    """The expression over other columns."""
    if isinstance(node, Column):
        return names[node]
    match node:
        case Call(operands=operands):
            return replace(node, operands=tuple(renamed(each, names) for each in operands))
        case Shift(operand):
            return replace(node, operand=renamed(operand, names))
        case Case(branches, otherwise):
            changed = tuple((renamed(p, names), renamed(v, names)) for p, v in branches)
            end = None if otherwise is None else renamed(otherwise, names)
            return replace(node, branches=changed, otherwise=end)
        case Literal():
            return node
        case _:
            raise AssertionError("there is no aggregate and no sub-query in a plain condition")


@FEW
@given(generators(), st.sampled_from(["INNER", "LEFT", "RIGHT", "FULL"]))
def test_the_sides_of_a_join_can_be_swapped(
    generated: tuple[tuple[TableSchema, ...], Queries], kind: str
) -> None:
    """A JOIN B is B JOIN A, where LEFT becomes RIGHT."""
    tables, queries = generated
    left, right = scope(queries, 1), queries.item(1)
    assume(not isinstance(right.source, Join))
    lone = (
        left
        if not isinstance(left.source, Join)
        else queries.derived(Select(left.columns, left.source))
    )
    on = queries.on(lone, right)
    items = tuple(queries.items((*lone.columns, *right.columns), 0))
    swapped = {"LEFT": "RIGHT", "RIGHT": "LEFT"}.get(kind, kind)
    assert_same(
        tables,
        Select(items, Join(kind, lone.source, right.source, on)),
        Select(items, Join(swapped, right.source, lone.source, on)),
    )


@FEW
@given(generators())
def test_inner_joins_are_a_filtered_product_in_any_order(
    generated: tuple[tuple[TableSchema, ...], Queries],
) -> None:
    """(A JOIN B ON p) JOIN C ON q is C CROSS JOIN B CROSS JOIN A WHERE q AND p."""
    tables, queries = generated
    a, b, c = queries.item(1), queries.item(0), queries.item(0)
    p = queries.on(a, b)
    ab = Scope(Join("INNER", a.source, b.source, p), (*a.columns, *b.columns))
    q = queries.on(ab, c)
    items = tuple(queries.items((*ab.columns, *c.columns), 0))
    product = Join("CROSS", Join("CROSS", c.source, b.source), a.source)
    assert_same(
        tables,
        Select(items, Join("INNER", ab.source, c.source, q)),
        Select(items, product, both(q, p)),
    )


@FEW
@given(generators())
def test_a_full_join_is_a_left_join_and_the_unmatched_rows_of_the_right(
    generated: tuple[tuple[TableSchema, ...], Queries],
) -> None:
    """A FULL JOIN B ON p = A LEFT JOIN B ON p, and the rows of B with no A (by NOT EXISTS)."""
    tables, queries = generated
    a, b = queries.item(0), queries.item(0)
    on = queries.on(a, b)
    columns = (*a.columns, *b.columns)
    padding = tuple(Literal(None, each.type) for each in a.columns)
    matched = Exists(Select((Literal("1", INTEGER),), a.source, on), BOOLEAN)
    alone = Select((*padding, *b.columns), b.source, Call(Op.NOT, (matched,), BOOLEAN))
    assert_same(
        tables,
        Select(columns, Join("FULL", a.source, b.source, on)),
        union(Select(columns, Join("LEFT", a.source, b.source, on)), alone),
    )


@FEW
@given(generators())
def test_distinct_is_grouping_by_all_columns(
    generated: tuple[tuple[TableSchema, ...], Queries],
) -> None:
    """SELECT DISTINCT … = SELECT … GROUP BY … (S-512)."""
    tables, queries = generated
    derived = queries.derived(queries.query(1, joins=1))
    columns = derived.columns
    assert_same(
        tables,
        Select(columns, derived.source, distinct=True),
        Select(columns, derived.source, keys=columns),
    )


@FEW
@given(generators())
def test_rollup_is_the_union_of_its_groupings(
    generated: tuple[tuple[TableSchema, ...], Queries],
) -> None:
    """ROLLUP (a, b) = GROUP BY a, b; GROUP BY a; GROUP BY nothing, keys left out being NULL."""
    tables, queries = generated
    source = scope(queries, 1)
    keys = queries.draw(
        st.lists(st.sampled_from(source.columns), min_size=1, max_size=2, unique=True)
    )
    measure = queries.aggregate(source.columns)
    sets = [tuple(keys[:width]) for width in range(len(keys), -1, -1)]
    parts = (
        Select(
            (*(k if k in each else Literal(None, k.type) for k in keys), measure),
            source.source,
            keys=each,
        )
        for each in sets
    )
    rolled = Select((*keys, measure), source.source, keys=tuple(keys), grouping="ROLLUP")
    assert_same(tables, rolled, union(*parts))


@FEW
@given(generators())
def test_in_is_exists_with_equality(
    generated: tuple[tuple[TableSchema, ...], Queries],
) -> None:
    """In WHERE, ``x IN (SELECT y …)`` = ``EXISTS (SELECT 1 … WHERE y = x)``."""
    tables, queries = generated
    outer, inner = scope(queries, 1), scope(queries, 1)
    y = queries.reach(inner.columns).any(1)
    x = queries.reach(outer.columns).of(y.type, 0)
    kept = queries.correlation(inner.columns, outer.columns)
    equal = both(kept, Call(Op.EQUAL, (y, x), BOOLEAN))
    whole = Select(outer.columns, outer.source)
    listed = InQuery(x, Select((y,), inner.source, kept), False, BOOLEAN)
    exists = Exists(Select((Literal("1", INTEGER),), inner.source, equal), BOOLEAN)
    assert_same(tables, replace(whole, where=listed), replace(whole, where=exists))


@FEW
@given(generators())
def test_a_set_operation_is_a_count_of_each_row(
    generated: tuple[tuple[TableSchema, ...], Queries],
) -> None:
    """A = (A EXCEPT ALL B) with (A INTERSECT ALL B)."""
    tables, queries = generated
    combined = queries.repeated()
    a, b = combined.left, combined.right
    whole = queries.derived(a)
    parts = union(Combined("EXCEPT", True, a, b), Combined("INTERSECT", True, a, b))
    assert_same(tables, Select(whole.columns, whole.source), parts)


@FEW
@given(generators())
def test_intersect_all_does_not_care_which_side_is_which(
    generated: tuple[tuple[TableSchema, ...], Queries],
) -> None:
    """A INTERSECT ALL B = B INTERSECT ALL A: the lesser number of each row."""
    tables, queries = generated
    combined = queries.repeated()
    a, b = combined.left, combined.right
    assert_same(tables, Combined("INTERSECT", True, a, b), Combined("INTERSECT", True, b, a))
