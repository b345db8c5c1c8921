"""Queries and standing statements with EMIT CHANGES, micro-batch by micro-batch (S-1001.b).

A micro-batch is one event: the changes are the difference between the answer after it and the
answer before it.  The state of a changelog is the last answer, and all that is needed to compute
the next one: the accumulators of its groups if it is a `GroupedChangelog`, else all rows of the
streams that it reads.  The rows of tables, and the valid rows of streams WITH CHANGES, are those of
the script.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final, TypeAlias

from algebra.catalog import QualifiedName, Stream, Table
from algebra.modify import Insert
from algebra.parts.mentions import scans
from algebra.plan import Changes, row_type
from algebra.types import Type
from spark_backend.data.changes import apply_changes, differences, weighted
from spark_backend.data.contents import Contents
from spark_backend.data.ingress import Refusal
from spark_backend.data.row_buffer import RowBuffer
from spark_backend.relation import types_of
from spark_backend.stream.compaction.grouped_changelog import GroupedChangelog, grouped_changelog
from spark_backend.stream.pipeline.checkpoint import Loaded
from spark_backend.types import Row

#: The name of the rows of the last answer in a `Changelog.state`.
_SHOWN: Final = "shown"

#: A function that is called for rows that a target refuses.  It takes the target, all rows sent to
#: the target, the refusals, and the number from which the places in the refusals count.
Drop: TypeAlias = Callable[[Table, RowBuffer, Sequence[Refusal], int], None]

#: The rows that have arrived in a micro-batch, by stream.
ArrivedRows: TypeAlias = Mapping[QualifiedName, RowBuffer]


@dataclass(slots=True)
class Changelog:
    """The changelog of ``query``, whose tables are those of ``script``."""

    query: Changes
    script: Contents
    #: The streams that are read; their rows are only added.
    streams: dict[QualifiedName, Stream] = field(init=False)
    _groups: GroupedChangelog | None = field(init=False)
    #: Whether the answer can change although no row has arrived, because a table has changed.
    _reads_tables: bool = field(init=False)
    #: The tables of the script; and the rows of the streams so far, or the accumulators of groups.
    _contents: Contents = field(init=False)
    _last_answer: list[Row] = field(default_factory=list[Row])
    #: Whether the answer must be evaluated although no row has arrived, as in the first step.
    _due: bool = True

    def __post_init__(self) -> None:
        """Share the tables of the script."""
        self._groups = grouped_changelog(self.query)
        read = [each.source for each in scans(self.query)]
        self.streams = {each.name: each for each in read if isinstance(each, Stream)}
        self._contents = Contents(self.script.session, self.script.now)
        tables = [each for each in read if isinstance(each, Table)]
        for each in tables:
            self._contents.objects[each.name] = self.script.of(each)
        self._reads_tables = bool(tables)

    def step(self, arrived: ArrivedRows) -> RowBuffer:
        """Take the rows that have arrived in the streams; return the changes of the answer.

        Streams without an entry in ``arrived`` have no new rows.  Raises the run-time errors of the
        query's expressions.
        """
        has_arrived = any(rows.count for name, rows in arrived.items() if name in self.streams)
        if not (has_arrived or self._due or self._reads_tables):
            return RowBuffer(weighted(self._types))
        self._due = False
        return self._changes(self._answer(arrived))

    @property
    def retained(self) -> Mapping[QualifiedName, int]:
        """The number of retained rows of each stream; none if accumulators replace its rows."""
        if self._groups is not None:
            return dict.fromkeys(self.streams, 0)
        return {name: self._rows_of(each).count for name, each in self.streams.items()}

    @property
    def groups(self) -> int:
        """The number of groups whose accumulators are retained."""
        return 0 if self._groups is None else self._rows_of(self._groups.table).count

    def state(self) -> Mapping[str, RowBuffer]:
        """The rows from which the next micro-batch continues, by the name that `restore` uses."""
        last = RowBuffer.of(self._types, self._last_answer)
        retained = {str(i): self._rows_of(each) for i, each in enumerate(self._retained_relations)}
        return {_SHOWN: last, **retained}

    def restore(self, loaded: Loaded) -> None:
        """Continue from the `state` of another changelog of the same statement."""
        self._last_answer = [_comparable(each) for each in loaded(_SHOWN, self._types).rows()]
        for number, each in enumerate(self._retained_relations):
            rows = loaded(str(number), self._rows_of(each).types).in_memory()
            self._replace(each, rows)

    def close(self) -> None:
        """Delete the files of the rows; the tables of the script stay."""
        for each in self._retained_relations:
            self._rows_of(each).close()

    # --- rows -----------------------------------------------------------------------------------

    @property
    def _types(self) -> tuple[Type, ...]:
        """The column types of the answer."""
        return types_of(row_type(self.query))

    @property
    def _retained_relations(self) -> Sequence[Table | Stream]:
        """The relations whose rows are retained: the groups, or the streams."""
        return [*self.streams.values()] if self._groups is None else [self._groups.table]

    def _rows_of(self, relation: Table | Stream) -> RowBuffer:
        """The retained rows of a relation: of a table those ``before``, of a stream ``passed``."""
        found = self._contents.of(relation)
        return found.before if isinstance(relation, Table) else found.passed

    def _replace(self, relation: Table | Stream, rows: RowBuffer) -> None:
        """Replace the rows of a relation that `_rows_of` returns."""
        found = self._contents.of(relation)
        self._rows_of(relation).close()
        if isinstance(relation, Table):
            found.before = rows
        else:
            found.passed = rows

    def _answer(self, arrived: ArrivedRows) -> list[Row]:
        """Add the rows that have arrived; return the answer."""
        groups, contents = self._groups, self._contents
        if groups is None:
            for name, stream in self.streams.items():
                if name in arrived:
                    self._rows_of(stream).extend(list(arrived[name].rows()))
            return list(contents.rows(self.query))
        if groups.stream.name not in arrived:
            return self._last_answer
        contents.of(groups.stream).passed = arrived[groups.stream.name]
        # A row of the plan `step` is a row of the new table, followed by a row of the answer.
        rows, width = list(contents.rows(groups.step)), len(groups.table.columns)
        stored = RowBuffer.of(self._rows_of(groups.table).types, (row[:width] for row in rows))
        self._replace(groups.table, stored)
        return [row[width:] for row in rows]

    def _changes(self, answer: Sequence[Row]) -> RowBuffer:
        """The changes from the last answer to ``answer``, which becomes the last one."""
        now = [_comparable(row) for row in answer]
        changes = differences(now, self._last_answer)
        self._last_answer = now
        return RowBuffer.of(weighted(self._types), ((*row, weight) for row, weight in changes))


class Changelogs:
    """The changelogs of a script, in dependency order: a changelog follows those that feed it.

    ``statements`` are the INSERTs with EMIT CHANGES in this order.  ``drop`` is called for the
    changes that a target refuses: with the target, the rows of all changes, the refusals, and 0.
    """

    def __init__(self, statements: Sequence[Insert], contents: Contents, drop: Drop) -> None:
        self._contents = contents
        self._drop = drop
        self._changelogs: list[tuple[Table, Changelog]] = []
        found: list[Table | Stream] = []
        for each in statements:
            assert isinstance(each.input, Changes), "other statements only add rows"
            assert isinstance(each.target, Table), "only a stream WITH CHANGES takes changes"
            self._changelogs.append((each.target, Changelog(each.input, contents)))
            found += [each.target, *(scan.source for scan in scans(each.input))]
        named = {each.name: each for each in found if isinstance(each, Table) and each.changing}
        #: The streams WITH CHANGES.
        self.tables: Sequence[Table] = list(named.values())

    def step(self, arrived: ArrivedRows) -> Mapping[QualifiedName, RowBuffer]:
        """Run each changelog on the rows that have arrived; return the changes of each target."""
        found: dict[QualifiedName, RowBuffer] = {}
        for target, each in self._changelogs:
            changes = each.step(arrived)
            taken, refused = self.accept(target, changes)
            rows = (row[:-1] for row in changes.rows())
            self._drop(target, RowBuffer.of(changes.types[:-1], rows), refused, 0)
            found.setdefault(target.name, RowBuffer(taken.types)).extend(list(taken.rows()))
        return found

    def accept(self, table: Table, changes: RowBuffer) -> tuple[RowBuffer, Sequence[Refusal]]:
        """Apply changes to a stream WITH CHANGES; return the accepted ones, and the refusals.

        The last value of a row of ``changes`` is its weight (`weighted`).
        """
        content, checks = self._contents.of(table), self._contents.checks(table)
        rows, taken, refused = apply_changes(table, content.rows(), changes, checks)
        content.replace(rows)
        return taken, refused

    @property
    def retained_rows(self) -> Sequence[tuple[QualifiedName, QualifiedName, int]]:
        """The number of retained rows of each stream that a changelog reads.

        Each item has the target of the changelog, the stream, and the number.
        """
        return [
            (target.name, stream, count)
            for target, each in self._changelogs
            for stream, count in each.retained.items()
        ]

    @property
    def groups(self) -> Sequence[tuple[QualifiedName, int]]:
        """For each changelog: its target, and the number of groups that it retains."""
        return [(target.name, each.groups) for target, each in self._changelogs]

    def state(self) -> Mapping[str, RowBuffer]:
        """The rows from which the next micro-batch continues, by name."""
        return {
            f"changes{number}.{name}": rows
            for number, (_, each) in enumerate(self._changelogs)
            for name, rows in each.state().items()
        }

    def restore(self, loaded: Loaded) -> None:
        """Continue from the `state` of another run of the same script."""
        for number, (_, each) in enumerate(self._changelogs):
            each.restore(partial(_of_changelog, loaded, number))

    def close(self) -> None:
        """Delete the files of the rows."""
        for _, each in self._changelogs:
            each.close()


def _of_changelog(loaded: Loaded, number: int, name: str, types: tuple[Type, ...]) -> RowBuffer:
    """The rows that changelog ``number`` had under ``name`` in its own `state`.

    ``loaded`` reads the rows of the state of all changelogs.
    """
    return loaded(f"changes{number}.{name}", types)


def _comparable(row: Row) -> Row:
    """The row with one object for all NaNs, which is equal to itself."""
    return tuple(math.nan if value != value else value for value in row)
