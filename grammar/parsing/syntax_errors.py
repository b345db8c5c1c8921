"""The error for a text that the parser refuses: its message, its hint and its suggestions."""

from collections.abc import Callable, Iterator
from itertools import takewhile
from typing import Final

from antlr4.Token import Token

from grammar.codes import Code
from grammar.generated.StreamingSqlParser import StreamingSqlParser as P
from grammar.names import RESERVED
from grammar.nearest import nearest
from grammar.parsing.expected import expected_types, in_words, spelled
from grammar.parsing.machine import Failure
from grammar.parsing.other_dialects import construct_at
from grammar.parsing.tokens import KEYWORDS, Word, Words
from grammar.source import Span, SqlError
from grammar.suggestion import SuggestingError, Suggestion, replacement
from grammar.tree import TimeUnit

#: Message and hint for tokens that are not complete words, such as a text without its end.
_NO_WORDS: Final = {
    P.UNTERMINATED_STRING: (
        "the text that begins here is not closed",
        "close it with ', and write '' for a quote in it",
    ),
    P.UNTERMINATED_NAME: (
        "the quoted name that begins here is not closed",
        'close it with ", and write "" for a quote',
    ),
    P.UNTERMINATED_COMMENT: ("the comment that begins here is not closed", "close it with */"),
    P.EMPTY_NAME: ("a name cannot be empty", "for an empty text write ''"),
}

#: The hint for each character that has no meaning in the language.
_CHARACTERS: Final = {
    "\u2018": "write texts in straight quotes: '…'",
    "\u2019": "write texts in straight quotes: '…'",
    "\u201c": 'write quoted names in straight quotes: "…"',
    "\u201d": 'write quoted names in straight quotes: "…"',
    "`": 'quote names with ": "name"',
    "[": 'quote names with ": "name"',
    "]": 'quote names with ": "name"',
    "#": "a comment begins with --",
    "!": "write NOT, or <> for not equal",
    "&": "write AND",
    "|": "write OR, or || to join texts",
    ":": "write ? for a parameter",
    "$": "write ? for a parameter",
    "@": "write ? for a parameter",
    "\u2212": "write the minus sign -",
    "\u2013": "write the minus sign -",
    "\u2014": "write -- for a comment",
}

#: An example for each name in `grammar.parsing.expected._KINDS`.
_EXAMPLES: Final = {
    "a statement": "SELECT STREAM * FROM Orders",
    "an expression": "units > 3",
    "a query": "SELECT STREAM * FROM Orders",
    "a type": "INTEGER, VARCHAR(20) or TIMESTAMP(3)",
    "a name": 'Orders; in quotes it may be any text: "order"',
    "an alias": 'o; in quotes it may be any text: "order"',
    "an operator": "=",
    "a unit of time": "HOUR",
}

#: Words that stand only at the beginning of a statement.
_STATEMENTS: Final = frozenset({
    P.ALTER, P.CREATE, P.DELETE, P.DROP, P.EXPLAIN, P.INSERT, P.MERGE, P.SELECT, P.UPDATE, P.UPSERT,
})  # fmt: skip
#: The words that can stand in a bracket only if it holds a query.
_CLAUSES: Final = frozenset({
    P.FROM, P.WHERE, P.GROUP, P.HAVING, P.ORDER, P.SEMICOLON, Token.EOF,
})  # fmt: skip
#: Characters that paths and patterns of files have, and few names of tables.
_PARTS_OF_PATHS: Final = frozenset("./*?")
#: The words that begin a literal such as ``DATE '2015-02-15'``.
_TYPED: Final = frozenset({P.DATE, P.TIME, P.TIMESTAMP})
#: The values that can follow INTERVAL.
_QUOTED: Final = frozenset({P.STRING, P.INTEGER, P.DECIMAL})


def syntax_error(failure: Failure, words: Words, sql: str) -> SqlError:
    """The error of a text that cannot be parsed, at the first word that is not accepted.

    ``failure`` is the failure of the parser for ``words``, the words of ``sql``.  The suggestions
    of the error have not been tried.

    Defines: S-802.m
    """
    guilty = failure.error.offendingToken  # the first word that is not accepted
    assert isinstance(guilty, Word)
    here = _Place(words.words, guilty.number, expected_types(failure))
    construct = construct_at(sql, guilty.start)
    if construct is not None:
        offer = () if construct.suggestion is None else (construct.suggestion,)
        return _suggesting(
            construct.code, construct.message, sql, construct.at, construct.hint, offer
        )
    at = Span(guilty.start, guilty.stop + 1)
    if guilty.type in _NO_WORDS:
        message, hint = _NO_WORDS[guilty.type]
        return SqlError(Code.SYNTAX_ERROR, message, sql, at, hint)
    if guilty.type == P.STRANGE_CHARACTER:
        message = f"the character {guilty.text!a} has no meaning here"
        hint = _CHARACTERS.get(guilty.text, "leave it out, or put it into a text: '…'")
        return SqlError(Code.SYNTAX_ERROR, message, sql, at, hint)
    if guilty.type == P.MALFORMED_NUMBER:
        message = "this is not a number, and not a name"
        hint = f'a name that begins with a digit needs quotes: "{guilty.text}"'
        offer = (replacement(hint, at, f'"{guilty.text}"'),)
        return _suggesting(Code.SYNTAX_ERROR, message, sql, at, "", offer)
    if guilty.type == Token.EOF:
        end = here.before.stop + 1 if here.before is not None else 0
        at = Span(end, end)
        message = "the text ends too soon" if here.before is not None else "the text is empty"
    else:
        message = f"{_shown(guilty)} does not fit here"
    expected = in_words(here.expected)
    if expected:
        message += f": expected {expected}"
    known = [found for rule in HINTS if (found := rule(here)) is not None]
    explained = (each for each in known if isinstance(each, str))
    # Only the suggestions before the first explanation are tried: the rule that gives the
    # explanation is more specific than the rules after it.
    first = list(takewhile(lambda each: not isinstance(each, str), known))
    suggested = [each for each in first if isinstance(each, Suggestion)]
    return SuggestingError(
        Code.SYNTAX_ERROR,
        message,
        sql,
        at,
        next(explained, _example(expected)),
        suggestions=lambda: (
            *_misspelt(here),
            *suggested,
            *(_only_expected(here, at) if first == known else ()),
        ),
    )


def _suggesting(
    code: Code, message: str, sql: str, at: Span, hint: str, offer: tuple[Suggestion, ...]
) -> SqlError:
    """The error with the suggestions ``offer``."""
    return SuggestingError(code, message, sql, at, hint, suggestions=lambda: offer)


def _misspelt(here: "_Place") -> Iterator[Suggestion]:
    """Suggest keywords that are similar to the word at fault, or to the word before it."""
    for word in (here.guilty, here.before):
        if word is not None and word.type == P.IDENTIFIER:
            at = Span(word.start, word.stop + 1)
            for keyword in nearest(word.text, KEYWORDS)[:3]:
                yield replacement(f"did you mean {keyword}?", at, keyword)


def _only_expected(here: "_Place", at: Span) -> Iterator[Suggestion]:
    """Suggest to insert the expected word before the word at fault, if only one is expected."""
    if len(here.expected) == 1:
        (type,) = here.expected
        word = spelled(type).strip("'")
        if type in KEYWORDS.values() or type in (P.RPAREN, P.LPAREN, P.EQUAL):
            yield replacement(f"write {word} before it", Span(at.start, at.start), f"{word} ")


def _example(expected: str) -> str:
    """An example of the first alternative in ``expected``, the result of `in_words`.

    Empty if this alternative is a plain word, or nothing is expected.
    """
    for kind, example in _EXAMPLES.items():
        if expected.startswith(kind):
            return f"{kind} is, for example, {example}"
    return ""


def _shown(word: Word) -> str:
    """A word in a message, shortened if it is long."""
    text = word.text if len(word.text) <= 40 else word.text[:40] + "…"
    return text.upper() if word.type in KEYWORDS.values() else f"'{text}'"


class _Place:
    """The place of a fault: the words around it, and those that would have been accepted.

    ``guilty`` is the word at fault, number ``index`` of ``words``, and ``before`` the word before
    it.  ``expected`` has the types of the words that would have been accepted.
    """

    def __init__(self, words: list[Word], index: int, expected: frozenset[int]) -> None:
        self.words = words
        self.index = index
        self.expected = expected
        self.guilty = words[index]
        self.before = words[index - 1] if index else None

    def type_at(self, offset: int) -> int:
        """The type of the word ``offset`` words after the word at fault; EOF outside the text.

        An ``offset`` below 0 is a word before it.
        """
        at = self.index + offset
        return self.words[at].type if 0 <= at < len(self.words) else Token.EOF

    def replacement(self, advice: str, text: str) -> Suggestion:
        """The suggestion to write ``text`` in place of the word at fault."""
        return replacement(advice, Span(self.guilty.start, self.guilty.stop + 1), text)

    def insertion(self, advice: str, text: str) -> Suggestion:
        """The suggestion to write ``text`` before the word at fault."""
        return replacement(advice, Span(self.guilty.start, self.guilty.start), text)

    def after(self, advice: str, text: str) -> Suggestion:
        """The suggestion to write ``text`` after the word before the one at fault."""
        place = self.before.stop + 1 if self.before is not None else 0
        return replacement(advice, Span(place, place), text)

    def has_open_bracket(self) -> bool:
        """Whether a bracket opens before the word at fault, and is not closed before it."""
        depth = 0
        for word in self.words[: self.index]:
            depth = max(0, depth + (word.type == P.LPAREN) - (word.type == P.RPAREN))
        return depth > 0


# --- hints: a suggestion to try, or an explanation ---------------------------------------------

#: Each rule below is about one fault, which its docstring names.  A rule returns its advice: a
#: suggestion, or an explanation; None if the text at ``here`` does not have this fault.
_Advice = Suggestion | str | None


def _stream(here: _Place) -> _Advice:
    """STREAM in another place than after SELECT."""
    if here.guilty.type == P.STREAM and P.SELECT in [
        each.type for each in here.words[: here.index]
    ]:
        return "STREAM stands right after SELECT: SELECT STREAM …"
    return None


def _set_operator(here: _Place) -> _Advice:
    """A set operation after ORDER BY."""
    operators = (P.UNION, P.EXCEPT, P.INTERSECT, P.MINUS_)
    if here.guilty.type in operators and P.ORDER in [e.type for e in here.words[: here.index]]:
        return "ORDER BY and LIMIT of one branch stand in brackets: (SELECT … ORDER BY …) UNION …"
    return None


def _empty_select_list(here: _Place) -> _Advice:
    """A SELECT without columns."""
    if here.guilty.type == P.FROM and here.type_at(-1) in (P.SELECT, P.STREAM, P.DISTINCT, P.ALL):
        return here.insertion("name the columns, or * for all: SELECT STREAM * FROM …", "* ")
    return None


def _typed_literal(here: _Place) -> _Advice:
    """DATE, TIME or TIMESTAMP without a text after it."""
    if here.type_at(-1) in _TYPED and here.before is not None:
        word = here.before.text.upper()
        return f"as a name write \"{word}\", as a value {word} '…'"
    return None


def _unit_in_text(here: _Place) -> _Advice:
    """The unit of ``INTERVAL '1 HOUR'``, which stands after the text."""
    if here.type_at(-1) != P.STRING or here.before is None:
        return None
    number, _, unit = here.before.text.strip("'").strip().partition(" ")
    found = [each for each in TimeUnit if unit.strip().upper() in (each, f"{each}S")]
    if not found or P.DAY not in here.expected:
        return None
    at = Span(here.before.start, here.before.stop + 1)
    written = f"'{number}' {found[0]}"
    return replacement(f"the unit stands after the text: INTERVAL {written}", at, written)


def _plural(here: _Place) -> _Advice:
    """The unit of ``INTERVAL '3' HOURS`` and ``FLOOR(x TO HOURS)``."""
    units = [unit for unit in TimeUnit if here.guilty.text.upper() == f"{unit}S"]
    if units and P.DAY in here.expected:
        return here.replacement(f"write {units[0]}", units[0])
    return None


def _interval(here: _Place) -> _Advice:
    """An interval without its unit, or without its number."""
    signed = here.type_at(-2) in (P.PLUS, P.DASH) and here.type_at(-3) == P.INTERVAL
    if here.type_at(-1) in _QUOTED and (signed or here.type_at(-2) == P.INTERVAL):
        assert here.before is not None
        number = here.before.text.strip("'")
        return here.after("an interval needs its unit: INTERVAL '" + number + "' HOUR", " HOUR")
    if here.type_at(-1) == P.INTERVAL:
        return "an interval is written INTERVAL '1' HOUR"
    return None


def _comma(here: _Place) -> _Advice:
    """A comma after the last element of a list."""
    if here.type_at(-1) == P.COMMA and here.guilty.type in (P.FROM, P.RPAREN, P.WHERE, Token.EOF):
        assert here.before is not None
        at = Span(here.before.start, here.before.stop + 1)
        return replacement("there is a comma too many", at, "")
    return None


def _file(here: _Place) -> _Advice:
    """The path of a file in place of a table.

    The commands that read files replace such paths by names before they parse the query.
    """
    written = here.guilty.text
    follows = here.type_at(-1) in (P.FROM, P.JOIN, P.COMMA) and P.TABLE in here.expected
    if not follows or here.guilty.type != P.STRING or _PARTS_OF_PATHS.isdisjoint(written):
        return None
    path = written[1:-1].replace("''", "'")
    return (
        f'rowtime run "SELECT … FROM {written}" reads the file; a database needs a table of its '
        f"rows: .import {path} NAME in the shell, or register(NAME, frame)"
    )


def _reserved(here: _Place) -> _Advice:
    """A keyword in place of a name."""
    word = here.guilty.text.upper()
    if P.IDENTIFIER not in here.expected:
        return None
    if word in RESERVED and here.guilty.type not in (P.FROM, P.SELECT):
        advice = f'{word} is a reserved word: as a name write "{word}"'
        return here.replacement(advice, f'"{word}"')
    if here.guilty.type in KEYWORDS.values() and word not in RESERVED:
        return here.insertion(f"as an alias write AS {word}", "AS ")
    return None


def _brackets(here: _Place) -> _Advice:
    """A bracket without its partner."""
    if here.guilty.type == P.RPAREN and not here.has_open_bracket():
        return here.replacement("this ) closes no (: leave it out", "")
    if here.guilty.type in _CLAUSES and P.RPAREN in here.expected and here.has_open_bracket():
        return here.after("a ) is missing", ")")
    return None


def _from(here: _Place) -> _Advice:
    """A SELECT without FROM, or two columns without a comma."""
    if P.FROM not in here.expected:
        return None
    if here.guilty.type in (P.WHERE, P.GROUP, P.HAVING, P.WINDOW):
        return f"FROM is missing: SELECT … FROM … {here.guilty.text.upper()} …"
    if here.guilty.type in (P.IDENTIFIER, P.QUOTED_IDENTIFIER):
        return "FROM or a comma is missing before it"
    return None


def _semicolon(here: _Place) -> _Advice:
    """A second statement, where only one is read, or without a semicolon before it."""
    if here.type_at(-1) == P.SEMICOLON and here.expected == frozenset({Token.EOF}):
        return "one statement is read at a time here"
    if here.guilty.type in _STATEMENTS and Token.EOF in here.expected:
        return "a semicolon stands between two statements"
    return None


def _quote(here: _Place) -> _Advice:
    """A quote in a text, which ends the text."""
    before = here.before
    if before is not None and before.type == P.STRING and before.stop + 1 == here.guilty.start:
        return "write a quote within a text as ''"
    return None


def _type(here: _Place) -> _Advice:
    """A column without its type."""
    # TIMESTAMP or a name can begin a type or an expression, but a bracket only an expression.
    type_or_expression = {P.TIMESTAMP, P.IDENTIFIER} <= here.expected
    if type_or_expression and P.LPAREN not in here.expected:
        return "a column needs its type: x INTEGER"
    return None


def _unit(here: _Place) -> _Advice:
    """Another word in place of a unit of time."""
    if P.DAY in here.expected and P.IDENTIFIER not in here.expected:
        return "units of time are YEAR, QUARTER, MONTH, WEEK, DAY, HOUR, MINUTE and SECOND"
    return None


def _join(here: _Place) -> _Advice:
    """A join without its condition."""
    if P.ON in here.expected and P.USING in here.expected:
        return "a join needs ON condition or USING (column); CROSS JOIN needs neither"
    return None


#: The rules for hints, the most specific first.
HINTS: Final[tuple[Callable[[_Place], _Advice], ...]] = (
    _stream,
    _set_operator,
    _empty_select_list,
    _unit_in_text,
    _plural,
    _interval,
    _typed_literal,
    _comma,
    _brackets,
    _semicolon,
    _quote,
    _type,
    _unit,
    _join,
    _from,
    _file,
    _reserved,
)
