"""Patterns of LIKE and SIMILAR TO as regular expressions that read a text only once."""

from functools import lru_cache
from importlib import import_module
from typing import Any

from algebra.patterns import (
    ANY_CHARACTER,
    Alternatives,
    Characters,
    Pattern,
    Repetition,
    Sequence,
    like_pattern,
    similar_pattern,
)

#: The bytes that RE2 may use for an automaton; the longest pattern needs only a small part of them.
_MEMORY = 256 << 20


def like_regex(pattern: str, escape: str | None = None) -> str:
    """A LIKE pattern as a regular expression of Java; PatternError if it is malformed.

    Java tries all combinations of several `.*`.  So each piece between two ``%`` is atomic: it is
    matched at its first place, because a text that matches after a later place also matches after
    the first.
    """
    pieces = [""]
    for each in like_pattern(pattern, escape):
        if isinstance(each, Characters):
            pieces[-1] += "." if each == ANY_CHARACTER else _set(each)
        else:
            pieces.append("")
    if len(pieces) == 1:
        return rf"(?s)\A{pieces[0]}\z"
    between = "".join(f"(?>.*?{each})" for each in pieces[1:-1] if each)
    return rf"(?s)\A{pieces[0]}{between}.*{pieces[-1]}\z"


def is_similar(text: str, pattern: str, escape: str | None = None) -> bool:
    """Whether ``text`` is SIMILAR TO ``pattern``; PatternError if the pattern is malformed.

    RE2 decides, because it reads a text only once.  Java can try exponentially many ways.
    """
    return _compiled(pattern, escape).fullmatch(text) is not None


@lru_cache(maxsize=256)
def _compiled(pattern: str, escape: str | None) -> Any:  # Any: the library has no types
    """The automaton of RE2 for a SIMILAR TO pattern."""
    # Imported here, because only the executors need the library.
    re2 = import_module("re2")
    options = re2.Options()
    options.max_mem = _MEMORY
    options.never_capture = True
    options.log_errors = False
    return re2.compile(similar_regex(pattern, escape), options)


def similar_regex(pattern: str, escape: str | None = None) -> str:
    """A SIMILAR TO pattern as a regular expression of RE2; PatternError if it is malformed."""
    return _regex(similar_pattern(pattern, escape))


def _regex(pattern: Pattern) -> str:
    """A parsed SIMILAR TO pattern, or a part of it, as a regular expression of RE2."""
    match pattern:
        case Characters():
            return _set(pattern)
        case Sequence(parts):
            return "".join(map(_regex, parts))
        case Alternatives(branches):
            return f"(?:{'|'.join(map(_regex, branches))})"
        case Repetition(of, least, most):
            return f"(?:{_regex(of)}){{{least},{'' if most is None else most}}}"


def _set(characters: Characters) -> str:
    """A regular expression for one character of a set, in the notation that Java and RE2 share."""
    match characters.ranges:
        case ():  # it matches no character
            return r"[^\x{0}-\x{10ffff}]"
        case ((low, high),) if low == high:
            return f"\\x{{{low:x}}}"
        case ranges:
            inside = "".join(f"\\x{{{low:x}}}-\\x{{{high:x}}}" for low, high in ranges)
            return f"[{inside}]"
