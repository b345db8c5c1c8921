"""Functions by which SQLite says what it would pass over; `engines.sqlite.exact` calls them.

Each returns its first argument, or raises ``ValueError``, which fails the query.
"""

from collections.abc import Callable
from typing import Final

_Stored = int | float | str | None


def fit(value: _Stored, bits: int) -> _Stored:
    """The whole number if it fits into ``bits``; SQLite itself knows no range (D-32).

    A number that does not fit into 64 bits has become a float.
    """
    if value is None:
        return None
    limit = 2 ** (bits - 1)
    if not isinstance(value, int) or not (-limit <= value < limit):
        raise ValueError(value)
    return value


def fit_digits(value: _Stored, digits: int) -> _Stored:
    """The last digits of a DECIMAL, if it has that many."""
    if value is None:
        return None
    if not isinstance(value, int) or abs(value) >= 10**digits:
        raise ValueError(value)
    return value


def whole(value: float | None) -> int | None:
    """A float without fraction as an integer, if it fits into 64 bits."""
    if value is None:
        return None
    if abs(value) >= 2**63:
        raise ValueError(value)
    return int(value)


def fit_time(operand: str | None, moved: str | None) -> str | None:
    """The time that an operation made; SQLite returns NULL after the year 9999 (D-04)."""
    if operand is not None and (moved is None or not "0001" <= moved[:4] <= "9999"):
        raise ValueError(operand)
    return moved


def not_zero(value: _Stored) -> _Stored:
    """The divisor; SQLite gives NULL for a quotient by zero (D-08)."""
    if value == 0:
        raise ValueError(value)
    return value


#: Name, number of arguments, function.
FUNCTIONS: Final[tuple[tuple[str, int, Callable[..., _Stored]], ...]] = (
    ("fit", 2, fit),
    ("fit_digits", 2, fit_digits),
    ("whole", 1, whole),
    ("fit_time", 2, fit_time),
    ("not_zero", 1, not_zero),
)
