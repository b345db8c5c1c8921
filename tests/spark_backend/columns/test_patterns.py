"""Patterns as RE2 and Java have them; the kit's cases show them in Spark."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from algebra.patterns import PatternError
from spark_backend.columns.patterns import is_similar, like_regex


@pytest.mark.parametrize(
    ("text", "pattern", "matches"),
    [
        ("", "", True),
        ("😀", "_", True),
        ("a\nb", "a_b", True),
        ("abab", "(ab){2}", True),
        ("abab", "(ab){3,}", False),
        ("ab", "a|ab", True),
        ("x", "[a-z^aeiou]", True),
        ("e", "[a-z^aeiou]", False),
        ("a", "[a^a]", False),
        ("\\d", "\\d", True),
        ("5", "\\d", False),
        ("a" * 1_000, "((a{10}){10}){10}", True),
        ("a" * 50_000, "(a|a)*b", False),
        ("a" * 50_000, "((a*)*)*", True),
    ],
)
def test_similar_by_re2(text: str, pattern: str, matches: bool) -> None:
    assert is_similar(text, pattern) is matches


@given(st.text("ab()|*+?{}[]^-1,%_!", max_size=12))
def test_what_is_a_pattern_compiles(pattern: str) -> None:
    try:
        is_similar("ab", pattern, "!")
    except PatternError:
        assert set(pattern) & set("()|*+?{}[]^-!")


def test_like_finds_each_piece_where_it_is_first() -> None:
    """An atomic group (``?>``) is never entered a second time."""
    assert like_regex("a%b%c") == r"(?s)\A\x{61}(?>.*?\x{62}).*\x{63}\z"
    assert like_regex("%%") == r"(?s)\A.*\z"
    assert like_regex("_!%", "!") == r"(?s)\A.\x{25}\z"
