"""Read the file that `tck run --jsonl` has written, for the commands that use an earlier run."""

from pathlib import Path

from tck.commands.options import usage_error
from tck.corpus.document import InvalidFilesError
from tck.report.record import RunRecord, read_record


def read_run(path: Path) -> RunRecord:
    """The run in a file of JSON lines; ends with exit code 2 if the file is not valid."""
    try:
        return read_record(path)
    except InvalidFilesError as error:
        usage_error(str(error))
