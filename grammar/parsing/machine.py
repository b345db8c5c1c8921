"""The generated parser, adapted and run: from words to ANTLR's parse tree.

A word is a token of our lexer (`grammar.parsing.tokens`).
"""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from threading import RLock
from typing import Any, Final

from antlr4.atn.PredictionMode import PredictionMode
from antlr4.error.Errors import (
    InputMismatchException,
    ParseCancellationException,
    RecognitionException,
)
from antlr4.error.ErrorStrategy import BailErrorStrategy
from antlr4.ParserRuleContext import ParserRuleContext

from grammar.generated.StreamingSqlParser import StreamingSqlParser
from grammar.parsing.parse_tree import Tree
from grammar.parsing.tokens import Word, Words
from grammar.stack import room

#: Held during a parse, because ANTLR's tables, which all threads share, grow while it predicts.
_LOCK: Final = RLock()


class _Strategy(BailErrorStrategy):
    """An error strategy that stops at the first fault."""

    def reportMatch(self, recognizer: object) -> None:  # noqa: N802  # ANTLR's name
        """Do nothing: there is no recovery to end."""

    def reportError(  # noqa: N802  # ANTLR's name
        self, recognizer: object, e: RecognitionException
    ) -> None:
        """Do nothing: `grammar.parsing.syntax_errors` makes the message."""


class Machine(StreamingSqlParser):
    """The generated parser without listeners; the leaves of its parse tree are words.

    The methods replace slower ones of ANTLR's parser that do the same and more.
    """

    def __init__(self, words: Words) -> None:
        super().__init__(words)  # pyright: ignore[reportUnknownMemberType]  # generated code
        self._errHandler = _Strategy()
        self.removeErrorListeners()
        #: The parser's state and rule when it consumed the last word.
        self.taken: tuple[int, ParserRuleContext] | None = None
        self._words = words

    def consume(self) -> Any:  # a word: the stubs know of no result
        """Add the next word to the tree."""
        stream = self._words
        word = stream.words[stream.index]
        stream.consume()
        context = self._ctx
        assert context is not None
        self.taken = (self.state, context)
        _append(context, word)
        return word

    def match(self, ttype: int) -> Any:  # a word: the stubs know of no type
        """Add the next word to the tree; it must be of type ``ttype``."""
        stream = self._words
        if stream.types[stream.index] != ttype:
            raise InputMismatchException(self)
        return self.consume()

    def enterRule(  # noqa: N802  # ANTLR's name
        self,
        localctx: ParserRuleContext,
        state: int,
        ruleIndex: int,  # noqa: N803, ARG002  # ANTLR's name; the context knows it
    ) -> None:
        """Begin a rule: its tree ``localctx`` becomes the last part of the tree around it."""
        self.state = state
        self._ctx = localctx
        localctx.start = self._words.words[self._words.index]
        parent = localctx.parentCtx
        if parent is not None:
            assert isinstance(parent, ParserRuleContext)
            _append(parent, localctx)

    def enterOuterAlt(  # noqa: N802  # ANTLR's name
        self,
        localctx: ParserRuleContext,
        altNum: int,  # noqa: N803  # ANTLR's name
    ) -> None:
        """Do nothing: no alternative has a name."""

    def exitRule(self) -> None:  # noqa: N802  # ANTLR's name
        """End a rule, and return to the rule around it."""
        context = self._ctx
        assert context is not None
        context.stop = self._words.LT(-1)
        self.state = context.invokingState
        parent = context.parentCtx
        assert parent is None or isinstance(parent, ParserRuleContext)
        self._ctx = parent


def _append(context: ParserRuleContext, part: ParserRuleContext | Word) -> None:
    """Add ``part`` as the last part of ``context``."""
    children: list[Any] | None = context.children  # words stand for ANTLR's terminal nodes
    if children is None:
        context.children = children = []
    children.append(part)


class Failure(Exception):  # noqa: N818  # it never leaves the parser
    """A text that the grammar does not accept.

    ``machine`` is the parser as it was when it failed, and ``error`` is ANTLR's exception.
    """

    def __init__(self, machine: Machine, error: RecognitionException) -> None:
        super().__init__()
        self.machine = machine
        self.error = error


def run(words: Words, rule: Callable[[Machine], Tree]) -> Tree:
    """The parse tree of ``words`` by the parser's method ``rule``.

    Raises `Failure` if ``words`` do not match.  The first attempt uses ANTLR's SLL prediction,
    which is fast; a tree that it finds is right.  But SLL prediction refuses some valid texts, so
    after a failure the slower LL prediction decides.
    """
    try:
        return _run(words, rule, PredictionMode.SLL)
    except Failure:
        return _run(words, rule, PredictionMode.LL)


def _run(words: Words, rule: Callable[[Machine], Tree], mode: PredictionMode) -> Tree:
    """As `run`, but only with the prediction ``mode``."""
    words.seek(0)
    machine = Machine(words)
    machine._interp.predictionMode = mode
    try:
        return rule(machine)
    except ParseCancellationException as cancelled:
        error = cancelled.args[0]
        assert isinstance(error, RecognitionException)
        raise Failure(machine, error) from None


@contextmanager
def parsing() -> Generator[None]:
    """A context in which a text is parsed: one thread at a time.

    In the context, calls may nest as deeply as the parser needs for the deepest accepted text.
    """
    with _LOCK, room():
        yield
