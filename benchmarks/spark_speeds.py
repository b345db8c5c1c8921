"""All speeds on Spark that have a goal, in one table.

    python -m benchmarks.spark_speeds

First come whole processes from a cold start (`cold_spark`), then pipelines (`test_spark_stream`,
`test_spark_stages`).  Each query and its program by hand take turns.  A ratio is the quotient of
two medians of this run.  In a pipeline the first round, in which Java compiles, does not count.
The first line says whether Java starts from the archive of `rowtime prepare-spark`.
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from benchmarks.cold_spark import medians_of_commands, pipelines, queries
from benchmarks.test_spark import Question
from benchmarks.test_spark_stages import NESTED
from benchmarks.test_spark_stream import (
    QUESTIONS,
    STEPPED,
    WIDTHS,
    Data,
    median_of_ours,
    medians,
    run_ours,
    sliding,
)
from spark_backend.runtime.class_archive import has_archive
from spark_backend.runtime.session import spark_session

#: The greatest ratios that we aim at.
_GOALS: Final = {
    "tumble by key": "1.25",
    "hop": "1.25",
    "sessions by key": "1.5",
    "interval join": "1",
    "tumble over tumble": "1.5",
}
#: The program by hand for the interval join takes a minute.
_SLOW: Final = "interval join"
#: The numbers of rows of a micro-batch, and of micro-batches, for pipelines and nested queries.
_MANY: Final = (1_000_000, 2)
_NESTED: Final = (150_000, 4)
#: The number of micro-batches of one row each, and of the first ones, which do not count.
_STEPS: Final = 40
_FIRST: Final = 5


def _line(name: str, other: float | None, ours: str, ratio: str, goal: str) -> None:
    by_hand = "" if other is None else f"{other:.2f} s"
    print(f"| {name} | {by_hand} | {ours} | {ratio} | {goal} |", flush=True)


def _compared(name: str, other: float, ours: float, goal: str) -> None:
    _line(name, other, f"{ours:.2f} s", f"{ours / other:.2f}", goal)


def _cold(folder: Path, rounds: int) -> None:
    for commands, goal in ((pipelines(folder, 5_000_000), ""), (queries(folder), "1.25")):
        (name, ours), (_, other) = medians_of_commands(commands, rounds).items()
        _compared(f"cold start: {name}", other, ours, goal)


def _against_hand(
    questions: Mapping[str, Question], size: tuple[int, int], folder: Path, rounds: int
) -> None:
    rows, files = size
    data = Data(spark_session(), folder, ["ORDERS", "TRADES"], files, rows)
    for name, question in questions.items():
        by_hand, ours = medians(question, data, rounds)
        goal = _GOALS.get(name, "")
        _compared(f"{name}, {files} files of {rows:,} rows", by_hand, ours, goal)


def _pipelines(folder: Path, rounds: int) -> None:
    fast = {name: question for name, question in QUESTIONS.items() if name != _SLOW}
    _against_hand(fast, _MANY, folder, rounds)


def _join(folder: Path, _rounds: int) -> None:
    _against_hand({_SLOW: QUESTIONS[_SLOW]}, _MANY, folder, 1)


def _nested(folder: Path, rounds: int) -> None:
    _against_hand(NESTED, _NESTED, folder, rounds)


def _sliding(folder: Path, rounds: int) -> None:
    rows, files = _MANY[0], 3
    data = Data(spark_session(), folder, ["TICKS"], files, rows)
    for width in WIDTHS:
        rate = files * rows / median_of_ours(sliding(width), data, rounds)
        _line(f"sliding SUM, {width:,} rows a frame", None, f"{rate:,.0f} rows/s", "", "300,000")


def _one_row(folder: Path, _rounds: int) -> None:
    data = Data(spark_session(), folder, ["ORDERS"], _STEPS, 1)
    for name in ("tumble by key", "hop", "sliding"):
        with tempfile.TemporaryDirectory() as run:
            taken = run_ours(STEPPED[name], data, Path(run)).batches[_FIRST:]
        seconds = f"{statistics.median(taken):.2f} s"
        _line(f"{name}, a micro-batch of one row", None, seconds, "", "0.4 s")


_PARTS: Final[Mapping[str, Callable[[Path, int], None]]] = {
    "cold": _cold,
    "pipelines": _pipelines,
    "join": _join,
    "nested": _nested,
    "sliding": _sliding,
    "row": _one_row,
}


def main() -> int:
    """Print the table; exit status 1 if a part of it failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--part", choices=_PARTS, help="only these lines of the table")
    given = parser.parse_args()
    if given.part:
        with tempfile.TemporaryDirectory() as directory:
            _PARTS[given.part](Path(directory), given.rounds)
        return 0
    print(f"Java's archive of classes: {'yes' if has_archive() else 'no'}\n")
    print("| query | by hand | rowtime | ratio | goal |\n|---|---:|---:|---:|---:|", flush=True)
    failed = False
    # Each part has a process of its own, because a JVM that has run another query is faster.
    for part in _PARTS:
        command = ["benchmarks.spark_speeds", "--rounds", str(given.rounds), "--part", part]
        failed |= subprocess.run([sys.executable, "-m", *command], check=False).returncode != 0
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
