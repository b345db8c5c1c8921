"""What a pipeline leaves behind so that it can be taken up again, beside Spark's own checkpoint.

A directory on any file system of Spark's:

==================  ============================================================================
``spark/``          Structured Streaming's own: which input is in which micro-batch, and the last
                    micro-batch that is done
``pipeline.json``   what the checkpoint is of, written once
``state/0|1/``      what the last micro-batch left behind, and the one before: rows as Parquet, and
                    ``words``, which are written last
==================  ============================================================================

A micro-batch's state is written before Spark notes that it is done; so the one before it is there
for a second try.  ``words`` begin with their own checksum.
"""

import json
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, cast

from pyspark.sql import SparkSession

from algebra.types import Type
from spark_backend.data.row_buffer import RowBuffer
from spark_backend.runtime.failures import SparkFailure, failures
from spark_backend.runtime.filesystem import FileSystem
from spark_backend.stream.state import Json

#: The form in which states are written; another one is not read.
FORMAT: Final = 4
#: States that are kept: that of the last micro-batch, and that which a second try starts from.
_STATES: Final = 2
_SPARK: Final = "spark"
_OF: Final = "pipeline.json"
_WORDS: Final = "words"

#: Gives the rows that were kept under a name, of these types.
Loaded = Callable[[str, tuple[Type, ...]], RowBuffer]


class CheckpointError(RuntimeError):
    """A checkpoint that is not this pipeline's, or cannot be read; the text has the way out."""


@dataclass(frozen=True, slots=True)
class State:
    """What a micro-batch left behind: its number, ``words`` as JSON has them, and rows."""

    batch: int
    words: Json
    loaded: Loaded


@dataclass(slots=True)
class Checkpoint:
    """The checkpoint in ``directory``, a path of Spark's."""

    session: SparkSession
    directory: str

    @property
    def of_spark(self) -> str:
        """Where Structured Streaming keeps its own."""
        return f"{self.directory}/{_SPARK}"

    def claim(self, mark: Mapping[str, str]) -> None:
        """Let the checkpoint be that of a pipeline, told by its parts; or see that it is.

        Raises `CheckpointError` where it is another's, none of ours, or damaged; `OSError`.
        """
        files = FileSystem(self.session)
        if not files.names(self.directory):
            files.make_folder(self.directory)
            files.write(f"{self.directory}/{_OF}", _sealed({"format": FORMAT, "of": dict(mark)}))
            return
        if not files.exists(f"{self.directory}/{_OF}"):
            raise CheckpointError(
                f"{self.directory} is not empty, and no checkpoint of a pipeline\n"
                "  hint: name a folder of its own"
            )
        found = self._read(files, _OF)
        if found["format"] != FORMAT:
            raise CheckpointError(
                f"the checkpoint {self.directory} is of another version of rowtime "
                f"(format {found['format']}, not {FORMAT})\n"
                "  hint: let that version end it (--once), or begin with a new checkpoint"
            )
        was = cast("Mapping[str, str]", found["of"])  # what `claim` has written
        changed = [name for name in {**was, **mark} if was.get(name) != mark.get(name)]
        if changed:
            raise CheckpointError(
                f"the checkpoint {self.directory} is of another pipeline: "
                f"{', '.join(changed)} changed since it was begun\n"
                "  hint: begin with a new checkpoint and new sinks, or go back to the old text"
            )

    @contextmanager
    def saving(self, batch: int, kept: Mapping[str, RowBuffer]) -> Generator[None]:
        """Within it the rows that a micro-batch leaves behind are written, beside all else.

        The stores read their rows from there from then on, until two micro-batches later.
        """
        with ThreadPoolExecutor(1) as beside:
            saved = beside.submit(self._save, batch, kept)
            yield
            saved.result()

    def _save(self, batch: int, kept: Mapping[str, RowBuffer]) -> None:
        place = self._place(batch)
        FileSystem(self.session).delete(place)
        for name, rows in kept.items():
            if rows.count:
                rows.save(self.session, f"{place}/{name}")

    def store(self, batch: int, words: Json, kept: Mapping[str, RowBuffer]) -> None:
        """Write what a micro-batch leaves behind, after `saving`: the words make it hold."""
        sizes = {name: [rows.count, rows.numbers] for name, rows in kept.items() if rows.count}
        place, text = self._place(batch), {"batch": batch, "words": words, "kept": sizes}
        FileSystem(self.session).write(f"{place}/{_WORDS}", _sealed(text))

    def recall(self, batch: int) -> State:
        """What a micro-batch left behind.  Raises `CheckpointError` where it cannot be read."""
        found = self._read(FileSystem(self.session), f"state/{batch % _STATES}/{_WORDS}")
        if found["batch"] != batch:
            raise self._damaged(f"it has the state of micro-batch {found['batch']}, not of {batch}")
        kept = cast("Mapping[str, list[int]]", found["kept"])  # what `store` has written

        def loaded(name: str, types: tuple[Type, ...]) -> RowBuffer:
            if name not in kept:
                return RowBuffer(types)
            (count, numbers), path = kept[name], f"{self._place(batch)}/{name}"
            store = RowBuffer.load(self.session, path, types, count, numbers)
            try:
                with failures():
                    there = store.relation(self.session).frame.count()
            except SparkFailure as error:
                raise self._damaged(f"{path}: {_cause(error)}") from None
            if there != count:
                raise self._damaged(f"{path} has {there:,} rows, not {count:,}")
            return store

        return State(batch, cast("Json", found["words"]), loaded)  # the same

    def last(self) -> int:
        """The number of the last micro-batch whose state is there; -1: there is none."""
        files = FileSystem(self.session)
        found = [-1]
        for each in range(_STATES):
            if files.exists(f"{self.directory}/state/{each}/{_WORDS}"):
                words = self._read(files, f"state/{each}/{_WORDS}")
                found.append(cast("int", words["batch"]))  # what `store` has written
        return max(found)

    def check(self, batch: int) -> None:
        """See that Spark's own log goes on where the states end, or tries the last one again."""
        last = self.last()
        if batch not in (last, last + 1):
            raise self._damaged(f"Spark is at micro-batch {batch}, the states are at {last}")

    def _place(self, batch: int) -> str:
        return f"{self.directory}/state/{batch % _STATES}"

    def _read(self, files: FileSystem, name: str) -> dict[str, object]:
        try:
            seal, _, text = files.read(f"{self.directory}/{name}").partition("\n")
        except OSError as error:
            raise self._damaged(f"{name}: {error.strerror}") from None
        if seal != sha256(text.encode()).hexdigest():
            raise self._damaged(f"{name} is not as it was written")
        return cast("dict[str, object]", json.loads(text))  # what `_sealed` has made

    def _damaged(self, how: str) -> CheckpointError:
        return CheckpointError(
            f"the checkpoint {self.directory} is damaged: {how}\n"
            "  hint: put the whole folder back from a copy, with the sinks of that time; "
            "or begin anew with a new checkpoint and new sinks"
        )


def _sealed(words: Json) -> bytes:
    """A text that begins with the checksum of the rest."""
    text = json.dumps(words)
    return f"{sha256(text.encode()).hexdigest()}\n{text}".encode()


def _cause(error: Exception) -> str:
    return str(error).splitlines()[-1].strip()[:300]
