"""The tokens that the parser would have accepted where it failed, in words for a message.

`grammar.parsing.syntax_errors` calls `expected_types` for the tokens, and `in_words` for the text.
"""

from collections.abc import Iterable, Sequence
from typing import Final, Protocol, cast

from antlr4.atn.ATNState import ATNState, RuleStopState
from antlr4.atn.Transition import AtomTransition, SetTransition, Transition
from antlr4.error.Errors import NoViableAltException
from antlr4.RuleContext import RuleContext
from antlr4.Token import Token

from grammar.generated.StreamingSqlParser import StreamingSqlParser as P
from grammar.parsing.machine import Failure

#: Names in messages for the set of tokens with which a rule may begin, the largest set first.
_KINDS: Final = (
    ("a statement", P.RULE_statement),
    ("an expression", P.RULE_expression),
    ("an expression", P.RULE_additive),
    ("a query", P.RULE_query),
    ("a type", P.RULE_dataType),
    ("a name", P.RULE_identifier),
    ("an alias", P.RULE_bareAlias),
    ("an operator", P.RULE_comparisonOperator),
    ("a unit of time", P.RULE_timeUnit),
    ("a unit of time", P.RULE_intervalUnit),
)
#: Operators that are not listed if a comparison is expected, too, because "an operator" is enough.
_OPERATORS: Final = frozenset({
    P.OR, P.AND, P.NOT, P.IS, P.BETWEEN, P.LIKE, P.SIMILAR, P.IN,
    P.PLUS, P.DASH, P.STAR, P.SLASH, P.PERCENT, P.CONCAT,
})  # fmt: skip
#: The tokens that users forget most often, listed first; the others follow by their token type.
_FIRST: Final = (
    P.RPAREN, P.COMMA, P.FROM, P.ON, P.USING, P.THEN, P.END, P.BY, P.AS, P.WHERE, P.GROUP, P.ORDER,
)  # fmt: skip
#: The tokens that users rarely mean, listed last.
_LAST: Final = frozenset({P.DOT, P.UNION, P.EXCEPT, P.INTERSECT, P.MINUS_})
#: The greatest number of alternatives in a message.
_MOST: Final = 5


def expected_types(failure: Failure) -> frozenset[int]:
    """The types of tokens that would have been accepted in place of the first rejected token."""
    machine, error = failure.machine, failure.error
    atn = _graph()
    if isinstance(error, NoViableAltException) and error.offendingToken is not error.startToken:
        # The parser has looked ahead from an earlier token, in order to choose an alternative: the
        # configurations in which this ended have the tokens that could follow.
        return frozenset(
            type
            for config in error.deadEndConfigs or ()
            if not isinstance(config.state, RuleStopState)
            for transition in config.state.transitions
            for type in _labels(transition)
        )
    if machine.taken is None:
        return frozenset(_each(atn.getExpectedTokens(error.offendingState, error.ctx)))
    # The parser has skipped optional parts: go back to the state after the last accepted token.
    state, context = machine.taken
    return frozenset(
        type
        for transition in atn.states[state].transitions
        if _labels(transition)
        for type in _each(atn.getExpectedTokens(transition.target.stateNumber, context))
    )


class _Graph(Protocol):
    """ANTLR's transition network; its type stubs lack these methods."""

    states: Sequence[ATNState]
    ruleToStartState: Sequence[ATNState]  # noqa: N815  # ANTLR's name

    def getExpectedTokens(  # noqa: N802  # ANTLR's name
        self, state: int, ctx: RuleContext | None, /
    ) -> Iterable[int]:
        """The tokens that may follow in a state within a rule's context."""
        ...

    def nextTokens(self, s: ATNState, /) -> Iterable[int]:  # noqa: N802  # ANTLR's name
        """The tokens that may follow in a state."""
        ...


def _graph() -> _Graph:
    """The transition network of the generated parser."""
    # Generated code has no types.
    return cast("_Graph", P.atn)  # pyright: ignore[reportUnknownMemberType]


def _labels(transition: Transition) -> Iterable[int]:
    """The token types that ``transition`` consumes; none if it consumes no token."""
    if isinstance(transition, AtomTransition | SetTransition):
        return _each(transition.label)
    return ()


def _each(intervals: Iterable[int]) -> list[int]:
    """The token types in one of ANTLR's sets of intervals."""
    return list(intervals)


def in_words(types: frozenset[int]) -> str:
    """``types`` as part of a sentence: "a name, ',' or FROM"; '' if ``types`` is empty."""
    uncovered = set(types)  # by the names in ``kinds``
    kinds: list[str] = []
    for kind, rule in _KINDS:
        words = _beginnings(rule)
        # If a name could stand there, too, a long list that begins with "a statement" misleads.
        if words <= uncovered and not (kind == "a statement" and P.IDENTIFIER in uncovered):
            if kind not in kinds:
                kinds.append(kind)
            uncovered -= words
    if "an operator" in kinds:
        uncovered -= _OPERATORS
        # An operator may follow any expression, so it is named only if nothing else may.
        if uncovered or len(kinds) > 1:
            kinds.remove("an operator")
    tokens = uncovered - {Token.EOF, P.SEMICOLON}
    if "a unit of time" in kinds and tokens:
        kinds.remove("a unit of time")  # as in `(a - b) SECOND`, which is rare
    ranked = sorted(tokens, key=_rank)
    names = kinds + [spelled(each) for each in ranked]
    more = len(names) > _MOST
    names = names[: _MOST - 1] if more else names
    if Token.EOF in types:
        names.append("the end")
    if more or len(names) < 2:
        return ", ".join([*names, "…"] if more else names)
    return f"{', '.join(names[:-1])} or {names[-1]}"


def _beginnings(rule: int) -> set[int]:
    """The tokens with which ``rule`` may begin; for a query, '(' is left out, as in other rules."""
    words = set(_each(_graph().nextTokens(_graph().ruleToStartState[rule])))
    return words - {P.LPAREN} if rule == P.RULE_query else words


def _rank(type: int) -> tuple[int, int]:
    """A sort key: tokens of `_FIRST`, then the others by type, then tokens of `_LAST`."""
    return (_FIRST.index(type) if type in _FIRST else len(_FIRST) + (type in _LAST), type)


def spelled(type: int) -> str:
    """A token type as a user writes it: a keyword, a symbol in quotes, or "a number"."""
    literal = P.literalNames[type] if type < len(P.literalNames) else "<INVALID>"
    if literal == "<INVALID>":
        return _CLASSES.get(type, P.symbolicNames[type])
    return literal.strip("'") if literal[1].isalpha() else literal


#: The words for tokens that have no fixed spelling.
_CLASSES: Final = {
    P.STRING: "a text in quotes",
    P.INTEGER: "a whole number",
    P.DECIMAL: "a number",
    P.NOT_EQUAL: "'<>'",
}
