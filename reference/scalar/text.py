"""Text: by code points, positions from 1, as the standard has it."""

import re
from typing import Final

from grammar.codes import Code
from reference.values import failure


def substring(text: str, start: int, length: int | None = None) -> str:
    """SUBSTRING: the characters at places ``[start, start + length)``, of which 1 is the first.

    Places outside the text hold nothing: ``FROM 0 FOR c`` has c - 1 characters (E-58).  A negative
    length is INVALID_ARGUMENT.
    """
    if length is None:
        return text[max(start - 1, 0) :]
    if length < 0:
        raise failure(Code.INVALID_ARGUMENT, "SUBSTRING of negative length")
    return text[max(start - 1, 0) : max(start - 1 + length, 0)]


def position(needle: str, haystack: str) -> int:
    """POSITION: the place of the first occurrence, 0 if there is none, 1 of an empty needle."""
    return haystack.find(needle) + 1


def trimmed(character: str, text: str, leading: bool, trailing: bool) -> str:
    """TRIM: ``text`` without ``character`` at its ends; not one character is INVALID_ARGUMENT."""
    if len(character) != 1:
        raise failure(Code.INVALID_ARGUMENT, "TRIM takes exactly one character")
    text = text.lstrip(character) if leading else text
    return text.rstrip(character) if trailing else text


def overlay(text: str, replacement: str, start: int, length: int | None = None) -> str:
    """OVERLAY: ``length`` characters from ``start`` on (default: as many as the new) replaced."""
    length = len(replacement) if length is None else length
    return substring(text, 1, start - 1) + replacement + substring(text, start + length)


def initial_capitals(text: str) -> str:
    """INITCAP: of each run of letters and digits the first is a capital, the others are small."""
    return _WORD.sub(lambda found: found[0].capitalize(), text)


#: Letters and digits, whatever the script.
_WORD: Final = re.compile(r"[^\W_]+")


def replaced(text: str, what: str, by: str) -> str:
    """REPLACE: every ``what`` replaced, from the left; an empty one is nowhere."""
    return text.replace(what, by) if what else text


def filled(text: str, length: int, characters: str = " ", *, left: bool) -> str:
    """LPAD (``left``) or RPAD: ``text`` of ``length``, by ``characters`` repeated before or after.

    Too long a text is cut on the right; without characters a short one stays short.  A negative
    length is INVALID_ARGUMENT.
    """
    if length < 0:
        raise failure(Code.INVALID_ARGUMENT, "LPAD or RPAD to a negative length")
    if len(text) >= length or not characters:
        return text[:length]
    missing = length - len(text)
    filling = (characters * (missing // len(characters) + 1))[:missing]
    return filling + text if left else text + filling


def padded(a: str, b: str) -> tuple[str, str]:
    """Two CHARs of the same length, by blanks (S-204).

    Defines: S-204.c
    """
    width = max(len(a), len(b))
    return a.ljust(width), b.ljust(width)


# --- patterns -----------------------------------------------------------------------------------


def like(text: str, pattern: str, escape: str | None = None) -> bool:
    """LIKE: ``%`` is any text, ``_`` any character, after ``escape`` they are themselves.

    INVALID_ARGUMENT for an escape that is not one character or stands before anything else.
    """
    out = ""
    rest = iter(pattern)
    _check_escape(escape)
    for each in rest:
        if each == escape:
            out += re.escape(_escaped(next(rest, None), f"%_{escape}"))
        else:
            out += _WILD.get(each) or re.escape(each)
    return re.fullmatch(out, text, re.DOTALL) is not None


def similar(text: str, pattern: str, escape: str | None = None) -> bool:
    """SIMILAR TO: LIKE with ``|``, ``*``, ``+``, ``?``, ``{m,n}``, ``( )`` and ``[ ]``.

    A pattern that is not of that language is INVALID_ARGUMENT.
    """
    _check_escape(escape)
    expression = _regular(pattern, escape)
    try:
        return re.fullmatch(expression, text, re.DOTALL) is not None
    except re.error as error:
        raise _bad_pattern(pattern) from error


_WILD: Final = {"%": ".*", "_": "."}
_OPERATORS: Final = "|*+?{}()"
_SPECIAL: Final = "%_[]^-" + _OPERATORS
#: The standard's names for sets of characters, as the inside of a Python set.
_CLASSES: Final = {
    "[:ALPHA:]": "A-Za-z",
    "[:UPPER:]": "A-Z",
    "[:LOWER:]": "a-z",
    "[:DIGIT:]": "0-9",
    "[:ALNUM:]": "A-Za-z0-9",
    "[:SPACE:]": " ",
    "[:WHITESPACE:]": r"\s",
}


def _regular(pattern: str, escape: str | None) -> str:
    """A SIMILAR pattern as a Python one."""
    out, at = "", 0
    while at < len(pattern):
        each = pattern[at]
        if each == escape:
            following = pattern[at + 1] if at + 1 < len(pattern) else None
            out += re.escape(_escaped(following, _SPECIAL + each))
            at += 2
        elif each == "[":
            inside, at = _character_set(pattern, at, escape)
            out += inside
        else:
            if each == "(":
                out += "(?:"
            else:
                out += _WILD.get(each) or (each if each in _OPERATORS else re.escape(each))
            at += 1
            # Python reads `*?` and `*+` in other ways; in SQL two in a row are not a pattern.
            if each in "*+?}" and pattern[at : at + 1] in ("*", "+", "?", "{"):
                raise _bad_pattern(pattern)
    return out


def _character_set(pattern: str, at: int, escape: str | None) -> tuple[str, int]:
    """The set that starts at ``pattern[at]``, in Python's notation, and the place after it."""
    out, at = "[", at + 1
    if pattern[at : at + 1] == "^":
        out, at = "[^", at + 1
    first = at
    while at < len(pattern):
        each = pattern[at]
        named = next((n for n in _CLASSES if pattern[at:].upper().startswith(n)), None)
        if named is not None:
            out, at = out + _CLASSES[named], at + len(named)
        elif each == "]" and at > first:
            return out + "]", at + 1
        elif each == escape:
            following = pattern[at + 1] if at + 1 < len(pattern) else None
            out, at = out + re.escape(_escaped(following, _SPECIAL + each)), at + 2
        elif each == "-" and at > first:
            out, at = out + "-", at + 1
        else:
            out, at = out + re.escape(each), at + 1
    raise _bad_pattern(pattern)


def _check_escape(escape: str | None) -> None:
    """Refuse an escape that is not one character."""
    if escape is not None and len(escape) != 1:
        raise failure(Code.INVALID_ARGUMENT, "ESCAPE takes exactly one character")


def _escaped(following: str | None, allowed: str) -> str:
    """The character after an escape, which must be a special one."""
    if following is None or following not in allowed:
        raise failure(Code.INVALID_ARGUMENT, "the escape character stands before no special one")
    return following


def _bad_pattern(pattern: str) -> Exception:
    """The refusal of a SIMILAR pattern."""
    return failure(Code.INVALID_ARGUMENT, f"{pattern!r} is not a pattern of SIMILAR TO")
