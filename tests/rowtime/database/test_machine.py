"""Random lives of a database in a file against a simple model (S-603, S-608, S-610).

The model of the stream is a list: what producers have sent and no other open producer holds back,
by rowtime. One pump copies the stream into a table, another counts it in windows of five seconds;
while it is stopped a pump does nothing, and when it is started again it does what it has missed,
since the stream has a history. A kill is a copy of the files at any moment, which is taken up: from
a checkpoint, which is written at any moment, too, and from what came after it.
"""

import shutil
import tempfile
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

import rowtime
from tests.examples import scaled

START = datetime(2026, 1, 1)
NAMES = st.sampled_from(["A", "B", "C"])
PUMPS = ("COPIES", "COUNTS")
WINDOW = 5  # seconds


class DatabaseMachine(RuleBasedStateMachine):
    """One stream, up to three producers, two pumps, and a reader."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "file.db"
        self.number = self.kills = 0
        self.bounds: dict[str, int] = {}  # of the open producers
        self.pending: list[tuple[int, int, str]] = []  # rowtime, number of the row, producer
        self.entered: list[tuple[int, int]] = []  # rowtime, number of the row
        self.clock = -1  # the bound of the stream
        self.started: dict[str, bool] = dict.fromkeys(PUMPS, True)
        self.copied = 0
        self.deleted: set[int] = set()
        self.counted: dict[int, int] = {}  # rows of each complete window, by its end
        self._open()
        self.db.executescript(
            "CREATE STREAM S (rowtime TIMESTAMP(3) NOT NULL ASCENDING, n INTEGER) WITH HISTORY; "
            "CREATE TABLE T (n INTEGER PRIMARY KEY); "
            "CREATE TABLE W (e TIMESTAMP(3) PRIMARY KEY, c BIGINT); "
            "CREATE PUMP copies STARTED AS INSERT INTO T SELECT STREAM n FROM S; "
            f"CREATE PUMP counts STARTED AS INSERT INTO W SELECT STREAM "
            f"TUMBLE_END(rowtime, INTERVAL '{WINDOW}' SECOND), COUNT(*) "
            f"FROM S GROUP BY TUMBLE(rowtime, INTERVAL '{WINDOW}' SECOND)"
        )
        self._read()

    def _open(self) -> None:
        self.db = rowtime.connect(self.path, clock=lambda: START, timeout=5)
        self.producers: dict[str, rowtime.Prepared] = {}

    def _read(self) -> None:
        self.reader = self.db.execute("SELECT STREAM n FROM S")
        self.first_read = len(self.entered)
        self.seen: list[int] = []

    def _flow(self) -> None:
        """Let in what no other open producer holds back, and raise the stream's bound."""

        def is_free(row: tuple[int, int, str]) -> bool:
            return all(row[0] <= at for name, at in self.bounds.items() if name != row[2])

        free = sorted(row for row in self.pending if is_free(row))
        self.pending = [row for row in self.pending if row not in free]
        self.entered += [(at, number) for at, number, _ in free]
        self.clock = max([self.clock, *(at for at, _, _ in free)])
        if self.bounds:
            self.clock = max(self.clock, min(self.bounds.values()))
        if self.started["COPIES"]:
            self.copied = len(self.entered)
        if self.started["COUNTS"]:
            ends = Counter((at // WINDOW + 1) * WINDOW for at, _ in self.entered)
            self.counted = {end: count for end, count in ends.items() if end <= self.clock}

    def _producer(self, name: str) -> rowtime.Prepared:
        """The producer of that name, which opens at the stream's bound if it is not open."""
        if name not in self.producers:
            self.producers[name] = self.db.prepare("INSERT INTO S VALUES (?, ?)")
            self.bounds[name] = self.clock
        return self.producers[name]

    @rule(name=NAMES, at=st.integers(0, 20), ahead=st.booleans())
    def insert(self, name: str, at: int, ahead: bool) -> None:
        """Send a row; one below the producer's bound is late."""
        producer = self._producer(name)
        at += max(self.clock, 0) * ahead
        own = self.bounds[name]
        self.number += 1
        refused, count = None, 0
        try:
            count = producer.execute((START + timedelta(seconds=at), self.number)).rowcount
        except rowtime.OperationalError as error:
            refused = error.code
        assert refused in (None, "BEHIND_OWN_BOUND")
        assert count == (at >= own)
        if count:
            self.bounds[name] = at
            self.pending.append((at, self.number, name))
        self._flow()

    @rule(name=NAMES, steps=st.lists(st.integers(-2, 4), max_size=5))
    def insert_together(self, name: str, steps: list[int]) -> None:
        """Send rows in one event, some of them late: the others enter."""
        self._producer(name)
        at, rows, late = max(self.clock, self.bounds[name], 0), list[tuple[datetime, int]](), 0
        for step in steps:
            at = max(at + step, 0)
            self.number += 1
            rows.append((START + timedelta(seconds=at), self.number))
            if at < self.bounds[name]:
                late += 1
            else:
                self.bounds[name] = at
                self.pending.append((at, self.number, name))
        producer = self.producers[name]
        insert = "INSERT EXPEDITED INTO S VALUES (?, ?)"
        refused = None
        try:
            producer.cursor.executemany(insert, rows)
        except rowtime.OperationalError as error:
            refused = error.code
        assert refused in ((None, "BEHIND_OWN_BOUND") if late else (None,))
        assert producer.cursor.rowcount == len(rows) - late
        self._flow()

    @rule(up_to=st.integers(0, 30))
    def delete(self, up_to: int) -> None:
        """Delete rows of the table that a pump fills."""
        self.db.execute("DELETE FROM T WHERE n <= ?", (up_to,))
        gone = [number for _, number in self.entered[: self.copied] if number <= up_to]
        self.deleted.update(gone)

    @rule(name=NAMES, ahead=st.integers(-3, 10))
    def bound(self, name: str, ahead: int) -> None:
        """Set a bound; one that goes back is refused."""
        producer = self._producer(name)
        if self.bounds[name] < 0:  # nothing is known of it yet
            ahead = abs(ahead)
        at = max(self.bounds[name], 0) + ahead
        refused = None
        try:
            producer.set_rowtime_bound(START + timedelta(seconds=at))
        except rowtime.OperationalError as error:
            refused = error.code
        assert refused == ("BOUND_BACKWARDS" if ahead < 0 else None)
        self.bounds[name] = max(at, self.bounds[name])
        self._flow()

    @precondition(lambda self: self.producers)
    @rule(data=st.data())
    def close(self, data: st.DataObject) -> None:
        """Close a producer."""
        name = data.draw(st.sampled_from(sorted(self.producers)))
        self.producers.pop(name).close()
        del self.bounds[name]
        self._flow()

    @rule(name=st.sampled_from(PUMPS), start=st.booleans())
    def pump(self, name: str, start: bool) -> None:
        """Start or stop a pump."""
        self.db.execute(f"ALTER PUMP {name} {'START' if start else 'STOP'}")
        self.started[name] = start
        self._flow()

    @rule()
    def read_anew(self) -> None:
        """Close the reader, and open another."""
        self.reader.close()
        self._read()

    @rule()
    def keep_checkpoint(self) -> None:
        """Write a checkpoint: what is taken up later begins with it."""
        assert self.db.database.keep_checkpoint()

    @rule(kill=st.booleans())
    def reopen(self, kill: bool) -> None:
        """End the process: all producers close, and readers end."""
        if kill:
            self.kills += 1
            killed = Path(self.folder.name) / str(self.kills)
            killed.mkdir()
            for each in self.path.parent.glob("file.db*"):
                shutil.copy(each, killed)
            self.path = killed / "file.db"
        self.db.close()
        self._open()
        for name in list(self.bounds):  # they close one after the other, the oldest first
            del self.bounds[name]
            self._flow()
        self._read()

    @invariant()
    def the_stream_is_that_of_the_model(self) -> None:
        """Rows are read once and in order, in the stream, its history and the pump's table."""
        numbers = [number for _, number in self.entered]
        self.seen += [int(str(n)) for (n,) in self.reader.fetch_available()]
        assert self.seen == numbers[self.first_read :]
        assert self.db.execute("SELECT n FROM S").fetchall() == [(n,) for n in numbers]
        copied = self.db.execute("SELECT n FROM T").fetchall()
        assert copied == [(n,) for n in numbers[: self.copied] if n not in self.deleted]
        windows = [(START + timedelta(seconds=end), c) for end, c in sorted(self.counted.items())]
        assert self.db.execute("SELECT e, c FROM W ORDER BY e").fetchall() == windows

    def teardown(self) -> None:
        """Close the database."""
        self.db.close()
        self.folder.cleanup()


DatabaseMachine.TestCase.settings = settings(
    max_examples=scaled(5, 500), stateful_step_count=scaled(12, 40), deadline=None
)
test_random_lives = DatabaseMachine.TestCase
