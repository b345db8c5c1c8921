"""A program that makes some typical runs on Spark, so that Java loads the classes that they need.

`rowtime prepare-spark` runs this module in a separate process.  When the process ends, Java writes
the loaded classes to a file, from which later runs start sooner.
"""

import sys
import tempfile
from pathlib import Path
from typing import Final

import typer

from rowtime.commands.run import run
from spark_backend.runtime.class_archive import options_of_writing
from spark_backend.runtime.session import spark_session

_SCHEMA: Final = """\
CREATE STREAM Orders (rowtime TIMESTAMP(3) NOT NULL ASCENDING, productId INTEGER, units INTEGER)
  WITH HISTORY;
"""
_GROUPS: Final = """\
SELECT STREAM TUMBLE_END(rowtime, INTERVAL '1' HOUR) AS rowtime, productId, SUM(units) AS units
FROM Orders GROUP BY TUMBLE(rowtime, INTERVAL '1' HOUR), productId"""
_FRAMES: Final = """\
SELECT STREAM rowtime, units, SUM(units) OVER (PARTITION BY productId ORDER BY rowtime
  RANGE INTERVAL '1' HOUR PRECEDING) AS hour FROM Orders"""
#: A pipeline from one file into another; its placeholders are filled by `main`.
_PIPELINE: Final = """\
CREATE FOREIGN STREAM Orders (rowtime TIMESTAMP(3) ASCENDING, productId INTEGER, units INTEGER)
  OPTIONS (format '{source}', path '{path}');
CREATE FOREIGN STREAM Target (rowtime TIMESTAMP(3) ASCENDING, productId INTEGER, units BIGINT)
  OPTIONS (format 'parquet', path '{target}');
INSERT INTO Target {query};
"""
#: The number of rows of the larger file, which pipelines read.
_ROWS: Final = 60_000


def main() -> None:
    """Do all runs; the only argument of the process is the file that Java writes when it ends."""
    options = options_of_writing(Path(sys.argv[1]))
    spark_session(conf={"spark.driver.extraJavaOptions": options})
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        few, many = folder / "few.csv", folder / "many.csv"
        _write_orders(few, 100)
        _write_orders(many, _ROWS)
        schema = folder / "orders.sql"
        schema.write_text(_SCHEMA, "utf-8")
        for backend, query in (("spark", _GROUPS), ("spark-stream", _FRAMES)):
            data = ("--ddl", str(schema), "--data", f"Orders={few}", "--backend", backend)
            _run(*data, query)
        middle = folder / "middle"
        copy = "SELECT STREAM rowtime, productId, units FROM Orders"
        for source, path, target, query in (
            ("csv", many, middle, copy),
            ("parquet", middle, folder / "target", _GROUPS),
        ):
            script = folder / "pipeline.sql"
            texts = {"source": source, "path": path, "target": target, "query": query}
            script.write_text(_PIPELINE.format_map(texts), "utf-8")
            _run(str(script), "--backend", "spark", "--once")


def _run(*arguments: str) -> None:
    """Call `rowtime run` in this process.  Raises `SystemExit` if it fails."""
    command = typer.Typer(pretty_exceptions_enable=False)
    command.command()(run)
    status = command(arguments, standalone_mode=False)
    if status:
        raise SystemExit(status)


def _write_orders(path: Path, rows: int) -> None:
    """Write a CSV file of orders, whose rowtimes are a second apart."""
    with path.open("w", encoding="utf-8") as file:
        file.write("rowtime,productId,units\n")
        for i in range(rows):
            hours, minutes, seconds = i // 3_600, i // 60 % 60, i % 60
            time = f"2015-02-{15 + hours // 24} {hours % 24:02}:{minutes:02}:{seconds:02}"
            file.write(f"{time},{i % 7},{i % 10}\n")


if __name__ == "__main__":
    main()
