"""The operators that return NULL if an operand is NULL, as functions of non-NULL operands."""

from collections.abc import Callable, Sequence
from functools import cmp_to_key, partial
from random import random
from typing import TypeAlias

from algebra.expression import Call, Op, Value
from algebra.types import DATETIME
from reference.environment import Environment
from reference.scalar import datetimes
from reference.scalar.arithmetic import (
    absolute,
    negated,
    rounded_number,
    rounded_to,
    sign,
    step_number,
    transcendental,
)
from reference.scalar.patterns import like, similar
from reference.scalar.text import (
    filled,
    initial_capitals,
    joined,
    overlay,
    position,
    replaced,
    substring,
    trimmed,
)
from reference.values import compare, floating, integer, text

#: Functions of one, two, or any number of operands, none of which is NULL.
Unary: TypeAlias = Callable[[Value], Value]
Binary: TypeAlias = Callable[[Value, Value], Value]
Variadic: TypeAlias = Callable[[Sequence[Value]], Value]


def unary(call: Call) -> Unary | None:
    """The function of an operator that always has one operand; None for any other operator."""
    type = call.type
    of = call.operands[0].type
    match call.op:
        case Op.NEGATE:
            return partial(negated, type)
        case Op.ABS:
            return partial(absolute, type)
        case Op.SIGN:
            return partial(sign, type)
        case Op.FLOOR | Op.CEIL:
            return partial(rounded_number, call.op is Op.CEIL, type)
        case Op.EXP | Op.LN | Op.LOG10 | Op.SQRT:
            return lambda a: transcendental(call.op, floating(a))
        case Op.LAST_DAY:
            return lambda a: datetimes.last_day(of.kind, integer(a))
        case Op.UPPER:
            return lambda a: text(a).upper()
        case Op.LOWER:
            return lambda a: text(a).lower()
        case Op.INITCAP:
            return lambda a: initial_capitals(text(a))
        case Op.CHAR_LENGTH:
            return lambda a: len(text(a))
        case _:
            return None


def binary(call: Call, env: Environment) -> Binary | None:
    """The function of an operator that always has two operands; None for any other operator."""
    type = call.type
    a_type, b_type = (each.type for each in call.operands)
    a_kind, b_kind = a_type.kind, b_type.kind
    match call.op:
        case Op.PLUS | Op.MINUS | Op.TIMES | Op.DIVIDE | Op.MOD:
            return env.forms.arithmetic(call.op, type, (a_type, b_type))
        case Op.POWER:
            return lambda a, b: transcendental(call.op, floating(a), floating(b))
        case Op.DATETIME_PLUS:
            return lambda a, b: datetimes.plus(type, integer(a), a_kind, integer(b), b_kind)
        case Op.DATETIME_MINUS:
            return lambda a, b: datetimes.minus(type, integer(a), a_kind, integer(b), b_kind)
        case Op.STEP if a_kind in DATETIME:
            return lambda a, b: datetimes.step(a_kind, integer(a), integer(b), b_kind)
        case Op.STEP:
            return partial(step_number, type)
        case Op.CONCAT:
            return lambda a, b: joined((text(a), text(b)))
        case Op.POSITION:
            return lambda a, b: position(text(a), text(b))
        case Op.TRIM_BOTH:
            return lambda a, b: trimmed(text(a), text(b), leading=True, trailing=True)
        case Op.TRIM_LEADING:
            return lambda a, b: trimmed(text(a), text(b), leading=True, trailing=False)
        case Op.TRIM_TRAILING:
            return lambda a, b: trimmed(text(a), text(b), leading=False, trailing=True)
        case _:
            return None


def variadic(call: Call) -> Variadic:
    """The function from all operands to the result, for the operators of any other number."""
    match call.op:
        case Op.ROUND | Op.TRUNCATE:
            of, cut = call.operands[0].type, call.op is Op.TRUNCATE
            return lambda v: rounded_to(
                v[0], of, integer(v[1]) if len(v) > 1 else 0, call.type, cut=cut
            )
        case Op.RAND:
            return lambda _: random()
        case Op.GREATEST:
            return partial(max, key=cmp_to_key(compare))
        case Op.LEAST:
            return partial(min, key=cmp_to_key(compare))
        case Op.SUBSTRING:
            return lambda v: substring(text(v[0]), *map(integer, v[1:]))
        case Op.OVERLAY:
            return lambda v: overlay(text(v[0]), text(v[1]), *map(integer, v[2:]))
        case Op.REPLACE:
            return lambda v: replaced(*map(text, v))
        case Op.LPAD | Op.RPAD:
            left = call.op is Op.LPAD
            return lambda v: filled(text(v[0]), integer(v[1]), text(v[2]), left=left)
        case Op.LIKE:
            return lambda v: like(*map(text, v))
        case Op.SIMILAR:
            return lambda v: similar(*map(text, v))
        case _:
            raise AssertionError(f"{call.op} of {len(call.operands)} operands")
