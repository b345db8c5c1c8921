"""docs/functions.md and the tables that it is made of."""

import pytest

from algebra.expression import AggregateFunction, WindowFunction
from algebra.functions.aggregates import AGGREGATES, TABLE, WINDOW_TABLE
from algebra.functions.functions_page import PAGE, page
from algebra.functions.scalar_functions import FUNCTIONS, UNIFYING
from algebra.functions.signature import Signature
from algebra.functions.special_functions import GROUPS, SYNTAX

#: What a plan has and nobody can call.
UNNAMED = {AggregateFunction.LITERAL_AGG}


def test_the_page_is_that_of_the_tables() -> None:
    assert PAGE.read_text("utf-8") == page(), (
        "run `python -m algebra.functions.functions_page --write`"
    )


def test_every_aggregate_and_window_function_has_a_row() -> None:
    assert {each.function for each in TABLE} == set(AggregateFunction) - UNNAMED
    assert set(WINDOW_TABLE) == set(WindowFunction)


@pytest.mark.parametrize(
    "names",
    [
        {name: row.signature for name, row in FUNCTIONS.items()},
        {name: row.signature for name, row in UNIFYING.items()},
        {name: row.signature for name, row in AGGREGATES.items()},
        {str(name): row.signature for name, row in WINDOW_TABLE.items()},
        {**SYNTAX, **GROUPS},
    ],
    ids=["scalar", "together", "aggregate", "window", "special"],
)
def test_a_function_is_shown_by_its_name(names: dict[str, Signature]) -> None:
    for name, signature in names.items():
        assert name in {form.partition("(")[0] for form in signature.forms}


def test_no_name_is_in_two_tables() -> None:
    tables = [
        FUNCTIONS.keys(), UNIFYING.keys(), AGGREGATES.keys(), WINDOW_TABLE.keys(), SYNTAX.keys(),
        GROUPS.keys(),
    ]  # fmt: skip
    names = [str(name) for table in tables for name in table]
    assert len(names) == len(set(names))


def test_two_functions_of_the_table_are_two_operators() -> None:
    rows = {id(each): each for each in FUNCTIONS.values()}
    assert len({each.op for each in rows.values()}) == len(rows)
