"""A pipeline from Kafka to Kafka and files: its driver and its broker are killed, no row is lost.

`make test-kafka` runs this.  A row is in the files once and in order.  In the topic each row is at
least once, since Kafka's connector has no transactions: a repeated micro-batch sends its rows anew.
"""

import random
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from benchmarks.kill_pipeline import ROWTIME, batches_done, kill, lines_of
from tests.deployment.kafka.broker import BUILD, Broker

pytestmark = pytest.mark.kafka

#: How often the driver is killed, and how many orders are sent before each kill.
KILLS: Final = 10
ORDERS: Final = 40
#: The life of the driver in which the broker is killed, too.
BROKER_DIES: Final = 4
COLUMNS: Final = "rowtime TIMESTAMP(3) ASCENDING, productId INTEGER, units INTEGER"
SUMS: Final = "rowtime TIMESTAMP(3) ASCENDING, productId INTEGER, units BIGINT"
STATEMENTS: Final = """\
INSERT INTO Sums
  SELECT STREAM rowtime, productId,
    SUM(units) OVER (PARTITION BY productId ORDER BY rowtime RANGE INTERVAL '1' HOUR PRECEDING)
  FROM Orders;
INSERT INTO Hours
  SELECT STREAM TUMBLE_END(rowtime, INTERVAL '1' HOUR), productId, SUM(units)
  FROM Orders GROUP BY TUMBLE(rowtime, INTERVAL '1' HOUR), productId;
"""
#: From one topic to a folder of files and to another topic.
SPARK: Final = (
    f"""\
CREATE FOREIGN STREAM Orders ({COLUMNS})
  OPTIONS (format 'kafka', "kafka.bootstrap.servers" '{{broker}}', subscribe 'orders',
    "startingOffsets" 'earliest', "maxOffsetsPerTrigger" '15');
CREATE FOREIGN STREAM Sums ({SUMS}) OPTIONS (format 'json', path 'spark/sums');
CREATE FOREIGN STREAM Hours ({SUMS})
  OPTIONS (format 'kafka', "kafka.bootstrap.servers" '{{broker}}', topic 'hours');
"""
    + STATEMENTS
)
#: The same on one machine, from a file to files.
REFERENCE: Final = (
    f"""\
CREATE FOREIGN STREAM Orders ({COLUMNS}) OPTIONS (format 'json', path 'orders.json');
CREATE FOREIGN STREAM Sums ({SUMS}) OPTIONS (format 'json', path 'reference/sums.json');
CREATE FOREIGN STREAM Hours ({SUMS}) OPTIONS (format 'json', path 'reference/hours.json');
"""
    + STATEMENTS
)


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Broker]:
    """A broker that runs."""
    if shutil.which("java") is None:
        pytest.skip("Kafka needs a Java on the PATH")
    if not (BUILD / "connector").is_dir():
        pytest.skip("make test-kafka brings Kafka and Spark's connector")
    made = Broker(tmp_path / "kafka")
    made.start()
    yield made
    made.kill()


def orders(number: int, seed: random.Random) -> list[str]:
    """The next orders as JSON, some minutes apart from each other."""
    found: list[str] = []
    for place in range(number * ORDERS, (number + 1) * ORDERS):
        hour, minute = divmod(place * 3, 60)
        time = f"2015-01-{1 + hour // 24:02} {hour % 24:02}:{minute:02}:00"
        product, units = seed.randrange(5), seed.randrange(100)
        found.append(f'{{"ROWTIME":"{time}","PRODUCTID":{product},"UNITS":{units}}}')
    return found


def started(folder: Path, *options: str) -> "subprocess.Popen[bytes]":
    """The pipeline, in a group of processes of its own; it continues from its checkpoint."""
    jars = ",".join(str(each) for each in sorted((BUILD / "connector").glob("*.jar")))
    command = [ROWTIME, "run", "spark.sql", "--backend", "spark", "--checkpoint", "checkpoint"]
    command += ["--trigger", "100ms", "--conf", f"spark.jars={jars}", *options]
    with (folder / "said").open("ab") as said:
        return subprocess.Popen(
            command, cwd=folder, stdout=said, stderr=said, start_new_session=True
        )


def run_until(folder: Path, running: "subprocess.Popen[bytes]", batches: int) -> None:
    """Wait until that many micro-batches are done; fail if the run ends before."""
    for _ in range(12_000):
        if batches_done(folder) >= batches:
            return
        assert running.poll() is None, (folder / "said").read_text()[-2000:]
        time.sleep(0.02)
    raise AssertionError((folder / "said").read_text()[-2000:])


def test_ten_kills_and_a_dead_broker_lose_no_row(tmp_path: Path, broker: Broker) -> None:
    """Each row of the files once, in order; each row of the topic at least once."""
    seed = random.Random(11)
    (tmp_path / "spark.sql").write_text(SPARK.format(broker=broker.address))
    (tmp_path / "reference.sql").write_text(REFERENCE)
    for name in ("spark", "reference"):
        (tmp_path / name).mkdir()
    sent: list[str] = []
    for life in range(KILLS):
        new = orders(life, seed)
        broker.send("orders", new)
        sent += new
        done = batches_done(tmp_path)
        running = started(tmp_path)
        try:
            run_until(tmp_path, running, done + 1)
            if life == BROKER_DIES:
                broker.kill()
                time.sleep(1)  # the driver finds nobody there
                broker.start()
            time.sleep(seed.expovariate(1 / 0.5))
        finally:
            kill(running)
    ended = started(tmp_path, "--once")
    assert ended.wait(timeout=300) == 0, (tmp_path / "said").read_text()[-2000:]
    (tmp_path / "orders.json").write_text("".join(f"{each}\n" for each in sent))
    subprocess.run([ROWTIME, "run", "reference.sql", "--once"], cwd=tmp_path, check=True)
    sums = [line for part in parts(tmp_path / "spark" / "sums") for line in lines_of(part)]
    assert sums == lines_of(tmp_path / "reference" / "sums.json")
    hours = broker.messages("hours")
    assert sorted(set(hours)) == sorted(lines_of(tmp_path / "reference" / "hours.json"))


def parts(folder: Path) -> list[Path]:
    """The files of a sink, in the order of micro-batches."""
    return sorted(each for each in folder.iterdir() if each.name.startswith("part-"))
