"""The documentation of a function: its row in docs/functions.md."""

from dataclasses import dataclass

#: The result of most functions for NULL.
STRICT = "NULL if an argument is NULL"
#: The error of an operator whose result is a text that is too long (S-204.m).
TOO_LONG = "OVERFLOW for a text that is too long"


@dataclass(frozen=True, slots=True)
class Signature:
    """The spellings of a function and its contract, in words.

    ``forms`` show each spelling, the plainest first.  ``takes`` and ``gives`` are the types of the
    arguments and of the result.  ``nulls`` states when the result is NULL.  ``errors`` are those
    that evaluation may raise; empty: none.  ``source`` is a rule (S-nnn), a statement of the
    Calcite documentation (CAL-nnn) or a clause of SQL:2016.
    """

    forms: tuple[str, ...]
    takes: str
    gives: str
    source: str
    nulls: str = STRICT
    errors: str = ""
