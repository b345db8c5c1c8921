"""Monotonicity: six values, and the tables by which operators combine them (S-401, S-402)."""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import reduce
from typing import Final

from algebra.constraints.number_range import Sign


class Monotonicity(StrEnum):
    """How the values of consecutive rows compare (MON-004 to MON-007).

    In the SQLstream documentation a constant is both ascending and descending.  Here it is neither,
    because a query makes no progress by a constant (S-404).

    Defines: S-401.a
    """

    CONSTANT = "CONSTANT"
    STRICTLY_INCREASING = "STRICTLY_INCREASING"
    INCREASING = "INCREASING"
    STRICTLY_DECREASING = "STRICTLY_DECREASING"
    DECREASING = "DECREASING"
    NOT_MONOTONIC = "NOT_MONOTONIC"

    def reverse(self) -> "Monotonicity":
        """The monotonicity of the negated values, as strict as before (MON-030)."""
        return REVERSE.get(self, self)

    def unstrict(self) -> "Monotonicity":
        """The same direction, but consecutive values may be equal (MON-018)."""
        return UNSTRICT.get(self, self)

    @property
    def ascending(self) -> bool:
        """Whether no value is less than the one before it, and values may increase."""
        return self in (Monotonicity.STRICTLY_INCREASING, Monotonicity.INCREASING)

    @property
    def descending(self) -> bool:
        """Whether no value is greater than the one before it, and values may decrease."""
        return self in (Monotonicity.STRICTLY_DECREASING, Monotonicity.DECREASING)

    @property
    def strict(self) -> bool:
        """Whether no two values are equal."""
        return self in (Monotonicity.STRICTLY_INCREASING, Monotonicity.STRICTLY_DECREASING)

    @property
    def progresses(self) -> bool:
        """Whether values advance in one direction, so that a bound can pass them (S-404).

        Defines: S-404.a
        """
        return self.ascending or self.descending


_C: Final = Monotonicity.CONSTANT
_S: Final = Monotonicity.STRICTLY_INCREASING
_I: Final = Monotonicity.INCREASING
_T: Final = Monotonicity.STRICTLY_DECREASING
_D: Final = Monotonicity.DECREASING
_N: Final = Monotonicity.NOT_MONOTONIC

#: The monotonicity of ``-x`` for each monotonicity of x; the monotonicities that are not listed
#: are unchanged.
REVERSE: Final[Mapping[Monotonicity, Monotonicity]] = {_S: _T, _I: _D, _T: _S, _D: _I}

#: The monotonicity of ``FLOOR(x)`` and similar functions for each monotonicity of x; those that are
#: not listed are unchanged.
UNSTRICT: Final[Mapping[Monotonicity, Monotonicity]] = {_S: _I, _T: _D}

#: The monotonicity of ``a + b`` for the monotonicities of a and b, in either order.  Pairs that are
#: not listed are NOT_MONOTONIC.  In the layout, a line has one ``a``, and a column one ``b``.
PLUS: Final[Mapping[tuple[Monotonicity, Monotonicity], Monotonicity]] = {
    (_C, _C): _C, (_C, _I): _I, (_C, _S): _S, (_C, _D): _D, (_C, _T): _T,
                  (_I, _I): _I, (_I, _S): _S,
                                (_S, _S): _S,
                                              (_D, _D): _D, (_D, _T): _T,
                                                            (_T, _T): _T,
}  # fmt: skip

#: The monotonicity of ``GREATEST(a, b)``, LEAST, AND and OR, as in `PLUS`.  It is strict only if
#: both operands are, because either may be the result.
EITHER: Final[Mapping[tuple[Monotonicity, Monotonicity], Monotonicity]] = {
    (_C, _C): _C, (_C, _I): _I, (_C, _S): _I, (_C, _D): _D, (_C, _T): _D,
                  (_I, _I): _I, (_I, _S): _I,
                                (_S, _S): _S,
                                              (_D, _D): _D, (_D, _T): _D,
                                                            (_T, _T): _T,
}  # fmt: skip

_NEG: Final = Sign.NEGATIVE
_NPOS: Final = Sign.NOT_POSITIVE
_ZERO: Final = Sign.ZERO
_NNEG: Final = Sign.NOT_NEGATIVE
_POS: Final = Sign.POSITIVE

#: The monotonicity of ``x * c`` and ``x / c``, for the monotonicity of x and the sign of the
#: constant c.  Pairs that are not listed are NOT_MONOTONIC.  With a factor that may be 0 the result
#: is not strict.  (``x / 0`` is an error, and not in this table.)
TIMES: Final[Mapping[tuple[Monotonicity, Sign | None], Monotonicity]] = {
    (_C, _NEG): _C, (_C, _NPOS): _C, (_C, _ZERO): _C, (_C, _NNEG): _C, (_C, _POS): _C,
    (_S, _NEG): _T, (_S, _NPOS): _D, (_S, _ZERO): _C, (_S, _NNEG): _I, (_S, _POS): _S,
    (_I, _NEG): _D, (_I, _NPOS): _D, (_I, _ZERO): _C, (_I, _NNEG): _I, (_I, _POS): _I,
    (_T, _NEG): _S, (_T, _NPOS): _I, (_T, _ZERO): _C, (_T, _NNEG): _D, (_T, _POS): _T,
    (_D, _NEG): _I, (_D, _NPOS): _I, (_D, _ZERO): _C, (_D, _NNEG): _D, (_D, _POS): _D,
}  # fmt: skip

#: The monotonicity of ``c / x``, for the sign of the constant c and the monotonicity of x.  The x
#: has one sign and is never 0 (E-50).  Pairs that are not listed are NOT_MONOTONIC.  The result is
#: never strict, because a quotient is truncated or rounded.
UNDER: Final[Mapping[tuple[Sign | None, Monotonicity], Monotonicity]] = {
    (_NEG, _S): _I, (_NPOS, _S): _I, (_ZERO, _S): _C, (_NNEG, _S): _D, (_POS, _S): _D,
    (_NEG, _I): _I, (_NPOS, _I): _I, (_ZERO, _I): _C, (_NNEG, _I): _D, (_POS, _I): _D,
    (_NEG, _T): _D, (_NPOS, _T): _D, (_ZERO, _T): _C, (_NNEG, _T): _I, (_POS, _T): _I,
    (_NEG, _D): _D, (_NPOS, _D): _D, (_ZERO, _D): _C, (_NNEG, _D): _I, (_POS, _D): _I,
    (_NEG, _C): _C, (_NPOS, _C): _C, (_ZERO, _C): _C, (_NNEG, _C): _C, (_POS, _C): _C,
}  # fmt: skip


def plus(a: Monotonicity, b: Monotonicity) -> Monotonicity:
    """The monotonicity of a sum of exact values (`PLUS`).

    It is also that of any function that strictly increases with each of two operands.

    Defines: S-402.c
    """
    return PLUS.get((a, b)) or PLUS.get((b, a)) or Monotonicity.NOT_MONOTONIC


def either(orders: Iterable[Monotonicity]) -> Monotonicity:
    """The monotonicity of a function whose value is one of its operands: GREATEST (`EITHER`)."""
    return reduce(lambda a, b: EITHER.get((a, b)) or EITHER.get((b, a)) or _N, orders)


def times(
    a: Monotonicity, sign_a: Sign | None, b: Monotonicity, sign_b: Sign | None
) -> Monotonicity:
    """The monotonicity of ``a * b``, exact values with these orders and signs.

    The effect of each factor's order depends on the sign of the other factor.  A sign is None if it
    is not known; the sign of a factor is not needed if the other one is constant.

    Defines: S-402.d
    """
    if _ZERO in (sign_a, sign_b):
        return _C
    return plus(_times(a, sign_b), _times(b, sign_a))


def quotient(
    a: Monotonicity, sign_a: Sign | None, b: Monotonicity, sign_b: Sign | None
) -> Monotonicity:
    """The monotonicity of ``a / b``, not rounded, of values with these orders and signs.

    A sign is None if it is not known.  NOT_MONOTONIC unless ``b`` has one sign and is never 0.

    Defines: S-402.b
    """
    if sign_b not in (_NEG, _POS):
        return _N
    if sign_a is _ZERO:
        return _C
    # The order that the quotient has as a function of `a`, plus that as a function of `b`.
    below = _C if b is _C else UNDER.get((sign_a, b), _N)
    return plus(_times(a, sign_b), below)


def _times(m: Monotonicity, sign: Sign | None) -> Monotonicity:
    """The monotonicity of the product of a value of the order ``m`` and a number with ``sign``."""
    return _C if m is _C else TIMES.get((m, sign), _N)
