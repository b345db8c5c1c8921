"""The fast scanner reads the words that the generated lexer reads."""

from pathlib import Path

import pytest
from antlr4.InputStream import InputStream
from hypothesis import given
from hypothesis import strategies as st

import grammar
from grammar.generated.StreamingSqlLexer import StreamingSqlLexer
from grammar.generated.StreamingSqlParser import StreamingSqlParser
from grammar.names import RESERVED, is_plain
from grammar.parse import parse_expression
from grammar.parsing.tokens import KEYWORDS, scan
from grammar.source import SqlError
from tests.queries_of_the_pages import STATEMENTS

#: Characters that words begin, continue and end with, and some that no word has.
ALPHABET = " \t\n\u00a0\u3000aExX_$019.'\"*/-+=<>!|(),;?%#:\0é\u0301中\U0001f600\u2019"


def by_lexer(sql: str) -> list[tuple[int, int, str]]:
    """Type, place and text of each word, read by the generated lexer."""
    lexer = StreamingSqlLexer(InputStream(sql))
    return [(t.type, t.start, t.text) for t in lexer.getAllTokens() if t.channel == 0]


def by_scanner(sql: str) -> list[tuple[int, int, str]]:
    """The same, read by the scanner, without the end."""
    return [(word.type, word.start, word.text) for word in scan(sql)[:-1]]


@given(st.text(alphabet=ALPHABET, max_size=20))
def test_lexer_and_scanner_agree(sql: str) -> None:
    assert by_scanner(sql) == by_lexer(sql)


@given(
    st.lists(
        st.sampled_from(
            [
                "'",
                "''",
                '"',
                '""',
                "/*",
                "*/",
                "--",
                "\n",
                "x'",
                "1.",
                ".5e",
                "e+1",
                "=",
                "||",
                "select",
                "Sel",
                "a",
            ]
        )
    ).map("".join)
)
def test_lexer_and_scanner_agree_on_broken_words(sql: str) -> None:
    assert by_scanner(sql) == by_lexer(sql)


@pytest.mark.parametrize("sql", ["0E0$", "1E5\u0301", "1.5e3$x", "1E+5$", "1E5 $", ".5E1a"])
def test_an_exponent_that_may_begin_a_name_is_read_alike(sql: str) -> None:
    assert by_scanner(sql) == by_lexer(sql)


def test_lexer_and_scanner_agree_on_the_pages() -> None:
    sql = ";\n".join(STATEMENTS)
    assert by_scanner(sql) == by_lexer(sql)


def test_a_word_is_reserved_exactly_if_it_is_no_name() -> None:
    names: set[str] = set()
    for word in KEYWORDS:
        try:
            parse_expression(word)
            parse_expression(f"a.{word}")
            names.add(word)
        except SqlError:
            pass
    assert set(KEYWORDS) - names == RESERVED


def test_a_plain_name_is_one_word() -> None:
    for name in ("A", "_", "A1$", "É", "ROWTIME", "中"):
        assert is_plain(name)
        assert by_scanner(name) == [(StreamingSqlParser.IDENTIFIER, 0, name)]
    for name in ("", "a", "1A", "A B", "$A", "TABLE", "²", "A\u2019"):
        assert not is_plain(name)


def test_the_documents_list_the_reserved_words() -> None:
    text = (Path(grammar.__file__).parent / "README.md").read_text()
    assert set(text.split("```")[1].split()) == RESERVED
