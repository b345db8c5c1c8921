"""What a user of Spark waits for: whole processes, from the shell, each with a JVM of its own.

    python -m benchmarks.cold_spark --rows 5000000 --rounds 5

A pipeline over Parquet files next to the same in Structured Streaming by hand, and a query over a
CSV file next to a session that only counts its records.  They take turns; a ratio is of the medians
of one run.
"""

# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# Arrow has no types of its own.

import argparse
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]  # it has no types
import pyarrow.parquet as pq  # type: ignore[import-untyped]  # it has no types

from benchmarks.test_start import orders

_HERE: Final = Path(__file__).parent
_START: Final = datetime(2015, 2, 15, tzinfo=UTC)
_FILES: Final = 5
_PIPELINE: Final = """\
CREATE FOREIGN STREAM Orders (rowtime TIMESTAMP(3) ASCENDING, productId INTEGER, units INTEGER)
  OPTIONS (format 'parquet', path '{source}');
CREATE FOREIGN STREAM Hours (rowtime TIMESTAMP(3) ASCENDING, productId INTEGER, c BIGINT, u BIGINT)
  OPTIONS (format 'parquet', path '{target}');
INSERT INTO Hours SELECT STREAM TUMBLE_END(rowtime, INTERVAL '1' HOUR), productId, COUNT(*),
  SUM(units) FROM Orders GROUP BY TUMBLE(rowtime, INTERVAL '1' HOUR), productId;
"""
_QUERY: Final = (
    "SELECT STREAM TUMBLE_END(rowtime, INTERVAL '1' HOUR) AS rowtime, productId, COUNT(*) AS c"
    " FROM Orders GROUP BY TUMBLE(rowtime, INTERVAL '1' HOUR), productId"
)


def main() -> None:
    """Print seconds and ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for commands in (pipelines(Path(folder), options.rows), queries(Path(folder))):
            compare(commands, options.rounds)


Commands: TypeAlias = Mapping[str, Callable[[], Sequence[str]]]


def compare(commands: Commands, rounds: int) -> None:
    """Run two commands in turn; print the median of the seconds of each, and their ratio."""
    medians = medians_of_commands(commands, rounds)
    for name, seconds in medians.items():
        print(f"{name:32} {seconds:6.2f} s")
    ours, other = medians.values()
    print(f"{'ratio':32} {ours / other:6.2f}", flush=True)


def medians_of_commands(commands: Commands, rounds: int) -> Mapping[str, float]:
    """The median of the seconds of each command, by name; the commands take turns."""
    seconds = {name: list[float]() for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            arguments = command()
            start = time.perf_counter()
            done = subprocess.run(arguments, check=False, capture_output=True, text=True)
            seconds[name].append(time.perf_counter() - start)
            if done.returncode:
                sys.exit(f"{name} failed:\n{done.stderr}")
    return {name: statistics.median(each) for name, each in seconds.items()}


def pipelines(folder: Path, rows: int) -> Commands:
    """The pipeline, and the same by hand; each into a folder that is empty."""
    source, target = folder / "orders", folder / "hours"
    write_orders(source, rows)
    script = folder / "pipeline.sql"
    script.write_text(_PIPELINE.format(source=source, target=target))

    def ours() -> Sequence[str]:
        shutil.rmtree(target, ignore_errors=True)
        return [*_ROWTIME, str(script), "--backend", "spark", "--once"]

    def by_hand() -> Sequence[str]:
        for each in (target, folder / "checkpoint"):
            shutil.rmtree(each, ignore_errors=True)
        program = _HERE / "tumble_by_hand.py"
        return [sys.executable, *map(str, (program, source, target, folder / "checkpoint"))]

    return {f"pipeline over {rows:,} rows": ours, "Structured Streaming by hand": by_hand}


def queries(folder: Path) -> Commands:
    """The query over 100,000 records, and a session that counts them."""
    schema, data = orders(folder / "demo", 100_000)
    ours = [*_ROWTIME, _QUERY, "--ddl", str(schema), "--data", f"Orders={data}"]
    counts = [sys.executable, str(_HERE / "count_by_hand.py"), str(data)]
    return {
        "query over 100,000 CSV rows": lambda: [*ours, "--backend", "spark", "--format", "csv"],
        "session with one count": lambda: counts,
    }


def write_orders(folder: Path, rows: int) -> None:
    """Files of orders, all in the order of time, ten milliseconds apart."""
    folder.mkdir()
    dice = np.random.default_rng(2015)
    each = rows // _FILES
    for number in range(_FILES):
        begin = int(_START.timestamp() * 1_000) + 10 * number * each
        times = pa.array(begin + 10 * np.arange(each), pa.timestamp("ms"))
        products = pa.array(dice.integers(0, 50, each), pa.int32())
        units = pa.array(dice.integers(1, 20, each), pa.int32())
        table = pa.table({"rowtime": times, "productId": products, "units": units})
        pq.write_table(table, folder / f"part-{number}.parquet")


_ROWTIME: Final = [str(Path(sys.executable).with_name("rowtime")), "run"]

if __name__ == "__main__":
    main()
