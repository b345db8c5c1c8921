"""Replace control characters in texts, such as those of a backend, before reports show them."""

from typing import Final

#: The number of characters after which a text is cut off.
_LONGEST: Final = 10_000


def printable(text: str) -> str:
    r"""The text, each character that is not printable replaced by its escape in Python.

    Not printable are control and format characters (among them line breaks, tabs, escape sequences
    of a terminal, marks that reverse the direction of a text), spaces other than the usual one,
    lone surrogates, and code points that are not assigned.  The result is valid in UTF-8 and in XML
    1.0, and stays in its line on a console.  A text of more than 10,000 characters is cut to its
    first characters, and the number of the others is added.

    >>> print(printable("red: \x1b[31m, two\nlines, \ud800, naïve"))
    red: \x1b[31m, two\nlines, \ud800, naïve
    >>> printable("x" * 10_007)[-20:]
    'xxxxxx... and 7 more'
    """
    if len(text) > _LONGEST:
        return f"{printable(text[:_LONGEST])}... and {len(text) - _LONGEST:,} more"
    return _escaped(text)


def printable_lines(text: str) -> str:
    """The text with escapes as in `printable`; but its line breaks stay, and it is not cut off."""
    return text if text.isprintable() else "\n".join(map(_escaped, text.split("\n")))


def _escaped(text: str) -> str:
    """The text with escapes for the characters that are not printable."""
    if text.isprintable():
        return text
    return "".join(
        each if each.isprintable() else each.encode("unicode_escape").decode("ascii")
        for each in text
    )
