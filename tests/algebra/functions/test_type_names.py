"""The names of types."""

import pytest

from grammar.codes import Code
from tests.algebra.expression_scope import bind, refusal


@pytest.mark.parametrize(
    ("name", "type"),
    [
        ("BOOLEAN", "BOOLEAN"),
        ("TINYINT", "TINYINT"),
        ("SMALLINT", "SMALLINT"),
        ("INT", "INTEGER"),
        ("BIGINT", "BIGINT"),
        ("DECIMAL", "DECIMAL(38, 0)"),
        ("DECIMAL(5)", "DECIMAL(5, 0)"),
        ("NUMERIC(38, 38)", "DECIMAL(38, 38)"),
        ("REAL", "REAL"),
        ("FLOAT", "DOUBLE"),
        ("DOUBLE PRECISION", "DOUBLE"),
        ("CHAR", "CHAR(1)"),
        ("CHARACTER(3)", "CHAR(3)"),
        ("VARCHAR", "VARCHAR"),
        ("VARCHAR(20)", "VARCHAR(20)"),
        ("VARBINARY", "VARBINARY"),
        ("VARBINARY(4)", "VARBINARY(4)"),
        ("DATE", "DATE"),
        ("TIME", "TIME(3)"),
        ("TIME(3)", "TIME(3)"),
        ("TIMESTAMP", "TIMESTAMP(3)"),
        ("INTERVAL DAY TO SECOND", "INTERVAL DAY TO SECOND"),
        ("INTERVAL HOUR(4)", "INTERVAL HOUR"),
        ("INTERVAL WEEK", "INTERVAL DAY"),
        ("INTERVAL QUARTER", "INTERVAL MONTH"),
    ],
)
def test_a_name_is_the_type_of_the_table(name: str, type: str) -> None:
    found = bind(f"CAST(NULL AS {name})").type
    assert str(found) == type
    assert found.nullable


@pytest.mark.parametrize(
    ("name", "code", "hint"),
    [
        ("DECIMAL(39, 2)", Code.NOT_SUPPORTED, "DECIMAL(38, 2)"),
        ("DECIMAL(2, 3)", Code.SYNTAX_ERROR, "DECIMAL(3, 3)"),
        ("DECIMAL(0)", Code.SYNTAX_ERROR, "DECIMAL(1, 0)"),
        ("TIMESTAMP(6)", Code.NOT_SUPPORTED, "TIMESTAMP(3)"),
        ("TIME(0)", Code.NOT_SUPPORTED, "TIME(3)"),
        ("VARCHAR(0)", Code.SYNTAX_ERROR, "VARCHAR(1)"),
        ("CHAR(0)", Code.SYNTAX_ERROR, "CHAR(1)"),
    ],
)
def test_a_type_that_there_is_not_is_refused(name: str, code: Code, hint: str) -> None:
    assert refusal(f"CAST(NULL AS {name})") == (code, name, hint)
    bind(f"CAST(NULL AS {hint})")
