"""The text of an error: the line at fault, cut where it is long, with marks under what is meant."""

import pytest

from grammar.codes import Code
from grammar.source import SHOWN, Location, Span, SqlError, caret_lines, located

LONG = "SELECT " + ", ".join(f"column{number}" for number in range(100)) + " FROM t"


@pytest.mark.parametrize(
    ("at", "cut"),
    [
        (Span(0, 6), (False, True)),
        (Span(LONG.index("column50"), LONG.index("column50") + 8), (True, True)),
        (Span(len(LONG) - 1, len(LONG)), (True, False)),
        (Span(len(LONG), len(LONG)), (True, False)),
    ],
)
def test_an_ellipsis_shows_where_a_long_line_is_cut(at: Span, cut: tuple[bool, bool]) -> None:
    line, carets = caret_lines(LONG, at)
    text = line.removeprefix("1 | ")
    assert (text.startswith("…"), text.endswith("…")) == cut
    assert len(text) <= SHOWN
    assert text.strip("…") in LONG
    assert line[carets.index("^") :].startswith(LONG[at.start : at.end])


@pytest.mark.parametrize("length", [1, SHOWN - 1, SHOWN])
def test_a_line_that_fits_is_whole(length: int) -> None:
    line, _ = caret_lines("a" * length + "\nb", Span(0, 1))
    assert line == "1 | " + "a" * length


def test_an_error_keeps_the_first_location_it_gets() -> None:
    error = SqlError(Code.OVERFLOW, "", "", Span(0, 0))
    located(error, None)
    assert (error.sql, error.at) == ("", Span(0, 0))
    located(error, Location("a + b", Span(0, 5)))
    located(error, Location("(a + b) * c", Span(0, 11)))
    assert (error.sql, error.at) == ("a + b", Span(0, 5))
