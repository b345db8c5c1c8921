"""ORDER BY, the windows of OVER and of WINDOW, and their frames."""

from dataclasses import dataclass, field
from enum import StrEnum

from grammar.source import Span
from grammar.tree.expression import Expression
from grammar.tree.name import Identifier


@dataclass(frozen=True, slots=True)
class SortItem:
    """One item of ORDER BY.

    ``nulls_first`` is None if NULLS FIRST or LAST is not written.  ``within`` is the slack of
    WITHIN (S-507), None without it.
    """

    expression: Expression
    descending: bool
    nulls_first: bool | None
    within: Expression | None
    span: Span = field(compare=False, repr=False)


class FrameUnit(StrEnum):
    """The unit in which a frame counts."""

    ROWS = "ROWS"
    RANGE = "RANGE"
    GROUPS = "GROUPS"


class BoundKind(StrEnum):
    """The five kinds of ends of a frame."""

    UNBOUNDED_PRECEDING = "UNBOUNDED PRECEDING"
    PRECEDING = "PRECEDING"
    CURRENT_ROW = "CURRENT ROW"
    FOLLOWING = "FOLLOWING"
    UNBOUNDED_FOLLOWING = "UNBOUNDED FOLLOWING"


@dataclass(frozen=True, slots=True)
class FrameBound:
    """One end of a frame; ``offset`` only with PRECEDING and FOLLOWING."""

    kind: BoundKind
    offset: Expression | None
    span: Span = field(compare=False, repr=False)


class Exclusion(StrEnum):
    """The rows that EXCLUDE takes out of a frame."""

    CURRENT_ROW = "CURRENT ROW"
    GROUP = "GROUP"
    TIES = "TIES"
    NO_OTHERS = "NO OTHERS"


@dataclass(frozen=True, slots=True)
class Frame:
    """``ROWS 2 PRECEDING``, ``RANGE BETWEEN … AND … EXCLUDE TIES``.

    ``end`` and ``exclude`` are None if they are not written.
    """

    unit: FrameUnit
    start: FrameBound
    end: FrameBound | None
    span: Span = field(compare=False, repr=False)
    exclude: Exclusion | None = None


@dataclass(frozen=True, slots=True)
class WindowSpec:
    """A window; ``base`` is the named window that it refines or, for ``OVER w``, equals.

    ``OVER w`` is parsed as ``OVER (w)``, and ``OVER w (RANGE …)`` as ``OVER (w RANGE …)`` (E-22);
    PARTITION BY and ORDER BY may be in either order (E-20).
    """

    base: Identifier | None
    partition: tuple[Expression, ...]
    order: tuple[SortItem, ...]
    frame: Frame | None
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class NamedWindow:
    """``w AS (…)`` of a WINDOW clause."""

    name: Identifier
    spec: WindowSpec
    span: Span = field(compare=False, repr=False)
