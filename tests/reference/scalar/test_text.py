"""Text functions and patterns."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grammar.codes import Code
from grammar.source import SqlError
from reference.scalar.text import (
    filled,
    initial_capitals,
    overlay,
    position,
    replaced,
    substring,
    trimmed,
)


@pytest.mark.parametrize(
    ("start", "length", "value"),
    [
        (1, None, "abcde"),
        (3, None, "cde"),
        (0, None, "abcde"),
        (-5, None, "abcde"),
        (6, None, ""),
        (1, 2, "ab"),
        (0, 2, "a"),  # E-58
        (0, 1, ""),
        (-1, 4, "ab"),
        (-5, 3, ""),
        (4, 10, "de"),
        (2, 0, ""),
        (9, 1, ""),
    ],
)
def test_substring_counts_from_1_and_outside_there_is_nothing(
    start: int, length: int | None, value: str
) -> None:
    assert substring("abcde", start, length) == value


@given(st.text(), st.integers(-5, 10), st.integers(0, 10))
def test_substring_is_the_characters_at_its_places(text: str, start: int, length: int) -> None:
    at = [c for place, c in enumerate(text, 1) if start <= place < start + length]
    assert substring(text, start, length) == "".join(at)


def test_a_negative_length_is_an_invalid_argument() -> None:
    with pytest.raises(SqlError) as caught:
        substring("abc", 1, -1)
    assert caught.value.code is Code.INVALID_ARGUMENT


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", ""),
        ("hello WORLD", "Hello World"),
        ("o'neill-smith", "O'Neill-Smith"),
        ("a_b", "A_B"),
        ("1ST 2nd x3Y", "1st 2nd X3y"),
        ("  élan ÉTÉ", "  Élan Été"),
        ("ΟΔΟΣ", "Οδος"),
    ],
)
def test_initcap_writes_each_run_of_letters_and_digits_with_a_capital(
    text: str, value: str
) -> None:
    assert initial_capitals(text) == value


@pytest.mark.parametrize(
    ("text", "what", "by", "value"),
    [
        ("banana", "an", "o", "booa"),
        ("aaa", "aa", "b", "ba"),
        ("abc", "b", "", "ac"),
        ("abc", "x", "y", "abc"),
        ("abc", "", "y", "abc"),
        ("", "", "y", ""),
        ("Ab", "a", "x", "Ab"),
    ],
)
def test_replace_replaces_from_the_left_and_nothing_is_nowhere(
    text: str, what: str, by: str, value: str
) -> None:
    assert replaced(text, what, by) == value


@pytest.mark.parametrize(
    ("text", "length", "characters", "left", "right"),
    [
        ("ab", 5, "x", "xxxab", "abxxx"),
        ("ab", 5, "xy", "xyxab", "abxyx"),
        ("ab", 3, "xy", "xab", "abx"),
        ("ab", 2, "x", "ab", "ab"),
        ("abc", 2, "x", "ab", "ab"),
        ("abc", 0, "x", "", ""),
        ("ab", 5, "", "ab", "ab"),
        ("abc", 2, "", "ab", "ab"),
        ("", 2, "x", "xx", "xx"),
    ],
)
def test_pad_fills_a_short_text_and_cuts_a_long_one_on_the_right(
    text: str, length: int, characters: str, left: str, right: str
) -> None:
    assert filled(text, length, characters, left=True) == left
    assert filled(text, length, characters, left=False) == right


def test_pad_fills_with_blanks_and_to_no_negative_length() -> None:
    assert filled("a", 3, " ", left=True) == "  a"
    assert filled("a", 3, " ", left=False) == "a  "
    for left in (True, False):
        with pytest.raises(SqlError) as caught:
            filled("abc", -1, "x", left=left)
        assert caught.value.code is Code.INVALID_ARGUMENT


@given(st.text(), st.integers(0, 20), st.text(min_size=1))
def test_a_padded_text_has_its_length_and_holds_what_fits(
    text: str, length: int, characters: str
) -> None:
    for left in (True, False):
        result = filled(text, length, characters, left=left)
        assert len(result) == length
        kept = text[:length]
        assert result.endswith(kept) if left else result.startswith(kept)
        filling = result[: length - len(kept)] if left else result[len(kept) :]
        assert (characters * 20).startswith(filling)


def test_position_counts_from_1() -> None:
    assert [position(x, "banana") for x in ("b", "an", "x", "", "nana")] == [1, 2, 0, 1, 3]


def test_trim_takes_one_character() -> None:
    assert trimmed("x", "xxaxbxx", leading=True, trailing=True) == "axb"
    assert trimmed("x", "xxax", leading=True, trailing=False) == "ax"
    assert trimmed("x", "xxax", leading=False, trailing=True) == "xxa"
    assert trimmed("x", "xxx", leading=True, trailing=True) == ""
    for characters in ("", "ab"):
        with pytest.raises(SqlError) as caught:
            trimmed(characters, "abc", leading=True, trailing=True)
        assert caught.value.code is Code.INVALID_ARGUMENT


def test_overlay_replaces_from_a_place_on() -> None:
    assert overlay("abcdef", "XY", 3) == "abXYef"
    assert overlay("abcdef", "XY", 3, 0) == "abXYcdef"
    assert overlay("abcdef", "XY", 3, 4) == "abXY"
    assert overlay("abcdef", "", 2, 1) == "acdef"
    assert overlay("abc", "XYZ", 7) == "abcXYZ"
    with pytest.raises(SqlError):
        overlay("abc", "X", 0)
