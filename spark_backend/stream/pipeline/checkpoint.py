"""The checkpoint of a pipeline: the state from which it resumes, next to Spark's own checkpoint.

It is a directory on any file system that both Spark and `spark_backend.runtime.filesystem` can
reach:

==================  ============================================================================
``spark/``          Structured Streaming's own: which input is in which micro-batch, and the last
                    micro-batch that is done
``pipeline.json``   the identity of the pipeline, written once
``state/0/``,       the states of the last micro-batch and of the one before: rows as Parquet, and
``state/1/``        the file ``words``, which is written last
==================  ============================================================================

A micro-batch's state is written before Spark commits the micro-batch, so the state before it still
exists if the micro-batch is repeated. ``words`` has the state except for the rows: a line with a
checksum, and a line of JSON.
"""

import json
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final, TypeVar

from pyspark.sql import SparkSession

from algebra.types import Type
from spark_backend.data.row_buffer import RowBuffer
from spark_backend.runtime.failures import SparkFailure, failures
from spark_backend.runtime.filesystem import FileSystem
from spark_backend.stream.codec import decoded, encoded, written_as
from spark_backend.stream.state import PipelineState

#: The version of the format of states; other versions are not read.
FORMAT: Final = 6
#: The number of states: that after the last micro-batch, and that before it, from which a second
#: attempt starts.
_STATES: Final = 2
#: The names in the directory, as in the table above.
_SPARK_FOLDER: Final = "spark"
_IDENTITY_FILE: Final = "pipeline.json"
_WORDS_FILE: Final = "words"

_T = TypeVar("_T")

#: A function that takes a name and column types, and returns the rows written under this name.
Loaded = Callable[[str, tuple[Type, ...]], RowBuffer]


class CheckpointError(RuntimeError):
    """The checkpoint belongs to another pipeline, or cannot be read; the text has a remedy."""


@dataclass(frozen=True, slots=True)
class _Identity:
    """The version of the format, and the identity of the pipeline, part by part (`identity_of`)."""

    format: int
    pipeline: Mapping[str, str] = field(metadata=written_as("of"))


@dataclass(frozen=True, slots=True)
class _Words:
    """The state after a micro-batch.

    ``rows`` has for each written store the number of its rows, and a number greater than the
    greatest in their column `ARRIVAL`, from which later rows are numbered.
    """

    batch: int
    state: PipelineState = field(metadata=written_as("words"))
    rows: Mapping[str, tuple[int, int]] = field(metadata=written_as("kept"))


@dataclass(slots=True)
class Checkpoint:
    """The checkpoint in ``directory``, a path that Spark understands."""

    session: SparkSession
    directory: str

    @property
    def of_spark(self) -> str:
        """The directory of Structured Streaming's own checkpoint."""
        return f"{self.directory}/{_SPARK_FOLDER}"

    @contextmanager
    def locked(self) -> Generator[None]:
        """Make the directory, and lock it for the body of the context, on this machine.

        A new directory is removed again if the body claims no checkpoint, because the pipeline is
        refused.  Raises `CheckpointError` if another run has locked it; and `OSError`.
        """
        files = FileSystem()
        is_new = not files.exists(self.directory)
        files.make_folder(self.directory)
        with files.locked(self.directory) as is_free:
            if not is_free:
                raise CheckpointError(
                    f"another run uses the checkpoint {self.directory}\n"
                    "  hint: end that run, or begin with a new checkpoint and new sinks"
                )
            try:
                yield
            finally:
                if is_new and not files.exists(f"{self.directory}/{_IDENTITY_FILE}"):
                    files.delete(self.directory)

    def claim(self, identity: Mapping[str, str]) -> None:
        """Begin the checkpoint of a pipeline, or check that it belongs to this pipeline.

        ``identity`` is that of the pipeline, part by part (`identity_of`).

        Raises `CheckpointError` if the checkpoint belongs to another pipeline or is damaged, or if
        the directory is not a checkpoint; and `OSError`.
        """
        files = FileSystem()
        if not files.names(self.directory):
            files.make_folder(self.directory)
            files.write(f"{self.directory}/{_IDENTITY_FILE}", _sealed(_Identity(FORMAT, identity)))
            return
        if not files.exists(f"{self.directory}/{_IDENTITY_FILE}"):
            raise CheckpointError(
                f"{self.directory} is not empty, and no checkpoint of a pipeline\n"
                "  hint: name a folder of its own"
            )
        found = self._read(files, _IDENTITY_FILE, _Identity)
        if found.format != FORMAT:
            raise CheckpointError(
                f"the checkpoint {self.directory} was written by another version of rowtime "
                f"(format {found.format}, not {FORMAT})\n"
                "  hint: let that version end it (--once), or begin with a new checkpoint"
            )
        was = found.pipeline
        changed = [part for part in {**was, **identity} if was.get(part) != identity.get(part)]
        if changed:
            raise CheckpointError(
                f"the checkpoint {self.directory} belongs to another pipeline: "
                f"{', '.join(changed)} changed since it was begun\n"
                "  hint: begin with a new checkpoint and new sinks, or go back to the old text"
            )

    @contextmanager
    def saving(self, batch: int, stores: Mapping[str, RowBuffer]) -> Generator[None]:
        """Write the retained rows of a micro-batch while the body of the context runs.

        Afterwards the stores read their rows from the written files, until these are replaced two
        micro-batches later.
        """
        with ThreadPoolExecutor(1) as other_thread:
            saved = other_thread.submit(self._save, batch, stores)
            yield
            saved.result()

    def _save(self, batch: int, stores: Mapping[str, RowBuffer]) -> None:
        """Replace the rows of the state two micro-batches ago by those of ``stores``."""
        folder = self._folder(batch)
        FileSystem().delete(folder)
        for name, rows in stores.items():
            if rows.count:
                rows.save(self.session, f"{folder}/{name}")

    def store(self, batch: int, state: PipelineState, stores: Mapping[str, RowBuffer]) -> None:
        """Write the state of a micro-batch, after `saving`: this makes the state valid."""
        rows = {name: (each.count, each.numbers) for name, each in stores.items() if each.count}
        words = _sealed(_Words(batch, state, rows))
        FileSystem().write(f"{self._folder(batch)}/{_WORDS_FILE}", words)

    def recall(self, batch: int) -> tuple[PipelineState, Loaded]:
        """The state after a micro-batch, and a function that reads its rows.

        Raises `CheckpointError` if the state cannot be read, or is that of another micro-batch.
        """
        found = self._words(batch % _STATES)
        if found.batch != batch:
            raise self._damaged(f"it has the state of micro-batch {found.batch}, not of {batch}")

        def loaded(name: str, types: tuple[Type, ...]) -> RowBuffer:
            """The rows written under ``name``; `CheckpointError` if some are missing."""
            if name not in found.rows:
                return RowBuffer(types)
            (count, numbers), path = found.rows[name], f"{self._folder(batch)}/{name}"
            store = RowBuffer.load(self.session, path, types, count, numbers)
            try:
                with failures():
                    loaded_count = store.relation(self.session).frame.count()
            except SparkFailure as error:
                raise self._damaged(f"{path}: {_cause(error)}") from None
            if loaded_count != count:
                raise self._damaged(f"{path} has {loaded_count:,} rows, not {count:,}")
            return store

        return found.state, loaded

    def last(self) -> int:
        """The number of the last micro-batch whose state exists; -1 if there is none."""
        files = FileSystem()
        places = range(_STATES)
        existing = [p for p in places if files.exists(f"{self.directory}/state/{p}/{_WORDS_FILE}")]
        return max((self._words(each).batch for each in existing), default=-1)

    def check(self, batch: int) -> None:
        """Raise `CheckpointError` unless Spark's log continues or repeats the last state."""
        last = self.last()
        if batch not in (last, last + 1):
            raise self._damaged(f"Spark is at micro-batch {batch}, the states are at {last}")

    def _folder(self, batch: int) -> str:
        """The folder of the state after a micro-batch."""
        return f"{self.directory}/state/{batch % _STATES}"

    def _words(self, place: int) -> _Words:
        """The file ``words`` of one of the two states; ``place`` is 0 or 1."""
        return self._read(FileSystem(), f"state/{place}/{_WORDS_FILE}", _Words)

    def _read(self, files: FileSystem, name: str, kind: type[_T]) -> _T:
        """The record in a file that `_sealed` has made; `CheckpointError` if it is damaged."""
        try:
            seal, _, text = files.read(f"{self.directory}/{name}").partition("\n")
        except OSError as error:
            raise self._damaged(f"{name}: {error.strerror}") from None
        if seal != sha256(text.encode()).hexdigest():
            raise self._damaged(f"{name} is not as it was written")
        try:
            return decoded(kind, json.loads(text))
        except (ValueError, RecursionError) as error:  # nested too deeply
            raise self._damaged(f"{name}: {error}") from None

    def _damaged(self, how: str) -> CheckpointError:
        """The error for a checkpoint that is damaged; ``how`` is the damage in words."""
        return CheckpointError(
            f"the checkpoint {self.directory} is damaged: {how}\n"
            "  hint: put the whole folder back from a copy, with the sinks of that time; "
            "or begin again with a new checkpoint and new sinks"
        )


def _sealed(record: _Identity | _Words) -> bytes:
    """A line with a checksum, followed by the record as JSON."""
    text = json.dumps(encoded(record))
    return f"{sha256(text.encode()).hexdigest()}\n{text}".encode()


def _cause(error: Exception) -> str:
    """The last line of an error, which has the root cause."""
    return str(error).splitlines()[-1].strip()[:300]
