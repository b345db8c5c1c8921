"""Running totals: a row for each partition stands for its rows before a cut (S-505).

Frames that start with their partition hold all rows that are past, which no micro-batch is to read
again.  So a window is *folded* at a cut: of its input's rows before it, which are final (S-306), a
table has one row for each partition, with the accumulators of each call
(`spark_backend.stream.accumulators`).  The window is then one over the rows from the cut on, each
joined with its partition's totals.  The window's own rows before the cut are missing: the cut is
where nobody reads them (`spark_backend.stream.retention`), less what other frames reach back.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from algebra.catalog import Column, Table
from algebra.expression import (
    AggregateCall,
    AggregateFunction,
    Call,
    Expression,
    InputRef,
    Literal,
    Op,
    WindowCall,
    WindowFunction,
)
from algebra.frames import WHOLE
from algebra.plan import (
    Aggregate,
    Delta,
    Filter,
    Hop,
    Join,
    Plan,
    Project,
    Reads,
    Scan,
    SetOp,
    Sort,
    Values,
    Window,
    WindowGroup,
    WindowJoin,
    row_type,
)
from algebra.types import BOOLEAN
from grammar.tree import JoinKind
from spark_backend.stream.accumulators import Accumulator
from spark_backend.stream.limits import HiddenName
from spark_backend.stream.open_rows import ProgressOf, all_of, any_of, has_passed, not_true


@dataclass(frozen=True, slots=True)
class Fold:
    """A window that can be folded; ``time`` is the place of its input's time, which orders it.

    ``groups``: of each group of calls their accumulators, None for a call without.  ``back``: how
    far frames reach back from a row by a time, or end before it, in milliseconds; the rows of the
    window from the cut on are right only so far behind it.  ``reach``: how much before its own
    rows the input reads, for its joins.  ``number``: which fold it is.
    """

    window: Window
    time: int
    groups: tuple[tuple[Accumulator | None, ...], ...]
    back: int
    reach: int
    number: int

    @property
    def tables(self) -> Mapping[int, Table]:
        """By the number of each group with accumulators, the table that has them."""
        return {i: self._table(i) for i, each in enumerate(self.groups) if any(each)}

    def from_cut(self, cut: Expression) -> Expression:
        """Whether a row of the input is not before the cut."""
        return Call(Op.GREATER_OR_EQUAL, (self._time, cut), BOOLEAN)

    def over(self, input: Plan, cut: int) -> Plan:
        """The window's rows that are right, of its input's rows from the cut on and the tables."""
        window, width = self.window, len(row_type(input))
        groups = tuple(
            replace(group, calls=tuple(_calls(group, own)))
            for group, own in zip(window.groups, self.groups, strict=True)
        )
        calls = [call for group in groups for call in group.calls]
        names = tuple(f"$F{i}" for i in range(len(calls)))
        rows: Plan = Window(Filter(input, self.from_cut(self._at(cut))), groups, names)
        newer = [InputRef(width + i, each.type) for i, each in enumerate(calls)]
        values: list[Expression] = []
        for number, (group, own) in enumerate(zip(window.groups, self.groups, strict=True)):
            older: list[InputRef] = []
            if any(own):
                place, keys = len(row_type(rows)), len(group.partition)
                rows = self._with_table(rows, number)
                fields = row_type(rows)[place + keys :]
                older = [InputRef(place + keys + i, f.type) for i, f in enumerate(fields)]
            for each in own:
                size = 1 if each is None else len(each.calls)
                columns, newer = newer[:size], newer[size:]
                if each is None:
                    values += columns
                    continue
                before, older = older[:size], older[size:]
                values.append(each.value(each.added(before, columns)))
        fields = row_type(window)
        own_columns = [InputRef(i, fields[i].type) for i in range(width)]
        found: Plan = Project(rows, (*own_columns, *values), tuple(f.name for f in fields))
        return Filter(found, self.from_cut(self._at(cut + self.back))) if self.back else found

    def totals(self, number: int, before: int | None, cut: int, progress_of: ProgressOf) -> Plan:
        """What the table of a group is to have at ``cut``, if it has what it had at ``before``.

        ``progress_of`` says how far expressions on the input's rows from the cut on have come:
        a partition that one of these has passed is complete, and goes.
        """
        input = self.window.input
        group, table = self.window.groups[number], self._table(number)
        rows: Plan = Filter(input, Call(Op.LESS, (self._time, self._at(cut)), BOOLEAN))
        if before is not None:
            rows = Filter(rows, self.from_cut(self._at(before)))
        parts = [each for each in self.groups[number] if each is not None]
        calls = [call for each in parts for call in each.calls]
        placed = tuple(each for each in calls if isinstance(each.function, WindowFunction))
        width = len(row_type(input))
        if placed:
            whole = replace(group, frame=WHOLE, calls=placed)
            rows = Window(rows, (whole,), tuple(f"$W{i}" for i in range(len(placed))))
        found = (InputRef(width + i, each.type) for i, each in enumerate(placed))
        measures = tuple(_measure(each, found) for each in calls)
        names, keys = tuple(each.name for each in table.columns), len(group.partition)
        fresh = Aggregate(rows, group.partition, (tuple(range(keys)),), measures, names)
        old = [InputRef(i, each.type) for i, each in enumerate(table.columns)]
        new = [InputRef(len(old) + i, each.type) for i, each in enumerate(row_type(fresh))]
        same = all_of(map(_same, old[:keys], new[:keys]))
        both = Join(Scan(table, Reads.TABLE), fresh, JoinKind.FULL, same)
        columns: list[Expression] = [
            Call(Op.COALESCE, (a, b), a.type) for a, b in zip(old[:keys], new[:keys], strict=True)
        ]
        place = keys
        for each in parts:
            size = len(each.calls)
            columns += each.added(old[place : place + size], new[place : place + size])
            place += size
        totals = Project(both, tuple(columns), names)
        complete = (
            has_passed(key, *progress)
            for key, each in zip(old, group.partition, strict=False)
            if (progress := progress_of(each)) is not None
        )
        return Filter(totals, not_true(any_of(complete)))

    @property
    def _time(self) -> InputRef:
        return InputRef(self.time, row_type(self.window.input)[self.time].type)

    def _at(self, time: int) -> Literal:
        return Literal(time, self._time.type)

    def _table(self, number: int) -> Table:
        group = self.window.groups[number]
        keys = [Column(f"K{i}", e.type.as_nullable()) for i, e in enumerate(group.partition)]
        calls = [call for each in self.groups[number] if each for call in each.calls]
        columns = [Column(f"A{i}", each.type.as_nullable()) for i, each in enumerate(calls)]
        return Table((totals_name(self.number, number),), (*keys, *columns))

    def _with_table(self, rows: Plan, number: int) -> Join:
        """The rows with that of their partition in a group's table, padded if it has none."""
        table, partition = self._table(number), self.window.groups[number].partition
        place = len(row_type(rows))
        keys = (InputRef(place + i, table.columns[i].type) for i in range(len(partition)))
        return Join(
            rows, Scan(table, Reads.TABLE), JoinKind.LEFT, all_of(map(_same, partition, keys))
        )


def totals_name(fold: int, group: int) -> HiddenName:
    """The name of the table of a group of calls."""
    return HiddenName(f"$TOTALS{fold}.{group}")


def _calls(group: WindowGroup, parts: tuple[Accumulator | None, ...]) -> Iterator[WindowCall]:
    for call, part in zip(group.calls, parts, strict=True):
        yield from (call,) if part is None else part.calls


def _measure(call: WindowCall, found: Iterator[InputRef]) -> AggregateCall:
    """A call over all rows of a partition; ``found``: the next column with its value in each."""
    if isinstance(call.function, AggregateFunction):
        return AggregateCall(
            call.function, call.arguments, call.distinct, call.filter, call.type.as_nullable()
        )
    return AggregateCall(
        AggregateFunction.MAX,
        (next(found),),
        distinct=False,
        filter=None,
        type=call.type.as_nullable(),
    )


def _same(a: Expression, b: Expression) -> Expression:
    return Call(Op.IS_NOT_DISTINCT_FROM, (a, b), BOOLEAN.as_nullable(False))


def with_totals(plan: Plan, folded: Mapping[Window, tuple[Fold, int]]) -> Plan:
    """The plan, its folded windows made of totals and of the rows from the cut on."""

    def below(input: Plan) -> Plan:
        return with_totals(input, folded)

    match plan:
        case Scan() | Values():
            return plan
        case Window(input) if plan in folded:
            fold, cut = folded[plan]
            return fold.over(below(input), cut)
        case (
            Filter(input)
            | Project(input)
            | Hop(input)
            | Aggregate(input)
            | Window(input)
            | Sort(input)
            | Delta(input)
        ):
            return replace(plan, input=below(input))
        case Join(left, right) | WindowJoin(left, right):
            return replace(plan, left=below(left), right=below(right))
        case SetOp(inputs):
            return replace(plan, inputs=tuple(map(below, inputs)))
