"""Starts `rowtime prepare-spark` in the background, after an environment's first run on Spark.

This *preparation* writes a file from which later runs of Spark start sooner.
"""

import os
import subprocess
import sys
from typing import Final

import typer

from tck.terminal.messages import print_message

#: The environment variable that prevents the preparation if it is ``0``.
SWITCH: Final = "ROWTIME_PREPARE_SPARK"
#: The name of the file that shows that a preparation has been started.
_STARTED: Final = "spark-preparation-started"


def prepare_spark_once() -> None:
    """Start the preparation, and print so, after a person's first run on Spark in this environment.

    Nothing is started without a terminal, in CI, outside of a virtual environment, or if the
    environment cannot be written to.  Call this after the run on Spark.  The preparation has the
    lowest priority, and continues when this process ends.
    """
    if not _is_requested() or not _claim_preparation():
        return
    subprocess.Popen(
        [sys.executable, "-P", "-m", __name__],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        process_group=0,  # the Ctrl-C of a later command does not reach it
    )
    print_message(
        "Spark will start sooner next time: rowtime prepare-spark runs in the background, once"
        f" ({SWITCH}=0 prevents this)"
    )


def _is_requested() -> bool:
    """Whether a person runs rowtime in a virtual environment, and has not switched this off."""
    is_person = sys.stderr.isatty() and not os.environ.get("CI")
    return is_person and os.environ.get(SWITCH) != "0" and sys.prefix != sys.base_prefix


def _claim_preparation() -> bool:
    """Create the file `_STARTED`; return whether this process has created it.

    So only one process starts the preparation.  The file remains, so that a preparation that fails
    is not repeated.  It is not created if Spark is prepared already.
    """
    from spark_backend.runtime.class_archive import folder_of_archives, has_archive

    if has_archive():
        return False
    started = folder_of_archives() / _STARTED
    try:
        started.parent.mkdir(parents=True, exist_ok=True)
        started.touch(exist_ok=False)
    except OSError:
        return False
    return True


def main() -> None:
    """Prepare Spark at the lowest priority: the program of the process in the background."""
    from rowtime.commands.prepare_spark import prepare_spark

    os.nice(19)
    try:
        prepare_spark()
    except typer.Exit as ended:
        sys.exit(ended.exit_code)


if __name__ == "__main__":
    main()
