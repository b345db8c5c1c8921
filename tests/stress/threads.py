"""`python -m tests.stress.threads`: sixteen threads write, read, close and drop at random.

Producers insert; readers fetch, cancel, close their cursor, let another thread close it, or drop it
without a word; a query calls a function that asks its own database; a thread creates and drops
pumps.  Signals raise exceptions in the main thread, which writes, too.  At the end all acknowledged
rows must be in the history once, each by its producer's order, and all threads must have ended.
"""

import argparse
import faulthandler
import gc
import signal
import sys
import threading
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import count, pairwise
from random import Random
from types import FrameType
from typing import Final

import rowtime

START: Final = datetime(2026, 1, 1)
#: Seconds that a write may wait for a buffer; somebody fetches, closes or drops all the time.
WAIT: Final = 20
#: Seconds after the end within which all threads must have ended.
PATIENCE: Final = 60
SCRIPT: Final = """\
CREATE STREAM S (rowtime TIMESTAMP(3) NOT NULL ASCENDING, n INTEGER) WITH HISTORY;
CREATE TABLE T (n INTEGER);
"""


class SignalError(Exception):
    """A signal has come."""


class Asking:
    """A function that asks the database whose query calls it."""

    signature = "ASKING(n INTEGER) RETURNS INTEGER"
    db: rowtime.Connection

    def __call__(self, n: int) -> int:
        """The argument."""
        self.db.execute("SELECT n FROM T WHERE n = ?", (n,)).fetchall()
        return n


class Stress:
    """One database, and the rows that it has acknowledged."""

    def __init__(self, seed: int, seconds: float) -> None:
        self.seed = seed
        self.asking = Asking()
        self.db = rowtime.connect(buffer=50, functions=[self.asking], timeout=WAIT)
        self.asking.db = self.db
        self.db.executescript(SCRIPT)
        self.until = time.monotonic() + seconds
        self.lock = threading.Lock()
        self.numbers = count(1)  # without a lock, within which a signal could arrive
        self.acknowledged: list[int] = []
        self.in_doubt: set[int] = set()
        self.fetched = 0
        self.faults: list[str] = []
        self.cursors: list[rowtime.Cursor] = []

    @property
    def is_over(self) -> bool:
        """Whether the time is over."""
        return time.monotonic() > self.until

    def guarded(self, work: Callable[[Random], None], number: int) -> None:
        """Run ``work`` until the time is over; an exception is a fault."""
        random = Random(self.seed * 1_000 + number)
        try:
            while not self.is_over:
                work(random)
        except Exception as error:  # any exception is a finding
            self.faults.append(f"{work.__name__}: {error!r}")

    def produce(self, random: Random) -> None:
        """Insert some rows by a producer, which is closed or dropped."""
        insert = self.db.prepare("INSERT INTO S VALUES (?, ?)")
        for _ in range(random.randint(1, 20)):
            number = next(self.numbers)
            self.in_doubt.add(number)
            done = insert.execute((START + timedelta(milliseconds=number), number)).rowcount
            if done:
                self.acknowledged.append(number)
            self.in_doubt.discard(number)
        if random.random() < 0.5:
            insert.close()

    def read(self, random: Random) -> None:
        """Read for a while, and end in one of five ways."""
        sql = random.choice(["SELECT STREAM n FROM S", "SELECT STREAM ASKING(n) FROM S"])
        cursor = self.db.execute(sql)
        cursor.timeout = 0.2
        numbers: list[int] = []
        with self.lock:
            self.cursors.append(cursor)
        try:
            for _ in range(random.randint(0, 10)):
                rows = [int(str(n)) for (n,) in cursor.fetchmany(random.randint(1, 30))]
                numbers += rows
                self.fetched += len(rows)
        except (rowtime.Timeout, rowtime.Cancelled, rowtime.InterfaceError):
            pass  # another thread has closed it, or nobody writes
        assert all(a < b for a, b in pairwise(numbers)), numbers
        end = random.randrange(4)
        with self.lock:
            if cursor in self.cursors:
                self.cursors.remove(cursor)
        if end == 0:
            cursor.close()
        elif end == 1:
            cursor.cancel()
        elif end == 2:
            gc.collect()

    def meddle(self, random: Random) -> None:
        """Close or cancel a cursor that another thread uses."""
        time.sleep(random.uniform(0, 0.02))
        with self.lock:
            cursor = random.choice(self.cursors) if self.cursors else None
        if cursor is not None:
            cursor.close() if random.random() < 0.5 else cursor.cancel()

    def define(self, random: Random) -> None:
        """Create and drop a pump, and write into a table."""
        self.db.execute("CREATE PUMP p STARTED AS INSERT INTO T SELECT STREAM n FROM S")
        time.sleep(random.uniform(0, 0.02))
        self.db.execute("DELETE FROM T WHERE n > ?", (random.randint(0, 100),))
        self.db.execute("DROP PUMP p")

    def interrupted(self, random: Random) -> None:
        """Insert while signals raise exceptions."""
        signal.setitimer(signal.ITIMER_REAL, random.uniform(0.0001, 0.01))
        try:
            self.produce(random)
        except SignalError:
            pass
        finally:
            _no_more_signals()


def _no_more_signals() -> None:
    while True:
        try:
            signal.setitimer(signal.ITIMER_REAL, 0)
        except SignalError:
            continue
        return


def _raise(_number: int, _frame: FrameType | None) -> None:
    raise SignalError


def run(seconds: float, seed: int) -> Stress:
    """The database after the threads have ended; its ``faults`` are those that were found."""
    stress = Stress(seed, seconds)
    jobs = [stress.produce] * 6 + [stress.read] * 7 + [stress.meddle, stress.define]
    threads = [
        threading.Thread(target=stress.guarded, args=(job, number), daemon=True)
        for number, job in enumerate(jobs)
    ]
    before = signal.signal(signal.SIGALRM, _raise)
    for each in threads:
        each.start()
    stress.guarded(stress.interrupted, len(jobs))
    signal.signal(signal.SIGALRM, before)
    end = time.monotonic() + PATIENCE
    for each in threads:
        each.join(max(0, end - time.monotonic()))
        if each.is_alive():
            stress.faults.append(f"{each.name} has not ended")
    if stress.faults:
        return stress
    gc.collect()  # the last producers, which were dropped without `close`
    found = [int(str(n)) for (n,) in stress.db.execute("SELECT n FROM S")]
    lost = set(stress.acknowledged) - set(found)
    doubled = len(found) - len(set(found))
    unknown = set(found) - set(stress.acknowledged) - stress.in_doubt
    if lost or doubled or unknown:
        counts = f"{len(lost)} lost, {doubled} doubled, {len(unknown)} unknown"
        stress.faults.append(f"{counts}; the first: {min(lost | unknown, default=None)}")
    return stress


def main() -> int:
    """Exit status 1 if a fault was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    faulthandler.dump_traceback_later(given.seconds + 2 * PATIENCE, exit=True)
    stress = run(given.seconds, given.seed)
    rows = f"{len(stress.acknowledged):,} rows acknowledged, {stress.fetched:,} fetched"
    print(f"{time.process_time():.0f} s of computing, {rows}, {len(stress.in_doubt)} in doubt")
    print("\n".join(stress.faults) or "no fault")
    return int(bool(stress.faults))


if __name__ == "__main__":
    sys.exit(main())
