"""NaN, the infinities and the sign of zero, into and out of files of each format (S-202.f)."""

import json
import math
from collections.abc import Sequence
from datetime import datetime
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any, Final

import pandas
import pytest

from tests.rowtime.pipelines import rowtime

COLUMNS: Final = "(rowtime TIMESTAMP(3) ASCENDING, x DOUBLE)"
#: What CSV and JSON say.
WORDS: Final = ("NaN", "Infinity", "-Infinity", "-0.0", "1e308")
VALUES: Final = (math.nan, math.inf, -math.inf, -0.0, 1e308)
FORMATS: Final = ("csv", "json", "parquet")


def moment(place: int) -> str:
    return f"2026-01-01 00:00:0{place}"


def write(path: Path) -> None:
    """The rows in a format, and in CSV and JSON two more, which are none."""
    match path.suffix:
        case ".csv":
            words = (*WORDS, "inf", "not a number")
            rows = [f"{moment(place)},{word}\n" for place, word in enumerate(words)]
            path.write_text("rowtime,x\n" + "".join(rows))
        case ".json":
            members = [json.dumps(w) if w[-1].isalpha() else w for w in (*WORDS, "nan", "inf")]
            rows = [
                f'{{"rowtime": "{moment(place)}", "x": {word}}}\n'
                for place, word in enumerate(members)
            ]
            path.write_text("".join(rows))
        case _:
            # Not by pandas, to which NaN is NULL.
            arrow: Any = import_module("pyarrow")  # it has no types
            parquet: Any = import_module("pyarrow.parquet")
            times = [datetime.fromisoformat(moment(place)) for place in range(len(VALUES))]
            parquet.write_table(arrow.table({"rowtime": times, "x": list(VALUES)}), path)


def read(path: Path) -> list[float]:
    """The numbers that a sink has, of CSV and JSON by the words in which it writes them."""
    match path.suffix:
        case ".csv":
            lines = path.read_text().splitlines()[1:]
            return [float(line.partition(",")[2]) for line in lines]
        case ".json":
            return [float(json.loads(line)["X"]) for line in path.read_text().splitlines()]
        case _:
            return list(pandas.read_parquet(path)["X"])


def same(found: Sequence[float]) -> bool:
    """Whether these are `VALUES`, signs of zero included."""
    return [repr(each) for each in found] == [repr(each) for each in VALUES]


def script(source: str, sinks: Sequence[str]) -> str:
    """From a file of one format into files of others, named by both."""
    made = (
        f"CREATE FOREIGN STREAM of_{source} {COLUMNS}"
        f" OPTIONS (path 'in.{source}', on_error 'drop');\n"
    )
    for each in sinks:
        sink = f"{source}_{each}"
        made += f"CREATE FOREIGN STREAM {sink} {COLUMNS} OPTIONS (path '{source}.{each}');\n"
        made += f"INSERT INTO {sink} SELECT STREAM * FROM of_{source};\n"
    return made


@pytest.mark.parametrize("source", FORMATS)
def test_what_is_not_finite_goes_through_files(folder: Path, source: str) -> None:
    write(folder / f"in.{source}")
    result = rowtime(script(source, FORMATS), "--once")
    assert result.exit_code == 0
    assert all(same(read(folder / f"{source}.{sink}")) for sink in FORMATS)
    dropped = 0 if source == "parquet" else 2
    assert result.stderr.count("is not a value of DOUBLE") == dropped


@pytest.mark.spark
def test_what_is_not_finite_goes_through_files_on_spark(folder: Path) -> None:
    """All formats in one pipeline."""
    sinks, text = ("csv", "json"), ""
    for source in FORMATS:
        write(folder / f"in.{source}")
        text += script(source, sinks)
    result = rowtime(text, "--once", "--checkpoint", "checkpoint", backend="spark")
    assert result.exit_code == 0
    for source, sink in product(FORMATS, sinks):
        assert same(read(folder / f"{source}.{sink}"))
