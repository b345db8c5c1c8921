"""LIKE and SIMILAR TO."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grammar.codes import Code
from grammar.source import SqlError
from reference.scalar.patterns import like, similar


@pytest.mark.parametrize(
    ("text", "pattern", "matches"),
    [
        ("abc", "abc", True),
        ("abc", "ab", False),
        ("abc", "a%", True),
        ("abc", "%c", True),
        ("abc", "_b_", True),
        ("abc", "____", False),
        ("", "%", True),
        ("", "_", False),
        ("a.c", "a.c", True),
        ("abc", "a.c", False),
        ("a\nc", "a_c", True),
        ("a\nc", "a%", True),
        ("abc\n", "abc", False),
        ("ABC", "abc", False),
        ("[x]", "[x]", True),
    ],
)
def test_like_knows_two_wildcards(text: str, pattern: str, matches: bool) -> None:
    assert like(text, pattern) is matches


def test_like_escapes_wildcards_and_the_escape() -> None:
    assert like("50%", "50!%", "!")
    assert not like("500", "50!%", "!")
    assert like("a_b", "a!_b", "!")
    assert like("a!b", "a!!b", "!")
    assert like("50%", "50%%", "%")


@pytest.mark.parametrize(("pattern", "escape"), [("a!b", "!"), ("a!", "!"), ("a", ""), ("a", "!!")])
def test_an_escape_before_no_wildcard_is_an_invalid_argument(pattern: str, escape: str) -> None:
    for match in (like, similar):
        with pytest.raises(SqlError) as caught:
            match("ab", pattern, escape)
        assert caught.value.code is Code.INVALID_ARGUMENT


@pytest.mark.parametrize(
    ("text", "pattern", "matches"),
    [
        ("abc", "(b|c)%", False),
        ("abc", "%(b|c)%", True),
        ("abc", "a%|x", True),
        ("x", "a%|x", True),
        ("aaa", "a{3}", True),
        ("aaa", "a{2}", False),
        ("aaa", "a{1,}", True),
        ("aaa", "a{1,2}", False),
        ("ab", "[a-c]+", True),
        ("ad", "[a-c]+", False),
        ("d", "[^a-c]", True),
        ("a1", "[[:ALPHA:]][[:DIGIT:]]", True),
        ("1a", "[[:alpha:]][[:digit:]]", False),
        ("a.b", "a.b", True),
        ("axb", "a.b", False),
        ("a^b", "a^b", True),
        ("", "a?", True),
        ("ab", "a_", True),
        ("a$", "a$", True),
        ("a\\b", "a\\b", True),
    ],
)
def test_similar_is_like_with_regular_expressions(text: str, pattern: str, matches: bool) -> None:
    assert similar(text, pattern) is matches


def test_similar_escapes_its_operators() -> None:
    assert similar("a+b", "a!+b", "!")
    assert not similar("aab", "a!+b", "!")
    assert similar("]", "[!]]", "!")
    assert similar("a*", "a**", "*") is True


@pytest.mark.parametrize(
    "pattern",
    [
        "(a",
        "a)",
        "[a",
        "*a",
        "a**",
        "a+?",
        "a{2,1}",
        "[b-a]",
        "a[]]",
        "[^]",
        "a{",
        "a{,2}",
        "a{x}",
        "[[:GREEK:]]",
        "a|*",
        "a{9999999999}",
        "[a-",
        "(((a))",
    ],
)
def test_a_broken_similar_pattern_is_an_invalid_argument(pattern: str) -> None:
    with pytest.raises(SqlError) as caught:
        similar("a", pattern)
    assert caught.value.code is Code.INVALID_ARGUMENT


@pytest.mark.parametrize(
    ("pattern", "matches"),
    [
        ("[a-c^b]", "ac"),
        ("[^b-y]", "az^-AZ9é\n\u00a0\u3000"),
        ("[[:ALPHA:]^[:UPPER:]]", "abcyz"),
        ("[[:WHITESPACE:]]", "\n\u00a0\u3000"),
        ("[[:digit:]-]", "9-"),
        ("[a-z^a-z]", ""),
    ],
)
def test_similar_has_sets_with_exceptions(pattern: str, matches: str) -> None:
    """SQL:2016 8.6: what is behind the circumflex is excluded from what is before it."""
    alphabet = "abcyz^-AZ9é\n\u00a0\u3000"
    assert {each for each in alphabet if similar(each, pattern)} == set(matches)


@given(st.text("ab%_", max_size=6), st.text("ab%_", max_size=6))
def test_similar_and_like_agree_where_there_is_no_operator(text: str, pattern: str) -> None:
    assert similar(text, pattern) is like(text, pattern)


def like_by_definition(text: str, pattern: str) -> bool:
    """The standard's definition, character by character."""
    if not pattern:
        return not text
    if pattern[0] == "%":
        return any(like_by_definition(text[i:], pattern[1:]) for i in range(len(text) + 1))
    return bool(text) and pattern[0] in ("_", text[0]) and like_by_definition(text[1:], pattern[1:])


@given(st.text("ab", max_size=6), st.text("ab%_", max_size=5))
def test_like_is_its_definition(text: str, pattern: str) -> None:
    assert like(text, pattern) is like_by_definition(text, pattern)


#: SIMILAR patterns over a small alphabet, each with the same as a regular expression of Python.
_REGULAR = st.recursive(
    st.sampled_from([("a", "a"), ("b", "b"), ("_", "."), ("%", ".*"), ("[ab]", "[ab]")]),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda p: tuple(map("".join, zip(*p, strict=True)))),
        st.tuples(inner, inner).map(
            lambda p: (f"({p[0][0]}|{p[1][0]})", f"(?:{p[0][1]}|{p[1][1]})")
        ),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{1,}", "{0,2}", "{0}"])).map(
            lambda p: (f"({p[0][0]}){p[1]}", f"(?:{p[0][1]}){p[1]}")
        ),
    ).filter(lambda p: len(p) == 2),
    max_leaves=6,
)


@given(st.text("abc", max_size=6), _REGULAR)
def test_similar_is_a_regular_expression(text: str, both: tuple[str, str]) -> None:
    """On short texts trying one way after the other is quick, too."""
    pattern, regular = both
    assert similar(text, pattern) is (re.fullmatch(regular, text) is not None)


@pytest.mark.parametrize(
    "pattern",
    [
        "(a*)*b",
        "(a|a)*b",
        "((a+)+)+b",
        "(a|aa)*b",
        "%a%a%a%a%a%a%a%a%b",
        "(_*a){20}b",
        "(a?){500}a*b",
    ],
)
def test_no_pattern_takes_more_than_a_look_at_each_character(pattern: str) -> None:
    assert not similar("a" * 20_000, pattern)
    assert similar("a" * 2_000 + "b", pattern)


def test_like_looks_at_no_place_twice() -> None:
    assert not like("a" * 20_000, "%a" * 100 + "%b")
    assert like("ab" * 10_000, "%ab" * 100 + "%b")


def test_a_pattern_has_a_thousand_characters_at_most() -> None:
    """S-204.j."""
    assert similar("a" * 1_000, "a{1000}")
    assert similar("", "(((" * 10 + "(a)" + ")))" * 10 + "{0,1000}")
    for pattern in (
        "a{1001}",
        "(ab){501}",
        "a{500}b{501}",
        "((a{11}){10}){10}",
        "(" * 33 + ")" * 33,
    ):
        with pytest.raises(SqlError) as caught:
            similar("a", pattern)
        assert caught.value.code is Code.INVALID_ARGUMENT
