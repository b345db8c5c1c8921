"""Patterns of LIKE and SIMILAR TO as regular expressions of Java that match the whole text."""

from typing import Final


class PatternError(ValueError):
    """A text is no pattern; the message says why."""


#: The character classes that SIMILAR TO names (SQL:2016 8.6).
_CLASSES: Final = {
    "ALPHA": r"\p{L}",
    "UPPER": r"\p{Lu}",
    "LOWER": r"\p{Ll}",
    "DIGIT": "0-9",
    "ALNUM": r"\p{L}0-9",
    "SPACE": " ",
    "WHITESPACE": r"\s",
}
_SPECIAL: Final = "%_|*+?{}()[]^-"


def like_regex(pattern: str, escape: str | None = None) -> str:
    """The regular expression of a LIKE pattern; `PatternError` if it is malformed.

    ``%`` is any text, ``_`` any character; ``escape``: the escape character, None: there is none.
    """
    _check_escape(escape)
    parts: list[str] = []
    rest = iter(pattern)
    for each in rest:
        if each == escape:
            escaped = next(rest, "")
            if escaped not in ("%", "_", escape):
                raise PatternError(f"'{escape}' escapes '{escaped}' in the pattern '{pattern}'")
            parts.append(_quoted(escaped))
        else:
            parts.append({"%": ".*", "_": "."}.get(each) or _quoted(each))
    return _whole("".join(parts))


def similar_regex(pattern: str, escape: str | None = None) -> str:
    """The regular expression of a SIMILAR TO pattern; `PatternError` if it is malformed.

    It has the signs of LIKE, and ``| * + ? {m,n} ( ) [ ]``.
    """
    _check_escape(escape)
    found, at = _alternatives(pattern, 0, escape)
    if at < len(pattern):
        raise PatternError(f"')' without '(' in the pattern '{pattern}'")
    return _whole(found)


def _check_escape(escape: str | None) -> None:
    if escape is not None and len(escape) != 1:
        raise PatternError("ESCAPE takes a single character")


def _alternatives(pattern: str, at: int, escape: str | None) -> tuple[str, int]:
    """The alternatives up to the end or a closing parenthesis, and the place of that."""
    parts: list[str] = []
    repeatable = False
    while at < len(pattern) and pattern[at] != ")":
        each = pattern[at]
        if each == escape:
            if at + 1 == len(pattern) or pattern[at + 1] not in (*_SPECIAL, escape):
                raise PatternError(f"nothing to escape in the pattern '{pattern}'")
            parts.append(_quoted(pattern[at + 1]))
            at, repeatable = at + 2, True
        elif each == "|":
            parts.append("|")
            at, repeatable = at + 1, False
        elif each in "*+?{":
            if not repeatable:
                raise PatternError(f"'{each}' repeats nothing in the pattern '{pattern}'")
            sign, at = _repetition(pattern, at)
            parts.append(sign)
            repeatable = False
        elif each == "(":
            inner, at = _alternatives(pattern, at + 1, escape)
            if at == len(pattern):
                raise PatternError(f"'(' without ')' in the pattern '{pattern}'")
            parts.append(f"(?:{inner})")
            at, repeatable = at + 1, True
        elif each == "[":
            found, at = _class(pattern, at + 1, escape)
            parts.append(found)
            repeatable = True
        elif each in "]}":
            raise PatternError(f"'{each}' opens nothing in the pattern '{pattern}'")
        else:
            # A group, so that a repetition applies to a quoted character as a whole.
            parts.append({"%": "(?:.*)", "_": "."}.get(each) or _quoted(each))
            at, repeatable = at + 1, True
    return "".join(parts), at


def _repetition(pattern: str, at: int) -> tuple[str, int]:
    """A repetition, ``* + ? {m} {m,} {m,n}``, and the place behind it."""
    if pattern[at] != "{":
        return pattern[at], at + 1
    end = pattern.find("}", at)
    least, comma, most = pattern[at + 1 : end].partition(",")
    numbers = [least, most] if comma and most else [least]
    if end < 0 or not all(each.isascii() and each.isdigit() for each in numbers):
        raise PatternError(f"'{{' is followed by no numbers in the pattern '{pattern}'")
    if len(numbers) == 2 and int(most) < int(least):
        raise PatternError(f"'{{{least},{most}}}' counts down in the pattern '{pattern}'")
    return f"{{{least}{comma}{most}}}", end + 1


def _class(pattern: str, at: int, escape: str | None) -> tuple[str, int]:
    """A class from ``at``, behind its bracket, on: ``[^a-z]``, ``[a-z^aeiou]``, ``[[:DIGIT:]]``."""
    included: list[str] = []
    excluded: list[str] = []
    into = included
    while at < len(pattern) and pattern[at] != "]":
        if pattern.startswith("[:", at):
            end = pattern.find(":]", at)
            name = pattern[at + 2 : end].upper() if end > 0 else ""
            if name not in _CLASSES:
                raise PatternError(f"no class of characters in the pattern '{pattern}'")
            into.append(_CLASSES[name])
            at = end + 2
        elif pattern[at] == "^" and into is included:
            into = excluded
            at += 1
        else:
            low, at = _member(pattern, at, escape)
            if at < len(pattern) and pattern[at] == "-":
                high, at = _member(pattern, at + 1, escape)
                if high < low:
                    raise PatternError(f"'{low}-{high}' counts down in the pattern '{pattern}'")
                into.append(f"{_quoted(low)}-{_quoted(high)}")
            else:
                into.append(_quoted(low))
    if at >= len(pattern) or not (included or excluded):
        raise PatternError(f"'[' without ']' in the pattern '{pattern}'")
    inside, outside = "".join(included), "".join(excluded)
    if not outside:
        return f"[{inside}]", at + 1
    return (f"[{inside}&&[^{outside}]]" if inside else f"[^{outside}]"), at + 1


def _member(pattern: str, at: int, escape: str | None) -> tuple[str, int]:
    """One character of a class, and the place behind it."""
    if at < len(pattern) and pattern[at] == escape:
        at += 1
    if at >= len(pattern):
        raise PatternError(f"'[' without ']' in the pattern '{pattern}'")
    return pattern[at], at + 1


def _quoted(character: str) -> str:
    """A character that stands for itself, in and outside of brackets."""
    return f"\\x{{{ord(character):x}}}"


def _whole(regex: str) -> str:
    """``regex`` anchored at both ends; ``.`` matches line ends, too."""
    return rf"(?s)\A(?:{regex})\z"
