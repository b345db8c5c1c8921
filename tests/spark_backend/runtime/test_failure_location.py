"""Which expression has failed, where only one of a statement's can fail so."""

import pytest

from algebra.catalog import Profile
from algebra.prepare import prepare
from grammar.codes import Code
from grammar.source import Span, SqlError
from spark_backend.runtime.failure_location import can_fail_at_a_row, located_in

DDL = "CREATE TABLE T (a INTEGER, b BIGINT, c VARCHAR(9), d DOUBLE, t TIMESTAMP(3));"


@pytest.mark.parametrize(
    ("sql", "code", "text"),
    [
        ("SELECT a + 1, d + 1, a / 2 FROM T", "DIVISION_BY_ZERO", "a / 2"),
        ("SELECT a + 1, d + 1, a = 2 FROM T", "OVERFLOW", "a + 1"),
        (
            "SELECT CAST(c AS INTEGER), CAST(a AS VARCHAR) FROM T",
            "INVALID_CAST",
            "CAST(c AS INTEGER)",
        ),
        ("SELECT b FROM T GROUP BY b HAVING SUM(b) > 1", "OVERFLOW", "SUM(b)"),
        ("SELECT SUM(d), SUM(b) OVER () FROM T GROUP BY b", "OVERFLOW", "SUM(b) OVER ()"),
        ("SELECT (SELECT a FROM T) FROM T", "SCALAR_SUBQUERY_ROWS", "(SELECT a FROM T)"),
        ("SELECT * FROM (SELECT LN(d) FROM T) AS t", "INVALID_ARGUMENT", "LN(d)"),
        # Two expressions can fail so.
        ("SELECT a / 2, MOD(a, 3) FROM T", "DIVISION_BY_ZERO", ""),
        # None can.
        ("SELECT a FROM T", "DIVISION_BY_ZERO", ""),
        ("SELECT a + 1 FROM T", "BOUND_BACKWARDS", ""),
    ],
)
def test_an_error_is_at_the_one_expression_that_can_raise_it(
    sql: str, code: str, text: str
) -> None:
    query = prepare(DDL, sql, Profile.CALCITE).query
    error = located_in(SqlError(Code(code), "", "", Span(0, 0)), query)
    assert error.sql[error.at.start : error.at.end] == text


@pytest.mark.parametrize(
    ("sql", "anywhere", "at_edges"),
    [
        ("SELECT a FROM T WHERE a > 1 OR c = 'x'", False, False),
        ("SELECT SUM(b) FROM T", False, False),
        ("SELECT a / 2 FROM T", True, True),
        ("SELECT SUM(b) FROM T WHERE CAST(c AS INTEGER) > 1", True, True),
        ("SELECT t + INTERVAL '1' DAY FROM T", False, True),
        ("SELECT COUNT(*) FROM T GROUP BY TUMBLE(t, INTERVAL '1' DAY)", False, True),
        ("SELECT CEIL(t TO DAY) FROM T", False, True),
    ],
)
def test_what_can_fail_on_a_row_is_told_from_what_can_fail_at_an_edge_of_the_calendar(
    sql: str, anywhere: bool, at_edges: bool
) -> None:
    query = prepare(DDL, sql, Profile.CALCITE).query
    assert can_fail_at_a_row(query, at_edges=False) is anywhere
    assert can_fail_at_a_row(query, at_edges=True) is at_edges


def test_a_place_that_is_known_stays() -> None:
    query = prepare(DDL, "SELECT a / 2 FROM T", Profile.CALCITE).query
    error = located_in(SqlError(Code.DIVISION_BY_ZERO, "", "1 / 0", Span(0, 5)), query)
    assert (error.sql, error.at) == ("1 / 0", Span(0, 5))
