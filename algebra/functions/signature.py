"""How a function is written and what it promises: a row of docs/functions.md."""

from dataclasses import dataclass

#: What most functions make of NULL.
STRICT = "NULL if an argument is"


@dataclass(frozen=True, slots=True)
class Signature:
    """The spellings of a function and its contract, in words.

    ``forms`` show each way to write it, the first is the plain one; ``takes`` and ``gives`` are the
    types of its arguments and of its result, ``errors`` what it may raise when it is evaluated,
    ``source`` a rule (S-nnn), a statement of the pages (CAL-nnn) or a clause of SQL:2016.
    """

    forms: tuple[str, ...]
    takes: str
    gives: str
    source: str
    nulls: str = STRICT
    errors: str = ""
