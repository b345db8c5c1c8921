"""The scalar functions: the table that binds them, and from which docs/functions.md is generated.

A name that is neither here, nor among the aggregates and window functions
(`algebra.functions.aggregates`), nor in the catalog is refused: UNKNOWN_FUNCTION.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from algebra.build import any_nullable
from algebra.expression import Call, Expression, Literal, Op
from algebra.functions.coerce import Operand
from algebra.functions.parameters import Parameter, fit
from algebra.functions.signature import STRICT, TOO_LONG, Signature
from algebra.types import DATE, DOUBLE, INTEGER, MAX_PRECISION, VARCHAR, Kind, Type, decimal


@dataclass(frozen=True, slots=True)
class Result:
    """The result type in words, and as a function of the converted arguments' types."""

    text: str
    of: Callable[[Sequence[Type]], Type]


def _rounded(types: Sequence[Type]) -> Type:
    """The type of ROUND: a DECIMAL has one more digit, because 9.9 is rounded to 10.0."""
    type = types[0]
    if type.kind is not Kind.DECIMAL:
        return type
    return decimal(min(type.precision + 1, MAX_PRECISION), type.scale)


def _sign(types: Sequence[Type]) -> Type:
    """The type of SIGN: a DECIMAL has a digit before the point, because SIGN can be 1."""
    type = types[0]
    if type.kind is not Kind.DECIMAL or type.precision > type.scale:
        return type
    return decimal(min(type.precision + 1, MAX_PRECISION), min(type.scale, MAX_PRECISION - 1))


# The results of the functions in the table below.
_FIRST: Final = Result("the type of `x`", lambda types: types[0])
_ROUNDED: Final = Result(
    "the type of `x`; but DECIMAL(min(p + 1, 38), s) if `x` is a DECIMAL(p, s)", _rounded
)
_SIGN: Final = Result(
    "the type of `x`; if that type is a DECIMAL without digits before the point, the result has one"
    " such digit",
    _sign,
)
_LENGTH_OF_X: Final = Result("VARCHAR with the greatest length of `x`", lambda types: types[0])
_DOUBLE: Final = Result("DOUBLE", lambda _: DOUBLE)
_INTEGER: Final = Result("INTEGER", lambda _: INTEGER)
_VARCHAR: Final = Result("VARCHAR", lambda _: VARCHAR)
_DATE: Final = Result("DATE", lambda _: DATE)


@dataclass(frozen=True, slots=True)
class Scalar:
    """A function that is one operator, and is NULL if an argument is.

    ``defaults`` are the values of the last parameters if their arguments are left out; None: the
    operator has a form without the argument.  The list of functions in the documentation shows
    ``forms`` (calls), ``source`` (where the function is from) and ``errors`` (at run time; empty:
    none).
    """

    op: Op
    parameters: tuple[Parameter, ...]
    result: Result
    forms: tuple[str, ...]
    source: str
    errors: str = ""
    defaults: tuple[Expression | None, ...] = ()

    @property
    def least(self) -> int:
        """The number of arguments that cannot be left out."""
        return len(self.parameters) - len(self.defaults)

    @property
    def signature(self) -> Signature:
        """The function's row in docs/functions.md."""
        takes = "; ".join(each.value for each in self.parameters) or "no argument"
        nulls = STRICT if self.parameters else "never NULL"
        return Signature(self.forms, takes, self.result.text, self.source, nulls, self.errors)


#: Short names for the parameters in the table below.
_N, _I, _D, _T = Parameter.NUMBER, Parameter.INTEGER, Parameter.DOUBLE, Parameter.TEXT
# Texts for the documentation, and the default of LPAD and RPAD.
_OUTSIDE: Final = "INVALID_ARGUMENT outside the function's domain"
_BLANK: Final = (Literal(" ", VARCHAR.as_nullable(False)),)
_2016: Final = "SQL:2016 6.30"
_CALCITE: Final = "ours, after Calcite"


def _pad(op: Op) -> Scalar:
    """LPAD or RPAD, which pad with blanks by default."""
    forms = (f"{op}(x, length)", f"{op}(x, length, characters)")
    errors = f"INVALID_ARGUMENT for a length below 0, {TOO_LONG}"
    return Scalar(op, (_T, _I, _T), _VARCHAR, forms, _CALCITE, errors, _BLANK)


_LENGTH: Final = Scalar(
    Op.CHAR_LENGTH, (_T,), _INTEGER, ("CHAR_LENGTH(x)", "CHARACTER_LENGTH(x)"), _2016
)

#: The functions that are one operator, by name.
FUNCTIONS: Final[Mapping[str, Scalar]] = {
    "ABS": Scalar(Op.ABS, (Parameter.AMOUNT,), _FIRST, ("ABS(x)",), f"S-202, {_2016}", "OVERFLOW"),
    "SIGN": Scalar(Op.SIGN, (_N,), _SIGN, ("SIGN(x)",), _CALCITE),
    "ROUND": Scalar(
        Op.ROUND, (_N, _I), _ROUNDED, ("ROUND(x)", "ROUND(x, digits)"), "S-202", "OVERFLOW", (None,)
    ),
    "TRUNCATE": Scalar(
        Op.TRUNCATE, (_N, _I), _FIRST, ("TRUNCATE(x)", "TRUNCATE(x, digits)"), "S-202", "", (None,)
    ),
    "EXP": Scalar(Op.EXP, (_D,), _DOUBLE, ("EXP(x)",), _2016),
    "LN": Scalar(Op.LN, (_D,), _DOUBLE, ("LN(x)",), _2016, _OUTSIDE),
    "LOG10": Scalar(Op.LOG10, (_D,), _DOUBLE, ("LOG10(x)",), _2016, _OUTSIDE),
    "SQRT": Scalar(Op.SQRT, (_D,), _DOUBLE, ("SQRT(x)",), _2016, _OUTSIDE),
    "POWER": Scalar(Op.POWER, (_D, _D), _DOUBLE, ("POWER(x, y)",), _2016, _OUTSIDE),
    "RAND": Scalar(
        Op.RAND,
        (),
        Result("DOUBLE, at least 0 and less than 1", lambda _: DOUBLE),
        ("RAND()",),
        "ours; in a streaming query it is rejected with NOT_DETERMINISTIC",
    ),
    "UPPER": Scalar(Op.UPPER, (_T,), _LENGTH_OF_X, ("UPPER(x)",), "SQL:2016 6.32"),
    "LOWER": Scalar(Op.LOWER, (_T,), _LENGTH_OF_X, ("LOWER(x)",), "SQL:2016 6.32"),
    "INITCAP": Scalar(Op.INITCAP, (_T,), _LENGTH_OF_X, ("INITCAP(x)",), _CALCITE),
    "CHAR_LENGTH": _LENGTH,
    "CHARACTER_LENGTH": _LENGTH,
    "REPLACE": Scalar(
        Op.REPLACE,
        (_T, _T, _T),
        _VARCHAR,
        ("REPLACE(x, searched, replacement)",),
        _CALCITE,
        TOO_LONG,
    ),
    "LPAD": _pad(Op.LPAD),
    "RPAD": _pad(Op.RPAD),
    "LAST_DAY": Scalar(Op.LAST_DAY, (Parameter.DAY,), _DATE, ("LAST_DAY(x)",), _CALCITE),
}


@dataclass(frozen=True, slots=True)
class UnifyingFunction:
    """A function whose arguments are cast to a common type.

    It takes ``least`` to ``most`` arguments; ``most`` None: any number.  ``signature`` is its row
    in docs/functions.md.
    """

    least: int
    most: int | None
    signature: Signature


_SAME: Final = "values with a common type"
_COMMON: Final = "their common type"

#: The functions whose arguments are cast to a common type, by name.
UNIFYING: Final[Mapping[str, UnifyingFunction]] = {
    "MOD": UnifyingFunction(
        2,
        2,
        Signature(
            ("MOD(x, y)", "x % y"),
            "two exact numbers",
            "the type of `y`; but a DECIMAL if `x` or `y` has digits after the point",
            f"S-202, {_2016}",
            errors="DIVISION_BY_ZERO",
        ),
    ),
    "NULLIF": UnifyingFunction(
        2,
        2,
        Signature(
            ("NULLIF(x, y)",),
            "two comparable values",
            "the type of `x`",
            "SQL:2016 6.12",
            "NULL if `x` is NULL or `x = y`",
        ),
    ),
    "COALESCE": UnifyingFunction(
        2,
        None,
        Signature(
            ("COALESCE(x, y, …)",),
            _SAME,
            _COMMON,
            "SQL:2016 6.12",
            "NULL if all arguments are NULL",
        ),
    ),
    "GREATEST": UnifyingFunction(
        2, None, Signature(("GREATEST(x, y, …)",), _SAME, _COMMON, _CALCITE)
    ),
    "LEAST": UnifyingFunction(2, None, Signature(("LEAST(x, y, …)",), _SAME, _COMMON, _CALCITE)),
}


def bind_scalar(scalar: Scalar, arguments: Sequence[Operand]) -> Expression:
    """A call of a scalar function; TYPE_MISMATCH at the first argument that it does not take.

    The caller has checked the number of arguments.
    """
    pairs = zip(arguments, scalar.parameters, strict=False)
    operands = [fit(argument, parameter) for argument, parameter in pairs]
    # The first default is that of the parameter after the first ``least`` ones.
    left_out = scalar.defaults[len(arguments) - scalar.least :]
    operands += [each for each in left_out if each is not None]
    type = scalar.result.of([each.type for each in operands])
    return Call(scalar.op, tuple(operands), type.as_nullable(any_nullable(operands)))
