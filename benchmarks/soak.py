"""An engine under load for minutes, killed twice: its rows are counted, its memory measured.

Eight producers on threads send rows and random bounds into one stream, from which twenty standing
statements work; a pump is stopped and started all the time; the process is killed (SIGKILL) at a
third and at two thirds of the time, and taken up again from its file, which is not counted in the
minutes. Each producer notes what the database has acknowledged; in the end that is counted against
what the statements have seen.

    python benchmarks/soak.py [MINUTES [SEED]]

The seed is that of rows, bounds and pauses; which of two threads comes first, it does not decide.
"""

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import psutil

import rowtime
from rowtime.driver.values import Python

PRODUCERS: Final = 8
LIVES: Final = 3
#: Rows of a batch, and seconds between two batches of a producer, at most.
BATCH: Final = 20
PAUSE: Final = 0.6
EPOCH: Final = datetime(1970, 1, 1)

_SCHEMA: Final = """
CREATE STREAM S (rowtime TIMESTAMP(3) NOT NULL ASCENDING, producer INTEGER NOT NULL,
  number BIGINT NOT NULL, v INTEGER, t VARCHAR(20)) WITH HISTORY INTERVAL '1' MINUTE;
CREATE STREAM Copied (rowtime TIMESTAMP(3) NOT NULL ASCENDING, producer INTEGER NOT NULL,
  number BIGINT NOT NULL, v INTEGER);
CREATE STREAM Counts (rowtime TIMESTAMP(3) NOT NULL ASCENDING, k INTEGER, c BIGINT);
CREATE TABLE Seen (producer INTEGER PRIMARY KEY, rowcount BIGINT, total BIGINT, last BIGINT);
CREATE TABLE SeenCopied (producer INTEGER PRIMARY KEY, rowcount BIGINT, total BIGINT, last BIGINT);
CREATE TABLE Latest (producer INTEGER PRIMARY KEY, c BIGINT);
CREATE TABLE Names (v INTEGER, name VARCHAR(10));
INSERT INTO Names VALUES (1, 'one'), (2, 'two'), (3, 'three');
CREATE PUMP Copy STARTED AS INSERT INTO Copied SELECT STREAM rowtime, producer, number, v FROM S;
"""
_SEEN: Final = """
UPSERT INTO {target} SELECT STREAM producer, COUNT(*) OVER w, SUM(number) OVER w,
  MAX(number) OVER w FROM {source}
WINDOW w AS (PARTITION BY producer ORDER BY rowtime ROWS UNBOUNDED PRECEDING)
"""
_LAST: Final = "RANGE INTERVAL '10' SECOND PRECEDING"
#: Statements into a stream that nobody reads; with the pump and three upserts they are twenty.
_COUNTING: Final = f"""
SELECT STREAM FLOOR(rowtime TO SECOND) AS rowtime, producer, COUNT(*) FROM S
  GROUP BY FLOOR(rowtime TO SECOND), producer;
SELECT STREAM TUMBLE_END(rowtime, INTERVAL '5' SECOND), producer, SUM(v) FROM S
  GROUP BY TUMBLE(rowtime, INTERVAL '5' SECOND), producer;
SELECT STREAM HOP_END(rowtime, INTERVAL '1' SECOND, INTERVAL '5' SECOND), v, COUNT(*) FROM S
  GROUP BY HOP(rowtime, INTERVAL '1' SECOND, INTERVAL '5' SECOND), v;
SELECT STREAM TUMBLE_END(rowtime, INTERVAL '10' SECOND), 0, COUNT(DISTINCT v) FROM S
  GROUP BY TUMBLE(rowtime, INTERVAL '10' SECOND);
SELECT STREAM rowtime, v, COUNT(*) OVER (ORDER BY rowtime {_LAST}) FROM S;
SELECT STREAM rowtime, v, SUM(v) OVER (PARTITION BY producer ORDER BY rowtime {_LAST}) FROM S;
SELECT STREAM rowtime, v, MAX(v) OVER (PARTITION BY v ORDER BY rowtime {_LAST}) FROM S;
SELECT STREAM rowtime, v, number FROM S WHERE v > 50;
SELECT STREAM rowtime, CHAR_LENGTH(t), number FROM S WHERE t LIKE 'a%';
SELECT STREAM rowtime, CHAR_LENGTH(REGEXP_EXTRACT(t, '[a-z]+')), 1 FROM S;
SELECT STREAM S.rowtime, S.v, 1 FROM S JOIN Names ON S.v = Names.v;
SELECT STREAM a.rowtime, a.v, b.number FROM S AS a JOIN S AS b ON a.producer = b.producer
  AND a.v = b.v AND b.rowtime BETWEEN a.rowtime AND a.rowtime + INTERVAL '2' SECOND;
SELECT STREAM a.rowtime, a.v, COALESCE(b.number, 0) FROM S AS a LEFT JOIN Copied AS b
  ON a.number = b.number AND a.producer = b.producer
  AND b.rowtime BETWEEN a.rowtime AND a.rowtime + INTERVAL '1' SECOND;
SELECT STREAM rowtime, v, 1 FROM S WHERE v < 5 UNION ALL
  SELECT STREAM rowtime, v, 2 FROM Copied WHERE v > 95;
SELECT STREAM SESSION_END(rowtime), PRODUCER, COUNT(*) FROM S
  GROUP BY SESSION(rowtime, INTERVAL '1' SECOND), PRODUCER;
SELECT STREAM CEIL(rowtime TO SECOND), v, COUNT(*) FROM Copied GROUP BY CEIL(rowtime TO SECOND), v
"""
_UPSERTS: Final = (
    _SEEN.format(target="Seen", source="S"),
    _SEEN.format(target="SeenCopied", source="Copied"),
    f"""UPSERT INTO Latest SELECT STREAM producer, COUNT(*) OVER (
      PARTITION BY producer ORDER BY rowtime {_LAST}) FROM S""",
)


def work(path: Path, log: Path, dice: random.Random) -> None:
    """One life of the process: producers send until they are told to end, or are killed."""
    threading.excepthook = _die
    began, used = time.monotonic(), time.process_time()
    connection = rowtime.connect(path)
    taken_up = {"up": time.monotonic() - began, "cpu": time.process_time() - used}
    if not connection.catalog.objects.get(("S",)):
        connection.executescript(_SCHEMA)
        for sql in _COUNTING.split(";"):
            connection.execute(f"INSERT INTO Counts {sql}")
        for sql in _UPSERTS:
            connection.execute(sql)
    ended = threading.Event()
    threads = [
        threading.Thread(target=each.send_until, args=(ended,))
        for each in _opened(connection, path.parent, dice)
    ]
    restarts = random.Random(dice.random())
    threads.append(threading.Thread(target=_restart, args=(connection, ended, restarts)))
    for each in threads:
        each.start()
    threading.Thread(target=_measure, args=(log, taken_up), daemon=True).start()
    print("ready", flush=True)
    sys.stdin.readline()
    ended.set()
    for each in threads:
        each.join()
    connection.execute("ALTER PUMP Copy START")
    connection.close()


def _die(fault: threading.ExceptHookArgs) -> None:
    """End the process when a thread fails: the parent sees it."""
    threading.__excepthook__(fault)
    os._exit(1)


def _opened(connection: rowtime.Connection, folder: Path, dice: random.Random) -> list["Producer"]:
    """The producers, all with one bound before the first of them sends.

    That bound is the time now, or the stream's own bound where that is ahead: the life before may
    have set bounds ahead of its time. A producer that opened later than another had sent would
    find the stream's bound ahead of its first rows, which would be late, and its numbers would have
    a gap.
    """
    bound = connection.database.read_state(lambda engine: engine.streams["S",].ingress.bound)
    start = _now() if bound is None else max(_now(), EPOCH + timedelta(milliseconds=bound))
    producers = [
        Producer(connection, number, start, folder / f"sent-{number}", random.Random(dice.random()))
        for number in range(PRODUCERS)
    ]
    for each in producers:
        each.rows.set_rowtime_bound(start)
    return producers


class Producer:
    """A producer of the stream S: its rows are numbered, and continue after the last one seen.

    What it has sent, and the database has acknowledged, is a line of its own file.
    """

    def __init__(
        self,
        connection: rowtime.Connection,
        producer: int,
        start: datetime,
        sent: Path,
        dice: random.Random,
    ) -> None:
        query = "SELECT last FROM Seen WHERE producer = ?"
        found = connection.execute(query, (producer,)).fetchone()
        self.rows = connection.prepare("INSERT EXPEDITED INTO S VALUES (?, ?, ?, ?, ?)")
        self._producer = producer
        self._number = 0 if found is None else int(str(found[0]))
        self._least = start
        self._sent = sent
        self._dice = dice

    def send_until(self, ended: threading.Event) -> None:
        """Send batches of rows of the time now, late rows and bounds."""
        with self.rows, self._sent.open("a") as sent:
            while not ended.is_set():
                first = self._number + 1
                self._send_batch()
                late = self._dice.random() < 0.1 and self._send_late_row()
                sent.write(f"{first} {self._number} {int(late)}\n")
                sent.flush()
                if self._dice.random() < 0.5:
                    self._least += timedelta(milliseconds=self._dice.randint(0, 200))
                    self.rows.set_rowtime_bound(self._least)
                ended.wait(self._dice.random() * PAUSE)

    def _send_batch(self) -> None:
        batch = list[Sequence[Python]]()
        for _ in range(self._dice.randint(1, BATCH)):
            self._number += 1
            self._least = max(self._least, _now())
            values = (self._dice.randint(0, 100), self._dice.choice("abc") * 9)
            batch.append((self._least, self._producer, self._number, *values))
        accepted = self.rows.executemany(batch).rowcount
        assert accepted == len(batch), "rows in order are accepted"

    def _send_late_row(self) -> bool:
        """Send a row that is dropped and counted; True."""
        with suppress(rowtime.OperationalError):  # it may be below the own bound, too
            late = self._least - timedelta(seconds=5)
            self.rows.execute((late, self._producer, -1, 0, "late"))
        return True


def _restart(connection: rowtime.Connection, ended: threading.Event, dice: random.Random) -> None:
    """Stop and start the pump."""
    while not ended.wait(dice.random() * 2):
        connection.execute("ALTER PUMP Copy STOP")
        ended.wait(dice.random())
        connection.execute("ALTER PUMP Copy START")


def _measure(log: Path, taken_up: dict[str, float]) -> None:
    """Write the memory of the process into a log, every five seconds."""
    process, began = psutil.Process(), time.monotonic()
    with log.open("a") as file:
        while True:
            rss = process.memory_info().rss
            line = {"life": os.getpid(), "s": time.monotonic() - began, "rss": rss, **taken_up}
            file.write(json.dumps(line) + "\n")
            file.flush()
            time.sleep(5)


def _now() -> datetime:
    now = datetime.now(UTC).replace(tzinfo=None)
    return now.replace(microsecond=now.microsecond // 1000 * 1000)


# --- the parent ---------------------------------------------------------------------------------


def main(minutes: float, seed: int) -> int:
    """Run three lives, the first two of them killed, and print what became of the rows: 0 or 1."""
    with tempfile.TemporaryDirectory() as folder:
        path, log = Path(folder) / "soak.db", Path(folder) / "log"
        for life in range(LIVES):
            command = [sys.executable, __file__, "--work", str(path), str(log), f"{seed}.{life}"]
            pipe = subprocess.PIPE
            with subprocess.Popen(command, stdin=pipe, stdout=pipe) as child:
                assert child.stdin is not None
                assert child.stdout is not None
                child.stdout.readline()
                time.sleep(minutes * 60 / LIVES)
                if child.poll() is not None:
                    print(f"life {life + 1} has ended by itself, with status {child.returncode}")
                    return 1
                if life < LIVES - 1:
                    child.send_signal(signal.SIGKILL)
                else:
                    child.stdin.write(b"end\n")
                    child.stdin.close()
                    if child.wait() != 0:
                        return 1
        for line in _memory(log):
            print(line)
        return _accounted(path)


def _memory(log: Path) -> Iterator[str]:
    """For each life how long it took to take up the file, and its memory at three moments."""
    lives: dict[int, list[dict[str, float]]] = {}
    for line in log.read_text().splitlines():
        found = json.loads(line)
        lives.setdefault(found["life"], []).append(found)
    for number, each in enumerate(lives.values(), 1):
        moments = [each[len(each) // 4], each[len(each) // 2], each[-1]]
        sizes = ", ".join(f"{one['rss'] / 2**20:.0f} MiB at {one['s']:.0f} s" for one in moments)
        up = f"{each[0]['up']:.1f} s, {each[0]['cpu']:.1f} s of CPU"
        yield f"life {number}: taken up in {up}; {sizes}"


@dataclass(frozen=True)
class Acknowledged:
    """The rows of a producer that the database has acknowledged in all lives, and the late ones.

    ``lost``: a life began with numbers that the one before it had sent already, so that the
    database no longer had those rows.
    """

    rows: int
    last: int
    late: int
    lost: bool


def _acknowledged(sent: Path) -> Acknowledged:
    """What the file of a producer has: a line for each batch."""
    batches = [tuple(map(int, line.split())) for line in sent.read_text().splitlines()]
    firsts, lasts, late = zip(*batches, strict=True)
    rows = sum(last - first + 1 for first, last, _ in batches)
    lost = any(first <= last for first, last in zip(firsts[1:], lasts, strict=False))
    return Acknowledged(rows, lasts[-1], sum(late), lost)


def _accounted(path: Path) -> int:
    """Whether each row that was sent was seen once, by the pump's target, too: 0, else 1."""
    size = path.stat().st_size
    with rowtime.connect(path) as connection:
        seen, copied = (
            [
                tuple(int(str(value)) for value in row)
                for row in connection.execute(f"SELECT * FROM {table} ORDER BY producer")
            ]
            for table in ("Seen", "SeenCopied")
        )
        stream = connection.database.read_state(lambda engine: engine.streams["S",])
        failures = connection.execute(
            "SELECT OBJECT, CODE, COUNT(*) FROM SYS_BOOT.MGMT.SAVED_TRACE "
            "WHERE CODE <> 'LATE' GROUP BY OBJECT, CODE"
        ).fetchall()
    sent = [_acknowledged(path.parent / f"sent-{number}") for number in range(PRODUCERS)]
    rows, acknowledged, late = (
        sum(each)
        for each in (
            [count for _, count, _, _ in seen],
            [each.rows for each in sent],
            [each.late for each in sent],
        )
    )
    # A killed process may have sent a batch, and a late row, that it could not note any more.
    unnoted = (LIVES - 1) * PRODUCERS
    checks = {
        "each producer's numbers have no gap": all(
            count == last and total == last * (last + 1) // 2 for _, count, total, last in seen
        ),
        "what was acknowledged was there in the next life": not any(each.lost for each in sent),
        "the last row acknowledged is the last one seen": [each.last for each in sent]
        == [last for *_, last in seen],
        "as many rows were seen as entered": stream.passed == rows,
        "and no more than were sent": acknowledged <= rows <= acknowledged + unnoted * BATCH,
        "late rows are all counted": late <= stream.dropped <= late + unnoted,
        "the restarted pump has done the same": seen == copied,
        "no failure is in the trace": not failures,
    }
    print(f"rows: {acknowledged:,} acknowledged, {stream.passed:,} entered, {rows:,} seen")
    print(f"late: {late:,} acknowledged, {stream.dropped:,} dropped; file: {size / 2**20:.1f} MiB")
    for text, holds in checks.items():
        print(f"{'yes' if holds else 'NO'}: {text}")
    if failures:
        print(f"failures: {failures}")
    return 0 if all(checks.values()) else 1


if __name__ == "__main__":
    if sys.argv[1:2] == ["--work"]:
        work(Path(sys.argv[2]), Path(sys.argv[3]), random.Random(sys.argv[4]))
    else:
        given = dict(enumerate(sys.argv[1:]))
        sys.exit(main(float(given.get(0, 10)), int(given.get(1, 1))))
