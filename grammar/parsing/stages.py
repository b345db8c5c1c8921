"""The parser from text to syntax tree, in stages: words, limits, parse tree, syntax tree, depth."""

import re
from collections.abc import Callable
from typing import Final, TypeVar

from grammar.codes import Code
from grammar.generated.StreamingSqlParser import StreamingSqlParser as P
from grammar.parsing.build_statement import StatementBuilder
from grammar.parsing.machine import Failure, Machine, parsing, run
from grammar.parsing.nesting import check_tree, check_words
from grammar.parsing.parse_tree import Tree, first_word, last_word, trees
from grammar.parsing.tokens import Words, scan
from grammar.source import Span, SqlError
from grammar.statement import Statement
from grammar.suggestion import with_first_passing, without_suggestion
from grammar.tree import Expression, Query

_Node = TypeVar("_Node")

#: The number of characters of a text above which no suggestions are tried: each parses it again.
_LONGEST: Final = 100_000

#: Halves of a surrogate pair; they cannot be written in UTF-8, and so are in no valid text.
_HALF: Final = re.compile("[\ud800-\udfff]")


def read_statement(sql: str) -> Statement:
    """The statement ``sql``."""
    return _read(sql, Machine.singleStatement, lambda b, tree: b.statement(tree), P.RULE_statement)[
        0
    ]


def read_script(sql: str) -> tuple[Statement, ...]:
    """The statements of ``sql``."""
    return _read(sql, Machine.script, lambda b, tree: b.statement(tree), P.RULE_statement)


def read_query(sql: str) -> Query:
    """The query ``sql``."""
    return _read(sql, Machine.singleQuery, lambda b, tree: b.query(tree), P.RULE_query)[0]


def read_expression(sql: str) -> Expression:
    """The expression ``sql``."""
    return _read(
        sql, Machine.singleExpression, lambda b, tree: b.expression(tree), P.RULE_expression
    )[0]


def reads_as_sql(text: str) -> bool:
    """Whether ``text`` is an expression or a type."""
    return _is_expression(text) or _is_expression(f"CAST(NULL AS {text})")


def _is_expression(sql: str) -> bool:
    try:
        with parsing():
            _nodes(
                sql,
                _words(sql),
                Machine.singleExpression,
                lambda b, tree: b.expression(tree),
                P.RULE_expression,
            )
    except (Failure, SqlError):
        return False
    return True


def _read(
    sql: str,
    start: Callable[[Machine], Tree],
    build: Callable[[StatementBuilder, Tree], _Node],
    rule: int,
) -> tuple[_Node, ...]:
    """The syntax trees of ``sql``, one for each match of the grammar's rule number ``rule``.

    ``start`` is the parser's method for the whole text, and ``build`` makes a syntax tree from the
    parse tree of ``rule``.  The suggestion of a refusal has been tried: after it, the text is
    parsed, or refused at a later place.
    """

    def attempt(text: str) -> None:
        _parsed(text, start, build, rule)

    try:
        return _parsed(sql, start, build, rule)
    except SqlError as error:
        if len(sql) > _LONGEST:
            raise without_suggestion(error, reads_as_sql) from None
        raise with_first_passing(error, attempt, reads_as_sql) from None


def _parsed(
    sql: str,
    start: Callable[[Machine], Tree],
    build: Callable[[StatementBuilder, Tree], _Node],
    rule: int,
) -> tuple[_Node, ...]:
    """As `_read`, but the suggestions of a refusal have not been tried."""
    words = _words(sql)
    with parsing():
        try:
            return tuple(_nodes(sql, words, start, build, rule))
        except Failure as failure:
            # The patterns of other systems' SQL are needed only for the text of an error.
            from grammar.parsing.syntax_errors import syntax_error

            raise syntax_error(failure, words, sql) from None


def _words(sql: str) -> Words:
    """The words of ``sql``; TOO_DEEP if brackets or operators are nested too deeply."""
    _check_characters(sql)
    words = Words(scan(sql))
    check_words(words.words, sql)
    return words


def _nodes(
    sql: str,
    words: Words,
    start: Callable[[Machine], Tree],
    build: Callable[[StatementBuilder, Tree], _Node],
    rule: int,
) -> list[_Node]:
    """As `_read`, but a text that the grammar does not accept raises `Failure`.

    ``words`` are the words of ``sql``.
    """
    nodes: list[_Node] = []
    for tree in trees(run(words, start), rule):
        builder = StatementBuilder(sql)
        within = words.words[first_word(tree).number : last_word(tree).number + 1]
        # The parameters ``?`` are numbered within each statement.
        questions = [word.start for word in within if word.type == P.QUESTION]
        builder.parameters = {at: number for number, at in enumerate(questions)}
        node = build(builder, tree)
        check_tree(node, sql)
        nodes.append(node)
    return nodes


def _check_characters(sql: str) -> None:
    """Refuse a text that is not valid Unicode, because it has half of a surrogate pair."""
    if half := _HALF.search(sql):
        message = f"U+{ord(half.group()):04X} is half of a character"
        at = Span(half.start(), half.end())
        raise SqlError(Code.SYNTAX_ERROR, message, _HALF.sub("?", sql), at, "the whole character")
