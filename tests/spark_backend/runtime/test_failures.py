"""The messages of Spark's failures: without Java's traces, and with the first cause."""

import pytest

from spark_backend.runtime.failures import translated

TRACE = "\n\tat org.apache.spark.Footers.read(Footers.scala:1)\n\tat java.lang.Thread.run()"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            f"An error occurred while calling o110.parquet.\n: java.io.IOException: no file{TRACE}",
            "Spark failed: java.io.IOException: no file",
        ),
        (
            f"Job aborted.{TRACE}\nCaused by: java.io.IOException: disk full{TRACE}",
            "Spark failed: Job aborted.\n  caused by: java.io.IOException: disk full",
        ),
        (
            "An error occurred while calling o110.parquet",
            "Spark failed: An error occurred while calling o110.parquet",
        ),
        ("", "Spark failed: RuntimeError"),
    ],
)
def test_a_failure_has_its_message_and_its_cause_only(text: str, message: str) -> None:
    assert str(translated(RuntimeError(text))) == message
