"""CASE, the functions that have a spelling of their own, and calls by name."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from grammar.source import Span
from grammar.tree.name import IntervalQualifier, Name, TimeUnit, TypeName

if TYPE_CHECKING:
    from grammar.tree.expression import Expression
    from grammar.tree.window import SortItem, WindowSpec


@dataclass(frozen=True, slots=True)
class When:
    """One ``WHEN condition THEN result`` of a CASE."""

    condition: "Expression"
    result: "Expression"
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Case:
    """``CASE x WHEN a THEN …`` or ``CASE WHEN p THEN …``.

    ``operand`` is ``x``, with which each condition is compared; None in the second form.
    ``otherwise`` is the value of ELSE, None without it.
    """

    operand: "Expression | None"
    whens: tuple[When, ...]
    otherwise: "Expression | None"
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Cast:
    """``CAST(x AS type)``."""

    operand: "Expression"
    type: TypeName
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Extract:
    """``EXTRACT(unit FROM x)``."""

    unit: TimeUnit
    operand: "Expression"
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Round:
    """``FLOOR(x)``, or ``CEIL(x)`` if ``up``, with or without ``TO unit`` (CAL-188, CAL-189)."""

    up: bool
    operand: "Expression"
    unit: TimeUnit | None
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Step:
    """``STEP(x BY i)``: the greatest multiple of ``i`` not above ``x`` (S-208)."""

    operand: "Expression"
    by: "Expression"
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class TimestampAdd:
    """``TIMESTAMPADD(unit, count, t)``; the unit ``SQL_TSI_DAY`` is parsed as ``DAY``."""

    unit: TimeUnit
    count: "Expression"
    operand: "Expression"
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class TimestampDiff:
    """``TIMESTAMPDIFF(unit, start, end)``; units as of `TimestampAdd`."""

    unit: TimeUnit
    start: "Expression"
    end: "Expression"
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Substring:
    """``SUBSTRING(x FROM a [FOR n])``, also spelled ``SUBSTRING(x, a[, n])``."""

    operand: "Expression"
    start: "Expression"
    length: "Expression | None"
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Position:
    """``POSITION(x IN y)``."""

    needle: "Expression"
    haystack: "Expression"
    span: Span = field(compare=False, repr=False)


class TrimSide(StrEnum):
    """The sides of a text at which TRIM removes characters."""

    BOTH = "BOTH"
    LEADING = "LEADING"
    TRAILING = "TRAILING"


@dataclass(frozen=True, slots=True)
class Trim:
    """``TRIM([side] [c] FROM x)``; ``characters`` is None for blanks."""

    side: TrimSide
    characters: "Expression | None"
    operand: "Expression"
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Overlay:
    """``OVERLAY(x PLACING y FROM a [FOR n])``."""

    operand: "Expression"
    replacement: "Expression"
    start: "Expression"
    length: "Expression | None"
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class DatetimeMinus:
    """``(a - b) SECOND``: the time from ``b`` to ``a`` as an interval in seconds (S-207)."""

    left: "Expression"
    right: "Expression"
    qualifier: IntervalQualifier
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class CurrentTime:
    """``CURRENT_TIMESTAMP``, ``LOCALTIME(3)``, …: ``function`` is the word in upper case."""

    function: str
    precision: int | None
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Monotonic:
    """``MONOTONIC(e)``: the writer asserts that ``e`` ascends (S-407)."""

    operand: "Expression"
    span: Span = field(compare=False, repr=False)


class Nulls(StrEnum):
    """Whether a window function such as LAG counts NULLs or skips them: ``IGNORE NULLS``."""

    RESPECT = "RESPECT"
    IGNORE = "IGNORE"


@dataclass(frozen=True, slots=True)
class FunctionCall:
    """A call by name: scalar function, aggregate, window function, TUMBLE, HOP and the like.

    ``star``: ``COUNT(*)``.  ``within_group`` is the order of LISTAGG, PERCENTILE_CONT and others,
    also if it is among the arguments: ``STRING_AGG(x, ',' ORDER BY y)``.  ``over`` is the window
    after OVER, else None.  Binding decides which of these a function takes.
    """

    name: Name
    arguments: tuple["Expression", ...]
    star: bool
    distinct: bool
    within_group: tuple["SortItem", ...]
    filter: "Expression | None"
    nulls: Nulls | None
    over: "WindowSpec | None"
    span: Span = field(compare=False, repr=False)
