"""An engine under load for minutes, killed twice: its rows are counted, its memory measured.

Eight producers on threads send rows and random bounds into one stream, from which twenty standing
statements work; a pump is stopped and started all the time; the process is killed (SIGKILL) at a
third and at two thirds of the time, and taken up again from its file, which is not counted in the
minutes. In the end the rows that the producers have sent are counted against those that the
statements have seen.

    python benchmarks/soak.py [MINUTES]
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
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import psutil

import rowtime
from rowtime.driver.values import Python

PRODUCERS: Final = 8
#: Rows of a batch, and seconds between two batches of a producer, at most.
BATCH: Final = 20
PAUSE: Final = 0.6

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
SELECT STREAM rowtime, PRODUCER, ROWS_COUNT FROM
  TABLE(SESSIONS(S, 'PRODUCER', INTERVAL '1' SECOND));
SELECT STREAM CEIL(rowtime TO SECOND), v, COUNT(*) FROM Copied GROUP BY CEIL(rowtime TO SECOND), v
"""
_UPSERTS: Final = (
    _SEEN.format(target="Seen", source="S"),
    _SEEN.format(target="SeenCopied", source="Copied"),
    f"""UPSERT INTO Latest SELECT STREAM producer, COUNT(*) OVER (
      PARTITION BY producer ORDER BY rowtime {_LAST}) FROM S""",
)


def work(path: Path, log: Path) -> None:
    """One life of the process: producers send until they are told to end, or are killed."""
    began, used = time.monotonic(), time.process_time()
    connection = rowtime.connect(path)
    taken_up = {"up": time.monotonic() - began, "cpu": time.process_time() - used}
    if not connection.catalog.objects.get(("S",)):
        connection.executescript(_SCHEMA)
        for sql in _COUNTING.split(";"):
            connection.execute(f"INSERT INTO Counts {sql}")
        for sql in _UPSERTS:
            connection.execute(sql)
    ended, opened = threading.Event(), threading.Barrier(PRODUCERS)
    threads = [
        threading.Thread(target=_produce, args=(connection, number, opened, ended))
        for number in range(PRODUCERS)
    ]
    threads.append(threading.Thread(target=_restart, args=(connection, ended)))
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


def _produce(
    connection: rowtime.Connection,
    producer: int,
    opened: threading.Barrier,
    ended: threading.Event,
) -> None:
    """Send rows of the time now, some late ones, and bounds; go on after the last row seen.

    It begins when all producers are open: one that opened after others had set bounds ahead of the
    time now would be late at first.
    """
    dice = random.Random()
    query = "SELECT last FROM Seen WHERE producer = ?"
    found = connection.execute(query, (producer,)).fetchone()
    number = 0 if found is None else int(str(found[0]))
    with connection.prepare("INSERT EXPEDITED INTO S VALUES (?, ?, ?, ?, ?)") as rows:
        least = _now()
        rows.set_rowtime_bound(least)
        opened.wait()
        while not ended.is_set():
            batch = list[Sequence[Python]]()
            for _ in range(dice.randint(1, BATCH)):
                number += 1
                least = max(least, _now())
                values = (dice.randint(0, 100), dice.choice("abc") * 9)
                batch.append((least, producer, number, *values))
            assert rows.executemany(batch).rowcount == len(batch), "rows in order are accepted"
            if dice.random() < 0.1:  # a late row, which is dropped, and counted
                with suppress(rowtime.OperationalError):  # it may be below the own bound, too
                    rows.execute((least - timedelta(seconds=5), producer, -1, 0, "late"))
            if dice.random() < 0.5:
                least += timedelta(milliseconds=dice.randint(0, 200))
                rows.set_rowtime_bound(least)
            ended.wait(dice.random() * PAUSE)


def _restart(connection: rowtime.Connection, ended: threading.Event) -> None:
    """Stop and start the pump."""
    dice = random.Random()
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


def main(minutes: float) -> int:
    """Run three lives, the first two of them killed, and print what became of the rows."""
    with tempfile.TemporaryDirectory() as folder:
        path, log = Path(folder) / "soak.db", Path(folder) / "log"
        for life in range(3):
            command = [sys.executable, __file__, "--work", str(path), str(log)]
            pipe = subprocess.PIPE
            with subprocess.Popen(command, stdin=pipe, stdout=pipe) as child:
                assert child.stdin is not None
                assert child.stdout is not None
                child.stdout.readline()
                time.sleep(minutes * 60 / 3)
                if life < 2:
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


def _accounted(path: Path) -> int:
    """Whether each row that was sent was seen once, by the pump's target, too: 0, else 1."""
    size = path.stat().st_size
    with rowtime.connect(path) as connection:
        seen, copied = (
            connection.execute(f"SELECT * FROM {table} ORDER BY producer").fetchall()
            for table in ("Seen", "SeenCopied")
        )
        stream = connection.database.looking(lambda engine: engine.streams["S",])
        failures = connection.execute(
            "SELECT OBJECT, CODE, COUNT(*) FROM SYS_BOOT.MGMT.SAVED_TRACE "
            "WHERE CODE <> 'LATE' GROUP BY OBJECT, CODE"
        ).fetchall()
    rows = sum(int(str(row[1])) for row in seen)
    gaps = [
        row
        for row in seen
        if row[1] != row[3] or row[2] != int(str(row[3])) * (int(str(row[3])) + 1) // 2
    ]
    print(f"rows: {rows:,} seen, {stream.passed:,} entered, {stream.late:,} late and dropped")
    print(
        f"each once and none missing: {gaps or True}; by the restarted pump, too: {seen == copied}"
    )
    print(f"failures in the trace: {failures or 'none'}; file: {size / 2**20:.1f} MiB")
    good = not gaps and seen == copied and len(seen) == PRODUCERS and stream.passed == rows
    return 0 if good and not failures else 1


if __name__ == "__main__":
    if sys.argv[1:2] == ["--work"]:
        work(Path(sys.argv[2]), Path(sys.argv[3]))
    else:
        sys.exit(main(float(sys.argv[1]) if len(sys.argv) > 1 else 10))
