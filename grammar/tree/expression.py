"""The type of expressions: the union of their nodes."""

from typing import TypeAlias

from grammar.tree.calls import (
    Case,
    Cast,
    CurrentTime,
    DatetimeMinus,
    Extract,
    FunctionCall,
    Monotonic,
    Overlay,
    Position,
    Round,
    Step,
    Substring,
    TimestampAdd,
    TimestampDiff,
    Trim,
)
from grammar.tree.operators import (
    Between,
    Binary,
    ColumnRef,
    Exists,
    InList,
    InQuery,
    IntervalLiteral,
    Is,
    Like,
    Literal,
    Parameter,
    Quantified,
    Row,
    ScalarQuery,
    Star,
    Unary,
)

Expression: TypeAlias = (
    Literal
    | IntervalLiteral
    | Parameter
    | ColumnRef
    | Star
    | Unary
    | Binary
    | Between
    | Like
    | Is
    | InList
    | InQuery
    | Exists
    | Quantified
    | ScalarQuery
    | Row
    | Case
    | Cast
    | Extract
    | Round
    | Step
    | TimestampAdd
    | TimestampDiff
    | Substring
    | Position
    | Trim
    | Overlay
    | DatetimeMinus
    | CurrentTime
    | Monotonic
    | FunctionCall
)
