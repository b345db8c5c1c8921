"""Huge, deep and strange texts: a tree or a clean refusal, in bounded time."""

import pickle
import sys
from collections.abc import Callable
from contextlib import suppress
from threading import Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grammar.codes import Code
from grammar.parse import parse_expression, parse_query, parse_script, parse_statement
from grammar.parsing.nesting import MAX_DEPTH, MAX_NESTING
from grammar.source import SqlError
from grammar.statement import Statement
from grammar.tree import Expression, InList, Literal, Query
from grammar.unparse import unparse
from tests.examples import scaled

#: Texts that nest ``n`` deep, each in a way of its own.
DEEP: dict[str, Callable[[int], str]] = {
    "brackets": lambda n: "SELECT " + "(" * n + "1" + ")" * n,
    "open brackets": lambda n: "SELECT " + "(" * n,
    "rows": lambda n: "SELECT " + "(a, " * n + "1" + ")" * n,
    "NOT": lambda n: "SELECT " + "NOT " * n + "a",
    "signs": lambda n: "SELECT " + "- " * n + "a",
    "CASE": lambda n: "SELECT " + "CASE WHEN a THEN " * n + "1" + " END" * n,
    "calls": lambda n: "SELECT " + "f(" * n + "a" + ")" * n,
    "scalar sub-queries": lambda n: "SELECT (" * n + "SELECT 1" + ")" * n,
    "sub-queries": lambda n: "SELECT * FROM (" * n + "SELECT 1" + ")" * n,
    "bracketed queries": lambda n: "(" * n + "SELECT 1" + ")" * n,
    "IN": lambda n: "SELECT " + "a IN (" * n + "1" + ")" * n,
    "grouping sets": lambda n: "SELECT 1 FROM t GROUP BY " + "CUBE (" * n + "a" + ")" * n,
    "bracketed joins": lambda n: "SELECT * FROM " + "(" * n + "a" + ")" * n,
    "EXPLAIN": lambda n: "EXPLAIN " * n + "COMMIT",
    "sums": lambda n: "SELECT 1" + " + 1" * n,
    "products": lambda n: "SELECT 1" + " * f(a)" * n,
    "texts": lambda n: "SELECT a" + " || 'x'" * n,
    "OR": lambda n: "SELECT a" + " OR a = 1" * n,
    "AND": lambda n: "SELECT a" + " AND a BETWEEN 1 AND 2" * n,
    "comparisons": lambda n: "SELECT a" + " = a" * n,
    "UNION": lambda n: "SELECT 1" + " UNION SELECT 1" * n,
    "JOIN": lambda n: "SELECT * FROM a" + " CROSS JOIN a" * n,
    "commas in FROM": lambda n: "SELECT * FROM a" + ", a" * n,
}


@pytest.mark.parametrize("kind", DEEP)
@pytest.mark.parametrize("depth", [MAX_DEPTH + 1, scaled(2_000, 10_000)])
def test_a_text_that_nests_too_deep_is_refused(kind: str, depth: int) -> None:
    with pytest.raises(SqlError) as refused:
        parse_statement(DEEP[kind](depth))
    assert refused.value.code is Code.TOO_DEEP


@pytest.mark.parametrize("kind", [each for each in DEEP if not each.startswith("open")])
def test_a_text_may_nest_fifty_deep(kind: str) -> None:
    tree = parse_statement(DEEP[kind](50))
    assert parse_statement(unparse(tree)) == tree


@pytest.mark.parametrize("kind", [each for each in DEEP if not each.startswith("open")])
def test_the_deepest_tree_can_be_walked_within_the_usual_recursion_limit(kind: str) -> None:
    tree = _deepest(DEEP[kind])
    assert sys.getrecursionlimit() == 1000
    again = parse_statement(unparse(tree))
    assert again == tree
    assert hash(again) == hash(tree)
    assert repr(again) == repr(tree)
    assert pickle.loads(pickle.dumps(tree)) == tree


def _deepest(text: Callable[[int], str]) -> Statement:
    """The tree of the deepest text of its kind that is read."""
    low, high = 1, MAX_DEPTH + 1
    while high - low > 1:
        middle = (low + high) // 2
        try:
            parse_statement(text(middle))
            low = middle
        except SqlError:
            high = middle
    return parse_statement(text(low))


def test_the_limits_are_exact() -> None:
    parse_expression("(" * MAX_NESTING + "1" + ")" * MAX_NESTING)
    with pytest.raises(SqlError) as refused:
        parse_expression("(" * (MAX_NESTING + 1) + "1" + ")" * (MAX_NESTING + 1))
    assert refused.value.at.start == MAX_NESTING
    parse_expression("1" + " + 1" * (MAX_DEPTH - 1))
    with pytest.raises(SqlError, match="TOO_DEEP"):
        parse_expression("1" + " + 1" * MAX_DEPTH)


def test_the_recursion_limit_is_as_before() -> None:
    before = sys.getrecursionlimit()
    parse_query("SELECT 1")
    with pytest.raises(SqlError):
        parse_query("SELECT")
    assert sys.getrecursionlimit() == before


@pytest.mark.parametrize("operator", ["+", "||", "OR", "AND"])
def test_a_long_chain_of_operators_is_refused(operator: str) -> None:
    with pytest.raises(SqlError) as refused:
        parse_expression("a" + f" {operator} a" * scaled(20_000, 100_000))
    assert refused.value.code is Code.TOO_DEEP


@pytest.mark.parametrize("character", ["x", "\U0001f600", "\0", "\n", "\u202e"])
def test_a_text_of_a_million_characters_is_a_literal(character: str) -> None:
    tree = parse_expression("'" + character * 1_000_000 + "'")
    assert isinstance(tree, Literal)
    assert tree.text == character * 1_000_000


@pytest.mark.parametrize("start", ["'", '"', "/*", "x'"])
def test_a_million_characters_without_an_end_are_refused(start: str) -> None:
    sql = start + "a''\"\"* " * 150_000
    with pytest.raises(SqlError) as refused:
        parse_expression(sql)
    assert refused.value.at.end == len(sql)


@pytest.mark.parametrize("character", ["\0", "\x01", "\x7f", "\ud800", "\ufffe", "\U000e0001"])
def test_a_strange_character_is_refused_at_its_place(character: str) -> None:
    with pytest.raises(SqlError) as refused:
        parse_expression(f"a +{character} b")
    assert refused.value.code is Code.SYNTAX_ERROR
    assert (refused.value.at.start, refused.value.at.end) == (3, 4)
    str(refused.value).encode()


def test_a_long_flat_list_is_read() -> None:
    tree = parse_expression(f"a IN ({', '.join(str(each) for each in range(5_000))})")
    assert isinstance(tree, InList)
    assert len(tree.items) == 5_000


@given(st.text(alphabet=st.characters(), max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    with suppress(SqlError):
        assert isinstance(parse_script(text), tuple)


def test_threads_may_parse_at_the_same_time() -> None:
    trees: list[Expression | Query] = []

    def work() -> None:
        trees.extend(parse_query("SELECT " + "(" * 100 + "1" + ")" * 100) for _ in range(20))

    threads = [Thread(target=work) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(trees) == 80
    assert len(set(trees)) == 1
