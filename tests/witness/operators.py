"""Each operator over finite lists: the rows that it has of inputs that hold these and no others.

``made_of`` names input rows by their places in their lists: a group's by all its rows, a frame's
likewise, a pair's by its two rows.  Once no row to come can change it a row is determined (S-305).
"""

from collections import defaultdict
from collections.abc import Hashable, Sequence
from itertools import product
from math import gcd, inf
from typing import Final, TypeAlias

from tests.witness.histories import LAST_INSTANT
from tests.witness.plans import (
    AsofJoined,
    Distinct,
    Fact,
    Floor,
    Frame,
    Joined,
    Merge,
    Minutes,
    NumberJoined,
    Numbers,
    Plan,
    RowsJoined,
    Sessions,
    SetOf,
    Shift,
    Sorted,
    Stream,
    Timeless,
    TSorted,
    Where,
    WindowJoined,
    Windows,
    shows_time,
)

MINUTE: Final = 60_000
#: The greatest INTEGER.
LAST_NUMBER: Final = 2**31 - 1
#: The key of a row to come that may be whatever a condition asks for (S-305.c).
ANY: Final = -1

Facts: TypeAlias = Sequence[Fact]


def rows_of(plan: Plan, inputs: Sequence[Facts]) -> list[Fact]:
    """The rows of an operator over its inputs."""
    first = inputs[0] if inputs else ()
    match plan:
        case Stream():
            raise AssertionError("a stream has no inputs")
        case Where(_, key):
            return [f for f in _each(first) if f.values[0] in (key, ANY)]
        case Shift(_, by):
            return [Fact(f.time + by, f.values, f.made_of) for f in _each(first)]
        case Floor():
            return [Fact(f.time // MINUTE * MINUTE, f.values, f.made_of) for f in _each(first)]
        case Timeless():
            return _each(first)
        case Merge():
            return [
                Fact(f.time, f.values, (number, i))
                for number, facts in enumerate(inputs)
                for i, f in enumerate(facts)
            ]
        case SetOf():
            return _set_of(plan, inputs)
        case Distinct():
            return _distinct(first)
        case Windows():
            return _counts(first, [_window_ends(plan, f.time) for f in first], by_key=plan.by_key)
        case Minutes(_, by):
            edge = _floor if by == "FLOOR" else _ceiling
            return _counts(first, [[edge(f.time)] for f in first], by_key=plan.by_key)
        case Sessions():
            return _sessions(plan, first)
        case Numbers(_, by):
            return _numbers(first, by)
        case Frame():
            return [_with_frame(plan, first, i) for i in range(len(first))]
        case Sorted():
            return _sorted(plan, first)
        case TSorted():
            return _t_sorted(plan, first)
        case Joined():
            return _joined(plan, inputs[0], inputs[1])
        case RowsJoined():
            return _rows_joined(plan, inputs[0], inputs[1])
        case NumberJoined():
            return _number_joined(plan, inputs[0], inputs[1])
        case WindowJoined():
            return _window_joined(plan, inputs[0], inputs[1])
        case AsofJoined():
            return _asof_joined(plan, inputs[0], inputs[1])


def fails(plan: Plan, rows: Sequence[Fact]) -> bool:
    """Whether one of an operator's rows is an error: a time or number beyond those that exist."""
    if isinstance(plan, Numbers) and any((row.values[0] or 0) > LAST_NUMBER for row in rows):
        return True
    computed = shows_time(plan) or isinstance(plan, Windows | Minutes | Sessions)
    return computed and any(row.time > LAST_INSTANT for row in rows)


def _each(facts: Facts) -> list[Fact]:
    return [Fact(f.time, f.values, i) for i, f in enumerate(facts)]


def _window_ends(plan: Windows, time: int) -> list[int]:
    """The ends of the windows that hold a time, of all windows around it."""
    step, length = plan.step, plan.length
    match plan.form:
        case "group":
            first = time // step * step
            around = [(e - length, e) for e in range(first, first + length + 2 * step, step)]
        case "table":
            first = plan.offset + (time - plan.offset) // step * step
            starts = range(first - (length // step + 1) * step, first + step, step)
            around = [(s, s + length) for s in starts]
        case "cumulate":
            start = plan.offset + (time - plan.offset) // length * length
            around = [(start, e) for e in range(start + step, start + length + 1, step)]
    return [end for start, end in around if start <= time < end]


def _floor(time: int) -> int:
    return time // MINUTE * MINUTE


def _ceiling(time: int) -> int:
    return -(-time // MINUTE) * MINUTE


# --- groups --------------------------------------------------------------------------------------


def _counts(facts: Facts, times: Sequence[Sequence[int]], *, by_key: bool) -> list[Fact]:
    """A row for each time, and key: how many facts have it among their ``times``."""
    groups: defaultdict[tuple[int, tuple[int | None, ...]], list[int]] = defaultdict(list)
    for i, fact in enumerate(facts):
        for time in times[i]:
            groups[time, fact.values[:1] if by_key else ()].append(i)
    return [
        Fact(time, (*key, len(members)), (key, tuple(members)))
        for (time, key), members in groups.items()
    ]


def _sessions(plan: Sessions, facts: Facts) -> list[Fact]:
    """A row for each session: how many facts it has."""
    rows: list[Fact] = []
    keys: dict[tuple[int | None, ...], list[int]] = defaultdict(list)
    for i, fact in enumerate(facts):
        keys[fact.values[:1] if plan.by_key else ()].append(i)
    for key, places in keys.items():
        chain: list[int] = []
        for i in sorted(places, key=lambda i: facts[i].time):
            if chain and facts[i].time - facts[chain[-1]].time >= plan.gap:
                rows.append(_session(plan, facts, key, chain))
                chain = []
            chain.append(i)
        rows.append(_session(plan, facts, key, chain))
    return rows


def _session(
    plan: Sessions, facts: Facts, key: tuple[int | None, ...], chain: Sequence[int]
) -> Fact:
    end = facts[chain[-1]].time + plan.gap
    return Fact(end, (*key, len(chain)), (key, tuple(sorted(chain))))


def _numbers(facts: Facts, by: int) -> list[Fact]:
    groups: defaultdict[int, list[int]] = defaultdict(list)
    for i, fact in enumerate(facts):
        assert fact.values[1] is not None, "a number that ascends is never NULL"
        groups[fact.values[1] * by].append(i)
    return [
        Fact(max(facts[i].time for i in members), (number, len(members)), tuple(members))
        for number, members in groups.items()
    ]


def _distinct(facts: Facts) -> list[Fact]:
    groups: defaultdict[tuple[int, tuple[int | None, ...]], list[int]] = defaultdict(list)
    for i, fact in enumerate(facts):
        groups[fact.time, fact.values].append(i)
    return [Fact(time, values, tuple(own)) for (time, values), own in groups.items()]


def _set_of(plan: SetOf, inputs: Sequence[Facts]) -> list[Fact]:
    """Each group of equal rows as often as the operation makes of their numbers."""
    groups: defaultdict[Hashable, list[list[int]]] = defaultdict(lambda: [[] for _ in inputs])
    for number, facts in enumerate(inputs):
        for i, fact in enumerate(facts):
            equal = fact.values[1] if plan.by_number else (fact.time, fact.values)
            groups[equal][number].append(i)
    rows: list[Fact] = []
    for members in groups.values():
        found = [inputs[n][i] for n, places in enumerate(members) for i in places]
        values = found[0].values[1:2] if plan.by_number else found[0].values
        time = max(each.time for each in found)
        made_of = tuple(map(tuple, members))
        often = _how_often(plan, [len(places) for places in members])
        rows += [Fact(time, values, (made_of, copy)) for copy in range(often)]
    return rows


def _how_often(plan: SetOf, numbers: Sequence[int]) -> int:
    """How often a group is emitted of which each input has so many rows."""
    first, *others = numbers
    match plan.kind, plan.all:
        case "UNION", _:
            return 1
        case "INTERSECT", True:
            return min(numbers)
        case "INTERSECT", _:
            return min(1, *numbers)
        case _, True:
            return max(0, first - sum(others))
        case _:
            return int(first > 0 and not any(others))


# --- frames and orders ---------------------------------------------------------------------------


def _with_frame(plan: Frame, facts: Facts, place: int) -> Fact:
    """A row, and after it how many rows its frame has."""
    row = facts[place]
    own = [i for i, f in enumerate(facts) if _partition(plan, f) == _partition(plan, row)]
    own.sort(key=lambda i: (facts[i].time, i))
    match plan.unit:
        case "RANGE":
            at = [facts[i].time for i in own]
            here = row.time
        case "ROWS":
            at = list(range(len(own)))
            here = own.index(place)
        case "GROUPS":
            times = sorted({facts[i].time for i in own})
            at = [times.index(facts[i].time) for i in own]
            here = times.index(row.time)
    first = at[0] if plan.before is None else here - plan.before
    last = at[-1] if plan.after is None else here + plan.after
    frame = tuple(i for i, x in zip(own, at, strict=True) if first <= x <= last)
    return Fact(row.time, (*row.values, len(frame)), (place, frame))


def _partition(plan: Frame, fact: Fact) -> Hashable:
    key = fact.values[0] if plan.by_key else None
    return key, _floor(fact.time) if plan.by_minute else None


def _sorted(plan: Sorted, facts: Facts) -> list[Fact]:
    """The rows in order.  Without a second key a row is made of itself, else of its whole run."""
    runs: defaultdict[int, list[int]] = defaultdict(list)
    for i, fact in enumerate(facts):
        runs[sort_key(plan, fact)].append(i)
    rows: list[Fact] = []
    for key in sorted(runs):
        run = runs[key]
        if not plan.then_key:
            rows += [Fact(facts[i].time, facts[i].values, i) for i in run]
            continue
        ordered = sorted(run, key=lambda i: (facts[i].values[0] is None, facts[i].values[0] or 0))
        rows += [Fact(facts[i].time, facts[i].values, (i, tuple(run))) for i in ordered]
    return rows


def sort_key(plan: Sorted, fact: Fact) -> int:
    """The first key."""
    match plan.by:
        case "time":
            return fact.time
        case "minute":
            return _floor(fact.time)
        case "number":
            assert fact.values[1] is not None, "a number that ascends is never NULL"
            return fact.values[1]


def _t_sorted(plan: TSorted, facts: Facts) -> list[Fact]:
    """S-507.f: a row is late if it is further behind the greatest time before it than the slack."""
    runs: defaultdict[int, list[int]] = defaultdict(list)
    greatest = facts[0].time if facts else 0
    for i, fact in enumerate(facts):
        if fact.time >= greatest - plan.slack:
            greatest = max(greatest, fact.time)
            runs[fact.time].append(i)
    rows: list[Fact] = []
    for time in sorted(runs):
        run = tuple(runs[time])
        if not plan.then_key:
            rows += [Fact(time, facts[i].values, i) for i in run]
            continue
        ordered = sorted(run, key=lambda i: (facts[i].values[0] is None, facts[i].values[0] or 0))
        rows += [Fact(time, facts[i].values, (i, run)) for i in ordered]
    return rows


# --- joins ---------------------------------------------------------------------------------------


def _meets(left: Fact, right: Fact) -> bool:
    """Whether keys are equal; a row to come has whichever key would make them so."""
    keys = left.values[0], right.values[0]
    return ANY in keys or (keys[0] is not None and keys[0] == keys[1])


def distances(plan: Joined) -> tuple[int, int]:
    """The least and the greatest distance of a pair (S-510.d); in the other order: there is none.

    Times that are multiples of one unit are whole units apart.
    """
    unit = gcd(_unit(plan.left), _unit(plan.right))
    return -(-plan.low // unit) * unit, plan.high // unit * unit


def _unit(side: Plan) -> int:
    """What the times of one side of a join are multiples of."""
    match side:
        case Floor():
            return MINUTE
        case Windows(_, step):
            return step
        case _:
            return 1


def _joined(plan: Joined, left: Facts, right: Facts) -> list[Fact]:
    low, high = distances(plan)
    pairs = [
        (i, j)
        for (i, a), (j, b) in product(enumerate(left), enumerate(right))
        if low <= b.time - a.time <= high and (not plan.equal or _meets(a, b))
    ]
    rows = [_pair(plan, left[i], right[j], (i, j)) for i, j in pairs]
    if plan.kind in ("LEFT", "FULL"):
        for i in _unmatched(left, [i for i, _ in pairs]):
            a = left[i]
            times = (a.time, None) if plan.kind == "FULL" else (None,)
            rows.append(Fact(a.time, (a.values[0], None, *times), (i, None)))
    if plan.kind in ("RIGHT", "FULL"):
        for j in _unmatched(right, [j for _, j in pairs]):
            b = right[j]
            if plan.kind == "FULL":  # S-510.l
                last = low if low <= high else 0
                rows.append(Fact(b.time - last, (None, b.values[0], None, b.time), (None, j)))
            else:
                rows.append(Fact(b.time, (None, b.values[0], None), (None, j)))
    return rows


def _pair(plan: Joined, a: Fact, b: Fact, made_of: tuple[int, int]) -> Fact:
    keys = (a.values[0], b.values[0])
    if plan.kind == "FULL":
        return Fact(a.time, (*keys, a.time, b.time), made_of)
    base, other = (a, b) if plan.base == "left" else (b, a)
    return Fact(base.time, (*keys, other.time), made_of)


def _unmatched(facts: Facts, matched: Sequence[int]) -> list[int]:
    """The places of the rows that have no partner."""
    return sorted({*range(len(facts))} - {*matched})


def _window_joined(plan: WindowJoined, left: Facts, right: Facts) -> list[Fact]:
    """S-509: pairs at the first moment of both windows, unmatched rows at the last of their own."""
    (before, after), (before_right, after_right) = plan.windows
    pairs: list[tuple[int, int]] = []
    rows: list[Fact] = []
    for (i, a), (j, b) in product(enumerate(left), enumerate(right)):
        first = max(a.time - before, b.time - before_right)
        if first <= min(a.time + after, b.time + after_right) and _meets(a, b):
            pairs.append((i, j))
            rows.append(Fact(first, (a.values[0], b.values[0]), (i, j)))
    if plan.kind in ("LEFT", "FULL"):
        rows += [
            Fact(left[i].time + after, (left[i].values[0], None), (i, None))
            for i in _unmatched(left, [i for i, _ in pairs])
        ]
    if plan.kind in ("RIGHT", "FULL"):
        rows += [
            Fact(right[j].time + after_right, (None, right[j].values[0]), (None, j))
            for j in _unmatched(right, [j for _, j in pairs])
        ]
    return rows


def _rows_joined(plan: RowsJoined, left: Facts, right: Facts) -> list[Fact]:
    """S-509.c: pairs at the later of their two times, if both windows are open then."""
    ends = _ends(left, plan.rows[0]), _ends(right, plan.rows[1])
    pairs = [
        (i, j)
        for (i, a), (j, b) in product(enumerate(left), enumerate(right))
        if max(a.time, b.time) < min(ends[0][i], ends[1][j]) and _meets(a, b)
    ]
    rows = [
        Fact(max(left[i].time, right[j].time), (left[i].values[0], right[j].values[0]), (i, j))
        for i, j in pairs
    ]
    greatest = max((fact.time for fact in (*left, *right)), default=0)

    def last(fact: Fact, end: float) -> int:
        """S-509.g: the millisecond before its window ends, or the greatest rowtime."""
        return int(max(fact.time, min(end - 1, greatest)))

    if plan.kind in ("LEFT", "FULL"):
        rows += [
            Fact(last(left[i], ends[0][i]), (left[i].values[0], None), (i, None))
            for i in _unmatched(left, [i for i, _ in pairs])
        ]
    if plan.kind in ("RIGHT", "FULL"):
        rows += [
            Fact(last(right[j], ends[1][j]), (None, right[j].values[0]), (None, j))
            for j in _unmatched(right, [j for _, j in pairs])
        ]
    return rows


def _ends(facts: Facts, rows: int) -> list[float]:
    """The time of the n-th later row of each row."""
    order = sorted(range(len(facts)), key=lambda i: (facts[i].time, i))
    place = {i: at for at, i in enumerate(order)}
    return [
        facts[order[place[i] + rows]].time if place[i] + rows < len(order) else inf
        for i in range(len(facts))
    ]


def _asof_joined(plan: AsofJoined, left: Facts, right: Facts) -> list[Fact]:
    """S-904: of right rows of one time it may be any; here it is the one that has come last."""
    rows: list[Fact] = []
    for i, a in enumerate(left):
        before = [
            (b.time, j)
            for j, b in enumerate(right)
            if _meets(a, b) and (b.time < a.time or (b.time == a.time and not plan.strict))
        ]
        if before:
            _, j = max(before)
            b = right[j]
            rows.append(Fact(a.time, (a.values[0], b.values[0], b.time), (i, j)))
        elif plan.padded:
            rows.append(Fact(a.time, (a.values[0], None, None), (i, None)))
    return rows


def _number_joined(plan: NumberJoined, left: Facts, right: Facts) -> list[Fact]:
    pairs = [
        (i, j)
        for (i, a), (j, b) in product(enumerate(left), enumerate(right))
        if a.values[1] == b.values[1]
    ]
    alone: list[tuple[int | None, int | None]] = []
    if plan.kind in ("LEFT", "FULL"):
        alone += [(i, None) for i in _unmatched(left, [i for i, _ in pairs])]
    if plan.kind in ("RIGHT", "FULL"):
        alone += [(None, j) for j in _unmatched(right, [j for _, j in pairs])]
    rows: list[Fact] = []
    for i, j in [*pairs, *alone]:
        a, b = None if i is None else left[i], None if j is None else right[j]
        base = (a or b) if plan.base == "left" else b
        assert base is not None, "the base is preserved"
        shown = [each.values if each else (None, None) for each in (a, b)]
        rows.append(Fact(base.time, (*shown[0], *shown[1]), (i, j)))
    return rows


def number_of(row: Fact) -> int:
    """The number by which a row of a `NumberJoined` is in lock step."""
    number = row.values[1] if row.values[1] is not None else row.values[3]
    assert number is not None, "a number that ascends is never NULL"
    return number
