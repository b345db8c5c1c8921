"""The builder of names, types, intervals and literals, from parse tree to syntax tree."""

from typing import Final, NoReturn

from grammar.codes import Code
from grammar.counts import counted
from grammar.generated.StreamingSqlParser import StreamingSqlParser as P
from grammar.nearest import nearest
from grammar.parsing.parse_tree import (
    Tree,
    first_word,
    has,
    parts,
    rule,
    span,
    the,
    tree_of,
    trees,
    word_of,
    words,
)
from grammar.parsing.tokens import Word
from grammar.source import Span
from grammar.suggestion import SuggestingError, Suggestion, replacement
from grammar.tree import (
    Alias,
    Expression,
    Identifier,
    IntervalLiteral,
    IntervalQualifier,
    Literal,
    LiteralKind,
    Name,
    TimeUnit,
    TypeName,
)
from grammar.types_of_names import BEYOND, OTHER_NAMES, SPELLINGS

#: The kind of a literal, by the type of its first word.
_LITERALS: Final = {
    P.INTEGER: LiteralKind.NUMBER,
    P.DECIMAL: LiteralKind.NUMBER,
    P.STRING: LiteralKind.STRING,
    P.BINARY: LiteralKind.BINARY,
    P.TRUE: LiteralKind.BOOLEAN,
    P.FALSE: LiteralKind.BOOLEAN,
    P.UNKNOWN: LiteralKind.BOOLEAN,
    P.NULL: LiteralKind.NULL,
    P.DATE: LiteralKind.DATE,
    P.TIME: LiteralKind.TIME,
    P.TIMESTAMP: LiteralKind.TIMESTAMP,
}

#: The two families of fields: an interval goes from one field to a later field of one family.
_YEAR_MONTH: Final = (TimeUnit.YEAR, TimeUnit.MONTH)
_DAY_SECOND: Final = (TimeUnit.DAY, TimeUnit.HOUR, TimeUnit.MINUTE, TimeUnit.SECOND)

#: The words for the fields of an interval, and for QUARTER and WEEK.
_UNITS: Final = frozenset({
    P.YEAR, P.QUARTER, P.MONTH, P.WEEK, P.DAY, P.HOUR, P.MINUTE, P.SECOND,
})  # fmt: skip

#: The most digits of a precision, a scale or a number of rows in the text.
_MOST_DIGITS: Final = 9


def _can_span(first: TimeUnit, last: TimeUnit) -> bool:
    """Whether an interval may go from ``first`` to ``last``, a later field of the same family."""
    return any(
        first in fields and last in fields and fields.index(first) < fields.index(last)
        for fields in (_YEAR_MONTH, _DAY_SECOND)
    )


def unquoted(text: str, quote: str) -> str:
    """The characters between the quotes, with doubled quotes made single."""
    return text[1:-1].replace(quote * 2, quote)


def _types_meant(spelled: str, at: Span) -> tuple[Suggestion, ...]:
    """Suggestions, one for each type that the unknown type ``spelled`` may be meant to be.

    The type stands at ``at``.
    """
    other = OTHER_NAMES.get(spelled)
    known = (*SPELLINGS, "DATE", "TIME", "TIMESTAMP")
    names = nearest(spelled, known) if other is None else (other,)
    return tuple(replacement(f"did you mean {each}?", at, each) for each in names)


class NameBuilder:
    """Builds names, types, intervals and literals of the text ``sql``.

    Most methods build the node for the grammar's rule of the name in their docstring.
    """

    def __init__(self, sql: str) -> None:
        self.sql = sql

    def refuse(
        self,
        code: Code,
        message: str,
        at: Span,
        hint: str = "",
        suggestions: tuple[Suggestion, ...] = (),
    ) -> NoReturn:
        """Raise the error with this code, message and hint at the place ``at`` of the text."""
        raise SuggestingError(code, message, self.sql, at, hint, suggestions=lambda: suggestions)

    # --- names --------------------------------------------------------------------------------

    def identifier(self, tree: Tree) -> Identifier:
        """A single name: the rules ``identifier`` and ``bareAlias``."""
        word = first_word(tree)
        if word.type == P.QUOTED_IDENTIFIER:
            return Identifier(unquoted(word.text, '"'), quoted=True, span=span(word))
        return Identifier(word.text.upper(), quoted=False, span=span(word))

    def identifiers(self, tree: Tree | None) -> tuple[Identifier, ...]:
        """The names of a ``columnList``; none without a list."""
        if tree is None:
            return ()
        return tuple(self.identifier(each) for each in trees(tree, P.RULE_identifier))

    def name(self, tree: Tree) -> Name:
        """A possibly qualified name: the rules ``qualifiedName`` and ``functionName``."""
        return Name(tuple(self.identifier(each) for each in trees(tree)), span(tree))

    def alias(self, tree: Tree | None) -> Alias | None:
        """A ``tableAlias``; None without one."""
        if tree is None:
            return None
        name = self.identifier(the(tree, P.RULE_identifier, P.RULE_bareAlias))
        return Alias(name, self.identifiers(tree_of(tree, P.RULE_columnList)), span(tree))

    # --- types and intervals ------------------------------------------------------------------

    def integer(self, word: Word) -> int:
        """The value of a word for a precision, a scale or a number of rows.

        BAD_LITERAL if the word has more than `_MOST_DIGITS` digits.
        """
        if len(word.text) > _MOST_DIGITS:
            self.refuse(Code.BAD_LITERAL, "this number is too large here", span(word))
        return int(word.text)

    def data_type(self, tree: Tree) -> TypeName:
        """A ``dataType``; its name becomes the standard name, for example INTEGER for INT."""
        at = span(tree)
        numbers = [self.integer(each) for each in words(tree) if each.type == P.INTEGER]
        if (qualifier := tree_of(tree, P.RULE_intervalQualifier)) is not None:
            return TypeName("INTERVAL", None, None, self.qualifier(qualifier), at)
        if (name := tree_of(tree, P.RULE_identifier)) is None:
            first = first_word(tree)
            if has(tree, P.WITH):
                self.refuse(
                    Code.NOT_SUPPORTED,
                    "there are no time zones here (S-101)",
                    at,
                    first.text.upper(),
                )
            return TypeName(first.text.upper(), numbers[0] if numbers else None, None, None, at)
        spelled = " ".join(
            [self.identifier(name).name]
            + [each.text.upper() for each in words(tree) if each.type in (P.PRECISION, P.VARYING)]
        )
        spelling = SPELLINGS.get(spelled)
        if spelling is None or self.identifier(name).quoted:
            code = Code.NOT_SUPPORTED if spelled in BEYOND else Code.SYNTAX_ERROR
            self.refuse(
                code,
                f"there is no type {spelled}",
                span(name),
                "types: BOOLEAN, INTEGER, BIGINT, DECIMAL(p, s), DOUBLE, VARCHAR(n), DATE, TIME, "
                "TIMESTAMP, INTERVAL …",
                _types_meant(spelled, span(name)),
            )
        standard, most = spelling
        if len(numbers) > most:
            message = f"{spelled} takes at most {counted(most, 'number')}"
            self.refuse(Code.SYNTAX_ERROR, message, at, standard)
        precision, scale, *_ = [*numbers, None, None]  # None for a number that is not written
        return TypeName(standard, precision, scale, None, at)

    def qualifier(self, tree: Tree) -> IntervalQualifier:
        """An ``intervalQualifier``, such as ``DAY(3) TO SECOND(2)``; wrong fields are refused."""
        at = span(tree)
        # A field of a standard interval is a word of this rule; any other unit has its own rule.
        start, *ends = [
            self.unit(part)
            for part in parts(tree)
            if (
                part.type in _UNITS if isinstance(part, Word) else rule(part) == P.RULE_intervalUnit
            )
        ]
        end = ends[0] if ends else None
        leading = self._numbers(tree_of(tree, P.RULE_leadingDigits))
        after_end = self._numbers(tree_of(tree, P.RULE_fractionDigits))
        if end is not None and not _can_span(start, end):
            hint = "YEAR TO MONTH, or DAY TO SECOND"
            if start is end or _can_span(end, start):
                hint = f"{start}" if start is end else f"{end} TO {start}"
            message = f"no interval goes from {start} to {end}"
            self.refuse(Code.SYNTAX_ERROR, message, at, hint)
        if len(leading) > 1 and (start is not TimeUnit.SECOND or end is not None):
            self.refuse(Code.SYNTAX_ERROR, "only SECOND takes a second number", at, f"{start}(2)")
        if after_end and end is not TimeUnit.SECOND:
            self.refuse(Code.SYNTAX_ERROR, "only SECOND takes a fraction", at, f"{start} TO {end}")
        precision, fraction, *_ = [*leading, None, None]  # None for a number that is not written
        fraction = after_end[0] if after_end else fraction
        return IntervalQualifier(start, end, precision, fraction, at)

    def _numbers(self, tree: Tree | None) -> list[int]:
        """The numbers in the parentheses that ``tree`` matched; none for None."""
        found = [] if tree is None else words(tree)
        return [self.integer(each) for each in found if each.type == P.INTEGER]

    def unit(self, written: Tree | Word) -> TimeUnit:
        """A ``timeUnit``, given as a tree or as its word."""
        word = written if isinstance(written, Word) else first_word(written)
        return TimeUnit(word.text.upper())

    # --- literals -----------------------------------------------------------------------------

    def literal(self, tree: Tree) -> Literal:
        """A ``literal`` other than an interval; its text need not be a value of its type."""
        first = first_word(tree)
        kind = _LITERALS[first.type]
        match kind:
            case LiteralKind.NUMBER:
                text = first.text
            case LiteralKind.STRING:
                text = unquoted(first.text, "'")
            case LiteralKind.BINARY:
                text = unquoted(first.text[1:], "'")
            case LiteralKind.BOOLEAN | LiteralKind.NULL:
                text = first.text.upper()
            case LiteralKind.DATE | LiteralKind.TIME | LiteralKind.TIMESTAMP:
                quoted = word_of(tree, P.STRING)
                assert quoted is not None
                text = unquoted(quoted.text, "'")
        return Literal(kind, text, span(tree))

    def interval(self, tree: Tree) -> Expression:
        """An ``intervalLiteral``, or a ``frameOffset`` such as ``10 MINUTE``."""
        value = word_of(tree, P.STRING, P.INTEGER, P.DECIMAL)
        assert value is not None
        text = unquoted(value.text, "'") if value.type == P.STRING else value.text
        qualifier = self.qualifier(the(tree, P.RULE_intervalQualifier))
        return IntervalLiteral(text, has(tree, P.DASH), qualifier, span(tree))
