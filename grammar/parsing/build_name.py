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

#: The fields that an interval may span, from its greatest to its least.
_YEAR_MONTH: Final = (TimeUnit.YEAR, TimeUnit.MONTH)
_DAY_SECOND: Final = (TimeUnit.DAY, TimeUnit.HOUR, TimeUnit.MINUTE, TimeUnit.SECOND)

#: The words for these fields, and for QUARTER and WEEK.
_UNITS: Final = frozenset({
    P.YEAR, P.QUARTER, P.MONTH, P.WEEK, P.DAY, P.HOUR, P.MINUTE, P.SECOND,
})  # fmt: skip

#: The most digits of a precision, a scale or a number of rows in the text.
_MOST_DIGITS: Final = 9


def _descend(first: TimeUnit, last: TimeUnit) -> bool:
    """Whether an interval may go from ``first`` to ``last``: two fields of one family, in order."""
    return any(
        first in fields and last in fields and fields.index(first) < fields.index(last)
        for fields in (_YEAR_MONTH, _DAY_SECOND)
    )


def unquoted(text: str, quote: str) -> str:
    """The characters between the quotes, with doubled quotes made single."""
    return text[1:-1].replace(quote * 2, quote)


def _types_meant(spelled: str, at: Span) -> tuple[Suggestion, ...]:
    """The types that an unknown one may be meant to be."""
    other = OTHER_NAMES.get(spelled)
    known = (*SPELLINGS, "DATE", "TIME", "TIMESTAMP")
    names = nearest(spelled, known) if other is None else (other,)
    return tuple(replacement(f"did you mean {each}?", at, each) for each in names)


class NameBuilder:
    """Builds names, types, intervals and literals of the text ``sql``."""

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
        """Raise the error of that code at a place of the text."""
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
        """A ``tableAlias``."""
        if tree is None:
            return None
        name = self.identifier(the(tree, P.RULE_identifier, P.RULE_bareAlias))
        return Alias(name, self.identifiers(tree_of(tree, P.RULE_columnList)), span(tree))

    # --- types and intervals ------------------------------------------------------------------

    def integer(self, word: Word) -> int:
        """A precision, a scale, a number of rows."""
        if len(word.text) > _MOST_DIGITS:
            self.refuse(Code.BAD_LITERAL, "this number is too large here", span(word))
        return int(word.text)

    def data_type(self, tree: Tree) -> TypeName:
        """A ``dataType``, under its standard name."""
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
        precision, scale, *_ = [*numbers, None, None]
        return TypeName(standard, precision, scale, None, at)

    def qualifier(self, tree: Tree) -> IntervalQualifier:
        """An ``intervalQualifier``; its fields are in descending order."""
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
        before = self._numbers(tree_of(tree, P.RULE_leadingDigits))
        after = self._numbers(tree_of(tree, P.RULE_fractionDigits))
        if end is not None and not _descend(start, end):
            hint = "YEAR TO MONTH, or DAY TO SECOND"
            if start is end or _descend(end, start):
                hint = f"{start}" if start is end else f"{end} TO {start}"
            message = f"no interval goes from {start} to {end}"
            self.refuse(Code.SYNTAX_ERROR, message, at, hint)
        if len(before) > 1 and (start is not TimeUnit.SECOND or end is not None):
            self.refuse(Code.SYNTAX_ERROR, "only SECOND takes a second number", at, f"{start}(2)")
        if after and end is not TimeUnit.SECOND:
            self.refuse(Code.SYNTAX_ERROR, "only SECOND takes a fraction", at, f"{start} TO {end}")
        precision, fraction, *_ = [*before, None, None]
        return IntervalQualifier(start, end, precision, after[0] if after else fraction, at)

    def _numbers(self, tree: Tree | None) -> list[int]:
        """The numbers in parentheses; none for None."""
        found = [] if tree is None else words(tree)
        return [self.integer(each) for each in found if each.type == P.INTEGER]

    def unit(self, of: Tree | Word) -> TimeUnit:
        """A ``timeUnit``, or the word for one."""
        return TimeUnit((of if isinstance(of, Word) else first_word(of)).text.upper())

    # --- literals -----------------------------------------------------------------------------

    def literal(self, tree: Tree) -> Literal:
        """A plain ``literal``; its text is not checked to be a value."""
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
