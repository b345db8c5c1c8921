"""Constants where a clause demands one."""

import pytest

from algebra.binding.expression.constants import constant
from algebra.functions.literals import literal_text
from grammar.codes import Code
from grammar.parse import parse_expression
from grammar.source import SqlError
from tests.algebra.expression_scope import ColumnsScope


def folded(sql: str) -> str | None:
    found = constant(parse_expression(sql), ColumnsScope(sql))
    return None if found is None else literal_text(found)


@pytest.mark.parametrize(
    ("sql", "value"),
    [
        ("INTERVAL '1' HOUR", "INTERVAL '1' HOUR"),
        ("INTERVAL '1' HOUR * 2", "INTERVAL '2' HOUR"),
        ("2 * INTERVAL '1' HOUR", "INTERVAL '2' HOUR"),
        ("INTERVAL '1' HOUR + INTERVAL '30' MINUTE", "INTERVAL '1:30' HOUR TO MINUTE"),
        ("-(INTERVAL '1' HOUR - INTERVAL '90' MINUTE)", "INTERVAL '0:30' HOUR TO MINUTE"),
        ("INTERVAL '10' SECOND / 4", "INTERVAL '2.500' SECOND"),
        ("INTERVAL '1' SECOND * 0.0019", "INTERVAL '0.001' SECOND"),
        ("INTERVAL '7' MONTH / 2", "INTERVAL '3' MONTH"),
        ("-INTERVAL '7' MONTH / 2", "INTERVAL '-3' MONTH"),
        (
            "CAST(INTERVAL '2' HOUR AS INTERVAL DAY TO SECOND)",
            "INTERVAL '0 02:00:00' DAY TO SECOND",
        ),
        ("2 + 3 * 4", "14"),
        ("7 / 2", "3"),
        ("-7 / 2", "-3"),
        ("TIME '00:12:00'", "TIME '00:12:00'"),
        ("'a'", "'a'"),
    ],
)
def test_a_constant_is_worked_out(sql: str, value: str) -> None:
    assert folded(sql) == value


@pytest.mark.parametrize(
    "sql",
    [
        "h",
        "INTERVAL '1' HOUR * i",
        "INTERVAL '1' HOUR / 0",
        "NULL",
        "CAST(NULL AS INTERVAL HOUR)",
        "INTERVAL '100000000' MONTH * 100",
        "2147483647 + 1",
        "CAST('1' AS INTERVAL HOUR)",
    ],
)
def test_what_varies_or_overflows_is_no_constant(sql: str) -> None:
    assert folded(sql) is None


def test_what_does_not_bind_is_refused() -> None:
    with pytest.raises(SqlError) as caught:
        folded("INTERVAL '1:30' HOUR * 2")
    assert caught.value.code is Code.BAD_LITERAL
