"""The codes of all errors, by family; they are contract and never change (S-801)."""

from enum import StrEnum
from typing import Final


class Family(StrEnum):
    """The kind of rule that is broken if an error has a code of this family.

    Defines: S-801.e
    """

    SYNTAX = "syntax"
    NAME = "name"
    TYPE = "type"
    QUERY = "query"
    STREAMING = "streaming"
    RUNTIME = "runtime"


class Code(StrEnum):
    """The code of one rule that a text or a row breaks; its meaning never changes."""

    # syntax
    SYNTAX_ERROR = "SYNTAX_ERROR"  # the text is not of the language
    TOO_DEEP = "TOO_DEEP"  # nested deeper than the parser's limit
    BAD_LITERAL = "BAD_LITERAL"  # a literal whose text is not a value of its type
    NOT_SUPPORTED = "NOT_SUPPORTED"  # of SQL, but not (yet) of this language (S-606, S-702)

    # name
    UNKNOWN_OBJECT = "UNKNOWN_OBJECT"  # no table, stream, view or schema of that name
    UNKNOWN_COLUMN = "UNKNOWN_COLUMN"
    AMBIGUOUS_COLUMN = "AMBIGUOUS_COLUMN"
    UNKNOWN_FUNCTION = "UNKNOWN_FUNCTION"
    UNKNOWN_WINDOW = "UNKNOWN_WINDOW"
    DUPLICATE_NAME = "DUPLICATE_NAME"  # an alias, column, window or object defined twice
    WRONG_OBJECT = "WRONG_OBJECT"  # the object is of a kind that the statement does not take
    # type
    TYPE_MISMATCH = "TYPE_MISMATCH"  # operands or arguments whose types cannot be combined
    WRONG_ARGUMENTS = "WRONG_ARGUMENTS"  # a number of arguments that the function does not take
    CANNOT_CAST = "CANNOT_CAST"
    COLUMN_COUNT = "COLUMN_COUNT"  # sides of a set operation, column list, VALUES, INSERT
    # query: rules of SQL, streaming or not
    AGGREGATE_MISPLACED = "AGGREGATE_MISPLACED"  # in WHERE, ON, GROUP BY, VALUES …
    AGGREGATE_NESTED = "AGGREGATE_NESTED"
    NOT_GROUPED = "NOT_GROUPED"  # a column that is neither grouped nor aggregated
    WINDOW_MISPLACED = "WINDOW_MISPLACED"  # OVER outside SELECT and ORDER BY
    OVER_REQUIRED = "OVER_REQUIRED"  # RANK() and similar functions without OVER
    OVER_NOT_ALLOWED = "OVER_NOT_ALLOWED"  # OVER after a function that is not an aggregate
    BAD_FRAME = "BAD_FRAME"  # frame ends that cross, a frame where none may be, a bad offset
    BAD_WINDOW = "BAD_WINDOW"  # a refinement that repeats or contradicts the window refined
    GROUP_WINDOW_MISPLACED = "GROUP_WINDOW_MISPLACED"  # TUMBLE or HOP outside GROUP BY
    NO_MATCHING_GROUP_WINDOW = "NO_MATCHING_GROUP_WINDOW"  # TUMBLE_END without its TUMBLE
    AMBIGUOUS_GROUP_WINDOW = "AMBIGUOUS_GROUP_WINDOW"  # TUMBLE_END(t) with two TUMBLEs
    BAD_GROUP_WINDOW = "BAD_GROUP_WINDOW"  # a size that is not positive, constant, of one family
    BAD_ORDINAL = "BAD_ORDINAL"  # ORDER BY 9 of three columns
    BAD_LIMIT = "BAD_LIMIT"  # a limit or offset that is not a non-negative whole number
    NOT_TEMPORAL = "NOT_TEMPORAL"  # FOR SYSTEM_TIME AS OF on a table without PERIOD
    SUBQUERY_COLUMNS = "SUBQUERY_COLUMNS"  # a scalar sub-query of several columns
    BAD_OPTION = "BAD_OPTION"  # an option of a foreign stream that is unknown, wrong or missing
    # streaming
    STREAM_TO_TABLE = "STREAM_TO_TABLE"  # a relational query on a stream without history
    TABLE_TO_STREAM = "TABLE_TO_STREAM"  # a streaming query on a table
    NO_STREAMING_INPUT = "NO_STREAMING_INPUT"  # a streaming query over tables only
    STREAMING_VALUES = "STREAMING_VALUES"
    MIXED_SET_OPERATION = "MIXED_SET_OPERATION"
    STREAMING_LIMIT = "STREAMING_LIMIT"  # OFFSET, LIMIT, FETCH
    NO_MONOTONIC_KEY = "NO_MONOTONIC_KEY"  # GROUP BY, DISTINCT, set operation
    NOT_MONOTONIC_ORDER = "NOT_MONOTONIC_ORDER"  # ORDER BY
    NO_LOCK_STEP = "NO_LOCK_STEP"
    INFINITE_WINDOW = "INFINITE_WINDOW"  # an unbounded window of a join
    UNBOUNDED_FRAME = "UNBOUNDED_FRAME"  # a frame or partition that never completes
    ROWTIME_NOT_ASCENDING = "ROWTIME_NOT_ASCENDING"
    TABLE_PRESERVED = "TABLE_PRESERVED"  # an outer join that preserves a table against a stream
    STREAM_IN_SUBQUERY = "STREAM_IN_SUBQUERY"  # a scalar, IN or EXISTS sub-query over a stream
    NOT_DETERMINISTIC = "NOT_DETERMINISTIC"  # RAND in a streaming query, the clock in EMIT CHANGES
    EMIT_MISPLACED = "EMIT_MISPLACED"  # EMIT without STREAM, or in a query inside another
    NOT_APPEND_ONLY = "NOT_APPEND_ONLY"  # rows that can be deleted, where rows are only added
    STREAM_DML = "STREAM_DML"  # UPDATE, DELETE, MERGE, UPSERT of a stream
    # runtime
    OVERFLOW = "OVERFLOW"  # a result outside its type's range
    DIVISION_BY_ZERO = "DIVISION_BY_ZERO"
    INVALID_CAST = "INVALID_CAST"  # a text that is not a value of the target type
    INVALID_ARGUMENT = "INVALID_ARGUMENT"  # SUBSTRING of negative length, LN of 0 …
    EXTERNAL_ROUTINE = "EXTERNAL_ROUTINE"  # a function of the user has failed (SQLSTATE class 38)
    SCALAR_SUBQUERY_ROWS = "SCALAR_SUBQUERY_ROWS"  # a scalar sub-query of more than one row
    BAD_ROW = "BAD_ROW"  # wrong width, wrong type, NULL in a monotonic column, CHECK broken
    BOUND_BACKWARDS = "BOUND_BACKWARDS"
    BEHIND_OWN_BOUND = "BEHIND_OWN_BOUND"
    INSUFFICIENT_HISTORY = "INSUFFICIENT_HISTORY"


#: The first code of each family; a code belongs to the family of the nearest entry above it.
_FIRST: Final = {
    Code.SYNTAX_ERROR: Family.SYNTAX,
    Code.UNKNOWN_OBJECT: Family.NAME,
    Code.TYPE_MISMATCH: Family.TYPE,
    Code.AGGREGATE_MISPLACED: Family.QUERY,
    Code.STREAM_TO_TABLE: Family.STREAMING,
    Code.OVERFLOW: Family.RUNTIME,
}


def family(code: Code) -> Family:
    """The family of ``code``."""
    found = Family.SYNTAX
    for each in Code:
        found = _FIRST.get(each, found)
        if each is code:
            break
    return found
