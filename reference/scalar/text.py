"""Functions of texts, such as SUBSTRING; positions count code points from 1, as in the standard."""

import re
from collections.abc import Sequence
from typing import Final

from algebra.types import MAX_CHARACTERS
from grammar.codes import Code
from reference.values import failure


def substring(text: str, start: int, length: int | None = None) -> str:
    """SUBSTRING: the characters at places ``[start, start + length)``, of which 1 is the first.

    There are no characters at places outside of the text: ``FROM 0 FOR c`` has at most c - 1
    characters (E-58).  Raises INVALID_ARGUMENT for a negative length.
    """
    if length is None:
        return text[max(start - 1, 0) :]
    if length < 0:
        raise failure(Code.INVALID_ARGUMENT, "SUBSTRING of negative length")
    return text[max(start - 1, 0) : max(start - 1 + length, 0)]


def joined(texts: Sequence[str], separator: str = "") -> str:
    """``||`` and LISTAGG: one or more texts, with ``separator`` between them.  Raises OVERFLOW."""
    _check_length(sum(map(len, texts)) + len(separator) * (len(texts) - 1))
    return separator.join(texts)


def _check_length(length: int) -> None:
    """Raise OVERFLOW if ``length`` is more than the greatest length of a text.

    Defines: S-204.m
    """
    if length > MAX_CHARACTERS:
        message = f"a text would have {length:,} characters; it has at most {MAX_CHARACTERS:,}"
        raise failure(Code.OVERFLOW, message)


def position(needle: str, haystack: str) -> int:
    """POSITION: the place of the first ``needle``; 0 if there is none, 1 if the needle is empty."""
    return haystack.find(needle) + 1


def trimmed(character: str, text: str, leading: bool, trailing: bool) -> str:
    """TRIM: ``text`` without ``character`` at its start (``leading``) and end (``trailing``).

    INVALID_ARGUMENT if ``character`` is not exactly one character.
    """
    if len(character) != 1:
        raise failure(Code.INVALID_ARGUMENT, "TRIM takes exactly one character")
    text = text.lstrip(character) if leading else text
    return text.rstrip(character) if trailing else text


def overlay(text: str, replacement: str, start: int, length: int | None = None) -> str:
    """OVERLAY: ``text`` with ``replacement`` in place of ``length`` characters from ``start`` on.

    By default, ``length`` is that of ``replacement``.
    """
    length = len(replacement) if length is None else length
    return joined([substring(text, 1, start - 1), replacement, substring(text, start + length)])


def initial_capitals(text: str) -> str:
    """INITCAP: the first of each run of letters and digits is a capital, the others are small."""
    return _WORD.sub(lambda found: found[0].capitalize(), text)


#: Letters and digits of any script: the characters of words in Python, without the underscore.
_WORD: Final = re.compile(r"[^\W_]+")


def replaced(text: str, what: str, by: str) -> str:
    """REPLACE: ``text`` with ``by`` in place of every ``what``; an empty ``what`` never occurs."""
    if not what:
        return text
    _check_length(len(text) + text.count(what) * (len(by) - len(what)))
    return text.replace(what, by)


def filled(text: str, length: int, characters: str, *, left: bool) -> str:
    """LPAD (``left``) or RPAD: ``text`` padded with ``characters`` to ``length``.

    A text that is too long is cut on the right.  If ``characters`` is empty, a short text stays
    short.  Raises INVALID_ARGUMENT for a negative length, and OVERFLOW for a length that is more
    than the greatest length of a text.

    Defines: S-204.r
    """
    if length < 0:
        raise failure(Code.INVALID_ARGUMENT, "LPAD or RPAD to a negative length")
    _check_length(length)
    text = text[:length]
    missing = length - len(text)
    filling = (characters * (missing // max(1, len(characters)) + 1))[:missing]
    return filling + text if left else text + filling
