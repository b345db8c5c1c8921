"""Small backends: one that is right about its three queries, and others with one fault each.

All know one stream, ORDERS (ROWTIME, PRODUCTID, UNITS), sorted by rowtime.
"""

# ruff: noqa: D102 - the methods are the protocol's, and documented there

import os
import re
import subprocess
import time
from dataclasses import replace
from pathlib import Path

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
    Unsupported,
    WireRow,
)

COLUMNS = (
    ColumnInfo("ROWTIME", "TIMESTAMP(3)", False),
    ColumnInfo("PRODUCTID", "INTEGER", False),
    ColumnInfo("UNITS", "INTEGER", True),
)


class Faithful:
    """``SELECT [STREAM] * FROM Orders [WHERE units > n]``, and ``… units / 0``, which fails.

    A row below the greatest rowtime or bound so far is dropped as late.
    """

    def __init__(self) -> None:
        self.streaming = False
        self.threshold: int | None = None
        self.divides = False
        self.clock = ""
        self.places = 0
        self.out: list[WireRow] = []
        self.late: list[LateRow] = []
        self.history: list[WireRow] = []
        self.ended = False
        self.error: Refused | None = None

    def start(self) -> Hello:
        gaps = {"hop": "the toy has no windows"}
        return Hello("toy", "1.0", "python", "exact", ("calcite",), gaps)

    def open(self, request: Open) -> Accepted | Refused:
        Faithful.__init__(self)
        bad = request.ddl.find("NONSENSE")
        if bad >= 0:
            return Refused("SYNTAX_ERROR", "not SQL", (bad, bad + 8), in_ddl=True)
        if request.sql is None:
            return Accepted(False, ())
        query = " ".join(request.sql.split())
        group = request.sql.find("GROUP BY")
        if group >= 0:
            span = (group, len(request.sql.rstrip()))
            return Refused("NO_MONOTONIC_KEY", "nothing monotonic", span, rendered="^^^ here")
        parts = re.fullmatch(
            r"SELECT (STREAM )?(\*|units / 0) FROM Orders( WHERE units > (\d+))?", query
        )
        if parts is None:
            return Refused("SYNTAX_ERROR", "unknown to a toy", (0, 6))
        self.streaming = parts.group(1) is not None
        self.divides = parts.group(2) != "*"
        self.threshold = int(parts.group(4)) if parts.group(4) else None
        monotonicity = {"ROWTIME": "INCREASING", "UNITS": "NOT_MONOTONIC"}
        columns = (ColumnInfo("EXPR$0", "INTEGER", True),) if self.divides else COLUMNS
        return Accepted(self.streaming, columns, monotonicity, {"collation": "ROWTIME"})

    def feed(self, event: Event) -> None:
        match event:
            case Load():
                self.history.extend(event.rows)
            case Rows():
                for row in event.rows:
                    self.take(event.input, row)
            case Bound():
                self.clock = max(self.clock, event.at)
            case End():
                self.ended = True
            case Now() | Elapse() | OpenProducer() | CloseProducer():
                pass

    def take(self, input: str, row: WireRow) -> None:
        """One row of the stream."""
        time, place = row[0], self.places
        self.places += 1
        if not isinstance(time, str) or len(row) != len(COLUMNS):
            self.late.append(LateRow(input, row, place, "BAD_ROW", "malformed"))
        elif time < self.clock:
            self.late.append(LateRow(input, row, place, "LATE", f"below {self.clock}"))
        else:
            self.clock = time
            self.history.append(row)
            if self.streaming:
                self.emit(row)

    def emit(self, row: WireRow) -> None:
        """A row as it is emitted."""
        if self.divides:
            self.error = Refused("DIVISION_BY_ZERO", "by zero", (15, 24))
        elif self.threshold is None or (isinstance(row[2], int) and row[2] > self.threshold):
            self.out.append(row)

    def poll(self) -> Output:
        if self.ended and not self.streaming:
            for row in self.history:
                self.emit(row)
        bound = "end" if self.ended else self.clock or None
        output = Output(tuple(self.out), bound, tuple(self.late), self.error)
        self.out, self.late, self.history = [], [], [] if self.ended else self.history
        return output

    def explain(self, row: int | None = None) -> str:
        return "Delta  \n  Scan(ORDERS)\n" if row is None else f"row {row} of ORDERS"

    def close(self) -> None:
        self.history = []

    def stop(self) -> None:
        pass


class Drops(Faithful):
    """Loses the last row of each output."""

    def poll(self) -> Output:
        output = super().poll()
        return replace(output, rows=output.rows[:-1])


class AtEnd(Faithful):
    """Declares the tier final, and emits all rows at the end."""

    def start(self) -> Hello:
        return replace(super().start(), tier="final")

    def poll(self) -> Output:
        output = super().poll()
        self.out = [] if self.ended else list(output.rows)
        return replace(output, rows=output.rows if self.ended else (), bound=None)


class Repeats(Faithful):
    """Emits each first row twice."""

    def poll(self) -> Output:
        output = super().poll()
        return replace(output, rows=(*output.rows[:1], *output.rows))


class Reverses(Faithful):
    """Emits rows in the opposite order."""

    def poll(self) -> Output:
        output = super().poll()
        return replace(output, rows=output.rows[::-1])


class Alters(Faithful):
    """Adds one to the units."""

    def emit(self, row: WireRow) -> None:
        units = row[2]
        super().emit((*row[:2], units + 1 if isinstance(units, int) else units))


class AcceptsAll(Faithful):
    """Finds every query legal."""

    def open(self, request: Open) -> Accepted | Refused:
        answer = super().open(request)
        return Accepted(True, COLUMNS) if isinstance(answer, Refused) else answer


class RefusesAll(Faithful):
    """Finds no query legal."""

    def open(self, request: Open) -> Accepted | Refused:
        super().open(request)
        return Refused("NOT_SUPPORTED", "not today", (0, 1), rendered="NOT_SUPPORTED: not today")


class Unordered(Faithful):
    """Declares that it does not sort its rows."""

    def start(self) -> Hello:
        gaps = {"hop": "the toy has no windows", "ordered-output": "rows come as they finish"}
        return replace(super().start(), gaps=gaps)


class Lacks(Faithful):
    """Does not implement WHERE, and says so."""

    # A wider type than that of the class above: it may be unsupported, too.
    def open(self, request: Open) -> Accepted | Refused | Unsupported:  # type: ignore[override]
        if "WHERE" in (request.sql or ""):
            return Unsupported("no WHERE")
        return super().open(request)


class LacksBounds(Faithful):
    """Does not implement bounds, and says so."""

    # A wider type than that of the class above: it may be unsupported, too.
    def feed(self, event: Event) -> Unsupported | None:  # type: ignore[override]
        if isinstance(event, Bound):
            return Unsupported("watermarks come from rows")
        return super().feed(event)


class HangsAfterLacks(Lacks):
    """Hangs at a query without WHERE, and marks in the file TOY_ASKED that it does."""

    # A wider type than that of the class above: it may be unsupported, too.
    def open(self, request: Open) -> Accepted | Refused | Unsupported:  # type: ignore[override]
        if "WHERE" not in (request.sql or ""):
            with Path(os.environ["TOY_ASKED"]).open("ab") as asked:
                asked.write(b".")
            time.sleep(600)
        return super().open(request)


class Busy(Faithful):
    """Answers its first query, a legal one, by `Unsupported`."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0

    # A wider type than that of the class above: it may be unsupported, too.
    def open(self, request: Open) -> Accepted | Refused | Unsupported:  # type: ignore[override]
        asked = self.asked + 1
        answer = super().open(request)
        self.asked = asked
        return answer if asked > 1 else Unsupported("no free slot")


class OtherCode(Faithful):
    """Refuses for another reason."""

    def open(self, request: Open) -> Accepted | Refused:
        answer = super().open(request)
        return replace(answer, code="OTHER") if isinstance(answer, Refused) else answer


class OtherSpan(Faithful):
    """Points at the beginning."""

    def open(self, request: Open) -> Accepted | Refused:
        answer = super().open(request)
        return replace(answer, at=(0, 3)) if isinstance(answer, Refused) else answer


class WholeSpan(Faithful):
    """Points at the whole query."""

    def open(self, request: Open) -> Accepted | Refused:
        answer = super().open(request)
        whole = (0, len(request.sql or ""))
        return replace(answer, at=whole) if isinstance(answer, Refused) else answer


class WideSpan(Faithful):
    """Points at nearly the whole query."""

    def open(self, request: Open) -> Accepted | Refused:
        answer = super().open(request)
        wide = (1, len(request.sql or "") - 1)
        return replace(answer, at=wide) if isinstance(answer, Refused) else answer


class HalfSpan(Faithful):
    """Points at what is at fault, GROUP BY productId, and half of what stands before it."""

    def open(self, request: Open) -> Accepted | Refused:
        answer = super().open(request)
        if isinstance(answer, Refused):
            start, end = answer.at
            return replace(answer, at=(start - start // 2, end))
        return answer


class FailsLate(Faithful):
    """Fails while it runs."""

    def poll(self) -> Output:
        return Output(error=Refused("OVERFLOW", "too large"))


class NeverFails(Faithful):
    """Does not fail where it must."""

    def poll(self) -> Output:
        return replace(super().poll(), error=None)


class OtherSchema(Faithful):
    """Declares every column nullable."""

    def open(self, request: Open) -> Accepted | Refused:
        answer = super().open(request)
        if isinstance(answer, Refused):
            return answer
        return replace(answer, columns=tuple(replace(c, nullable=True) for c in answer.columns))


class OtherMetadata(Faithful):
    """Reports no monotonicity."""

    def open(self, request: Open) -> Accepted | Refused:
        answer = super().open(request)
        if isinstance(answer, Refused):
            return answer
        return replace(answer, monotonicity={"ROWTIME": "NOT_MONOTONIC"}, metadata={})

    def explain(self, row: int | None = None) -> str:
        return "Scan(ORDERS)" if row is None else ""


class SaysNothing(Faithful):
    """Has the right rows, and reports nothing besides them."""

    def open(self, request: Open) -> Accepted | Refused:
        answer = super().open(request)
        if isinstance(answer, Refused):
            return answer
        untyped = tuple(ColumnInfo(c.name, "ANY", True) for c in answer.columns)
        return Accepted(answer.streaming, untyped)

    def poll(self) -> Output:
        output = super().poll()
        error = output.error
        return replace(output, late=(), error=error and replace(error, at=(0, 0)))

    def explain(self, row: int | None = None) -> str:
        return "" if row is None else super().explain(row)


class KeepsLate(Faithful):
    """Lets late rows in."""

    def take(self, input: str, row: WireRow) -> None:
        self.clock = ""
        super().take(input, row)


class DropsTies(Faithful):
    """Drops a row of the same rowtime as late."""

    def take(self, input: str, row: WireRow) -> None:
        if row[0] == self.clock:
            self.late.append(LateRow(input, row, self.places, "LATE", "a tie"))
        else:
            super().take(input, row)


class OtherLateCode(Faithful):
    """Reports late rows as malformed."""

    def poll(self) -> Output:
        output = super().poll()
        return replace(output, late=tuple(replace(row, code="BAD_ROW") for row in output.late))


class OtherPlace(Faithful):
    """Reports late rows as the first rows of their input."""

    def poll(self) -> Output:
        output = super().poll()
        return replace(output, late=tuple(replace(row, place=0) for row in output.late))


class Crashes(Faithful):
    """Throws at every poll, but not at close."""

    def poll(self) -> Output:
        raise RuntimeError("the toy is broken\nin two lines")


class Breaks(Crashes):
    """Throws at the first poll of its first instance, then at close; a second instance is right."""

    made = 0

    def __init__(self) -> None:
        super().__init__()
        Breaks.made += 1
        self.first = Breaks.made == 1

    def open(self, request: Open) -> Accepted | Refused:
        first = self.first
        answer = super().open(request)
        self.first = first
        return answer

    def poll(self) -> Output:
        return super().poll() if self.first else Faithful.poll(self)

    def close(self) -> None:
        if self.first:
            raise RuntimeError("cannot close")


class Interrupted(Faithful):
    """Is interrupted by Ctrl-C at the second query."""

    opened = 0

    def open(self, request: Open) -> Accepted | Refused:
        Interrupted.opened += 1
        if Interrupted.opened == 2:
            raise KeyboardInterrupt
        return super().open(request)


class Counted(Faithful):
    """Counts the queries that it is asked."""

    opened = 0

    def open(self, request: Open) -> Accepted | Refused:
        Counted.opened += 1
        return super().open(request)


class Unstartable(Faithful):
    """Cannot be started."""

    def start(self) -> Hello:
        raise ConnectionError("no engine")


class LacksAll(Faithful):
    """Speaks no profile, so that no case is run."""

    def start(self) -> Hello:
        return replace(super().start(), profiles=())


class SaysOtherwise(Faithful):
    """Has another hello in every second process: there it lacks all that it would fail."""

    def start(self) -> Hello:
        hello = super().start()
        with Path(os.environ["TOY_TURNS"]).open("a+b") as turns:
            turns.write(b".")
            if turns.tell() % 2:
                return hello
        return replace(hello, gaps={**hello.gaps, "streaming": "not here"})


class StartsInTurn(Faithful):
    """Starts in one of two processes: in the first, or with TOY_FIRST=fails in the second."""

    def start(self) -> Hello:
        with Path(os.environ["TOY_TURNS"]).open("a+b") as turns:
            turns.write(b".")
            is_second = turns.tell() == 2
        if is_second:
            time.sleep(1)  # so that the report of the first process is received first
        if is_second != (os.environ.get("TOY_FIRST") == "fails"):
            raise ConnectionError("no engine in this turn")
        return super().start()


class DiesAtStart(Faithful):
    """Ends its process when it is started."""

    def start(self) -> Hello:
        os._exit(7)


NOT_A_CLASS = 1


class Dies(Faithful):
    """Ends its process at a query that it refuses."""

    def open(self, request: Open) -> Accepted | Refused:
        answer = super().open(request)
        if isinstance(answer, Refused):
            os._exit(7)
        return answer


class LeavesBehind(Faithful):
    """Starts a process in a session of its own, and forgets it."""

    def start(self) -> Hello:
        left = subprocess.Popen(["sleep", "600"], start_new_session=True)
        with Path(os.environ["TOY_PIDS"]).open("a") as pids:
            pids.write(f"{left.pid}\n")
        left.returncode = 0  # so that nobody waits for it
        return super().start()
