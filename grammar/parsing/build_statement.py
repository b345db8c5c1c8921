"""The builder of statements, from parse tree to syntax tree."""

from typing import TYPE_CHECKING

from grammar.codes import Code
from grammar.generated.StreamingSqlParser import StreamingSqlParser as P
from grammar.parsing.build_name import unquoted
from grammar.parsing.build_query import QueryBuilder
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
from grammar.statement import (
    AlterPump,
    Assignment,
    ColumnDef,
    ColumnOrder,
    CreateFunction,
    CreatePump,
    CreateSchema,
    CreateStream,
    CreateTable,
    CreateView,
    Delete,
    Direction,
    Disorder,
    Drop,
    Explain,
    FunctionParameter,
    Insert,
    Merge,
    MergeClause,
    ObjectKind,
    Option,
    SetOption,
    Statement,
    TableConstraint,
    Transaction,
    TransactionKind,
    Update,
    Watermark,
    WithChanges,
)
from grammar.tree import Expression, Literal, LiteralKind, Name

if TYPE_CHECKING:
    from collections.abc import Callable


class StatementBuilder(QueryBuilder):
    """Builds statements; one builder for each statement of a script.

    Most methods build the node for the grammar's rule of the name in their docstring.
    """

    def statement(self, tree: Tree) -> Statement:
        """A ``statement``."""
        inner = the(tree)
        builders: dict[int, Callable[[Tree], Statement]] = {
            P.RULE_query: self.query,
            P.RULE_createSchema: lambda tree: CreateSchema(
                self._name(tree), self._replaces(tree), span(tree)
            ),
            P.RULE_createStream: self._create_stream,
            P.RULE_createTable: self._create_table,
            P.RULE_createView: self._create_view,
            P.RULE_createPump: self._create_pump,
            P.RULE_createFunction: self._create_function,
            P.RULE_drop: self._drop,
            P.RULE_alterPump: lambda tree: AlterPump(
                self._name(tree), has(tree, P.START), span(tree)
            ),
            P.RULE_insert: self._insert,
            P.RULE_update: self._update,
            P.RULE_delete: self._delete,
            P.RULE_merge: self._merge,
            P.RULE_explain: lambda tree: Explain(self.statement(the(tree)), span(tree)),
            P.RULE_setOption: lambda tree: SetOption(
                self._name(tree), self.expression(the(tree, P.RULE_additive)), span(tree)
            ),
            P.RULE_transaction: lambda tree: Transaction(
                TransactionKind(first_word(tree).text.upper()), span(tree)
            ),
        }
        return builders[rule(inner)](inner)

    def _name(self, tree: Tree) -> Name:
        """The name of the object that a statement creates, changes or drops."""
        return self.name(the(tree, P.RULE_qualifiedName))

    def _replaces(self, tree: Tree) -> bool:
        """Whether a CREATE says OR REPLACE."""
        return tree_of(tree, P.RULE_orReplace) is not None

    # --- CREATE -------------------------------------------------------------------------------

    def _create_stream(self, tree: Tree) -> CreateStream:
        """CREATE [FOREIGN] STREAM."""
        foreign = has(tree, P.FOREIGN)
        elements = tree_of(tree, P.RULE_tableElements)
        if elements is None and not foreign:
            self.refuse(
                Code.SYNTAX_ERROR,
                "a stream needs its columns",
                span(tree),
                "CREATE STREAM s (rowtime TIMESTAMP(3) ASCENDING, x INTEGER)",
            )
        columns, constraints = ((), ()) if elements is None else self._elements(elements)
        history = self._once(trees(tree, P.RULE_history), "WITH HISTORY")
        options = self._once(trees(tree, P.RULE_optionList), "OPTIONS")
        changes = self._once(trees(tree, P.RULE_changes), "WITH CHANGES")
        length = None if history is None else tree_of(history, P.RULE_additive)
        return CreateStream(
            self._name(tree),
            self._replaces(tree),
            foreign=foreign,
            columns=columns,
            constraints=constraints,
            history=history is not None,
            history_length=None if length is None else self.expression(length),
            options=() if options is None else tuple(self._option(each) for each in trees(options)),
            span=span(tree),
            changes=None if changes is None else self._changes(changes),
        )

    def _changes(self, tree: Tree) -> WithChanges:
        """A ``changes``."""
        return WithChanges(self.identifiers(tree_of(tree, P.RULE_columnList)), span(tree))

    def _once(self, found: list[Tree], what: str) -> Tree | None:
        """The only one of ``found``; None if there is none.

        A second one is refused; ``what`` is the name of the part in the message.
        """
        if len(found) > 1:
            self.refuse(Code.SYNTAX_ERROR, f"{what} is written twice", span(found[1]))
        return found[0] if found else None

    def _option(self, tree: Tree) -> Option:
        """An ``option``."""
        name, value = trees(tree)
        return Option(self.identifier(name), self.expression(value), span(tree))

    def _create_table(self, tree: Tree) -> CreateTable:
        """CREATE TABLE."""
        columns, constraints = self._elements(the(tree, P.RULE_tableElements))
        return CreateTable(self._name(tree), self._replaces(tree), columns, constraints, span(tree))

    def _elements(self, tree: Tree) -> tuple[tuple[ColumnDef, ...], tuple[TableConstraint, ...]]:
        """The columns and the constraints of ``tableElements``."""
        elements = [the(each) for each in trees(tree)]
        return (
            tuple(self._column(e) for e in elements if rule(e) == P.RULE_columnDefinition),
            tuple(self._constraint(e) for e in elements if rule(e) == P.RULE_tableConstraint),
        )

    def _column(self, tree: Tree) -> ColumnDef:
        """A ``columnDefinition``, its options in any order."""
        options = trees(tree, P.RULE_columnOption)
        not_null = self._once([each for each in options if has(each, P.NOT)], "NOT NULL")
        key = self._once([each for each in options if has(each, P.PRIMARY)], "PRIMARY KEY")
        default = self._once([each for each in options if has(each, P.DEFAULT)], "DEFAULT")
        inner = [each for option in options for each in trees(option)]
        order = self._once(
            [each for each in inner if rule(each) == P.RULE_columnOrder], "the order of a column"
        )
        check = self._once(
            [each for each in inner if rule(each) == P.RULE_checkConstraint], "CHECK"
        )
        source = self._once([each for each in options if has(each, P.FROM)], "FROM")
        listed = self._once([each for each in inner if rule(each) == P.RULE_optionList], "OPTIONS")
        return ColumnDef(
            self.identifier(the(tree, P.RULE_identifier)),
            self.data_type(the(tree, P.RULE_dataType)),
            not_null=not_null is not None,
            primary_key=key is not None,
            order=None if order is None else self._order(order),
            default=None if default is None else self.expression(the(default)),
            check=None if check is None else self.expression(the(check)),
            path=None if source is None else self._path(source),
            options=() if listed is None else tuple(self._option(each) for each in trees(listed)),
            span=span(tree),
        )

    def _path(self, tree: Tree) -> Literal:
        """The text in a ``columnOption`` that begins with FROM: the path of the column's value."""
        quoted = word_of(tree, P.STRING)
        assert quoted is not None
        text = unquoted(quoted.text, "'")
        return Literal(LiteralKind.STRING, text, Span(quoted.start, quoted.stop + 1))

    def _order(self, tree: Tree) -> ColumnOrder:
        """A ``columnOrder``."""
        disorder = tree_of(tree, P.RULE_disorder)
        return ColumnOrder(
            Direction(first_word(tree).text.upper()),
            has(tree, P.STRICT),
            None if disorder is None else self._disorder(disorder),
            span(tree),
        )

    def _disorder(self, tree: Tree) -> Disorder:
        """A ``disorder``."""
        rows = word_of(tree, P.INTEGER)
        return Disorder(
            self._optional(tree_of(tree, P.RULE_additive)),
            None if rows is None else self.integer(rows),
            has(tree, P.PUNCTUATED),
            span(tree),
        )

    def _optional(self, tree: Tree | None) -> Expression | None:
        """The expression that ``tree`` denotes; None for None."""
        return None if tree is None else self.expression(tree)

    def _constraint(self, tree: Tree) -> TableConstraint:
        """A ``tableConstraint``."""
        check = tree_of(tree, P.RULE_checkConstraint)
        columns = self.identifiers(tree_of(tree, P.RULE_columnList))
        watermark: Watermark | None = None
        if has(tree, P.WATERMARK):
            column = self.identifier(the(tree, P.RULE_identifier))
            watermark = Watermark(column, self.expression(the(tree, P.RULE_additive)), span(tree))
        return TableConstraint(
            primary_key=columns if has(tree, P.PRIMARY) else (),
            period=columns if has(tree, P.PERIOD) else (),
            check=None if check is None else self.expression(the(check)),
            watermark=watermark,
            span=span(tree),
        )

    def _create_view(self, tree: Tree) -> CreateView:
        """CREATE VIEW."""
        return CreateView(
            self._name(tree),
            self._replaces(tree),
            self.identifiers(tree_of(tree, P.RULE_columnList)),
            self.query(the(tree, P.RULE_query)),
            span(tree),
        )

    def _create_pump(self, tree: Tree) -> CreatePump:
        """CREATE PUMP, with STARTED or without; its statement is the last part."""
        inner = trees(tree)[-1]
        builders: dict[int, Callable[[Tree], Insert | Update | Delete | Merge]] = {
            P.RULE_insert: self._insert,
            P.RULE_update: self._update,
            P.RULE_delete: self._delete,
            P.RULE_merge: self._merge,
        }
        statement = builders[rule(inner)](inner)
        return CreatePump(
            self._name(tree), self._replaces(tree), has(tree, P.STARTED), statement, span(tree)
        )

    def _create_function(self, tree: Tree) -> CreateFunction:
        """CREATE FUNCTION."""
        parameters = tuple(
            FunctionParameter(
                self.identifier(the(each, P.RULE_identifier)),
                self.data_type(the(each, P.RULE_dataType)),
                span(each),
            )
            for each in trees(tree, P.RULE_functionParameter)
        )
        return CreateFunction(
            self._name(tree),
            self._replaces(tree),
            parameters,
            self.data_type(the(tree, P.RULE_dataType)),
            self.expression(the(tree, P.RULE_expression)),
            span(tree),
        )

    def _drop(self, tree: Tree) -> Drop:
        """DROP."""
        kind = " ".join(word.text.upper() for word in words(the(tree, P.RULE_objectKind)))
        return Drop(
            ObjectKind(kind), self._name(tree), has(tree, P.IF), has(tree, P.CASCADE), span(tree)
        )

    # --- DML ----------------------------------------------------------------------------------

    def _insert(self, tree: Tree) -> Insert:
        """INSERT and UPSERT."""
        return Insert(
            self._name(tree),
            self.identifiers(tree_of(tree, P.RULE_columnList)),
            self.query(the(tree, P.RULE_query)),
            has(tree, P.UPSERT),
            has(tree, P.EXPEDITED),
            span(tree),
        )

    def _assignments(self, tree: Tree) -> tuple[Assignment, ...]:
        """The assignments ``column = value`` that are parts of ``tree``, in order."""
        return tuple(
            Assignment(
                self.identifier(the(each, P.RULE_identifier)),
                self.expression(the(each, P.RULE_expression)),
                span(each),
            )
            for each in trees(tree, P.RULE_assignment)
        )

    def _update(self, tree: Tree) -> Update:
        """UPDATE."""
        return Update(
            self._name(tree),
            self.alias(tree_of(tree, P.RULE_tableAlias)),
            self._assignments(tree),
            self.condition(tree_of(tree, P.RULE_whereClause)),
            span(tree),
        )

    def _delete(self, tree: Tree) -> Delete:
        """DELETE."""
        return Delete(
            self._name(tree),
            self.alias(tree_of(tree, P.RULE_tableAlias)),
            self.condition(tree_of(tree, P.RULE_whereClause)),
            span(tree),
        )

    def _merge(self, tree: Tree) -> Merge:
        """MERGE."""
        return Merge(
            self._name(tree),
            self.alias(tree_of(tree, P.RULE_tableAlias)),
            self.from_primary(the(tree, P.RULE_fromPrimary)),
            self.expression(the(tree, P.RULE_expression)),
            tuple(self._merge_clause(each) for each in trees(tree, P.RULE_mergeClause)),
            span(tree),
        )

    def _merge_clause(self, tree: Tree) -> MergeClause:
        """A ``mergeClause``."""
        action = the(tree, P.RULE_mergeUpdate, P.RULE_mergeDelete, P.RULE_mergeInsert)
        matched = not has(tree, P.NOT)
        if matched == (rule(action) == P.RULE_mergeInsert):
            self.refuse(
                Code.SYNTAX_ERROR,
                "a row that is matched is updated or deleted, one that is not is inserted",
                span(action),
                "WHEN MATCHED THEN UPDATE SET …, WHEN NOT MATCHED THEN INSERT VALUES (…)",
            )
        return MergeClause(
            matched,
            condition=self._optional(tree_of(tree, P.RULE_expression)),
            assignments=self._assignments(action),
            columns=self.identifiers(tree_of(action, P.RULE_columnList)),
            values=tuple(self.expression(each) for each in trees(action, P.RULE_expression)),
            span=span(tree),
        )
