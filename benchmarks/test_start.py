"""From a command that is typed to its answer: a first query, and files of rows."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

ROWTIME: Final = str(Path(sys.executable).with_name("rowtime"))
TUMBLE: Final = (
    "SELECT STREAM TUMBLE_END(rowtime, INTERVAL '1' HOUR) AS rowtime, productId, COUNT(*) AS c,"
    " SUM(units) AS units FROM Orders GROUP BY TUMBLE(rowtime, INTERVAL '1' HOUR), productId"
)


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """That of a user: compiled modules are kept, here in a folder of this run."""
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPYCACHEPREFIX": str(tmp_path_factory.mktemp("compiled"))}


def timed(benchmark: BenchmarkFixture, environment: Mapping[str, str], *command: str) -> None:
    """The wall-clock time of five new processes."""

    def run() -> None:
        subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)

    benchmark.pedantic(run, rounds=5, iterations=1, warmup_rounds=1)


@pytest.mark.benchmark(group="a process")
def test_python_alone(benchmark: BenchmarkFixture, environment: Mapping[str, str]) -> None:
    """The time that no command can beat."""
    timed(benchmark, environment, sys.executable, "-c", "pass")


@pytest.mark.benchmark(group="a process")
def test_first_query(benchmark: BenchmarkFixture, environment: Mapping[str, str]) -> None:
    """A query of one row."""
    timed(benchmark, environment, ROWTIME, "run", "SELECT * FROM (VALUES (1, 'a')) AS t (n, x)")


@pytest.mark.benchmark(group="a process")
@pytest.mark.parametrize("rows", [100_000, 1_000_000])
def test_a_tumble_on_a_file(
    benchmark: BenchmarkFixture, environment: Mapping[str, str], tmp_path: Path, rows: int
) -> None:
    """`rowtime run` with a CSV file: reading, ingress, query and writing."""
    ddl, data = orders(tmp_path, rows)
    arguments = ["run", "--ddl", str(ddl), "--data", f"Orders={data}", TUMBLE]
    timed(benchmark, environment, ROWTIME, *arguments)


@pytest.mark.benchmark(group="a process")
def test_a_loop_over_a_file(
    benchmark: BenchmarkFixture, environment: Mapping[str, str], tmp_path: Path
) -> None:
    """The groups of a million rows by the csv module and a dictionary, unchecked."""
    _, data = orders(tmp_path, 1_000_000)
    loop = Path(__file__).with_name("csv_orders.py")
    timed(benchmark, environment, sys.executable, str(loop), str(data))


def orders(folder: Path, rows: int) -> tuple[Path, Path]:
    """The schema and the file of this many orders of one day."""
    maker = Path(__file__).with_name("make_orders.py")
    subprocess.run([sys.executable, maker, "--rows", str(rows), "--directory", folder], check=True)
    return folder / "orders.sql", folder / "orders.csv"
