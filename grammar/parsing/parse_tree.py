"""Functions that read ANTLR's parse tree: matches of rules, with words as leaves.

`trees`, `words` and the other functions that search a tree search only its direct parts.
"""

from typing import TypeAlias, cast

from antlr4.ParserRuleContext import ParserRuleContext
from antlr4.Token import Token

from grammar.parsing.tokens import Word
from grammar.source import Span

#: The match of one rule of the grammar.  ``rule(tree)`` is the number of the rule, such as
#: ``P.RULE_query``, and ``parts(tree)`` are the words and the matches of other rules in it.
Tree: TypeAlias = ParserRuleContext


def parts(tree: Tree) -> list[Tree | Word]:
    """The rules and words that are parts of ``tree``, in order."""
    # The parser puts words in the place of ANTLR's terminal nodes.
    return cast("list[Tree | Word]", tree.children or [])


def rule(tree: Tree) -> int:
    """The number of the rule that ``tree`` matched."""
    return tree.getRuleIndex()


def trees(tree: Tree, *rules: int) -> list[Tree]:
    """The parts of ``tree`` that matched one of ``rules``; without ``rules``, any rule."""
    return [
        part
        for part in parts(tree)
        if not isinstance(part, Word) and (not rules or part.getRuleIndex() in rules)
    ]


def tree_of(tree: Tree, *rules: int) -> Tree | None:
    """The first part of ``tree`` that matched one of ``rules``; None: no part did."""
    for part in parts(tree):
        if not isinstance(part, Word) and (not rules or part.getRuleIndex() in rules):
            return part
    return None


def the(tree: Tree, *rules: int) -> Tree:
    """The first part of ``tree`` that matched one of ``rules``; the grammar guarantees one."""
    found = tree_of(tree, *rules)
    assert found is not None
    return found


def words(tree: Tree) -> list[Word]:
    """The words among the parts of ``tree``."""
    return [part for part in parts(tree) if isinstance(part, Word)]


def word_of(tree: Tree, *types: int) -> Word | None:
    """The first part of ``tree`` that is a word of one of ``types``; None: there is none."""
    for part in parts(tree):
        if isinstance(part, Word) and part.type in types:
            return part
    return None


def has(tree: Tree, *types: int) -> bool:
    """Whether a part of ``tree`` is a word of one of ``types``."""
    return word_of(tree, *types) is not None


def first_word(tree: Tree) -> Word:
    """The word that ``tree`` begins with."""
    assert isinstance(tree.start, Word)
    return tree.start


def last_word(tree: Tree) -> Word:
    """The word that ``tree`` ends with."""
    assert isinstance(tree.stop, Word)
    return tree.stop


def span(tree: Tree | Token) -> Span:
    """The place in the text of the match of a rule, or of a word."""
    if isinstance(tree, Token):
        return Span(tree.start, tree.stop + 1)
    return Span(first_word(tree).start, last_word(tree).stop + 1)
