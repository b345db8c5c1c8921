"""Sub-queries: which look at the row around them, and how often the others are evaluated."""

from dataclasses import replace

from algebra.expression import Exists, Expression, OuterRef, ScalarQuery
from algebra.plan import Filter, Plan, Project
from algebra.types import BOOLEAN, INTEGER
from reference.relation import Relation, Row
from reference.scalar.correlation import depends_on_row
from reference.scalar.expression import meaning_of
from tests.reference.building import ENV, given, literal


def selecting(*expressions: Expression) -> Plan:
    """A query of one row."""
    return Project(
        given([(1,)], INTEGER), expressions, tuple(f"C{i}" for i in range(len(expressions)))
    )


def outer(level: int) -> OuterRef:
    return OuterRef(level, 0, INTEGER)


def test_a_query_depends_on_the_row_that_its_columns_are_of() -> None:
    assert depends_on_row(selecting(outer(1)))
    assert depends_on_row(selecting(ScalarQuery(selecting(outer(2)), INTEGER)))
    assert depends_on_row(Filter(selecting(literal(1)), Exists(selecting(outer(2)))))


def test_a_query_without_columns_of_that_row_does_not() -> None:
    assert not depends_on_row(selecting(literal(1)))
    # Its own inner query looks at its own row, and the outermost row stays what it is.
    assert not depends_on_row(selecting(ScalarQuery(selecting(outer(1)), INTEGER)))
    assert not depends_on_row(selecting(outer(2)))


def evaluations(query: Plan, rows: int) -> int:
    """How often ``query`` is evaluated for an EXISTS of it on so many rows."""
    asked: list[Plan] = []

    def answer(plan: Plan, rows_around: tuple[Row, ...]) -> Relation:
        asked.append(plan)
        return ENV.query(plan, rows_around)

    exists = meaning_of(Exists(query, BOOLEAN), replace(ENV, query=answer))
    assert all(exists((n,)) is True for n in range(rows))
    return len(asked)


def test_a_query_that_does_not_look_at_the_row_is_evaluated_once() -> None:
    assert evaluations(selecting(literal(1)), rows=5) == 1
    assert evaluations(selecting(outer(1)), rows=5) == 5
    assert evaluations(selecting(literal(1)), rows=0) == 0
