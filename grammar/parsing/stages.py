"""The parser from text to syntax tree, in stages.

The text becomes words, the words a parse tree, and the parse tree a syntax tree.  Texts that are
nested too deeply are refused: most of them before the parser runs, the others after it.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

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

#: Half of a surrogate pair; it cannot be written in UTF-8, so no valid text has one.
_HALF: Final = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class _Start(Generic[_Node]):
    """The way in which a whole text is read: as a statement, a script, a query or an expression.

    ``parse`` is the parser's method for the whole text.  Its parse tree has matches of the
    grammar's rule number ``rule``; ``build`` makes a syntax tree from each of them.
    """

    parse: Callable[[Machine], Tree]
    build: Callable[[StatementBuilder, Tree], _Node]
    rule: int


_STATEMENT: Final = _Start(Machine.singleStatement, StatementBuilder.statement, P.RULE_statement)
_SCRIPT: Final = _Start(Machine.script, StatementBuilder.statement, P.RULE_statement)
_QUERY: Final = _Start(Machine.singleQuery, StatementBuilder.query, P.RULE_query)
_EXPRESSION: Final = _Start(
    Machine.singleExpression, StatementBuilder.expression, P.RULE_expression
)


def read_statement(sql: str) -> Statement:
    """The statement ``sql``."""
    return _read(sql, _STATEMENT)[0]


def read_script(sql: str) -> tuple[Statement, ...]:
    """The statements of ``sql``."""
    return _read(sql, _SCRIPT)


def read_query(sql: str) -> Query:
    """The query ``sql``."""
    return _read(sql, _QUERY)[0]


def read_expression(sql: str) -> Expression:
    """The expression ``sql``."""
    return _read(sql, _EXPRESSION)[0]


def reads_as_sql(text: str) -> bool:
    """Whether ``text`` is an expression or a type."""
    return _is_expression(text) or _is_expression(f"CAST(NULL AS {text})")


def _is_expression(sql: str) -> bool:
    """Whether ``sql`` is an expression.  No message is made if it is not one."""
    try:
        with parsing():
            _nodes(sql, _words(sql), _EXPRESSION)
    except (Failure, SqlError):
        return False
    return True


def _read(sql: str, start: _Start[_Node]) -> tuple[_Node, ...]:
    """The syntax trees of ``sql``, one for each match of the rule of ``start``.

    The suggestion of a refusal has been tried: the changed text can be parsed, or is refused at a
    later place.
    """

    def attempt(text: str) -> None:
        _parsed(text, start)

    try:
        return _parsed(sql, start)
    except SqlError as error:
        if len(sql) > _LONGEST:
            raise without_suggestion(error, reads_as_sql) from None
        raise with_first_passing(error, attempt, reads_as_sql) from None


def _parsed(sql: str, start: _Start[_Node]) -> tuple[_Node, ...]:
    """As `_read`, but the suggestions of a refusal have not been tried."""
    words = _words(sql)
    with parsing():
        try:
            return tuple(_nodes(sql, words, start))
        except Failure as failure:
            # Imported here, because the patterns of other systems' SQL are needed only for errors.
            from grammar.parsing.syntax_errors import syntax_error

            raise syntax_error(failure, words, sql) from None


def _words(sql: str) -> Words:
    """The words of ``sql``; TOO_DEEP if brackets or operators are nested too deeply."""
    _check_characters(sql)
    words = Words(scan(sql))
    check_words(words.words, sql)
    return words


def _nodes(sql: str, words: Words, start: _Start[_Node]) -> list[_Node]:
    """As `_read`, but a text that the grammar does not accept raises `Failure`.

    ``words`` are the words of ``sql``.
    """
    nodes: list[_Node] = []
    for tree in trees(run(words, start.parse), start.rule):
        builder = StatementBuilder(sql)
        within = words.words[first_word(tree).number : last_word(tree).number + 1]
        # The parameters ``?`` are numbered within each statement.
        questions = [word.start for word in within if word.type == P.QUESTION]
        builder.parameters = {at: number for number, at in enumerate(questions)}
        node = start.build(builder, tree)
        check_tree(node, sql)
        nodes.append(node)
    return nodes


def _check_characters(sql: str) -> None:
    """Refuse a text that is not valid Unicode, because it has half of a surrogate pair."""
    if half := _HALF.search(sql):
        message = f"U+{ord(half.group()):04X} is half of a character"
        at = Span(half.start(), half.end())
        raise SqlError(Code.SYNTAX_ERROR, message, _HALF.sub("?", sql), at, "the whole character")
