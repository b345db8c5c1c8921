"""A pipeline on a cluster: a worker and the driver are killed, the rows are those of one machine.

`make test-cluster` runs this.  Python on the executors comes from an archive alone: their
``PYSPARK_PYTHON`` is a path inside of it, and their environment has no path of the checkout.
"""

import json
import os
import random
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest

from benchmarks.kill_pipeline import batches_done, kill, lines_of
from tests.deployment.cluster.standalone import Cluster

pytestmark = pytest.mark.cluster

_MADE: Final = Path(__file__).parents[3] / "build" / "cluster"
#: The packed environment, as `make test-cluster` makes it.
ARCHIVE: Final = _MADE / "environment.tar.gz"
#: The command of the driver: the same wheel as that of the executors.
ROWTIME: Final = str(_MADE / "driver" / "bin" / "rowtime")
FILES: Final = 10
ROWS: Final = 20_000
#: Sums of DOUBLEs are exact, for which Python runs on the executors.
STATEMENTS: Final = """\
CREATE FOREIGN STREAM Orders (
  rowtime TIMESTAMP(3) ASCENDING, productId INTEGER, price DOUBLE)
  OPTIONS (format 'csv', path 'in');
CREATE FOREIGN STREAM Minutes (rowtime TIMESTAMP(3) ASCENDING, productId INTEGER, total DOUBLE)
  OPTIONS (format 'json', path '{out}/minutes');
CREATE FOREIGN STREAM Totals (rowtime TIMESTAMP(3) ASCENDING, productId INTEGER, total DOUBLE)
  OPTIONS (format 'json', path '{out}/totals');
INSERT INTO Minutes
  SELECT STREAM TUMBLE_END(rowtime, INTERVAL '1' MINUTE), productId, SUM(price)
  FROM Orders GROUP BY TUMBLE(rowtime, INTERVAL '1' MINUTE), productId;
INSERT INTO Totals
  SELECT STREAM rowtime, productId,
    SUM(price) OVER (PARTITION BY productId ORDER BY rowtime RANGE INTERVAL '10' SECOND PRECEDING)
  FROM Orders;
"""


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    """A master with two workers."""
    if shutil.which("java") is None:
        pytest.skip("a cluster needs a Java on the PATH")
    if not ARCHIVE.is_file():
        pytest.skip("make test-cluster packs the environment of the executors")
    made = Cluster(tmp_path / "cluster", workers=2)
    made.wait()
    yield made
    made.stop()


def write_orders(folder: Path) -> None:
    """Files of orders, one millisecond to a fifth of a second apart."""
    seed, now = random.Random(5), 0
    folder.mkdir()
    for number in range(FILES):
        lines = ["rowtime,productId,price"]
        for _ in range(ROWS):
            now += seed.randrange(1, 200)
            (minutes, ms), product = divmod(now, 60_000), seed.randrange(20)
            hour, minute = divmod(minutes, 60)
            at = f"2015-01-01 {hour:02}:{minute:02}:{ms // 1000:02}.{ms % 1000:03}"
            lines.append(f"{at},{product},{seed.random() * 100}")
        file = folder / f"{number:05}.csv"
        file.write_text("\n".join(lines) + "\n")
        os.utime(file, (number + 1, number + 1))  # Spark takes the oldest first


def started(folder: Path, cluster: Cluster, *options: str) -> "subprocess.Popen[bytes]":
    """The driver, in a group of processes of its own; it continues from its checkpoint."""
    command = [ROWTIME, "run", "spark.sql", "--backend", "spark", "--checkpoint", "checkpoint"]
    command += ["--master", cluster.url, "--trigger", "100ms"]
    command += ["--conf", f"spark.archives={ARCHIVE}#environment"]
    command += ["--conf", "spark.executor.memory=700m", "--conf", "spark.driver.host=127.0.0.1"]
    command += ["--conf", "spark.rowtime.maxFilesPerTrigger=1", *options]
    environment = {**os.environ, "PYSPARK_PYTHON": "./environment/bin/python"}
    with (folder / "said").open("ab") as said:
        return subprocess.Popen(
            command, cwd=folder, env=environment, stdout=said, stderr=said, start_new_session=True
        )


def wait_for(folder: Path, running: "subprocess.Popen[bytes]", what: Callable[[], bool]) -> None:
    """Wait until something is so; fail if the run ends before, or after ten minutes."""
    for _ in range(30_000):
        if what():
            return
        assert running.poll() is None, (folder / "said").read_text()[-2000:]
        time.sleep(0.02)
    raise AssertionError((folder / "said").read_text()[-2000:])


def rows_of(folder: Path) -> list[str]:
    """The rows of a sink, in the order of its files."""
    files = sorted(each for each in folder.iterdir() if each.name.startswith("part-"))
    return [line for each in files for line in lines_of(each)]


def rowtime_of(row: str) -> str:
    """The rowtime of a row that a JSON sink wrote."""
    return str(json.loads(row)["ROWTIME"])


def test_a_dead_worker_and_a_dead_driver_change_no_row(tmp_path: Path, cluster: Cluster) -> None:
    """The driver dies after some micro-batches, a worker after some more; both in mid-batch."""
    write_orders(tmp_path / "in")
    for name in ("spark", "reference"):
        (tmp_path / name).mkdir()
        (tmp_path / f"{name}.sql").write_text(STATEMENTS.format(out=name))
    running = started(tmp_path, cluster)
    try:
        wait_for(tmp_path, running, lambda: batches_done(tmp_path) >= 2)
        assert all(cluster.has_executor(f"worker-{number}") for number in range(2))
    finally:
        kill(running)
    done = batches_done(tmp_path)
    running = started(tmp_path, cluster, "--once")
    try:
        wait_for(tmp_path, running, lambda: batches_done(tmp_path) > done)
        time.sleep(0.3)  # the next micro-batch has begun
        cluster.kill("worker-1")
        assert running.wait(timeout=600) == 0, (tmp_path / "said").read_text()[-2000:]
    finally:
        if running.poll() is None:
            kill(running)
    subprocess.run([ROWTIME, "run", "reference.sql", "--once"], cwd=tmp_path, check=True)
    for name in ("minutes", "totals"):
        rows = rows_of(tmp_path / "spark" / name)
        assert rows == sorted(rows, key=rowtime_of)
        # Rows of one rowtime may stand in any order.
        assert sorted(rows) == sorted(rows_of(tmp_path / "reference" / name))
