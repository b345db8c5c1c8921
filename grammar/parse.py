"""The parser's interface: functions that parse a SQL text to its syntax tree."""

from grammar.statement import Statement
from grammar.tree import Expression, Query

# The functions import `grammar.parsing.stages` only when they are called, because the import takes
# a tenth of a second: it unpacks ANTLR's tables.


def parse_statement(sql: str) -> Statement:
    """The statement ``sql``, which may end with a semicolon.

    Raises `SqlError`: SYNTAX_ERROR, BAD_LITERAL, TOO_DEEP or NOT_SUPPORTED (S-702, S-801).

    >>> parse_statement("COMMIT;").kind
    <TransactionKind.COMMIT: 'COMMIT'>
    """
    from grammar.parsing.stages import read_statement

    return read_statement(sql)


def parse_script(sql: str) -> tuple[Statement, ...]:
    """The statements of ``sql``, which semicolons separate; none for an empty text.

    The spans in the statements count in the whole text.  Raises `SqlError` like `parse_statement`.

    >>> len(parse_script("SET a = 1; COMMIT"))
    2
    """
    from grammar.parsing.stages import read_script

    return read_script(sql)


def parse_query(sql: str) -> Query:
    """The query ``sql``.  Raises `SqlError` like `parse_statement`."""
    from grammar.parsing.stages import read_query

    return read_query(sql)


def parse_expression(sql: str) -> Expression:
    """The expression ``sql``.  Raises `SqlError` like `parse_statement`.

    >>> parse_expression("1 + 2 * 3").operator
    <BinaryOperator.PLUS: '+'>
    """
    from grammar.parsing.stages import read_expression

    return read_expression(sql)


def reads_as_sql(text: str) -> bool:
    """Whether a text, such as the hint of an error, is an expression or a type and not prose.

    >>> reads_as_sql("CAST(x AS DATE)"), reads_as_sql("VARCHAR(20)"), reads_as_sql("leave it out")
    (True, True, False)
    """
    from grammar.parsing import stages

    return stages.reads_as_sql(text)


def is_finished(sql: str) -> bool:
    """Whether the last word of a text is a semicolon, or the text has no words but only comments.

    A semicolon in a literal, a name or a comment does not end a statement.

    >>> is_finished("COMMIT; -- done"), is_finished("SELECT 'a;")
    (True, False)
    """
    from grammar.parsing.tokens import scan

    *words, _ = scan(sql)
    return not words or words[-1].text == ";"
