"""`python -m tests.stress.kills`: kill a process that writes a database, a hundred times.

The process appends the number of each row to a file of its own as soon as the INSERT has returned.
After each kill the next process opens the database.  At the end, and in each process, all
acknowledged rows must be in the stream, in its pump's table and in its windows, each once.  The
changing streams must have the true answers: groups, the greatest rows, and a join of the two.
"""

import argparse
import os
import signal
import sys
import time
import traceback
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Final, Never

import rowtime
from rowtime.database import journal

START: Final = datetime(2026, 1, 1)
SCRIPT: Final = """\
CREATE STREAM S (rowtime TIMESTAMP(3) NOT NULL ASCENDING, n INTEGER) WITH HISTORY;
CREATE TABLE T (n INTEGER);
CREATE TABLE W (e TIMESTAMP(3), c BIGINT);
CREATE PUMP copies STARTED AS INSERT INTO T SELECT STREAM n FROM S;
CREATE PUMP counts STARTED AS INSERT INTO W SELECT STREAM TUMBLE_END(rowtime, INTERVAL '5' SECOND),
  COUNT(*) FROM S GROUP BY TUMBLE(rowtime, INTERVAL '5' SECOND);
CREATE STREAM C (k INTEGER, c BIGINT, s BIGINT) WITH CHANGES KEY (k);
CREATE PUMP changes STARTED AS INSERT INTO C
  SELECT STREAM MOD(n, 7), COUNT(*), SUM(n) FROM S GROUP BY MOD(n, 7) EMIT CHANGES;
CREATE STREAM G (n INTEGER) WITH CHANGES;
CREATE PUMP greatest STARTED AS INSERT INTO G
  SELECT STREAM n FROM S ORDER BY n DESC LIMIT 3 EMIT CHANGES;
CREATE STREAM D (n INTEGER, c BIGINT) WITH CHANGES;
CREATE PUMP joined STARTED AS INSERT INTO D
  SELECT STREAM G.n, C.c FROM G JOIN C ON MOD(G.n, 7) = C.k EMIT CHANGES;
"""


def _write(path: Path, acknowledged: Path, parent: int) -> Never:
    """Insert rows, one after the other, and acknowledge each, until the process is killed."""
    log = os.open(acknowledged, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    db = rowtime.connect(path)
    number = len(check(db, acknowledged))
    rows = db.prepare("INSERT INTO S VALUES (?, ?)")
    while os.getppid() == parent:
        rows.execute((START + timedelta(seconds=number), number))
        os.write(log, f"{number}\n".encode())
        number += 1
    os._exit(1)


def _await(acknowledged: Path, size: int, child: int) -> None:
    """Wait until the file has this size, or the child has ended."""
    while not acknowledged.exists() or acknowledged.stat().st_size < size:
        if os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT | os.WNOHANG):
            return
        time.sleep(0.002)


def check(db: rowtime.Connection, acknowledged: Path) -> list[int]:
    """The rows of the stream; an assertion fails if one is lost, doubled, or missing downstream."""
    found = [int(str(n)) for (n,) in db.execute("SELECT n FROM S")]
    assert found == list(range(len(found))), found[-5:]
    sure = acknowledged.read_text().split("\n")[:-1] if acknowledged.exists() else []
    lost = {int(n) for n in sure} - set(found)
    assert not lost, f"lost: {sorted(lost)[-5:]}"
    assert [n for (n,) in db.execute("SELECT n FROM T")] == found
    counted = [c for (c,) in db.execute("SELECT c FROM W")]
    assert counted == [5] * (max(len(found) - 1, 0) // 5), (counted[-3:], len(found))
    classes = Counter(n % 7 for n in found)
    sums = {k: sum(n for n in found if n % 7 == k) for k in classes}
    rows = sorted((int(str(k)), c, s) for k, c, s in db.execute("SELECT k, c, s FROM C"))
    assert rows == [(k, classes[k], sums[k]) for k in sorted(classes)], rows
    greatest = sorted(int(str(n)) for (n,) in db.execute("SELECT n FROM G"))
    assert greatest == found[-3:], greatest
    pairs = sorted((int(str(n)), c) for n, c in db.execute("SELECT n, c FROM D"))
    assert pairs == [(n, classes[n % 7]) for n in greatest], pairs
    return found


def main() -> int:
    """Kill and check; the exit status is 1 if a row was lost or doubled."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    random = Random(given.seed)
    journal.LEAST = 3_000  # checkpoints, often
    with TemporaryDirectory() as folder:
        path, acknowledged = Path(folder) / "a.db", Path(folder) / "acknowledged"
        with rowtime.connect(path) as db:
            db.executescript(SCRIPT)
        parent, size = os.getpid(), 0
        for kill in range(given.kills):
            child = os.fork()
            if not child:
                try:
                    _write(path, acknowledged, parent)
                except BaseException:
                    traceback.print_exc()
                finally:
                    os._exit(1)
            _await(acknowledged, size + random.randint(1, 150), child)
            grown = acknowledged.exists() and acknowledged.stat().st_size > size
            time.sleep(random.uniform(0, 0.005))
            os.kill(child, signal.SIGKILL)
            _, status = os.waitpid(child, 0)
            size = acknowledged.stat().st_size if acknowledged.exists() else 0
            if os.waitstatus_to_exitcode(status) != -signal.SIGKILL or not grown:
                print(f"process {kill} found a fault, or acknowledged no row")
                return 1
        with rowtime.connect(path) as db:
            rows = check(db, acknowledged)
        sure = acknowledged.read_text().count("\n") if acknowledged.exists() else 0
    print(f"{given.kills} kills, {sure:,} rows acknowledged, {len(rows):,} rows found, none lost")
    return 0


if __name__ == "__main__":
    sys.exit(main())
