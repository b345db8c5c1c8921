"""User-defined functions as their bodies."""

import pytest

from algebra.binding.expression.bind_expression import bind_expression
from algebra.binding.expression.bind_function import expand_values
from algebra.catalog import Catalog, Function, Profile
from algebra.expression import InputRef
from algebra.types import BIGINT, INTEGER
from grammar.codes import Code
from grammar.parse import parse_script
from grammar.source import SqlError, edited
from grammar.statement import CreateFunction
from grammar.suggestion import SuggestingError
from tests.algebra.expression_scope import bind, refused, shown


def catalog_of(*sources: str) -> Catalog:
    catalog = Catalog()
    for sql in sources:
        (statement,) = parse_script(sql)
        assert isinstance(statement, CreateFunction)
        name = tuple(each.name for each in statement.name.parts)
        catalog = catalog.with_object(Function(name, statement, sql))
    return catalog


TWICE = "CREATE FUNCTION twice (x BIGINT) RETURNS BIGINT RETURN x + x"
HALF = "CREATE FUNCTION half (x INTEGER) RETURNS DECIMAL(12, 1) RETURN x / 2.0"
NOON = "CREATE FUNCTION noon () RETURNS TIME RETURN TIME '12:00:00'"
QUAD = "CREATE FUNCTION quad (y BIGINT) RETURNS BIGINT RETURN twice(twice(y))"


@pytest.mark.parametrize(
    ("sql", "meaning", "type"),
    [
        ("twice(l)", "+(L, L)", "BIGINT"),
        ("twice(i)", "+(I:BIGINT, I:BIGINT)", "BIGINT"),
        ("twice(NULL)", "+(NULL, NULL)", "BIGINT"),
        ("twice(?)", "+(?0:BIGINT, ?0:BIGINT)", "BIGINT"),
        ("half(j)", "/(J, 2.0):DECIMAL(12, 1)", "DECIMAL(12, 1)"),
        ("noon()", "TIME '12:00:00'", "TIME(3)"),
        ("quad(l)", "+(+(L, L), +(L, L))", "BIGINT"),
        ("twice(l) + 1", "+(+(L, L), 1)", "BIGINT"),
    ],
)
def test_a_call_is_the_body_with_the_arguments_in_it(sql: str, meaning: str, type: str) -> None:
    found = bind(sql, catalog_of(TWICE, HALF, NOON, QUAD))
    assert (shown(found), str(found.type)) == (meaning, type)


@pytest.mark.parametrize(
    ("sql", "code", "guilty"),
    [
        ("twice(l, l)", Code.WRONG_ARGUMENTS, "twice(l, l)"),
        ("twice(v)", Code.TYPE_MISMATCH, "v"),
        ("twice(nowhere)", Code.UNKNOWN_COLUMN, "nowhere"),
        ("twice(l) OVER (ORDER BY l)", Code.OVER_NOT_ALLOWED, "(ORDER BY l)"),
        ("twize(l)", Code.UNKNOWN_FUNCTION, "twize"),
    ],
)
def test_a_wrong_call_is_refused_at_the_call(sql: str, code: Code, guilty: str) -> None:
    error = refused(sql, catalog_of(TWICE))
    assert (error.code, error.sql[error.at.start : error.at.end]) == (code, guilty)
    assert error.sql == sql


def test_a_misspelt_function_is_found_in_the_catalog() -> None:
    error = refused("twize(l)", catalog_of(TWICE))
    assert isinstance(error, SuggestingError)
    (suggestion,) = error.suggestions()
    assert edited(error.sql, suggestion.edits) == "TWICE(l)"


@pytest.mark.parametrize(
    ("body", "code", "guilty"),
    [
        ("x + y", Code.UNKNOWN_COLUMN, "y"),
        ("x || 'a'", Code.TYPE_MISMATCH, "x || 'a'"),
        ("x + TRUE", Code.TYPE_MISMATCH, "TRUE"),
        ("SUM(x)", Code.AGGREGATE_MISPLACED, "SUM(x)"),
        ("(SELECT 1)", Code.NOT_SUPPORTED, "SELECT 1"),
    ],
)
def test_a_fault_of_the_body_points_into_the_functions_text(
    body: str, code: Code, guilty: str
) -> None:
    source = f"CREATE FUNCTION f (x INTEGER) RETURNS INTEGER RETURN {body}"
    error = refused("i + f(j)", catalog_of(source))
    assert (error.code, error.sql[error.at.start : error.at.end]) == (code, guilty)
    assert error.sql == source


def test_a_body_can_be_checked_without_a_call() -> None:
    """As CREATE FUNCTION does: its parameters are then columns of their types."""
    function = catalog_of(TWICE).objects[("TWICE",)]
    assert isinstance(function, Function)
    values = {"X": InputRef(0, INTEGER)}
    found = expand_values(function, values, Catalog(), Profile.CALCITE, bind_expression)
    assert found.type == BIGINT
    with pytest.raises(SqlError):
        expand_values(function, {}, Catalog(), Profile.CALCITE, bind_expression)
