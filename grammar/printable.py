"""Texts that come from outside, such as names, values and paths, as messages show them."""

from typing import Final

#: The length up to which a message is kept whole, and that of each part of a longer one.
_LONG: Final = 1_000
_PART: Final = 400


def printable(text: str) -> str:
    r"""The text in one line, each character that is not printable replaced by its escape in Python.

    Not printable are control and format characters (among them line breaks, escape sequences of a
    terminal, and marks that reverse the direction of a text), and lone surrogates.

    >>> print(printable("red: \x1b[31m, two\nlines, \ud800, naïve"))
    red: \x1b[31m, two\nlines, \ud800, naïve
    """
    if text.isprintable():
        return text
    return "".join(
        each if each.isprintable() else each.encode("unicode_escape").decode() for each in text
    )


def shortened(message: str) -> str:
    """The message; of a long one, which quotes a long value, only the beginning and the end.

    >>> len(shortened("'" + "x" * 5_000 + "' is not a number"))
    829
    """
    if len(message) <= _LONG:
        return message
    left_out = len(message) - 2 * _PART
    return f"{message[:_PART]} … ({left_out:,} more characters) … {message[-_PART:]}"


def printable_lines(text: str) -> str:
    """The text with its line breaks, each of its lines `printable`."""
    return text if text.isprintable() else "\n".join(map(printable, text.split("\n")))
