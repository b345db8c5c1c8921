"""Patterns of LIKE and SIMILAR TO, parsed to trees (SQL:2016 8.5 and 8.6).

An engine matches texts with these trees, so that it need not parse the patterns.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Final

#: The most characters of a SIMILAR pattern, if its repetitions are written out.
#:
#: Defines: S-204.j
MOST_CHARACTERS: Final = 1_000
#: The deepest nesting of brackets in a SIMILAR pattern.
MOST_NESTING: Final = 32

#: The last code point.
_LAST: Final = 0x10FFFF
#: The characters with a meaning in a SIMILAR pattern: only these, and the escape, can be escaped.
_SPECIAL: Final = "%_|*+?{}()[]^-"

#: Code points from the first to the second, both included.
Range = tuple[int, int]


class PatternError(ValueError):
    """A text is not a valid pattern; the message has the reason."""


@dataclass(frozen=True, slots=True)
class Characters:
    """One character whose code point is in one of ``ranges``, which are sorted and disjoint."""

    ranges: tuple[Range, ...]


@dataclass(frozen=True, slots=True)
class Sequence:
    """A text of one part after the other; the empty text if there are no parts."""

    parts: "tuple[Pattern, ...]"


@dataclass(frozen=True, slots=True)
class Alternatives:
    """A text of one of the branches."""

    branches: "tuple[Pattern, ...]"


@dataclass(frozen=True, slots=True)
class Repetition:
    """``of``, at least ``least`` and at most ``most`` times; None: any number of times."""

    of: "Pattern"
    least: int
    most: int | None


Pattern = Characters | Sequence | Alternatives | Repetition

#: ``_``: any character.
ANY_CHARACTER: Final = Characters(((0, _LAST),))
_WILDCARDS: Final[dict[str, Pattern]] = {
    "%": Repetition(ANY_CHARACTER, 0, None),
    "_": ANY_CHARACTER,
}

_UPPER: Final[Range] = (ord("A"), ord("Z"))
_LOWER: Final[Range] = (ord("a"), ord("z"))
_DIGIT: Final[Range] = (ord("0"), ord("9"))
#: The sets of characters that have a name: letters are the Latin ones, white space is Unicode's.
#:
#: Defines: S-204.i, S-204.o
_CLASSES: Final[dict[str, tuple[Range, ...]]] = {
    "ALPHA": (_UPPER, _LOWER),
    "UPPER": (_UPPER,),
    "LOWER": (_LOWER,),
    "DIGIT": (_DIGIT,),
    "ALNUM": (_UPPER, _LOWER, _DIGIT),
    "SPACE": ((0x20, 0x20),),
    "WHITESPACE": (
        (0x09, 0x0D), (0x20, 0x20), (0x85, 0x85), (0xA0, 0xA0), (0x1680, 0x1680),
        (0x2000, 0x200A), (0x2028, 0x2029), (0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000),
    ),
}  # fmt: skip


def like_pattern(pattern: str, escape: str | None = None) -> tuple[Pattern, ...]:
    """The parts of a LIKE pattern, one for each character: ``%`` is any text, ``_`` any character.

    Raises PatternError if ``escape`` is not one character, or if it is before another character
    than ``%``, ``_`` and itself.
    """
    _check_escape(escape)
    parts: list[Pattern] = []
    rest = iter(pattern)
    for each in rest:
        if each == escape:
            escaped = next(rest, "")
            if escaped not in ("%", "_", escape):
                raise PatternError(f"{escape!r} escapes {escaped!r} in the pattern {pattern!r}")
            parts.append(_one(escaped))
        else:
            parts.append(_WILDCARDS.get(each) or _one(each))
    return tuple(parts)


def similar_pattern(pattern: str, escape: str | None = None) -> Pattern:
    """The tree of a SIMILAR TO pattern: LIKE's signs, and ``| * + ? {m} {m,} {m,n} ( ) [ ]``.

    Raises PatternError if the text is not such a pattern, or exceeds `MOST_CHARACTERS` or
    `MOST_NESTING`.
    """
    _check_escape(escape)
    reader = _Reader(pattern, escape)
    found = reader.alternatives(depth=0)
    if reader.at < len(pattern):
        raise reader.refused("')' closes nothing")
    if _width(found) > MOST_CHARACTERS:
        raise PatternError(
            f"a pattern of SIMILAR TO has at most {MOST_CHARACTERS} characters, "
            "repetitions written out"
        )
    return found


def _check_escape(escape: str | None) -> None:
    """Raise PatternError if ``escape`` is not one character."""
    if escape is not None and len(escape) != 1:
        raise PatternError("ESCAPE takes exactly one character")


class _Reader:
    """Parses a SIMILAR pattern by recursive descent; ``at`` is the place of the next character.

    ``depth`` is the number of open parentheses.
    """

    def __init__(self, text: str, escape: str | None) -> None:
        self._text = text
        self._escape = escape
        #: The signs that end a sequence, except the escape.
        self._ends = {"|", ")"} - {escape}
        self.at = 0

    def alternatives(self, depth: int) -> Pattern:
        """Read alternatives, up to the end of the text or to a closing parenthesis."""
        if depth > MOST_NESTING:
            raise PatternError(f"brackets in a pattern nest {MOST_NESTING} deep at most")
        branches: list[Pattern] = [self._sequence(depth)]
        while self._read_if_next("|"):
            branches.append(self._sequence(depth))
        return branches[0] if len(branches) == 1 else Alternatives(tuple(branches))

    def refused(self, why: str) -> PatternError:
        """The error that this pattern has the fault ``why``."""
        return PatternError(f"{why} in the pattern {self._text!r}")

    def _sequence(self, depth: int) -> Sequence:
        """Read parts, each with its repetition, up to ``|``, ``)`` or the end of the text."""
        parts: list[Pattern] = []
        while self.at < len(self._text) and self._text[self.at] not in self._ends:
            part = self._part(depth)
            parts.append(self._repeated(part))
        return Sequence(tuple(parts))

    def _part(self, depth: int) -> Pattern:
        """Read one character, wildcard, set, or parentheses with their content."""
        each = self._next()
        match each:
            case self._escape:
                return _one(self._escaped())
            case "%" | "_":
                return _WILDCARDS[each]
            case "(":
                inner = self.alternatives(depth + 1)
                if not self._read_if_next(")"):
                    raise self.refused("'(' is never closed")
                return inner
            case "[":
                return self._set()
            case "*" | "+" | "?" | "{":
                raise self.refused(f"{each!r} repeats nothing")
            case "]" | "}":
                raise self.refused(f"{each!r} closes nothing")
            case _:
                return _one(each)

    def _repeated(self, of: Pattern) -> Pattern:
        """Read the repetition that follows ``of``, if any, and return ``of`` with it.

        A second repetition is not read, so `_part` raises an error for it.
        """
        if self._read_if_next("*"):
            return Repetition(of, 0, None)
        if self._read_if_next("+"):
            return Repetition(of, 1, None)
        if self._read_if_next("?"):
            return Repetition(of, 0, 1)
        if not self._read_if_next("{"):
            return of
        counts, closed, _ = self._text[self.at :].partition("}")
        least, comma, most = counts.partition(",")
        self.at += len(counts) + 1
        if not closed or not _is_count(least) or not (most == "" or _is_count(most)):
            raise self.refused("'{' is followed by no numbers")
        first = _count(least)
        last = None if comma and not most else _count(most or least)
        if last is not None and last < first:
            raise self.refused(f"'{{{counts}}}' counts down")
        return Repetition(of, first, last)

    def _set(self) -> Characters:
        """Read a set after its ``[``: ``[a-c]``, ``[^a-c]``, ``[a-z^aeiou]`` or ``[[:DIGIT:]]``."""
        included: list[Range] = []
        excluded: list[Range] = []
        into = included
        while not self._read_if_next("]"):
            if self._read_if_next("[:"):
                name, closed, _ = self._text[self.at :].partition(":]")
                if not closed or name.upper() not in _CLASSES:
                    raise self.refused("'[:' is followed by no name of a set")
                self.at += len(name) + 2
                into.extend(_CLASSES[name.upper()])
            elif into is included and self._read_if_next("^"):
                into = excluded
            else:
                low = self._member()
                high = self._member() if self._read_if_next("-") else low
                if high < low:
                    raise self.refused(f"'{low}-{high}' counts down")
                into.append((ord(low), ord(high)))
        if not into:
            raise self.refused("a set has no character")
        return Characters(_without(included or [(0, _LAST)], excluded))

    def _member(self) -> str:
        """Read one character of a set, perhaps after the escape."""
        each = self._next()
        return self._escaped() if each == self._escape else each

    def _escaped(self) -> str:
        """Read the character after the escape."""
        each = self._next()
        if each not in _SPECIAL and each != self._escape:
            raise self.refused(f"{self._escape!r} escapes {each!r}")
        return each

    def _next(self) -> str:
        """Read one character."""
        if self.at == len(self._text):
            raise self.refused("something is missing at the end")
        self.at += 1
        return self._text[self.at - 1]

    def _read_if_next(self, sign: str) -> bool:
        """Read ``sign`` if the text continues with it, and return whether it does."""
        found = sign != self._escape and self._text.startswith(sign, self.at)
        self.at += len(sign) if found else 0
        return found


def _one(character: str) -> Characters:
    """The pattern of exactly this character."""
    return Characters(((ord(character), ord(character)),))


def _is_count(text: str) -> bool:
    """Whether a text is a count in decimal digits."""
    return text.isascii() and text.isdigit()


def _count(digits: str) -> int:
    """The number that ``digits`` are.

    A long number is cut to nine digits, and is then still far above `MOST_CHARACTERS`.
    """
    return int("0" + digits.lstrip("0")[:9])


def _without(included: list[Range], excluded: list[Range]) -> tuple[Range, ...]:
    """The characters of ``included`` that are not in ``excluded``, as sorted, disjoint ranges."""
    # Between two neighbouring edges, all characters are in the same ranges.
    edges = sorted({edge for low, high in included + excluded for edge in (low, high + 1)})
    found: list[Range] = []
    for low, end in pairwise(edges):
        if _among(low, included) and not _among(low, excluded):
            if found and found[-1][1] == low - 1:
                low = found.pop()[0]  # joined with the range that ends just before it
            found.append((low, end - 1))
    return tuple(found)


def _among(point: int, ranges: list[Range]) -> bool:
    return any(low <= point <= high for low, high in ranges)


def _width(pattern: Pattern) -> int:
    """The number of characters of a pattern, if its repetitions are written out."""
    match pattern:
        case Characters():
            return 1
        case Sequence(parts) | Alternatives(parts):
            return max(1, sum(map(_width, parts)))
        case Repetition(of, least, most):
            return _width(of) * max(1, most or least)
