"""The builder of windows, frames and orders, from parse tree to syntax tree."""

from abc import ABC, abstractmethod

from grammar.codes import Code
from grammar.generated.StreamingSqlParser import StreamingSqlParser as P
from grammar.parsing.build_name import NameBuilder
from grammar.parsing.parse_tree import (
    Tree,
    first_word,
    has,
    rule,
    span,
    the,
    tree_of,
    trees,
    word_of,
    words,
)
from grammar.source import Span
from grammar.tree import (
    BoundKind,
    Exclusion,
    Expression,
    Frame,
    FrameBound,
    FrameUnit,
    Identifier,
    NamedWindow,
    SortItem,
    WindowSpec,
)


class WindowBuilder(NameBuilder, ABC):
    """Builds windows; a subclass builds the expressions in them."""

    @abstractmethod
    def expression(self, tree: Tree) -> Expression:
        """The expression that ``tree``, of any of the rules for expressions, denotes."""

    # --- orders -------------------------------------------------------------------------------

    def order_by(self, tree: Tree | None) -> tuple[SortItem, ...]:
        """The items of an ``orderBy``; none without the clause."""
        if tree is None:
            return ()
        return tuple(self.sort_item(each) for each in trees(tree, P.RULE_sortItem))

    def sort_item(self, tree: Tree) -> SortItem:
        """A ``sortItem``."""
        nulls_first = has(tree, P.FIRST) if has(tree, P.NULLS) else None
        withins = trees(tree, P.RULE_within)
        if len(withins) > 1:
            self.refuse(Code.SYNTAX_ERROR, "WITHIN is written twice", span(withins[1]))
        return SortItem(
            self.expression(the(tree, P.RULE_expression)),
            descending=has(tree, P.DESC),
            nulls_first=nulls_first,
            within=self.within(withins[0] if withins else None),
            span=span(tree),
        )

    def within(self, tree: Tree | None) -> Expression | None:
        """The slack of a ``within``; None without one."""
        return None if tree is None else self.expression(the(tree))

    # --- windows ------------------------------------------------------------------------------

    def over(self, tree: Tree | None) -> WindowSpec | None:
        """The window of an ``overClause``; None without one."""
        return None if tree is None else self.window(the(tree, P.RULE_window))

    def window(self, tree: Tree) -> WindowSpec:
        """A ``window``: ``w``, ``(…)``, or a window that refines ``w``: ``(w …)`` or ``w (…)``.

        The last spelling is that of E-22.
        """
        name = tree_of(tree, P.RULE_identifier)
        base = None if name is None else self.identifier(name)
        body = tree_of(tree, P.RULE_windowBody)
        if body is None:
            return WindowSpec(base, (), (), None, span(tree))
        return self._spec(tree, base, body)

    def named_window(self, tree: Tree) -> NamedWindow:
        """A ``namedWindow``."""
        name = self.identifier(the(tree, P.RULE_identifier))
        return NamedWindow(name, self._spec(tree, None, the(tree, P.RULE_windowBody)), span(tree))

    def _spec(self, whole: Tree, base: Identifier | None, body: Tree) -> WindowSpec:
        """The window that ``body`` describes.

        It refines the window ``base``, or a window whose name is in ``body``; both are refused.
        ``whole`` is the tree around ``body``, with the brackets.
        """
        name = tree_of(body, P.RULE_identifier)
        if name is not None and base is not None:
            self.refuse(
                Code.SYNTAX_ERROR,
                "a window refines one window, and two are named",
                span(name),
                f"OVER ({base.name} …)",
            )
        partition = tree_of(body, P.RULE_partitionBy)
        frame = tree_of(body, P.RULE_frame)
        bracket = word_of(whole, P.LPAREN)
        assert bracket is not None
        at = span(whole)
        if rule(whole) == P.RULE_namedWindow:  # in `w AS (…)` the window is only `(…)`
            at = Span(bracket.start, at.end)
        return WindowSpec(
            base if name is None else self.identifier(name),
            ()
            if partition is None
            else tuple(self.expression(each) for each in trees(partition, P.RULE_expression)),
            self.order_by(tree_of(body, P.RULE_orderBy)),
            None if frame is None else self.frame(frame),
            at,
        )

    def frame(self, tree: Tree) -> Frame:
        """A ``frame``."""
        start, *end = [self._bound(each) for each in trees(tree, P.RULE_frameBound)]
        unit = FrameUnit(first_word(tree).text.upper())
        excluded = tree_of(tree, P.RULE_frameExclusion)
        exclude = None
        if excluded is not None:
            exclude = Exclusion(" ".join(each.text.upper() for each in words(excluded)[1:]))
        return Frame(unit, start, end[0] if end else None, span(tree), exclude)

    def _bound(self, tree: Tree) -> FrameBound:
        """A ``frameBound``."""
        preceding = has(tree, P.PRECEDING)
        if has(tree, P.CURRENT):
            return FrameBound(BoundKind.CURRENT_ROW, None, span(tree))
        offset = tree_of(tree, P.RULE_frameOffset)
        if offset is None:
            kind = BoundKind.UNBOUNDED_PRECEDING if preceding else BoundKind.UNBOUNDED_FOLLOWING
            return FrameBound(kind, None, span(tree))
        kind = BoundKind.PRECEDING if preceding else BoundKind.FOLLOWING
        if tree_of(offset, P.RULE_intervalQualifier) is not None:
            return FrameBound(kind, self.interval(offset), span(tree))
        return FrameBound(kind, self.expression(the(offset)), span(tree))
