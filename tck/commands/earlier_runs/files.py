"""The files of runs that commands read."""

from pathlib import Path

from tck.commands.options import usage_error
from tck.corpus.document import InvalidFilesError
from tck.report.record import RunRecord, read_record


def read_run(path: Path) -> RunRecord:
    """The run of a file of JSON lines; exit code 2 for another file."""
    try:
        return read_record(path)
    except InvalidFilesError as error:
        usage_error(str(error))
