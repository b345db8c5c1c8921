"""A small backend that counts by the hour at the right moment, and others that do not quite.

All know one stream, ORDERS (ROWTIME, PRODUCTID, UNITS), sorted by rowtime, and one query, that of
`SQL`, whatever they are asked.
"""

# ruff: noqa: D102 - the methods are the protocol's, and documented there

from dataclasses import replace
from datetime import datetime, timedelta

from tck.protocol import (
    Accepted,
    Bound,
    CloseProducer,
    ColumnInfo,
    Elapse,
    End,
    Event,
    Hello,
    LateRow,
    Load,
    Now,
    Open,
    OpenProducer,
    Output,
    Refused,
    Rows,
    State,
    Wire,
    WireRow,
)

SQL = """
SELECT STREAM TUMBLE_END(rowtime, INTERVAL '1' HOUR) AS rowtime, productId, COUNT(*) AS c
FROM Orders GROUP BY TUMBLE(rowtime, INTERVAL '1' HOUR), productId
"""
COLUMNS = (
    ColumnInfo("ROWTIME", "TIMESTAMP(3)", False),
    ColumnInfo("PRODUCTID", "INTEGER", False),
    ColumnInfo("C", "BIGINT", False),
)
HOUR = timedelta(hours=1)


class Hourly:
    """Emits the counts of an hour as soon as the clock reaches its end, and explains them.

    What is overridden: ``open_until``, ``accepts`` and ``reported``.
    """

    def __init__(self) -> None:
        self.clock = datetime.min
        self.groups: dict[tuple[datetime, Wire], list[str]] = {}
        self.event = ""
        self.out: list[WireRow] = []
        self.late: list[LateRow] = []
        self.reasons: list[str] = []
        self.places = 0
        self.polls = 0
        self.ended = False

    def open_until(self, end: datetime) -> datetime:
        """The clock at which the counts of the hour that ends at ``end`` are emitted."""
        return end

    def accepts(self, time: datetime) -> bool:
        """Whether a row of this time is let in."""
        return time >= self.clock

    def reported(self, output: Output) -> Output:
        """The output that is reported in place of the right one."""
        return output

    def start(self) -> Hello:
        return Hello("hourly", "1.0", "python", "exact", ("calcite",))

    def open(self, request: Open) -> Accepted | Refused:
        del request
        type(self).__init__(self)
        return Accepted(True, COLUMNS, {"ROWTIME": "INCREASING"})

    def feed(self, event: Event) -> None:
        match event:
            case Rows():
                for row in event.rows:
                    self.take(event.input, row)
            case Bound():
                self.advance(datetime.fromisoformat(event.at), f"the bound {event.at}")
            case End():
                self.ended = True
                self.advance(datetime.max, "the end")
            case Load() | Now() | Elapse() | OpenProducer() | CloseProducer():
                pass

    def take(self, input: str, row: WireRow) -> None:
        """One row of the stream."""
        text, place = str(row[0]), self.places
        time, self.places = datetime.fromisoformat(text), self.places + 1
        if not self.accepts(time):
            self.late.append(LateRow(input, row, place, "LATE", f"below {self.clock}"))
            return
        self.advance(time, f"the row {text}")
        end = time.replace(minute=0, second=0, microsecond=0) + HOUR
        self.groups.setdefault((end, row[1]), []).append(text)

    def advance(self, to: datetime, event: str) -> None:
        """The clock moves, and hours end."""
        self.clock = max(self.clock, to)
        for end, product in sorted(self.groups, key=lambda group: group[0]):
            if self.open_until(end) <= self.clock:
                rows = self.groups.pop((end, product))
                self.out.append((f"{end:%Y-%m-%d %H:%M:%S}", product, len(rows)))
                window = f"window [{end - HOUR:%H:%M}, {end:%H:%M})"
                self.reasons.append(f"{window}\nrows {', '.join(rows)}\nreleased by {event}")

    def poll(self) -> Output:
        self.polls += 1
        output = Output(
            tuple(self.out), self.bound(), tuple(self.late), None, State(0, len(self.groups))
        )
        self.out, self.late = [], []
        return self.reported(output)

    def bound(self) -> str | None:
        """The end of the hour that the clock is in."""
        if self.ended:
            return "end"
        if self.clock == datetime.min:
            return None
        hour = self.clock.replace(minute=0, second=0, microsecond=0)
        return f"{hour + HOUR:%Y-%m-%d %H:%M:%S}"

    def explain(self, row: int | None = None) -> str:
        return "Aggregate" if row is None else self.reasons[row]

    def close(self) -> None:
        self.groups = {}

    def stop(self) -> None:
        pass


class Permuted(Hourly):
    """Emits the groups of an hour in the opposite order; they are ties (S-307)."""

    def reported(self, output: Output) -> Output:
        times = sorted({str(row[0]) for row in output.rows})
        rows = [row for t in times for row in reversed(output.rows) if row[0] == t]
        return replace(output, rows=tuple(rows))


class Early(Hourly):
    """Takes an hour for complete half an hour before its end."""

    def open_until(self, end: datetime) -> datetime:
        return end - HOUR / 2


class LateByOne(Hourly):
    """Emits rows one poll late, and reports no bounds."""

    def __init__(self) -> None:
        super().__init__()
        self.buffered: tuple[WireRow, ...] = ()

    def reported(self, output: Output) -> Output:
        rows = (*self.buffered, *output.rows) if self.ended else self.buffered
        self.buffered = output.rows
        return replace(output, rows=rows, bound=None)


class LateByOneUnawares(LateByOne):
    """Emits rows one poll late, and reports bounds as if it had emitted them."""

    def reported(self, output: Output) -> Output:
        return replace(super().reported(output), bound=output.bound)


class AtEnd(Hourly):
    """Buffers all rows until the end, and declares the tier exact."""

    def __init__(self) -> None:
        super().__init__()
        self.buffered: tuple[WireRow, ...] = ()

    def reported(self, output: Output) -> Output:
        self.buffered = (*self.buffered, *output.rows)
        return replace(output, rows=self.buffered if self.ended else (), bound=None)


class Repeats(Hourly):
    """Emits each first row twice."""

    def reported(self, output: Output) -> Output:
        return replace(output, rows=(*output.rows[:1], *output.rows))


class RepeatsLater(Hourly):
    """Emits the last row of each poll again at the next."""

    def __init__(self) -> None:
        super().__init__()
        self.last: tuple[WireRow, ...] = ()

    def reported(self, output: Output) -> Output:
        again, self.last = self.last, output.rows[-1:]
        return replace(output, rows=(*again, *output.rows), bound=None)


class DropsLast(Hourly):
    """Drops the open hour when the inputs end."""

    def reported(self, output: Output) -> Output:
        return replace(output, rows=() if self.ended else output.rows)


class GivesAnother(Hourly):
    """Emits an unexpected row at its third poll, where no row is expected."""

    def reported(self, output: Output) -> Output:
        extra = ("2015-02-15 12:00:00", 99, 1)
        return replace(output, rows=(*output.rows, extra)) if self.polls == 3 else output


class Updates(Hourly):
    """Emits the count so far at every poll, as an engine of changelogs would."""

    def reported(self, output: Output) -> Output:
        so_far = [(f"{e:%Y-%m-%d %H:%M:%S}", p, len(r)) for (e, p), r in self.groups.items()]
        return replace(output, rows=(*output.rows, *so_far))


class Reversed(Hourly):
    """Emits its rows in the opposite order, and all at the end."""

    def __init__(self) -> None:
        super().__init__()
        self.buffered: tuple[WireRow, ...] = ()

    def reported(self, output: Output) -> Output:
        self.buffered = (*self.buffered, *output.rows)
        return replace(output, rows=self.buffered[::-1] if self.ended else (), bound=None)


class Boasts(Hourly):
    """Reports bounds an hour too high."""

    def bound(self) -> str | None:
        self.clock += timedelta() if self.ended else HOUR
        bound = super().bound()
        self.clock -= timedelta() if self.ended else HOUR
        return bound


class BoastsOnce(Hourly):
    """Reports a bound that is too high at its third poll, where the case expects none."""

    def reported(self, output: Output) -> Output:
        return replace(output, bound="2015-02-15 13:00:00") if self.polls == 3 else output


class EndsTooSoon(Hourly):
    """Reports the bound ``end`` at its third poll."""

    def reported(self, output: Output) -> Output:
        return replace(output, bound="end") if self.polls == 3 else output


class Mumbles(Hourly):
    """Reports bounds that are not timestamps."""

    def reported(self, output: Output) -> Output:
        return replace(output, bound="noon")


class Silent(Hourly):
    """Reports no bounds."""

    def reported(self, output: Output) -> Output:
        return replace(output, bound=None)


class Timid(Hourly):
    """Reports bounds an hour too low."""

    def bound(self) -> str | None:
        if self.ended or self.clock == datetime.min:
            return super().bound()
        return f"{self.clock.replace(minute=0, second=0):%Y-%m-%d %H:%M:%S}"


class Forgetful(Hourly):
    """Reports no bound at its third poll, after a bound at its second."""

    def reported(self, output: Output) -> Output:
        return replace(output, bound=None) if self.polls == 3 else output


class KeepsLate(Hourly):
    """Lets late rows in."""

    def accepts(self, time: datetime) -> bool:
        del time
        return True


class DropsTies(Hourly):
    """Takes a row of the clock's own time for late."""

    def accepts(self, time: datetime) -> bool:
        return time > self.clock


class TellsLateLater(Hourly):
    """Reports late rows one poll later."""

    def __init__(self) -> None:
        super().__init__()
        self.untold: tuple[LateRow, ...] = ()

    def reported(self, output: Output) -> Output:
        late, self.untold = self.untold, output.late
        return replace(output, late=late)


class Hoards(Hourly):
    """Retains the groups that it has emitted."""

    def reported(self, output: Output) -> Output:
        return replace(output, state=State(0, len(self.groups) + len(self.reasons)))


class HoldsNothing(Hourly):
    """Says always that it retains nothing."""

    def reported(self, output: Output) -> Output:
        return replace(output, state=State(0, 0))


class Uncounted(Hourly):
    """Does not count its state."""

    def reported(self, output: Output) -> Output:
        return replace(output, state=None)


class FailsEarly(Hourly):
    """Fails at its first poll."""

    def reported(self, output: Output) -> Output:
        return Output(error=Refused("OVERFLOW", "too much")) if self.polls == 1 else output


class FailsThird(Hourly):
    """Fails at its third poll."""

    def reported(self, output: Output) -> Output:
        return Output(error=Refused("OVERFLOW", "too much")) if self.polls == 3 else output


class FailsAtEnd(Hourly):
    """Fails when the inputs have ended."""

    def reported(self, output: Output) -> Output:
        return Output(error=Refused("OVERFLOW", "too much")) if self.ended else output


class FailsLosingRows(Hourly):
    """Emits no rows, and fails at its third poll."""

    def reported(self, output: Output) -> Output:
        if self.polls == 3:
            return Output(error=Refused("OVERFLOW", "too much"))
        return replace(output, rows=(), bound=None)
