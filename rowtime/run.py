"""A user's query on a user's files: the same conversation with a backend that the kit holds."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from algebra.catalog import Catalog, Stream, Table
from algebra.prepare import prepare
from algebra.records.csv_files import BadRow, batches
from algebra.records.pipeline import NAMED, Input, RunError
from tck.protocol import Backend, ColumnInfo, End, Load, Now, Open, Output, Refused, Rows, WireRow

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from algebra.catalog import Profile, QualifiedName

#: Told how many rows of which file have been read so far.
Progress = Callable[[Path, int], None]


@dataclass(frozen=True, slots=True)
class Result:
    """The rows of a query, in order, and a line for each thing the user should know."""

    columns: tuple[ColumnInfo, ...]
    rows: tuple[WireRow, ...]
    warnings: tuple[str, ...]


def inputs(catalog: Catalog, data: Sequence[tuple[str, Path]]) -> tuple[Input, ...]:
    """The objects that ``data`` names, each with its file; `RunError` where there is none such."""
    found: list[Input] = []
    for name, path in data:
        source = catalog.find(_folded(name)) or catalog.find(tuple(name.split(".")))
        if not isinstance(source, Table | Stream):
            known = sorted(
                ".".join(n) for n, o in catalog.objects.items() if isinstance(o, Table | Stream)
            )
            raise RunError(
                f"--data {name}={path}: the DDL declares no table or stream {name}; "
                f"it declares: {', '.join(known) or 'none'}"
            )
        found.append(Input(source, path))
    return tuple(found)


def _folded(name: str) -> "QualifiedName":
    """A name as SQL reads it: parts in double quotes are exact, others fold to upper case."""
    parts = name.split(".")
    return tuple(p[1:-1] if p[:1] == p[-1:] == '"' and len(p) > 1 else p.upper() for p in parts)


def run(
    backend: Backend,
    ddl: str,
    sql: str,
    profile: "Profile",
    data: Sequence[tuple[str, Path]],
    now: str,
    progress: Progress,
) -> Result:
    """All rows of ``sql`` over the recorded history in ``data``: streams in rowtime order (S-303).

    ``backend`` has been started; it is stopped in the end.  Raises `SqlError` if the query is
    refused, `RunError` if it or a file fails: then there is no result at all.  A late row is
    dropped and said in a warning (S-601); a row that is none of its object's is a fault.
    """
    with _stopping(backend):
        files = inputs(prepare(ddl, sql, profile).catalog, data)
        accepted = backend.open(Open(ddl, sql, profile))
        if isinstance(accepted, Refused):
            raise RunError(accepted.rendered or f"{accepted.code}: {accepted.message}")
        backend.feed(Now(now))
        journal = _Journal()
        rows: list[WireRow] = []
        # Rows of a stream meet the tables as they are when the rows pass (S-508).
        for each in sorted(files, key=lambda file: not isinstance(file.source, Table)):
            _feed(backend, each, journal, progress)
            rows += _heard(backend.poll(), journal)
        backend.feed(End())
        rows += _heard(backend.poll(), journal)
        return Result(accepted.columns, tuple(rows), tuple(journal.warnings()))


def _heard(output: Output, journal: "_Journal") -> tuple[WireRow, ...]:
    """The rows of an output that has no fault in it; raises `RunError` for one that has."""
    journal.hear(output)
    if output.error is not None:
        raise RunError(output.error.rendered or f"{output.error.code}: {output.error.message}")
    return output.rows


@contextmanager
def _stopping(backend: Backend) -> "Generator[None]":
    """However it ends, the backend gives back what it holds."""
    try:
        yield
    finally:
        backend.close()
        backend.stop()


class _Journal:
    """Where each row of an input came from, and what became of those that did not enter."""

    def __init__(self) -> None:
        self._places: dict[str, list[tuple[Path, Sequence[int]]]] = {}
        self._late: dict[str, list[str]] = {}
        self._late_count: dict[str, int] = {}

    def fed(self, input: Input, lines: Sequence[int]) -> None:
        """Rows of these lines have been fed."""
        self._places.setdefault(input.name, []).append((input.path, lines))

    def hear(self, output: Output) -> None:
        """Keep the late rows in mind; raise `RunError` for bad ones."""
        bad = [
            f"{self._place(late.input, late.place)}: {late.reason}"
            for late in output.late
            if late.code != "LATE"
        ]
        if bad:
            raise RunError(_bad_rows(bad))
        for late in output.late:
            self._late_count[late.input] = self._late_count.get(late.input, 0) + 1
            named = self._late.setdefault(late.input, [])
            if len(named) < NAMED:
                named.append(f"{self._place(late.input, late.place)}: {late.reason}")

    def warnings(self) -> "Iterator[str]":
        """A paragraph for each input with late rows."""
        for name, count in self._late_count.items():
            rows = "row was" if count == 1 else "rows were"
            more = "" if count <= NAMED else f"\n  and {count - NAMED} more"
            named = "".join(f"\n  {each}" for each in self._late[name])
            yield (
                f"{count} late {rows} dropped from {name} (S-601): sort the file by its monotonic "
                f"columns, or declare them ASCENDING WITHIN an interval{named}{more}"
            )

    def _place(self, name: str, place: int) -> str:
        """``orders.csv:17`` of the row that was fed to ``name`` as number ``place``."""
        for path, lines in self._places.get(name, ()):
            if place < len(lines):
                return f"{path}:{lines[place]}"
            place -= len(lines)
        return name


def _bad_rows(bad: Sequence[str]) -> str:
    """What is said of rows that cannot enter."""
    rows = "row" if len(bad) == 1 else "rows"
    more = [] if len(bad) <= NAMED else [f"and {len(bad) - NAMED} more"]
    return "\n".join([f"{len(bad)} malformed {rows}; nothing was written", *bad[:NAMED], *more])


def _feed(backend: Backend, input: Input, journal: _Journal, progress: Progress) -> None:
    """All rows of one file go into the backend, batch by batch."""
    count = 0
    bad: list[BadRow] = []
    with closing(batches(input.path, input.source.columns)) as files:
        for batch in files:
            bad.extend(batch.bad)
            journal.fed(input, batch.lines)
            if isinstance(input.source, Table):
                backend.feed(Load(input.name, batch.rows))
            else:
                backend.feed(Rows(input.name, batch.rows))
            count += len(batch.rows)
            progress(input.path, count)
    if bad:
        raise RunError(_bad_rows([str(each) for each in bad]))


def data_arguments(given: Sequence[str]) -> tuple[tuple[str, Path], ...]:
    """``Orders=orders.csv`` taken apart; `RunError` where there is no ``=``."""
    pairs: Mapping[str, tuple[str, str, str]] = {each: each.partition("=") for each in given}
    for each, (name, equals, path) in pairs.items():
        if not (name and equals and path):
            raise RunError(f"--data {each}: write it as NAME=FILE, for example Orders=orders.csv")
    return tuple((pairs[each][0], Path(pairs[each][2])) for each in given)
