"""Plans as small records: the language of the witness.

Times are whole numbers of milliseconds.  The rows of every plan are `Fact`s: a rowtime, which the
result may show or not, and the other columns.  A column is named by its place among these; the
first one is the key of groups, joins and conditions.
"""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, TypeAlias


class Fact(NamedTuple):
    """A row: its rowtime, its other columns, and ``made_of``, what its operator made it of.

    Two facts of an operator are the same row if all three are equal.
    """

    time: int
    values: tuple[int | None, ...]
    made_of: Hashable = ()


@dataclass(frozen=True, slots=True)
class Stream:
    """A stream with a rowtime and a key; ``counted``: and with a number that ascends.

    ``order`` is how its rowtime is declared; ``slack`` a time, or a number of rows.
    """

    name: str
    order: Literal["ascending", "strict", "t-sorted", "k-sorted", "punctuated"] = "ascending"
    slack: int = 0
    counted: bool = False


@dataclass(frozen=True, slots=True)
class Where:
    """The rows whose key is this."""

    input: "Plan"
    key: int


@dataclass(frozen=True, slots=True)
class Shift:
    """The rows, all later by this."""

    input: "Plan"
    by: int


@dataclass(frozen=True, slots=True)
class Floor:
    """The rows, each at the beginning of its minute."""

    input: "Plan"


@dataclass(frozen=True, slots=True)
class Timeless:
    """The rows without their rowtime: it is implicit above (S-311)."""

    input: "Plan"


@dataclass(frozen=True, slots=True)
class Merge:
    """UNION ALL; the rowtime is shown if all inputs show theirs."""

    inputs: tuple["Plan", ...]


@dataclass(frozen=True, slots=True)
class SetOf:
    """UNION, INTERSECT, EXCEPT of whole rows; ``by_number``: of the number alone, without time."""

    kind: Literal["UNION", "INTERSECT", "EXCEPT"]
    all: bool
    inputs: tuple["Plan", ...]
    by_number: bool = False


@dataclass(frozen=True, slots=True)
class Distinct:
    """SELECT DISTINCT of whole rows."""

    input: "Plan"


#: How windows are written.
WindowForm: TypeAlias = Literal["group", "table", "cumulate"]
WINDOW_FORMS: Final[tuple[WindowForm, ...]] = ("group", "table", "cumulate")


@dataclass(frozen=True, slots=True)
class Windows:
    """A count for each window and each key.  Its rowtime is the window's end: ``shown`` or not.

    A ``group`` function has the windows ``[e - length, e)``, e any multiple of ``step``.  A
    ``table`` function has ``[s, s + length)``, s any multiple of ``step`` after ``offset``.
    ``cumulate`` has ``[s, s + n * step)`` up to ``length``, s any multiple of ``length`` after
    ``offset``.
    """

    input: "Plan"
    step: int
    length: int
    by_key: bool = True
    shown: bool = True
    form: WindowForm = "group"
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Minutes:
    """A count for each minute: by its beginning (FLOOR), or by its end (CEIL), a part of it.

    That is its rowtime, which is ``shown`` or not.
    """

    input: "Plan"
    by: Literal["FLOOR", "CEIL"]
    by_key: bool = True
    shown: bool = True


@dataclass(frozen=True, slots=True)
class Numbers:
    """A count for each number, times ``by``; its rowtime, its rows' greatest, is not shown."""

    input: "Plan"
    by: int = 1


@dataclass(frozen=True, slots=True)
class Frame:
    """A count of the rows around each row: times, rows or peers from ``before`` to ``after`` it.

    ``before`` None is UNBOUNDED PRECEDING, ``after`` None UNBOUNDED FOLLOWING.
    """

    input: "Plan"
    unit: Literal["RANGE", "ROWS", "GROUPS"]
    before: int | None
    after: int | None
    by_key: bool = False
    by_minute: bool = False


@dataclass(frozen=True, slots=True)
class Sorted:
    """The rows by their time, minute or number; then, if ``then_key``, by their key."""

    input: "Plan"
    by: Literal["time", "minute", "number"]
    then_key: bool = True


@dataclass(frozen=True, slots=True)
class TSorted:
    """ORDER BY rowtime WITHIN a slack: of a stream out of order, without the rows that are late."""

    input: "Plan"
    slack: int
    then_key: bool


@dataclass(frozen=True, slots=True)
class Joined:
    """Pairs whose distance, right time less left time, is in ``[low, high]``; see ``equal``.

    If ``high`` is below ``low`` no pair is.  Stamped with the time of ``base``.  ``equal``: of
    equal keys.  A FULL join shows no rowtime.
    """

    kind: Literal["INNER", "LEFT", "RIGHT", "FULL"]
    left: "Plan"
    right: "Plan"
    low: int
    high: int
    equal: bool
    base: Literal["left", "right"]


@dataclass(frozen=True, slots=True)
class WindowJoined:
    """Pairs of equal keys that are in their sides' windows at one moment, stamped with the first.

    ``windows`` has for the left and the right side how long before and after its row one begins and
    ends: ``(following, preceding)``.
    """

    kind: Literal["INNER", "LEFT", "RIGHT", "FULL"]
    left: "Plan"
    right: "Plan"
    windows: tuple[tuple[int, int], tuple[int, int]]


@dataclass(frozen=True, slots=True)
class RowsJoined:
    """Pairs of equal keys at one moment: a row is there until the n-th later one of its side.

    ``rows`` has n for the left and for the right side.
    """

    kind: Literal["INNER", "LEFT", "RIGHT", "FULL"]
    left: "Plan"
    right: "Plan"
    rows: tuple[int, int]


@dataclass(frozen=True, slots=True)
class NumberJoined:
    """Pairs of equal numbers, stamped with the time of ``base``: in lock step by the numbers.

    A FULL join shows no rowtime.
    """

    kind: Literal["INNER", "LEFT", "RIGHT", "FULL"]
    left: "Plan"
    right: "Plan"
    base: Literal["left", "right"]


@dataclass(frozen=True, slots=True)
class AsofJoined:
    """Each left row with the last right row of its key before it, or, unless ``strict``, at it.

    It is stamped with the time of the left row.  ``padded``: a left row without one is shown, too.
    """

    left: "Plan"
    right: "Plan"
    strict: bool
    padded: bool


@dataclass(frozen=True, slots=True)
class Sessions:
    """A count for each session of a key, or of all rows; its end is its rowtime.

    A session is a chain of rows, each less than ``gap`` after the one before.
    """

    input: "Plan"
    gap: int
    by_key: bool = True


Plan: TypeAlias = (
    Stream
    | Where
    | Shift
    | Floor
    | Timeless
    | Merge
    | SetOf
    | Distinct
    | Windows
    | Minutes
    | Numbers
    | Frame
    | Sorted
    | TSorted
    | Joined
    | WindowJoined
    | RowsJoined
    | NumberJoined
    | AsofJoined
    | Sessions
)


def inputs_of(plan: Plan) -> tuple[Plan, ...]:
    """The plans below; a stream has none."""
    match plan:
        case Stream():
            return ()
        case Merge(inputs) | SetOf(_, _, inputs):
            return inputs
        case Joined(_, left, right) | WindowJoined(_, left, right):
            return (left, right)
        case RowsJoined(_, left, right) | NumberJoined(_, left, right):
            return (left, right)
        case AsofJoined(left, right):
            return (left, right)
        case _:
            return (plan.input,)


def shows_time(plan: Plan) -> bool:
    """Whether the result has a column ROWTIME."""
    match plan:
        case Timeless() | Numbers() | Joined("FULL") | NumberJoined("FULL"):
            return False
        case Windows() | Minutes():
            return plan.shown
        case SetOf(by_number=True):
            return False
        case Merge(inputs):
            return all(map(shows_time, inputs))
        case Where() | Distinct() | Sorted():
            return shows_time(plan.input)
        case _:
            return True


def width(plan: Plan) -> int:
    """How many columns the rows have next to the rowtime."""
    match plan:
        case Stream():
            return 2 if plan.counted else 1
        case Merge(inputs):
            return width(inputs[0])
        case SetOf(_, _, inputs):
            return 1 if plan.by_number else width(inputs[0])
        case Windows() | Minutes() | Sessions():
            return 2 if plan.by_key else 1
        case Numbers():
            return 2
        case Frame(input):
            return width(input) + 1
        case Joined("FULL"):
            return 4
        case Joined() | AsofJoined():
            return 3
        case WindowJoined() | RowsJoined():
            return 2
        case NumberJoined():
            return 4
        case Where() | Shift() | Floor() | Timeless() | Distinct() | Sorted() | TSorted():
            return width(plan.input)
