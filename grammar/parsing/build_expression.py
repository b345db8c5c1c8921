"""The builder of expressions, from parse tree to syntax tree.

The grammar's rules for operators form a ladder: one rule for each precedence.  So the parse tree of
``x`` alone has a tree of each rule around it; `innermost` skips these.
"""

from abc import abstractmethod
from typing import TYPE_CHECKING, Final

from grammar.codes import Code
from grammar.generated.StreamingSqlParser import StreamingSqlParser as P
from grammar.parsing.build_window import WindowBuilder
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
from grammar.tree import (
    Between,
    Binary,
    BinaryOperator,
    Case,
    Cast,
    ColumnRef,
    CurrentTime,
    DatetimeMinus,
    Exists,
    Expression,
    Extract,
    FunctionCall,
    Identifier,
    InList,
    InQuery,
    Is,
    Like,
    Monotonic,
    Name,
    Nulls,
    Overlay,
    Parameter,
    Position,
    Quantified,
    Quantifier,
    Query,
    Round,
    Row,
    ScalarQuery,
    Step,
    Substring,
    TimestampAdd,
    TimestampDiff,
    TimeUnit,
    Trim,
    TrimSide,
    Truth,
    Unary,
    UnaryOperator,
    When,
)

if TYPE_CHECKING:
    from collections.abc import Callable

#: The operator that a word between two operands stands for.
_OPERATORS: Final = {
    P.OR: BinaryOperator.OR,
    P.AND: BinaryOperator.AND,
    P.EQUAL: BinaryOperator.EQUAL,
    P.NOT_EQUAL: BinaryOperator.NOT_EQUAL,
    P.LESS: BinaryOperator.LESS,
    P.LESS_OR_EQUAL: BinaryOperator.LESS_OR_EQUAL,
    P.GREATER: BinaryOperator.GREATER,
    P.GREATER_OR_EQUAL: BinaryOperator.GREATER_OR_EQUAL,
    P.PLUS: BinaryOperator.PLUS,
    P.DASH: BinaryOperator.MINUS,
    P.STAR: BinaryOperator.TIMES,
    P.SLASH: BinaryOperator.DIVIDE,
    P.PERCENT: BinaryOperator.MODULO,
    P.CONCAT: BinaryOperator.CONCAT,
}

#: The operator that a word before its operand stands for.
_PREFIXES: Final = {
    P.NOT: UnaryOperator.NOT,
    P.PLUS: UnaryOperator.PLUS,
    P.DASH: UnaryOperator.MINUS,
}

#: The truth value or NULL after IS.
_TRUTHS: Final = {
    P.NULL: Truth.NULL,
    P.TRUE: Truth.TRUE,
    P.FALSE: Truth.FALSE,
    P.UNKNOWN: Truth.UNKNOWN,
}

#: The sides from which TRIM removes characters.
_SIDES: Final = {
    P.BOTH: TrimSide.BOTH,
    P.LEADING: TrimSide.LEADING,
    P.TRAILING: TrimSide.TRAILING,
}

#: The rules of the ladder: a tree of such a rule that has only one part stands for this part.
_LADDER: Final = frozenset({
    P.RULE_expression, P.RULE_conjunction, P.RULE_negation, P.RULE_predicate, P.RULE_additive,
    P.RULE_multiplicative, P.RULE_signed, P.RULE_primary, P.RULE_instant,
})  # fmt: skip

#: The units of TIMESTAMPADD and TIMESTAMPDIFF.
TIMESTAMP_UNITS: Final = frozenset(
    {"YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND"}
)
#: The only aggregate whose name is a reserved word.
SOME: Final = "SOME"


def innermost(tree: Tree) -> Tree:
    """The tree inside ``tree`` without the rules of the ladder that only surround another tree."""
    while rule(tree) in _LADDER and len(here := parts(tree)) == 1:
        if isinstance(here[0], Word):
            break
        tree = here[0]
    return tree


class ExpressionBuilder(WindowBuilder):
    """Builds expressions; a subclass builds the queries in them.

    A private method builds the node for a parse tree of the rule to which `__init__` assigns the
    method.  Its docstring names the syntax.
    """

    def __init__(self, sql: str) -> None:
        super().__init__(sql)
        #: The number of each ``?`` of the statement, by its offset in the text.
        self.parameters: dict[int, int] = {}
        self._builders: Final[dict[int, Callable[[Tree], Expression]]] = {
            P.RULE_expression: self._chain,
            P.RULE_conjunction: self._chain,
            P.RULE_negation: self._prefixed,
            P.RULE_predicate: self._predicate,
            P.RULE_additive: self._chain,
            P.RULE_multiplicative: self._chain,
            P.RULE_signed: self._prefixed,
            P.RULE_primary: self._primary,
            P.RULE_instant: self._primary,
            P.RULE_literal: self.literal,
            P.RULE_intervalLiteral: self.interval,
            P.RULE_scalarQuery: lambda tree: ScalarQuery(self.query(the(tree)), span(tree)),
            P.RULE_parenthesized: self._parenthesized,
            P.RULE_rowValue: self._row,
            P.RULE_caseExpression: self._case,
            P.RULE_cast: lambda tree: Cast(
                self.expression(the(tree)), self.data_type(the(tree, P.RULE_dataType)), span(tree)
            ),
            P.RULE_extract: lambda tree: Extract(
                self.unit(the(tree)), self.expression(the(tree, P.RULE_expression)), span(tree)
            ),
            P.RULE_round: self._round,
            P.RULE_step: lambda tree: Step(*self._pair(tree), span(tree)),
            P.RULE_timestampCall: self._timestamp_call,
            P.RULE_substring: self._substring,
            P.RULE_position: lambda tree: Position(*self._pair(tree), span(tree)),
            P.RULE_trim: self._trim,
            P.RULE_overlay: self._overlay,
            P.RULE_currentTime: self._current_time,
            P.RULE_monotonic: lambda tree: Monotonic(self.expression(the(tree)), span(tree)),
            P.RULE_functionCall: self._function_call,
            P.RULE_columnReference: lambda tree: ColumnRef(self.name(the(tree)), span(tree)),
        }

    @abstractmethod
    def query(self, tree: Tree) -> Query:
        """The query that a tree of the rule ``query`` denotes."""

    def expression(self, tree: Tree) -> Expression:
        """The expression that ``tree``, of any of the rules for expressions, denotes."""
        inner = innermost(tree)
        return self._builders[rule(inner)](inner)

    def _operands(self, tree: Tree) -> list[Expression]:
        """The expressions that are parts of ``tree``, in order."""
        return [self.expression(each) for each in trees(tree)]

    def _pair(self, tree: Tree) -> tuple[Expression, Expression]:
        """The two expressions that are parts of ``tree``."""
        first, second = self._operands(tree)
        return first, second

    # --- operators ----------------------------------------------------------------------------

    def _chain(self, tree: Tree) -> Expression:
        """Operands with operators between them, left-associative."""
        operands = iter(parts(tree))
        first = next(operands)
        assert not isinstance(first, Word)
        start = first_word(tree).start
        left = self.expression(first)
        for operator in operands:
            right = next(operands)
            assert isinstance(operator, Word)
            assert not isinstance(right, Word)
            at = Span(start, span(right).end)
            left = Binary(_OPERATORS[operator.type], left, self.expression(right), at)
        return left

    def _prefixed(self, tree: Tree) -> Expression:
        """An operand with prefix operators, of which the last is applied first."""
        operand = self.expression(the(tree))
        end = span(tree).end
        for operator in reversed(words(tree)):
            operand = Unary(_PREFIXES[operator.type], operand, Span(operator.start, end))
        return operand

    def _predicate(self, tree: Tree) -> Expression:
        """An operand followed by tests, of which the first is applied first."""
        operand, *tests = trees(tree)
        start = span(tree).start
        tested = self.expression(operand)
        for test in tests:
            tested = self._test(tested, test, Span(start, span(test).end))
        return tested

    def _test(self, operand: Expression, tree: Tree, at: Span) -> Expression:
        """``operand`` followed by the test ``tree``, such as NOT IN (1, 2); ``at`` spans both."""
        test = the(tree)
        negated = has(tree, P.NOT)
        match rule(test):
            case P.RULE_comparison:
                return self._comparison(operand, test, at)
            case P.RULE_isTest:
                return self._is(operand, test, at)
            case P.RULE_between:
                low, high = self._operands(test)
                return Between(operand, low, high, has(test, P.SYMMETRIC), negated, at)
            case P.RULE_like:
                pattern, *escape = self._operands(test)
                return Like(
                    operand,
                    pattern,
                    escape[0] if escape else None,
                    has(test, P.SIMILAR),
                    negated,
                    at,
                )
            case _:
                if (query := tree_of(test, P.RULE_query)) is not None:
                    return InQuery(operand, self.query(query), negated, at)
                return InList(operand, tuple(self._operands(test)), negated, at)

    def _comparison(self, operand: Expression, tree: Tree, at: Span) -> Expression:
        """``operand`` followed by ``= x`` or ``= ALL (…)``."""
        operator = _OPERATORS[first_word(tree).type]
        if (query := tree_of(tree, P.RULE_query)) is not None:
            quantifier = Quantifier.ALL if has(tree, P.ALL) else Quantifier.ANY
            return Quantified(operator, quantifier, operand, self.query(query), at)
        right = self.expression(the(tree, P.RULE_additive))
        return Binary(operator, operand, right, at)

    def _is(self, operand: Expression, tree: Tree, at: Span) -> Expression:
        """``operand`` followed by ``IS NULL`` or a similar test."""
        negated = has(tree, P.NOT)
        if (right := tree_of(tree)) is not None:
            operator = (
                BinaryOperator.IS_NOT_DISTINCT_FROM if negated else BinaryOperator.IS_DISTINCT_FROM
            )
            return Binary(operator, operand, self.expression(right), at)
        return Is(operand, _TRUTHS[words(tree)[-1].type], negated, at)

    # --- primaries ----------------------------------------------------------------------------

    def _primary(self, tree: Tree) -> Expression:
        """The primaries that have no rule of their own: ``?`` and EXISTS."""
        if has(tree, P.EXISTS):
            return Exists(self.query(the(tree)), span(tree))
        at = span(tree)
        return Parameter(self.parameters[at.start], at)

    def _parenthesized(self, tree: Tree) -> Expression:
        """``(a)``, ``(a, b)`` or ``(a - b) SECOND`` (S-207)."""
        qualifier = tree_of(tree, P.RULE_intervalQualifier)
        items = [self.expression(each) for each in trees(tree, P.RULE_expression)]
        if qualifier is not None:
            match items:
                # The difference can have further brackets: `((a - b)) SECOND`.
                case [Binary(BinaryOperator.MINUS, left, right)]:
                    return DatetimeMinus(left, right, self.qualifier(qualifier), span(tree))
                case _:
                    self.refuse(
                        Code.SYNTAX_ERROR,
                        "a unit of time in this place needs the difference of two times",
                        span(qualifier),
                        f"put a difference there: (a - b) {self.qualifier(qualifier).start}",
                    )
        return items[0] if len(items) == 1 else Row(tuple(items), span(tree))

    def _row(self, tree: Tree) -> Expression:
        """``ROW(a, b)``; a ROW of one item is built as this item alone."""
        items = self._operands(tree)
        return items[0] if len(items) == 1 else Row(tuple(items), span(tree))

    def _case(self, tree: Tree) -> Expression:
        """Both forms of CASE."""
        operand = otherwise = None
        previous = P.CASE
        for part in parts(tree):
            if isinstance(part, Word):
                previous = part.type
            elif rule(part) == P.RULE_expression:
                if previous == P.CASE:
                    operand = self.expression(part)
                else:
                    otherwise = self.expression(part)
        whens = tuple(
            When(*self._pair(each), span(each)) for each in trees(tree, P.RULE_whenClause)
        )
        return Case(operand, whens, otherwise, span(tree))

    def _round(self, tree: Tree) -> Expression:
        """FLOOR and CEIL, with or without a unit.

        After an interval, TO could belong to the interval or to FLOOR; S-208 decides.

        Defines: S-208.e, S-208.g
        """
        unit = tree_of(tree, P.RULE_timeUnit)
        return Round(
            not has(tree, P.FLOOR),
            self.expression(the(tree)),
            None if unit is None else self.unit(unit),
            span(tree),
        )

    def _timestamp_call(self, tree: Tree) -> Expression:
        """TIMESTAMPADD and TIMESTAMPDIFF."""
        unit = self._timestamp_unit(the(tree, P.RULE_timestampUnit))
        first, second = (self.expression(each) for each in trees(tree, P.RULE_expression))
        if has(tree, P.TIMESTAMPADD):
            return TimestampAdd(unit, first, second, span(tree))
        return TimestampDiff(unit, first, second, span(tree))

    def _timestamp_unit(self, tree: Tree) -> TimeUnit:
        """The unit of TIMESTAMPADD or TIMESTAMPDIFF, such as ``DAY`` or ``SQL_TSI_DAY``."""
        name = first_word(tree)
        spelled = name.text.upper().removeprefix("SQL_TSI_")
        if spelled not in TIMESTAMP_UNITS:
            self.refuse(
                Code.SYNTAX_ERROR,
                f"{name.text} is not a unit of time",
                span(tree),
                "DAY",
            )
        return TimeUnit(spelled)

    def _substring(self, tree: Tree) -> Expression:
        """Both forms of SUBSTRING."""
        operand, start, *length = self._operands(tree)
        return Substring(operand, start, length[0] if length else None, span(tree))

    def _trim(self, tree: Tree) -> Expression:
        """TRIM; the default is blanks, from both sides."""
        *characters, operand = self._operands(tree)
        side = word_of(tree, *_SIDES)
        return Trim(
            TrimSide.BOTH if side is None else _SIDES[side.type],
            characters[0] if characters else None,
            operand,
            span(tree),
        )

    def _overlay(self, tree: Tree) -> Expression:
        """OVERLAY."""
        operand, replacement, start, *length = self._operands(tree)
        return Overlay(operand, replacement, start, length[0] if length else None, span(tree))

    def _current_time(self, tree: Tree) -> Expression:
        """CURRENT_TIMESTAMP and the like."""
        precision = word_of(tree, P.INTEGER)
        return CurrentTime(
            first_word(tree).text.upper(),
            None if precision is None else self.integer(precision),
            span(tree),
        )

    def _function_name(self, tree: Tree) -> Name:
        """The name of a function; SOME can be the name although the word is reserved."""
        some = word_of(tree, P.SOME)
        if some is None:
            return self.name(tree)
        return Name((Identifier(SOME, False, span(some)),), span(tree))

    def _function_call(self, tree: Tree) -> Expression:
        """A call by name, with its DISTINCT, FILTER, OVER and the like."""
        name = self._function_name(the(tree, P.RULE_functionName))
        treatments = trees(tree, P.RULE_nullTreatment)
        if len(treatments) > 1:
            self.refuse(Code.SYNTAX_ERROR, "null treatment is written twice", span(treatments[1]))
        within = tree_of(tree, P.RULE_withinGroup)
        inside = tree_of(tree, P.RULE_orderBy)
        if within is not None and inside is not None:
            self.refuse(Code.SYNTAX_ERROR, "the order is written twice", span(within))
        order = inside if within is None else the(within)
        condition = tree_of(tree, P.RULE_filterClause)
        return FunctionCall(
            name,
            tuple(self.expression(each) for each in trees(tree, P.RULE_expression)),
            star=has(tree, P.STAR),
            distinct=has(tree, P.DISTINCT),
            within_group=self.order_by(order),
            filter=None if condition is None else self.expression(the(condition)),
            nulls=Nulls(first_word(treatments[0]).text.upper()) if treatments else None,
            over=self.over(tree_of(tree, P.RULE_overClause)),
            span=span(tree),
        )
