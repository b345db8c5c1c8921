"""The witness's plans of changelogs: relations of the columns K and V, and the rows they have.

All relations have the same two columns, so any operator can stand on any other.  A relation is a
multiset of rows, which follows from the multisets below it alone, and from nothing before.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

#: The columns K and V of a row.
Row: TypeAlias = tuple[int | None, int | None]
#: A multiset of rows: how often each is there.
Rows: TypeAlias = Counter[Row]

Form: TypeAlias = Literal["appended", "changed", "keyed", "table"]
Kind: TypeAlias = Literal["INNER", "LEFT", "RIGHT", "FULL"]
Measure: TypeAlias = Literal["COUNT(*)", "COUNT(v)", "COUNT(DISTINCT v)", "SUM(v)", "MIN(v)"]


@dataclass(frozen=True, slots=True)
class Input:
    """A stream to which rows are added, or one WITH CHANGES, which may have the KEY k; a table."""

    name: str
    form: Form = "appended"


@dataclass(frozen=True, slots=True)
class Least:
    """The rows whose V is at least this."""

    input: "Plan"
    number: int


@dataclass(frozen=True, slots=True)
class Swapped:
    """The rows with their columns swapped."""

    input: "Plan"


@dataclass(frozen=True, slots=True)
class Grouped:
    """A row for each K that has at least ``often`` rows; its V is a measure of these."""

    input: "Plan"
    measure: Measure
    often: int = 0


@dataclass(frozen=True, slots=True)
class Whole:
    """One row, whose V is a measure of all rows."""

    input: "Plan"
    measure: Measure


@dataclass(frozen=True, slots=True)
class Beside:
    """Each row, whose V is now a measure of the rows of its K."""

    input: "Plan"
    measure: Measure


@dataclass(frozen=True, slots=True)
class Once:
    """Each row once."""

    input: "Plan"


@dataclass(frozen=True, slots=True)
class Paired:
    """Pairs of equal K, or of equal K and V: the K of the left row, the V of the right one."""

    kind: Kind
    left: "Plan"
    right: "Plan"
    both: bool


@dataclass(frozen=True, slots=True)
class Combined:
    """A set operation."""

    operator: Literal["UNION", "INTERSECT", "EXCEPT"]
    all: bool
    left: "Plan"
    right: "Plan"


@dataclass(frozen=True, slots=True)
class First:
    """The first rows by V, then K, after ``skipped`` rows; ``ties``: and those of the last's V."""

    input: "Plan"
    number: int
    skipped: int
    falling: bool
    ties: bool


@dataclass(frozen=True, slots=True)
class FirstOfEach:
    """The rows of each K that have fewer than ``number`` rows with a smaller V."""

    input: "Plan"
    number: int


@dataclass(frozen=True, slots=True)
class Known:
    """The rows whose K is, or is not, a K of other rows; NULL is never known."""

    input: "Plan"
    other: "Plan"
    known: bool


@dataclass(frozen=True, slots=True)
class Greatest:
    """The rows whose V is the greatest V of other rows."""

    input: "Plan"
    other: "Plan"


Plan: TypeAlias = (
    Input
    | Least
    | Swapped
    | Grouped
    | Whole
    | Beside
    | Once
    | Paired
    | Combined
    | First
    | FirstOfEach
    | Known
    | Greatest
)


def rows_of(plan: Plan, there: Mapping[str, Rows]) -> Rows:
    """The rows of a plan; ``there`` are those of the inputs."""
    match plan:
        case Input(name):
            return there[name]
        case Least(input, number):
            rows = rows_of(input, there)
            return Counter({r: n for r, n in rows.items() if r[1] is not None and r[1] >= number})
        case Swapped(input):
            return _sum(((r[1], r[0]), n) for r, n in rows_of(input, there).items())
        case Grouped(input, measure, often):
            groups = _by_key(rows_of(input, there)).items()
            return Counter((k, _measure(measure, vs)) for k, vs in groups if len(vs) >= often)
        case Whole(input, measure):
            values = [v for _, v in rows_of(input, there).elements()]
            return Counter([(0, _measure(measure, values))])
        case Beside(input, measure):
            groups = _by_key(rows_of(input, there)).items()
            return Counter({(k, _measure(measure, vs)): len(vs) for k, vs in groups})
        case Once(input):
            return Counter(dict.fromkeys(rows_of(input, there), 1))
        case Paired(kind, left, right, both):
            return _paired(kind, both, rows_of(left, there), rows_of(right, there))
        case Combined(operator, all, left, right):
            return _combined(operator, all, rows_of(left, there), rows_of(right, there))
        case First():
            return _first(plan, sorted(rows_of(plan.input, there).elements(), key=_order))
        case FirstOfEach(input, number):
            found: list[Row] = []
            for key, values in _by_key(rows_of(input, there)).items():
                before = [sum(_after(v) > _after(other) for other in values) for v in values]
                found += [(key, v) for v, n in zip(values, before, strict=True) if n < number]
            return Counter(found)
        case Known(input, other, known):
            keys = {k for k, _ in rows_of(other, there)} - {None}
            rows = rows_of(input, there)
            return Counter({r: n for r, n in rows.items() if (r[0] in keys) == known})
        case Greatest(input, other):
            most = max((v for _, v in rows_of(other, there) if v is not None), default=None)
            rows = rows_of(input, there)
            return Counter({r: n for r, n in rows.items() if most is not None and r[1] == most})


def _sum(weighted: Iterable[tuple[Row, int]]) -> Rows:
    rows: Rows = Counter()
    for row, number in weighted:
        rows[row] += number
    return rows


def _by_key(rows: Rows) -> Mapping[int | None, list[int | None]]:
    groups: defaultdict[int | None, list[int | None]] = defaultdict(list)
    for key, value in rows.elements():
        groups[key].append(value)
    return groups


def _measure(measure: Measure, values: Sequence[int | None]) -> int | None:
    there = [v for v in values if v is not None]
    match measure:
        case "COUNT(*)":
            return len(values)
        case "COUNT(v)":
            return len(there)
        case "COUNT(DISTINCT v)":
            return len(set(there))
        case "SUM(v)":
            return sum(there) if there else None
        case "MIN(v)":
            return min(there, default=None)


def _paired(kind: Kind, both: bool, left: Rows, right: Rows) -> Rows:
    def meets(a: Row, b: Row) -> bool:
        equal = a[0] is not None and a[0] == b[0]
        return equal and (not both or (a[1] is not None and a[1] == b[1]))

    rows = _sum(((a[0], b[1]), n * m) for a, n in left.items() for b, m in right.items()
                if meets(a, b))  # fmt: skip
    if kind in ("LEFT", "FULL"):
        alone = ((a, n) for a, n in left.items() if not any(meets(a, b) for b in right))
        rows += _sum(((a[0], None), n) for a, n in alone)
    if kind in ("RIGHT", "FULL"):
        alone = ((b, m) for b, m in right.items() if not any(meets(a, b) for a in left))
        rows += _sum(((None, b[1]), m) for b, m in alone)
    return rows


def _combined(operator: str, all: bool, left: Rows, right: Rows) -> Rows:
    if not all:
        left, right = Counter(set(left)), Counter(set(right))
    match operator:
        case "UNION":
            return left + right if all else left | right
        case "INTERSECT":
            return left & right
        case _:
            return left - right


#: After all numbers, as NULL is in order.
_LAST: Final = float("inf")


def _after(value: int | None) -> float:
    return _LAST if value is None else value


def _order(row: Row) -> tuple[float, float]:
    return _after(row[1]), _after(row[0])


def _first(plan: First, rows: Sequence[Row]) -> Rows:
    """Equal rows apart, every two rows differ in the order: which ones are first is never open."""
    ordered = rows[::-1] if plan.falling else rows
    end = plan.skipped + plan.number
    if plan.ties:
        while 0 < end < len(ordered) and ordered[end][1] == ordered[end - 1][1]:
            end += 1
    return Counter(ordered[plan.skipped : end])
