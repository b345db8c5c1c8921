"""The interface of the files that report a run, such as JSON lines and JUnit XML.

Each file is written case by case during the run.
"""

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from tck.judging.verdict import Result
from tck.protocol import Hello, Tier
from tck.report.tally import Report


class RunFile(Protocol):
    """A file that reports a run.  A method is called for each event; it may raise `OSError`."""

    def started(self, backend: str, hello: Hello, tier: Tier) -> None:
        """Write that a backend has been started; it is judged at ``tier``."""
        ...

    def finished(self, result: Result) -> None:
        """Write that a case has ended."""
        ...

    def ended(self, report: Report, status: int) -> None:
        """Write that the run has reached its end, with an exit status."""
        ...

    def close(self) -> None:
        """Close the file, after the end or when the run is interrupted."""
        ...


@dataclass(eq=False)
class UnwritableFileError(Exception):
    """A file of a run that cannot be written."""

    path: Path
    error: OSError

    def __str__(self) -> str:
        """One line."""
        return f"{self.path}: cannot be written: {self.error.strerror or self.error}"


@contextmanager
def writing(path: Path) -> Generator[None]:
    """A context in which an `OSError` becomes an `UnwritableFileError` about ``path``."""
    try:
        yield
    except OSError as error:
        raise UnwritableFileError(path, error) from None


@dataclass(frozen=True, slots=True)
class RunFiles:
    """The files of one run, by their paths.  Each method may raise `UnwritableFileError`."""

    files: Mapping[Path, RunFile]

    def started(self, backend: str, hello: Hello, tier: Tier) -> None:
        """Write that a backend has been started; it is judged at ``tier``."""
        self._write_each(lambda file: file.started(backend, hello, tier))

    def finished(self, result: Result) -> None:
        """Write that a case has ended."""
        self._write_each(lambda file: file.finished(result))

    def ended(self, report: Report, status: int) -> None:
        """Write that the run has reached its end; not called if the run is interrupted."""
        self._write_each(lambda file: file.ended(report, status))

    def close(self) -> None:
        """Close the files."""
        self._write_each(lambda file: file.close())

    def _write_each(self, write: Callable[[RunFile], None]) -> None:
        """Call ``write`` for each file."""
        for path, file in self.files.items():
            with writing(path):
                write(file)
