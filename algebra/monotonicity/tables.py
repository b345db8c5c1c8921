"""Monotonicity: six values, and the tables by which operators combine them (S-401, S-402)."""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import reduce
from typing import Final

from algebra.constraints.number_range import Sign


class Monotonicity(StrEnum):
    """How the values of consecutive rows compare (MON-004 to MON-007).

    In the words of the SQLstream documentation a constant is both ascending and descending, but no
    query makes progress by it (S-404); here it is neither.

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

#: ``-m``; unlisted values are unchanged.
REVERSE: Final[Mapping[Monotonicity, Monotonicity]] = {_S: _T, _I: _D, _T: _S, _D: _I}

#: ``FLOOR(m)`` and similar functions; unlisted values are unchanged.
UNSTRICT: Final[Mapping[Monotonicity, Monotonicity]] = {_S: _I, _T: _D}

#: ``a + b``, given ``a`` (row) and ``b`` (column); symmetric; unlisted pairs are NOT_MONOTONIC.
PLUS: Final[Mapping[tuple[Monotonicity, Monotonicity], Monotonicity]] = {
    (_C, _C): _C, (_C, _I): _I, (_C, _S): _S, (_C, _D): _D, (_C, _T): _T,
                  (_I, _I): _I, (_I, _S): _S,
                                (_S, _S): _S,
                                              (_D, _D): _D, (_D, _T): _T,
                                                            (_T, _T): _T,
}  # fmt: skip

#: ``GREATEST(a, b)``, LEAST, AND and OR, as `PLUS`; strict only if both operands are, because
#: either may be the result.
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

#: ``m * c`` and ``m / c``, given ``m`` and the sign of ``c``; unlisted pairs are NOT_MONOTONIC.
#: With a factor that may be 0 the result is not strict.  (``m / 0`` is an error, and not in this
#: table.)
TIMES: Final[Mapping[tuple[Monotonicity, Sign | None], Monotonicity]] = {
    (_C, _NEG): _C, (_C, _NPOS): _C, (_C, _ZERO): _C, (_C, _NNEG): _C, (_C, _POS): _C,
    (_S, _NEG): _T, (_S, _NPOS): _D, (_S, _ZERO): _C, (_S, _NNEG): _I, (_S, _POS): _S,
    (_I, _NEG): _D, (_I, _NPOS): _D, (_I, _ZERO): _C, (_I, _NNEG): _I, (_I, _POS): _I,
    (_T, _NEG): _S, (_T, _NPOS): _I, (_T, _ZERO): _C, (_T, _NNEG): _D, (_T, _POS): _T,
    (_D, _NEG): _I, (_D, _NPOS): _I, (_D, _ZERO): _C, (_D, _NNEG): _D, (_D, _POS): _D,
}  # fmt: skip

#: ``c / m``, given the sign of ``c`` and ``m``, which has one sign and is never 0 (E-50); unlisted
#: pairs are NOT_MONOTONIC.  Never strict, because a quotient is truncated or rounded.
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
    """The monotonicity of a function that never decreases with an operand (`EITHER`): GREATEST."""
    return reduce(lambda a, b: EITHER.get((a, b)) or EITHER.get((b, a)) or _N, orders)


def times(
    a: Monotonicity, sign_a: Sign | None, b: Monotonicity, sign_b: Sign | None
) -> Monotonicity:
    """The monotonicity of a product of exact values: each factor contributes by the other's sign.

    A sign is None if it is not known; with a constant factor it is not needed.

    Defines: S-402.d
    """
    if _ZERO in (sign_a, sign_b):
        return _C
    return plus(_times(a, sign_b), _times(b, sign_a))


def quotient(
    a: Monotonicity, sign_a: Sign | None, b: Monotonicity, sign_b: Sign | None
) -> Monotonicity:
    """The monotonicity of ``a / b``, not rounded, for a ``b`` of one sign that is never 0.

    None: the sign of the operand is not known.

    Defines: S-402.b
    """
    if sign_b not in (_NEG, _POS):
        return _N
    if sign_a is _ZERO:
        return _C
    below = _C if b is _C else UNDER.get((sign_a, b), _N)
    return plus(_times(a, sign_b), below)


def _times(m: Monotonicity, sign: Sign | None) -> Monotonicity:
    return _C if m is _C else TIMES.get((m, sign), _N)
