"""LIKE and SIMILAR TO: whether a text matches a pattern.

The time is at most proportional to the product of the lengths of the text and the pattern.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from algebra.patterns import (
    ANY_CHARACTER,
    Alternatives,
    Characters,
    Pattern,
    PatternError,
    Repetition,
    Sequence,
    like_pattern,
    similar_pattern,
)
from grammar.codes import Code
from reference.values import failure


def like(text: str, pattern: str, escape: str | None = None) -> bool:
    """LIKE: ``%`` matches any text, ``_`` any character; after ``escape`` each matches itself.

    Raises INVALID_ARGUMENT if ``escape`` is not one character, or if a character other than ``%``,
    ``_`` and itself follows it.
    """
    try:
        return _like(pattern, escape).fullmatch(text) is not None
    except PatternError as error:
        raise failure(Code.INVALID_ARGUMENT, str(error)) from None


def similar(text: str, pattern: str, escape: str | None = None) -> bool:
    """SIMILAR TO: LIKE with ``|``, ``*``, ``+``, ``?``, ``{m,n}``, ``( )`` and ``[ ]``.

    Raises INVALID_ARGUMENT if ``pattern`` is not a valid pattern.
    """
    try:
        return _similar(pattern, escape).matches(text)
    except PatternError as error:
        raise failure(Code.INVALID_ARGUMENT, str(error)) from None


@lru_cache(maxsize=256)
def _like(pattern: str, escape: str | None) -> "re.Pattern[str]":
    """A pattern of LIKE as a regular expression that tries each place at most once.

    A part between two ``%`` is matched at its first place, and no later place is tried: a text that
    matches after a later place also matches after the first one.
    """
    pieces = [""]
    for part in like_pattern(pattern, escape):
        match part:
            case Characters(((low, _),)):
                pieces[-1] += "." if part == ANY_CHARACTER else re.escape(chr(low))
            case _:
                pieces.append("")
    first, *between = pieces
    if not between:
        return re.compile(first, re.DOTALL)
    *middle, last = between
    found = "".join(f"(?>.*?{each})" for each in middle if each)
    return re.compile(f"{first}{found}.*{last}", re.DOTALL)


@lru_cache(maxsize=256)
def _similar(pattern: str, escape: str | None) -> "_Automaton":
    """The automaton of a pattern of SIMILAR TO."""
    positions = _Positions()
    whole = positions.fragment(similar_pattern(pattern, escape))
    return _Automaton(positions, whole)


@dataclass(frozen=True, slots=True)
class _Fragment:
    """A part of a pattern: the positions that can begin its text, and end it, as bits.

    ``empty``: whether the empty text matches.
    """

    empty: bool
    first: int
    last: int


#: Matches only the empty text; and matches no text.
_EMPTY: Final = _Fragment(True, 0, 0)
_NOTHING: Final = _Fragment(False, 0, 0)


class _Positions:
    """The positions of a pattern, by Glushkov's construction: one for each character of it.

    Repetitions are expanded. ``sets`` has for each position the characters that it accepts.
    ``following`` has for each position the positions that can come next, as an integer: bit n is
    set if position n can come next.
    """

    def __init__(self) -> None:
        self.sets: list[Characters] = []
        self.following: list[int] = []

    def fragment(self, pattern: Pattern) -> _Fragment:
        """Add the positions of ``pattern``, and return its fragment."""
        match pattern:
            case Characters():
                self.sets.append(pattern)
                self.following.append(0)
                here = 1 << (len(self.sets) - 1)
                return _Fragment(False, here, here)
            case Sequence(parts):
                found = _EMPTY
                for each in parts:
                    found = self._then(found, self.fragment(each))
                return found
            case Alternatives(branches):
                found = _NOTHING
                for each in branches:
                    found = _either(found, self.fragment(each))
                return found
            case Repetition(of, least, most):
                return self._repetition(of, least, most)

    def _repetition(self, of: Pattern, least: int, most: int | None) -> _Fragment:
        """The fragment of ``least`` to ``most`` repetitions of ``of`` (``most`` None: any number).

        Each repetition has positions of its own, and those after ``least`` are optional.  If there
        is no limit, the last repetition can also follow itself.
        """
        found = _EMPTY
        for _ in range(least if most is not None else least - 1):
            found = self._then(found, self.fragment(of))
        if most is not None:
            for _ in range(most - least):
                found = self._then(found, _optional(self.fragment(of)))
            return found
        again = self.fragment(of)
        self._link(again.last, again.first)
        return self._then(found, again if least else _optional(again))

    def _then(self, a: _Fragment, b: _Fragment) -> _Fragment:
        """The fragment of a text of ``a``, followed by a text of ``b``."""
        self._link(a.last, b.first)
        return _Fragment(
            a.empty and b.empty,
            a.first | (b.first if a.empty else 0),
            b.last | (a.last if b.empty else 0),
        )

    def _link(self, ends: int, starts: int) -> None:
        """Let the positions ``starts`` follow each of the positions ``ends``; both are bits."""
        for each in _bits(ends):
            self.following[each] |= starts


def _optional(a: _Fragment) -> _Fragment:
    """The fragment of a text of ``a``, or of the empty text."""
    return _Fragment(True, a.first, a.last)


def _either(a: _Fragment, b: _Fragment) -> _Fragment:
    """The fragment of a text of ``a`` or ``b``."""
    return _Fragment(a.empty or b.empty, a.first | b.first, a.last | b.last)


class _Automaton:
    """Matches texts with a pattern: it follows all paths through the pattern in parallel.

    ``whole`` is the fragment of the whole pattern.  Characters are divided into ranges at
    ``_edges``.
    """

    def __init__(self, positions: _Positions, whole: _Fragment) -> None:
        self._whole = whole
        self._following = positions.following
        ranges = [(range, place) for place, s in enumerate(positions.sets) for range in s.ranges]
        #: Between two edges, a position accepts either all characters or none.
        self._edges = sorted({edge for (low, high), _ in ranges for edge in (low, high + 1)})
        # For each range between two edges, the positions that accept its characters, as bits.
        self._taking = [0] * (len(self._edges) + 1)
        for (low, high), place in ranges:
            for each in range(bisect_right(self._edges, low), bisect_right(self._edges, high) + 1):
                self._taking[each] |= 1 << place

    def matches(self, text: str) -> bool:
        """Whether the whole text matches."""
        if not text:
            return self._whole.empty
        after: Callable[[int], int] = lru_cache(maxsize=1024)(self._after)
        next = self._whole.first
        reached = 0
        for character in text:
            reached = next & self._taking[bisect_right(self._edges, ord(character))]
            if not reached:
                return False
            next = after(reached)
        return reached & self._whole.last != 0

    def _after(self, reached: int) -> int:
        """The positions that may follow the positions ``reached``, as bits."""
        found = 0
        for each in _bits(reached):
            found |= self._following[each]
        return found


def _bits(number: int) -> Iterator[int]:
    """The places of the bits that are set."""
    while number:
        low = number & -number
        yield low.bit_length() - 1
        number ^= low
