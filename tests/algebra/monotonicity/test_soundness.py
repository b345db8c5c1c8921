"""Soundness: rows that satisfy the declarations satisfy all that is deduced (S-403, MON-043)."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise, product
from random import Random

from hypothesis import Phase, event, given, note, settings
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from algebra.constraints.number_range import Range
from algebra.constraints.ranges import value_range
from algebra.explain import explain
from algebra.expression import (
    Call,
    Case,
    Cast,
    Expression,
    Extract,
    InputRef,
    Literal,
    Op,
    Round,
    Value,
)
from algebra.monotonicity.deduction import monotonicity
from algebra.monotonicity.tables import Monotonicity
from algebra.plan import Project
from algebra.plan import Values as NoRows
from algebra.types import Field
from grammar.source import SqlError
from reference.scalar.expression import meaning_of
from reference.values import compare, identity, is_nan
from tests.algebra.ordered_expressions import expressions, whole
from tests.algebra.ordered_rows import C, D, I, N, Rows, S, T, more_rows, rows
from tests.examples import examples
from tests.reference.building import ENV

#: Half a day between rows: CURRENT_DATE moves on, the time of day starts again.
TICK = 43_200_000


#: How many sets of rows an expression is tried on: the first is what a failure is shrunk to.
SETS = 8


@st.composite
def questions(draw: DrawFn) -> tuple[Expression, tuple[Rows, ...]]:
    """An expression, and sets of rows of its columns that satisfy the same declarations."""
    expression, types = draw(expressions())
    first = rows(lambda n: draw(whole(0, n - 1)), types)
    seed = Random(draw(whole(0, 2**32)))
    return expression, (first, *(more_rows(first, seed.randrange) for _ in range(SETS - 1)))


def parts(expression: Expression) -> Iterator[Expression]:
    """All sub-expressions, operands before their operator, then the expression itself."""
    match expression:
        case Call(_, operands):
            inner = operands
        case Cast(operand) | Extract(_, operand) | Round(_, operand):
            inner = (operand,)
        case Case(branches, otherwise):
            inner = (*(e for branch in branches for e in branch), otherwise)
        case InputRef() | Literal():
            inner = ()
        case _:
            raise AssertionError(expression)
    for each in inner:
        yield from parts(each)
    yield expression


def values(expression: Expression, found: Rows) -> list[Value]:
    """The values of ``expression`` on those rows for which it has one.

    An error ends a query, so any row may be the one that is missing; a row that breaks the order
    that MONOTONIC declares is late (S-407).
    """
    now = ENV.now
    moving = replace(ENV, clock=lambda: now)
    promises = [e for e in parts(expression) if isinstance(e, Call) and e.op is Op.MONOTONIC]
    meanings = [meaning_of(each, moving) for each in (*promises, expression)]
    last: list[Value] | None = None
    result: list[Value] = []
    for row in found.rows:
        now += TICK
        try:
            *passed_rows, value = [each(row) for each in meanings]
        except SqlError:
            continue
        pairs = [] if last is None else list(zip(last, passed_rows, strict=True))
        if None in passed_rows or any(compare(a, b) > 0 for a, b in pairs):
            continue
        last = passed_rows
        result.append(value)
    return result


def keeps(neighbours: tuple[Value, Value], order: Monotonicity) -> bool:
    """Whether two consecutive values compare as ``order`` says; NaN is ignored."""
    a, b = neighbours
    sign = compare(a, b)
    return {C: sign == 0, S: sign < 0, I: sign <= 0, T: sign > 0, D: sign >= 0, N: True}[order]


def all_keep(result: list[Value], order: Monotonicity) -> bool:
    """Whether all are NULL or none is, and consecutive ones compare as ``order`` says."""
    nulls = [each is None for each in result]
    if any(nulls):
        return all(nulls)
    if order is C:
        return len({identity(each) for each in result}) <= 1
    return all(keeps(each, order) for each in pairwise(v for v in result if not is_nan(v)))


def text(expression: Expression, found: Rows) -> str:
    """The expression and the declarations, for a person."""
    fields = tuple(Field(f"C{i}", each) for i, each in enumerate(found.types))
    lines = zip(found.types, found.orders, found.ranges, zip(*found.rows, strict=True), strict=True)
    deduced = "\n".join(f"${i}: {t} {o} {r} {v}" for i, (t, o, r, v) in enumerate(lines))
    return explain(Project(NoRows((), fields), (expression,), ("E",))) + "\n" + deduced


#: A wrong deduction shows in one example of thousands.
MANY = examples(150, 100_000)


@MANY
@given(questions())
def test_values_keep_what_is_deduced_of_them(question: tuple[Expression, tuple[Rows, ...]]) -> None:
    """For any expression over any columns, and all its sub-expressions."""
    expression, sets = question
    event(monotonicity(expression, sets[0].orders, sets[0].ranges))
    for each, found in product(parts(expression), sets):
        deduced = monotonicity(each, found.orders, found.ranges)
        if deduced is not N and not isinstance(each, InputRef | Literal):
            result = values(each, found)
            if not all_keep(result, deduced):
                note(f"{text(each, found)}\n{deduced}: {result}")
            assert all_keep(result, deduced)


def test_the_questions_are_worth_asking() -> None:
    """For more than 40 in 100 a direction is deduced, which could be wrong."""
    answers: list[bool] = []

    @settings(max_examples=100, derandomize=True, database=None, phases=[Phase.generate])
    @given(questions())
    def ask(question: tuple[Expression, tuple[Rows, ...]]) -> None:
        expression, (found, *_) = question
        answers.append(monotonicity(expression, found.orders, found.ranges).progresses)

    ask()
    assert sum(answers) > 0.4 * len(answers)


@MANY
@given(questions())
def test_no_value_is_outside_its_range(question: tuple[Expression, tuple[Rows, ...]]) -> None:
    """The ranges from which signs are derived contain all values, too."""
    expression, sets = question
    for found, each in product(sets[:3], parts(expression)):
        known = value_range(each, found.ranges)
        if known != Range():
            fine = all(inside(value, known) for value in values(each, found))
            if not fine:
                note(f"{text(each, found)}\n{known}")
            assert fine


def inside(value: Value, known: Range) -> bool:
    """Whether a value is in the range; NULL and NaN are in none."""
    if value is None or is_nan(value):
        return True
    greater = known.lower is None or compare(value, known.lower) >= 0  # type: ignore[arg-type]  # Fractions compare with all numbers
    return greater and (known.upper is None or compare(value, known.upper) <= 0)  # type: ignore[arg-type]  # as above
