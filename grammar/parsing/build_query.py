"""The builder of queries, from parse tree to syntax tree."""

from typing import Final

from grammar.codes import Code
from grammar.generated.StreamingSqlParser import StreamingSqlParser as P
from grammar.parsing.build_expression import ExpressionBuilder, innermost
from grammar.parsing.match_condition import ASOF_KINDS, MATCH_ADVICE, suggest_match_condition
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
)
from grammar.parsing.tokens import Word
from grammar.source import Span
from grammar.tree import (
    CommonTable,
    DerivedTable,
    Emit,
    EmitKind,
    ExplicitTable,
    Expression,
    FromItem,
    GroupBy,
    GroupExpression,
    Grouping,
    GroupingKind,
    GroupItem,
    GroupTuple,
    Join,
    JoinKind,
    Limit,
    Literal,
    LiteralKind,
    Query,
    QueryBody,
    Row,
    ScalarQuery,
    Select,
    SelectItem,
    SetOperation,
    SetOperator,
    Star,
    TableArgument,
    TableCall,
    TableFunction,
    TableRef,
    Values,
    With,
)

#: The operator for each word; MINUS is another name of EXCEPT.
_SET_OPERATORS: Final = {
    P.UNION: SetOperator.UNION,
    P.INTERSECT: SetOperator.INTERSECT,
    P.EXCEPT: SetOperator.EXCEPT,
    P.MINUS_: SetOperator.EXCEPT,
}

_JOINS: Final = {
    P.INNER: JoinKind.INNER,
    P.LEFT: JoinKind.LEFT,
    P.RIGHT: JoinKind.RIGHT,
    P.FULL: JoinKind.FULL,
}


class QueryBuilder(ExpressionBuilder):
    """Builds queries and all their parts.

    Most methods build the node for the grammar's rule of the name in their docstring.
    """

    def query(self, tree: Tree) -> Query:
        """A ``query``."""
        with_ = tree_of(tree, P.RULE_withClause)
        limit = tree_of(tree, P.RULE_limit)
        emit = tree_of(tree, P.RULE_emit)
        return Query(
            None if with_ is None else self._with(with_),
            self._set_operations(the(tree, P.RULE_queryBody)),
            self.order_by(tree_of(tree, P.RULE_orderBy)),
            None if limit is None else self._limit(limit),
            span(tree),
            None if emit is None else self._emit(emit),
        )

    def _emit(self, tree: Tree) -> Emit:
        """An ``emit``."""
        kind = EmitKind.CHANGES if has(tree, P.CHANGES) else EmitKind.AFTER_WATERMARK
        return Emit(kind, span(tree))

    def _with(self, tree: Tree) -> With:
        """A ``withClause``."""
        tables = tuple(
            CommonTable(
                self.identifier(the(each, P.RULE_identifier)),
                self.identifiers(tree_of(each, P.RULE_columnList)),
                self.query(the(each, P.RULE_query)),
                span(each),
            )
            for each in trees(tree, P.RULE_commonTable)
        )
        recursive = word_of(tree, P.RECURSIVE)
        at = None if recursive is None else span(recursive)
        return With(recursive is not None, tables, span(tree), at)

    def _set_operations(self, tree: Tree) -> QueryBody:
        """A ``queryBody`` or ``queryTerm``: operands of set operations, left-associative."""
        left: QueryBody | None = None
        operator: SetOperator | None = None
        all_ = False
        start = first_word(tree).start
        for part in parts(tree):
            if isinstance(part, Word):
                if part.type in _SET_OPERATORS:
                    operator = _SET_OPERATORS[part.type]
                all_ = part.type == P.ALL
                continue
            right = self._query_operand(part)
            if left is None or operator is None:
                left = right
            else:
                left = SetOperation(operator, all_, left, right, Span(start, span(part).end))
            operator, all_ = None, False
        assert left is not None
        return left

    def _query_operand(self, tree: Tree) -> QueryBody:
        """A ``queryTerm`` or ``queryPrimary``."""
        if rule(tree) == P.RULE_queryTerm:
            return self._set_operations(tree)
        inner = the(tree)
        match rule(inner):
            case P.RULE_select:
                return self._select(inner)
            case P.RULE_values:
                return self._values(inner)
            case P.RULE_explicitTable:
                return ExplicitTable(self.name(the(inner)), span(inner))
            case _:
                return self.query(inner)

    def _values(self, tree: Tree) -> Values:
        """A ``values``; ``VALUES 1, 2`` is two rows of one column."""
        return Values(tuple(self._values_row(each) for each in trees(tree)), span(tree))

    def _values_row(self, tree: Tree) -> tuple[Expression, ...]:
        """One row of VALUES, with or without brackets.

        ``(a - b) DAY`` has brackets, too, but is one value: an interval.
        """
        inner = innermost(tree)
        if rule(inner) == P.RULE_rowValue or (
            rule(inner) == P.RULE_parenthesized and tree_of(inner, P.RULE_intervalQualifier) is None
        ):
            return tuple(self.expression(each) for each in trees(inner))
        return (self.expression(inner),)

    # --- SELECT -------------------------------------------------------------------------------

    def _select(self, tree: Tree) -> Select:
        """A ``select``."""
        stream = word_of(tree, P.STREAM)
        from_ = tree_of(tree, P.RULE_fromClause)
        group_by = tree_of(tree, P.RULE_groupBy)
        windows = tree_of(tree, P.RULE_windowClause)
        return Select(
            stream=stream is not None,
            distinct=has(tree, P.DISTINCT),
            items=tuple(self._select_item(each) for each in trees(tree, P.RULE_selectItem)),
            from_=None if from_ is None else self._from_list(the(from_)),
            where=self.condition(tree_of(tree, P.RULE_whereClause)),
            group_by=None if group_by is None else self._group_by(group_by),
            having=self.condition(tree_of(tree, P.RULE_havingClause)),
            windows=()
            if windows is None
            else tuple(self.named_window(each) for each in trees(windows)),
            qualify=self.condition(tree_of(tree, P.RULE_qualifyClause)),
            stream_span=None if stream is None else span(stream),
            span=span(tree),
        )

    def condition(self, tree: Tree | None) -> Expression | None:
        """The condition of a ``whereClause``, ``havingClause`` or ``qualifyClause``."""
        return None if tree is None else self.expression(the(tree))

    def _select_item(self, tree: Tree) -> SelectItem:
        """A ``selectItem``."""
        if has(tree, P.STAR):
            qualifier = tree_of(tree, P.RULE_qualifiedName)
            star = Star(None if qualifier is None else self.name(qualifier), span(tree))
            return SelectItem(star, None, span(tree))
        alias = tree_of(tree, P.RULE_identifier, P.RULE_bareAlias)
        return SelectItem(
            self.expression(the(tree, P.RULE_expression)),
            None if alias is None else self.identifier(alias),
            span(tree),
        )

    # --- GROUP BY -----------------------------------------------------------------------------

    def _group_by(self, tree: Tree) -> GroupBy:
        """A ``groupBy``."""
        return GroupBy(self._group_items(tree), span(tree))

    def _group_items(self, tree: Tree) -> tuple[GroupItem, ...]:
        """The elements of GROUP BY that are parts of ``tree``, without those inside an element."""
        return tuple(self._group_item(each) for each in trees(tree, P.RULE_groupItem))

    def _group_item(self, tree: Tree) -> GroupItem:
        """A ``groupItem``: grouping sets, keys in parentheses, or one key."""
        word = first_word(tree)
        keys = [self._group_expression(each) for each in trees(tree, P.RULE_groupExpression)]
        if has(tree, P.SETS, P.CUBE, P.ROLLUP):
            kind = (
                GroupingKind.GROUPING_SETS
                if word.type == P.GROUPING
                else GroupingKind(word.text.upper())
            )
            return Grouping(kind, self._group_items(tree), span(tree))
        if has(tree, P.LPAREN):
            return GroupTuple(tuple(keys), span(tree))
        return keys[0]

    def _group_expression(self, tree: Tree) -> GroupExpression:
        """A ``groupExpression``."""
        return GroupExpression(
            self.expression(the(tree)), self.within(tree_of(tree, P.RULE_within)), span(tree)
        )

    # --- FROM ---------------------------------------------------------------------------------

    def _from_list(self, tree: Tree) -> FromItem:
        """A ``fromList``: a comma is a cross join of the least precedence."""
        first, *others = trees(tree)
        left = self._from_item(first)
        for each in others:
            at = Span(span(first).start, span(each).end)
            left = Join(
                JoinKind.CROSS,
                left,
                self._from_item(each),
                natural=False,
                on=None,
                using=(),
                comma=True,
                span=at,
            )
        return left

    def _from_item(self, tree: Tree) -> FromItem:
        """A ``fromItem``: joins are left-associative."""
        first, *joins = trees(tree)
        left = self.from_primary(first)
        for each in joins:
            left = self._join(left, each, Span(span(first).start, span(each).end))
        return left

    def _join(self, left: FromItem, tree: Tree, at: Span) -> Join:
        """``left`` followed by ``join``."""
        kind = JoinKind.CROSS if has(tree, P.CROSS) else JoinKind.INNER
        if (written := tree_of(tree, P.RULE_joinKind)) is not None:
            kind = _JOINS[first_word(written).type]
        condition = tree_of(tree, P.RULE_expression)
        right = self.from_primary(the(tree, P.RULE_fromPrimary))
        on = None if condition is None else self.expression(condition)
        return Join(
            kind,
            left,
            right,
            natural=has(tree, P.NATURAL),
            on=on,
            using=self.identifiers(tree_of(tree, P.RULE_columnList)),
            comma=False,
            span=at,
            match=self._match(tree, kind, on) if has(tree, P.ASOF) else None,
        )

    def _match(self, tree: Tree, kind: JoinKind, on: Expression | None) -> Expression:
        """The MATCH_CONDITION of an ASOF ``join``.

        Refused are an ASOF join of a ``kind`` other than INNER and LEFT, and one without
        MATCH_CONDITION.  ``on`` is the condition after ON, for suggestions.
        """
        if kind not in ASOF_KINDS:
            self.refuse(
                Code.NOT_SUPPORTED,
                f"{kind} ASOF JOIN is not supported: each left row has at most one partner",
                span(the(tree, P.RULE_joinKind)),
                "swap the sides, and write LEFT ASOF JOIN",
            )
        written = tree_of(tree, P.RULE_matchCondition)
        if written is None:
            on_at = word_of(tree, P.ON)
            found = () if on_at is None else suggest_match_condition(on, span(on_at), self.sql)
            self.refuse(
                Code.SYNTAX_ERROR,
                "ASOF JOIN requires MATCH_CONDITION",
                span(first_word(tree)).to(span(the(tree, P.RULE_fromPrimary))),
                MATCH_ADVICE,
                found,
            )
        return self.expression(the(written))

    def from_primary(self, tree: Tree) -> FromItem:
        """A ``fromPrimary``: a table, a sub-query, a call, or joins in parentheses.

        LATERAL is refused (S-702).
        """
        if (lateral := tree_of(tree, P.RULE_lateral)) is not None:
            self.refuse(
                Code.NOT_SUPPORTED,
                "LATERAL is not in the language yet (S-702)",
                span(first_word(lateral)),
                "join groups: JOIN (SELECT k, MAX(x) AS m FROM t GROUP BY k) AS s ON s.k = o.k",
            )
        alias = self.alias(tree_of(tree, P.RULE_tableAlias))
        overs = trees(tree, P.RULE_overClause)
        if len(overs) > 1:
            self.refuse(Code.SYNTAX_ERROR, "a FROM item has one window", span(overs[1]))
        over = self.over(overs[0] if overs else None)
        if (items := tree_of(tree, P.RULE_fromList)) is not None:
            return self._from_list(items)
        if (query := tree_of(tree, P.RULE_query)) is not None:
            return DerivedTable(self.query(query), over, alias, span(tree))
        if (call := tree_of(tree, P.RULE_tableCall)) is not None:
            return TableFunction(self._table_call(call), alias, span(tree))
        time = tree_of(tree, P.RULE_systemTime)
        return TableRef(
            self.name(the(tree, P.RULE_qualifiedName)),
            None if time is None else self.expression(the(time)),
            over,
            alias,
            span(tree),
        )

    def _table_call(self, tree: Tree) -> TableCall:
        """A ``tableCall``."""
        arguments = trees(tree, P.RULE_tableArgument)
        return TableCall(
            self.name(the(tree, P.RULE_qualifiedName)),
            tuple(self._table_argument(each) for each in arguments),
            span(tree),
        )

    def _table_argument(self, tree: Tree) -> TableArgument:
        """A ``tableArgument``; several partition keys are written as a row value: ``(a, b)``."""
        name = tree_of(tree, P.RULE_identifier)
        table = tree_of(tree, P.RULE_qualifiedName)
        expressions = trees(tree, P.RULE_expression)
        partition: tuple[Expression, ...] = ()
        if has(tree, P.PARTITION):
            key = self.expression(expressions.pop())
            partition = key.items if isinstance(key, Row) else (key,)
        value: Expression | ExplicitTable | Query
        if table is not None:
            value = ExplicitTable(self.name(table), span(table))
        elif (rows := tree_of(tree, P.RULE_query)) is not None:
            value = self.query(rows)
        else:
            written = self.expression(expressions[0])
            value = written.query if isinstance(written, ScalarQuery) else written
        return TableArgument(
            None if name is None else self.identifier(name),
            value,
            partition,
            self.order_by(tree),
            span(tree),
        )

    # --- LIMIT --------------------------------------------------------------------------------

    def _limit(self, tree: Tree) -> Limit:
        """A ``limit``: LIMIT and OFFSET in any order, ``LIMIT offset, count``, or FETCH FIRST."""
        offset = limit = None
        counts: list[Tree] = []
        # `LIMIT n` has a ``limitCount``.  An ``additive`` is the number after OFFSET, or one of the
        # two numbers of `LIMIT offset, count`.
        keyword = P.LIMIT
        for part in parts(tree):
            if isinstance(part, Word):
                keyword = part.type
            elif rule(part) == P.RULE_additive and keyword == P.OFFSET:
                offset = self.expression(part)
            elif rule(part) == P.RULE_additive:
                counts.append(part)
            elif rule(part) == P.RULE_limitCount and not has(part, P.ALL):
                limit = self.expression(the(part))
            elif rule(part) == P.RULE_fetch:
                limit = self._fetched(part)
        if counts:  # LIMIT offset, count
            offset, limit = (self.expression(each) for each in counts)
        fetch = tree_of(tree, P.RULE_fetch)
        with_ties = fetch is not None and has(fetch, P.TIES)
        return Limit(offset, limit, with_ties, span(tree))

    def _fetched(self, tree: Tree) -> Expression:
        """The number of rows of a ``fetch``; 1 if none is written."""
        count = tree_of(tree, P.RULE_additive)
        if count is None:
            return Literal(LiteralKind.NUMBER, "1", span(tree))
        return self.expression(count)
