"""Kill a pipeline on Spark at random moments, and see that every row is there once and in order.

    python -m benchmarks.kill_pipeline --kills 50 --batches 200

A process of its own runs the pipeline, a micro-batch for each of many files; it is killed with its
JVM (SIGKILL), and started again from the checkpoint, again and again.  In the end the sinks are
compared, line by line, with those of one run on one machine.  One of its statements has stages:
groups over groups over a join of a stream with itself.  Two statements have EMIT CHANGES: the
changes of each micro-batch must lead from one true answer to the next, so that none is lost or
there twice.  With --directory it continues where an earlier call was.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from tempfile import mkdtemp
from typing import Final, TypeAlias

ROWTIME: Final = str(Path(sys.executable).with_name("rowtime"))
_ORDERS: Final = """\
CREATE FOREIGN STREAM Orders (
  rowtime TIMESTAMP(3) ASCENDING, orderId INTEGER, productId INTEGER, units INTEGER)
  OPTIONS (format 'csv', path 'in');
"""
#: The statements of the pipeline, by the names of their sinks.
STATEMENTS: Final = {
    "sums": """\
CREATE FOREIGN STREAM Sums (
  rowtime TIMESTAMP(3) ASCENDING, orderId INTEGER, productId INTEGER, units BIGINT)
  OPTIONS (format 'csv', path '{out}/sums');
INSERT INTO Sums
  SELECT STREAM rowtime, orderId, productId,
    SUM(units) OVER (PARTITION BY productId ORDER BY rowtime RANGE INTERVAL '1' HOUR PRECEDING)
  FROM Orders;
""",
    "hours.json": """\
CREATE FOREIGN STREAM Hours (rowtime TIMESTAMP(3) ASCENDING, productId INTEGER, units BIGINT)
  OPTIONS (path '{out}/hours.json');
INSERT INTO Hours
  SELECT STREAM TUMBLE_END(rowtime, INTERVAL '1' HOUR), productId, SUM(units)
  FROM Orders GROUP BY TUMBLE(rowtime, INTERVAL '1' HOUR), productId;
""",
    "totals.json": """\
CREATE FOREIGN STREAM Totals (
  rowtime TIMESTAMP(3) ASCENDING, productId INTEGER, units BIGINT, earlier INTEGER, kinds BIGINT)
  OPTIONS (path '{out}/totals.json');
INSERT INTO Totals
  SELECT STREAM rowtime, productId,
    SUM(units) OVER w, LAG(units) OVER w, COUNT(DISTINCT units) OVER w
  FROM Orders WINDOW w AS (PARTITION BY productId ORDER BY rowtime);
""",
    "peaks.json": """\
CREATE FOREIGN STREAM Peaks (rowtime TIMESTAMP(3) ASCENDING, units BIGINT, pairs BIGINT)
  OPTIONS (path '{out}/peaks.json');
INSERT INTO Peaks
  SELECT STREAM TUMBLE_END(rowtime, INTERVAL '1' HOUR), MAX(units), SUM(pairs)
  FROM (SELECT STREAM TUMBLE_END(rowtime, INTERVAL '10' MINUTE) AS rowtime, productId,
      SUM(units) AS units, COUNT(*) AS pairs
    FROM (SELECT STREAM a.rowtime, a.productId, b.units FROM Orders AS a JOIN Orders AS b
      ON a.productId = b.productId
      AND b.rowtime BETWEEN a.rowtime AND a.rowtime + INTERVAL '5' MINUTE)
    GROUP BY TUMBLE(rowtime, INTERVAL '10' MINUTE), productId)
  GROUP BY TUMBLE(rowtime, INTERVAL '1' HOUR);
""",
    "units": """\
CREATE FOREIGN STREAM Units (productId INTEGER, units BIGINT) WITH CHANGES KEY (productId)
  OPTIONS (format 'debezium', path '{out}/units');
INSERT INTO Units
  SELECT STREAM productId, SUM(units) FROM Orders GROUP BY productId EMIT CHANGES;
""",
    "greatest": """\
CREATE FOREIGN STREAM Greatest (units INTEGER) WITH CHANGES
  OPTIONS (format 'debezium', path '{out}/greatest');
INSERT INTO Greatest
  SELECT STREAM units FROM Orders ORDER BY units DESC LIMIT 5 EMIT CHANGES;
""",
}
#: The remains of a process that has run to its end.
_ENDED: Final = 0


def pipeline(out: str, sinks: Collection[str] = tuple(STATEMENTS)) -> str:
    """The script of the pipeline, which writes these sinks into a folder."""
    return _ORDERS + "".join(STATEMENTS[each].format(out=out) for each in sinks)


def files(folder: Path, batches: int, rows: int) -> None:
    """The orders: a file for each micro-batch, each with a time of its own."""
    seed = random.Random(4)
    (folder / "in").mkdir()
    minute = 0
    for number in range(batches):
        lines = ["rowtime,orderId,productId,units"]
        for row in range(rows):
            minute += seed.randrange(3)
            day, time_ = divmod(minute, 1440)
            moment = f"2015-01-{day + 1:02} {time_ // 60:02}:{time_ % 60:02}:00"
            order, product = number * rows + row, seed.randrange(5)
            lines.append(f"{moment},{order},{product},{seed.randrange(100)}")
        file = folder / "in" / f"{number:05}.csv"
        file.write_text("\n".join(lines) + "\n")
        os.utime(file, (number + 1, number + 1))  # Spark takes the oldest first


def start(folder: Path, *options: str) -> "subprocess.Popen[bytes]":
    """The pipeline, in a group of processes that its JVM is of, too."""
    command = [ROWTIME, "run", "spark.sql", "--backend", "spark", "--checkpoint", "checkpoint"]
    command += ["--trigger", "50ms", "--conf", "spark.rowtime.maxFilesPerTrigger=1", *options]
    with (folder / "said").open("ab") as said:
        return subprocess.Popen(
            command, cwd=folder, stdout=said, stderr=said, start_new_session=True
        )


def batches_done(folder: Path) -> int:
    """How many micro-batches Spark has noted as done."""
    commits = folder / "checkpoint" / "spark" / "commits"
    return sum(each.name.isdecimal() for each in commits.iterdir()) if commits.is_dir() else 0


def kill(running: "subprocess.Popen[bytes]") -> None:
    """End a process and its JVM at once."""
    os.killpg(running.pid, signal.SIGKILL)
    running.wait()


def killed(folder: Path, seed: random.Random, last: int) -> str:
    """One life: it is killed some time after it has begun a micro-batch, or while it starts.

    ``last``: it is left alone when that many micro-batches are done.
    """
    before, begun = batches_done(folder), time.monotonic()
    running = start(folder)
    if seed.random() < 0.15:
        limit = begun + seed.uniform(0.5, 10)
    else:
        while batches_done(folder) == before and before < last and running.poll() is None:
            time.sleep(0.02)
        limit = time.monotonic() + seed.expovariate(1 / 2.5)
    while time.monotonic() < limit and running.poll() is None and batches_done(folder) < last:
        time.sleep(0.005)
    if running.poll() is not None:
        raise RuntimeError(f"it ended by itself: {(folder / 'said').read_text()[-2000:]}")
    kill(running)
    return f"{time.monotonic() - begun:.1f} s, {before} to {batches_done(folder)} done"


def lines_of(path: Path) -> list[str]:
    """The rows of a sink in order."""
    if path.is_file():
        return path.read_text().splitlines()
    parts = sorted(each for each in path.iterdir() if each.name.startswith("part-"))
    return [line for each in parts for line in each.read_text().splitlines()[1:]]


def agreed(folder: Path, sinks: Collection[str] = tuple(STATEMENTS)) -> bool:
    """Whether these sinks have the rows of one machine, in its order, and all answers were true.

    The true answers are computed by hand, after each order.
    """
    (folder / "reference.sql").write_text(pipeline("reference", sinks))
    (folder / "reference").mkdir(exist_ok=True)
    subprocess.run([ROWTIME, "run", "reference.sql", "--once"], cwd=folder, check=True)
    agree = True
    for name in (each for each in sinks if each not in _ANSWERS):
        ours, theirs = lines_of(folder / "spark" / name), lines_of(folder / "reference" / name)
        same = ours == theirs
        print(f"{name}: {len(ours):,} rows, {'the same' if same else f'NOT the {len(theirs):,}'}")
        agree = agree and same
    orders = [
        tuple(map(int, line.split(",")[2:]))
        for file in sorted((folder / "in").iterdir())
        for line in file.read_text().splitlines()[1:]
    ]
    for name in (each for each in sinks if each in _ANSWERS):
        answer = _ANSWERS[name]
        true = [answer(orders[:count]) for count in range(len(orders) + 1)]
        folds = list(_folds(folder / "spark" / name))
        same = bool(folds) and folds[-1] == true[-1] and _in_turn(folds, true)
        print(f"{name}: {len(folds):,} commits, {'each' if same else 'NOT each'} a true answer")
        agree = agree and same
    return agree


#: The rows of an answer, sorted.
Answer: TypeAlias = list[tuple[int, ...]]


def _sums(orders: Sequence[tuple[int, ...]]) -> Answer:
    """The units of each product; each order is a product and its units."""
    found: Counter[int] = Counter()
    for product, units in orders:
        found[product] += units
    return sorted((product, found[product]) for product in {product for product, _ in orders})


def _greatest(orders: Sequence[tuple[int, ...]]) -> Answer:
    """The five greatest units."""
    return sorted((units,) for units in sorted((units for _, units in orders), reverse=True)[:5])


#: The answers in the sinks of changes, by the names of the sinks.
_ANSWERS: Final = {"units": _sums, "greatest": _greatest}


def _folds(path: Path) -> Iterator[Answer]:
    """The answer after each commit of a sink of changes; a delete of an absent row raises."""
    rows: list[tuple[int, ...]] = []
    for part in sorted(each for each in path.iterdir() if each.name.startswith("part-")):
        for line in part.read_text().splitlines():
            record = json.loads(line)
            if record["before"] is not None:
                rows.remove(tuple(record["before"].values()))
            if record["after"] is not None:
                rows.append(tuple(record["after"].values()))
        yield sorted(rows)


def _in_turn(folds: Sequence[Answer], true: Sequence[Answer]) -> bool:
    """Whether each fold is one of the true answers, none before that of an earlier fold."""
    answers = iter(true)
    return all(any(fold == answer for answer in answers) for fold in folds)


def main() -> None:
    """Kill, and compare; exit status 1 if a row is lost, there twice, or out of order."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--batches", type=int, default=200)
    parser.add_argument("--rows", type=int, default=20, help="of each micro-batch")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--directory", type=Path, help="where an earlier call was broken off")
    options = parser.parse_args()
    folder: Path = options.directory or Path(mkdtemp(prefix="kill-"))
    print(f"in {folder}", flush=True)
    if not (folder / "in").is_dir():
        folder.mkdir(exist_ok=True)
        files(folder, options.batches, options.rows)
        (folder / "spark.sql").write_text(pipeline("spark"))
        (folder / "spark").mkdir()
    log = folder / "kills"
    done = len(log.read_text().splitlines()) if log.exists() else 0
    for number in range(done, options.kills):
        seed = random.Random(f"{options.seed} {number}")
        # The last lives have something to do, too.
        last = round(options.batches * (number + 1) / options.kills)
        said = killed(folder, seed, max(last, 1))
        with log.open("a") as file:
            file.write(f"{said}\n")
        print(f"kill {number + 1}: {said}", flush=True)
    # One micro-batch is left.
    running = start(folder, "--once", "--conf", "spark.rowtime.maxFilesPerTrigger=100000")
    if running.wait() != _ENDED:
        raise RuntimeError(f"the last run: {(folder / 'said').read_text()[-2000:]}")
    sys.exit(not agreed(folder))


if __name__ == "__main__":
    main()
