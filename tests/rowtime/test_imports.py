"""What a query does not need is not imported: Spark, and what only the kit uses."""

import json
import subprocess
import sys

import pytest

import spark_backend
import tck

#: Runs the command line in its own process, then says which modules there are.
SCRIPT = """
import json, sys
from rowtime.cli import app
try:
    app(sys.argv[1:])
except SystemExit as done:
    assert not done.code, done.code
print(json.dumps(sorted(sys.modules)))
"""


def imported(*arguments: str) -> set[str]:
    """The modules there are after one command."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *arguments], capture_output=True, text=True, check=True
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.parametrize("command", ["run", "explain"])
def test_a_query_on_the_reference_imports_neither_spark_nor_the_kit(command: str) -> None:
    modules = imported(command, "SELECT * FROM (VALUES (1)) AS t (a)")
    unwanted = {"pyspark", "pandas", "pyarrow", "numpy", "py4j", "jsonschema_rs", "yaml", "tck.run"}
    assert modules.isdisjoint(unwanted), modules & unwanted
    assert not any(each.startswith(spark_backend.__name__) for each in modules)


def test_the_kit_on_the_reference_imports_no_spark() -> None:
    modules = imported("tck", "list", "--only", "simple/*")
    assert modules.isdisjoint({"pyspark", "pandas", "pyarrow", "py4j"})
    assert "tck.commands.list" in modules


def test_a_command_of_the_kit_does_not_wait_for_the_others() -> None:
    modules = imported("tck", "list", "--only", "simple/*")
    kit = {each for each in modules if each.startswith(f"{tck.__name__}.commands.")}
    assert kit == {"tck.commands.list", "tck.commands.options"}
    assert modules.isdisjoint({"tck.backends", "tck.result_types", "tck.report.record", "psutil"})
    assert not any(each.startswith(("rowtime.score", "rowtime.fuzz")) for each in modules)
