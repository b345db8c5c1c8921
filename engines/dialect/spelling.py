"""How the SQL standard, and most dialects with it, spell operators, functions and types.

A dialect's printer takes these tables and replaces the lines that it spells otherwise.  ``{0}``,
``{1}`` are the operands' texts; ``{all}`` is all of them with commas between.
"""

from collections.abc import Mapping
from typing import Final

from algebra.expression import AggregateFunction, Op, WindowFunction
from algebra.types import Kind

#: Operators of a fixed number of operands, or of any with ``{all}``.
OPERATORS: Final[Mapping[Op, str]] = {
    Op.NOT: "(NOT {0})",
    Op.IS_NULL: "({0} IS NULL)",
    Op.IS_NOT_NULL: "({0} IS NOT NULL)",
    Op.IS_TRUE: "({0} IS TRUE)",
    Op.IS_NOT_TRUE: "({0} IS NOT TRUE)",
    Op.IS_FALSE: "({0} IS FALSE)",
    Op.IS_NOT_FALSE: "({0} IS NOT FALSE)",
    Op.EQUAL: "({0} = {1})",
    Op.NOT_EQUAL: "({0} <> {1})",
    Op.LESS: "({0} < {1})",
    Op.LESS_OR_EQUAL: "({0} <= {1})",
    Op.GREATER: "({0} > {1})",
    Op.GREATER_OR_EQUAL: "({0} >= {1})",
    Op.IS_DISTINCT_FROM: "({0} IS DISTINCT FROM {1})",
    Op.IS_NOT_DISTINCT_FROM: "({0} IS NOT DISTINCT FROM {1})",
    Op.PLUS: "({0} + {1})",
    Op.MINUS: "({0} - {1})",
    Op.TIMES: "({0} * {1})",
    Op.DIVIDE: "({0} / {1})",
    Op.MOD: "MOD({0}, {1})",
    Op.NEGATE: "(- {0})",
    Op.DATETIME_PLUS: "({0} + {1})",
    Op.ABS: "ABS({0})",
    Op.EXP: "EXP({0})",
    Op.LN: "LN({0})",
    Op.SQRT: "SQRT({0})",
    Op.POWER: "POWER({0}, {1})",
    Op.LOG10: "LOG10({0})",
    Op.SIGN: "SIGN({0})",
    Op.ROUND: "ROUND({all})",
    Op.TRUNCATE: "TRUNCATE({all})",
    Op.RAND: "RAND()",
    Op.FLOOR: "FLOOR({0})",
    Op.CEIL: "CEIL({0})",
    Op.CONCAT: "({0} || {1})",
    Op.POSITION: "POSITION({0} IN {1})",
    Op.TRIM_BOTH: "TRIM(BOTH {0} FROM {1})",
    Op.TRIM_LEADING: "TRIM(LEADING {0} FROM {1})",
    Op.TRIM_TRAILING: "TRIM(TRAILING {0} FROM {1})",
    Op.UPPER: "UPPER({0})",
    Op.LOWER: "LOWER({0})",
    Op.INITCAP: "INITCAP({0})",
    Op.CHAR_LENGTH: "CHAR_LENGTH({0})",
    Op.REPLACE: "REPLACE({0}, {1}, {2})",
    Op.LPAD: "LPAD({0}, {1}, {2})",
    Op.RPAD: "RPAD({0}, {1}, {2})",
    Op.LAST_DAY: "LAST_DAY({0})",
    Op.COALESCE: "COALESCE({all})",
    Op.GREATEST: "GREATEST({all})",
    Op.LEAST: "LEAST({all})",
    Op.MONOTONIC: "{0}",  # an assertion about order; its value is the operand's
}

#: Operators whose spelling depends on how many operands there are: by operator and number.
BY_NUMBER: Final[Mapping[tuple[Op, int], str]] = {
    (Op.SUBSTRING, 2): "SUBSTRING({0} FROM {1})",
    (Op.SUBSTRING, 3): "SUBSTRING({0} FROM {1} FOR {2})",
    (Op.OVERLAY, 3): "OVERLAY({0} PLACING {1} FROM {2})",
    (Op.OVERLAY, 4): "OVERLAY({0} PLACING {1} FROM {2} FOR {3})",
    (Op.LIKE, 2): "({0} LIKE {1})",
    (Op.LIKE, 3): "({0} LIKE {1} ESCAPE {2})",
    (Op.SIMILAR, 2): "({0} SIMILAR TO {1})",
    (Op.SIMILAR, 3): "({0} SIMILAR TO {1} ESCAPE {2})",
}

#: The type names; ``{precision}`` and ``{scale}`` are the type's.  A length of text, 0 where it is
#: unlimited, is written by the printer.
TYPES: Final[Mapping[Kind, str]] = {
    Kind.BOOLEAN: "BOOLEAN",
    Kind.TINYINT: "TINYINT",
    Kind.SMALLINT: "SMALLINT",
    Kind.INTEGER: "INTEGER",
    Kind.BIGINT: "BIGINT",
    Kind.DECIMAL: "DECIMAL({precision}, {scale})",
    Kind.REAL: "REAL",
    Kind.DOUBLE: "DOUBLE",
    Kind.CHAR: "CHAR",
    Kind.VARCHAR: "VARCHAR",
    Kind.VARBINARY: "VARBINARY",
    Kind.DATE: "DATE",
    Kind.TIME: "TIME",
    Kind.TIMESTAMP: "TIMESTAMP({precision})",
}

#: The names of aggregates and window functions that a dialect calls otherwise.
Functions = Mapping[AggregateFunction | WindowFunction, str]
