"""The versions of a changing table's rows: a new version costs only the rows that differ."""

from bisect import insort
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, overload

from reference.relation import Relation, Row, identity_of
from reference.relational.changelog import WeightedRows, difference

#: A step: a place in a store, and the row there before and after the step; None: no row.
_Step: TypeAlias = tuple[int, Row | None, Row | None]
#: A store is replaced by a new one if its versions retain more steps than it has rows, plus this.
_FEW = 1_000


@dataclass(slots=True)
class _Store:
    """The rows of one version, by numbers that rise in order of arrival.

    ``key`` are the places of the primary key's columns; () if there is no primary key. ``next`` is
    the number of the next row. ``steps`` counts the steps that all versions retain. ``is_sorted``:
    ``rows`` are in the order of their numbers. ``numbers`` has for each value of the key the
    numbers of its rows, in order; it is None until `find` is called.
    """

    key: tuple[int, ...]
    rows: dict[int, Row]
    next: int
    steps: int = 0
    is_sorted: bool = True
    numbers: dict[tuple[object, ...], list[int]] | None = None

    def find(self, row: Row) -> int | None:
        """The number of the first row that has the key of ``row``; None if there is none."""
        if self.numbers is None:
            self.numbers = {}
            for number, each in sorted(self.rows.items()):
                self.numbers.setdefault(self._key_of(each), []).append(number)
        found = self.numbers.get(self._key_of(row))
        return found[0] if found else None

    def _key_of(self, row: Row) -> tuple[object, ...]:
        """The value that equal rows share: the values of the key, or of all columns."""
        return identity_of([row[place] for place in self.key] if self.key else row)

    def apply(self, step: _Step) -> None:
        """Apply a step: add, replace or delete one row."""
        number, old, new = step
        if old is not None and self.numbers is not None:
            key = self._key_of(old)
            numbers = self.numbers[key]
            numbers.remove(number)
            if not numbers:
                del self.numbers[key]
        if new is None:
            del self.rows[number]
            return
        if old is None and self.rows and number < self.next - 1:
            self.is_sorted = False  # a deleted row has been restored
        self.rows[number] = new
        self.next = max(self.next, number + 1)
        if self.numbers is not None:
            insort(self.numbers.setdefault(self._key_of(new), []), number)

    def listed(self) -> list[Row]:
        """The rows in order of arrival."""
        if not self.is_sorted:
            self.rows = dict(sorted(self.rows.items()))
            self.is_sorted = True
        return list(self.rows.values())


class TableRows(Sequence[Row]):
    """One version of a table's rows, in order of arrival.

    The versions of a table share a store, which has the rows of one of them, the *current* version;
    each other version has the steps from itself to that one.  Reading a version applies these steps
    backwards, which makes it the current one (as in Baker's persistent arrays).  So threads must
    take turns with all versions of a table.

    ``_toward`` is the next version on the way to the current one, to which ``_steps`` lead; None:
    this version is the current one, and has the ``_store``.
    """

    __slots__ = ("_list", "_steps", "_store", "_toward")

    def __init__(self, store: _Store) -> None:
        self._store: _Store | None = store
        self._toward: TableRows | None = None
        self._steps: list[_Step] = []
        self._list: list[Row] | None = None

    def listed(self) -> list[Row]:
        """The rows as a list that never changes, which any thread may read."""
        if self._list is None:
            self._list = self._own_store().listed()
        return self._list

    def next(self) -> "NextRows":
        """Begin the version after this one, which has the same rows until it is changed."""
        store = self._own_store()
        if store.steps > len(store.rows) + _FEW:
            # An old version retains all later steps, so from time to time a new store is made.
            return _with_own_store(self.listed(), store.key)
        after = NextRows(TableRows(store), store)
        self._toward, self._store, self._steps = after.rows, None, after.steps
        return after

    def since(self, before: Relation) -> WeightedRows | None:
        """The changes from the version ``before`` to this one; None if it has another store.

        Also None if ``before`` is not a version of a table.
        """
        self._own_store()  # the steps of all other versions now lead to this one
        changed: list[tuple[Row, int]] = []
        version: TableRows | None = before if isinstance(before, TableRows) else None
        while version is not None and version is not self:
            for _, old, new in version._steps:
                changed += [] if old is None else [(old, -1)]
                changed += [] if new is None else [(new, 1)]
            version = version._toward
        return None if version is None else changed

    def _own_store(self) -> _Store:
        """Make this version the current one, and return the store."""
        path: list[TableRows] = []
        version = self
        while version._toward is not None:
            path.append(version)
            version = version._toward
        store = version._store
        assert store is not None, "the last version on the way has the store"
        for each in reversed(path):
            # Take back the steps from `each` to `version`.  From then on, they lead from `version`
            # to `each`, which has the store.
            for number, old, new in reversed(each._steps):
                store.apply((number, new, old))
            version._toward, version._store = each, None
            version._steps = [(number, new, old) for number, old, new in reversed(each._steps)]
            each._toward, each._store, each._steps = None, store, []
            version = each
        return store

    def __len__(self) -> int:
        return len(self._own_store().rows) if self._list is None else len(self._list)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.listed())

    @overload
    def __getitem__(self, place: int) -> Row: ...
    @overload
    def __getitem__(self, place: slice) -> list[Row]: ...
    def __getitem__(self, place: int | slice) -> Row | list[Row]:
        return self.listed()[place]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, list | tuple | TableRows) and [*self] == [*other]

    __hash__ = None  # type: ignore[assignment]  # as of a list


@dataclass(slots=True)
class NextRows:
    """The next version of a table's rows during its changes: ``rows``, and the ``steps`` to it."""

    rows: TableRows
    _store: _Store
    steps: list[_Step] = field(default_factory=list[_Step])

    def find(self, row: Row) -> int | None:
        """The number of the first row that has the key of ``row``; None if there is none."""
        return self._store.find(row)

    def add(self, row: Row) -> None:
        """Add a row after all others."""
        self._change((self._store.next, None, row))

    def replace(self, number: int, row: Row | None) -> None:
        """Replace a row by another one; ``row`` None: delete it."""
        self._change((number, self._store.rows[number], row))

    def _change(self, step: _Step) -> None:
        """Apply a step, and record it."""
        self._store.apply(step)
        self._store.steps += 1
        self.steps.append(step)


def next_rows(rows: Relation, key: tuple[int, ...]) -> NextRows:
    """Begin the version after ``rows``, which has the same rows until it is changed.

    ``key`` has the places of the key's columns; (): a row is found by all of its columns.
    """
    return rows.next() if isinstance(rows, TableRows) else _with_own_store(rows, key)


def _with_own_store(rows: Relation, key: tuple[int, ...]) -> NextRows:
    """A first version with these rows, in a new store."""
    store = _Store(key, dict(enumerate(rows)), len(rows))
    return NextRows(TableRows(store), store)


def changes_between(now: Relation, before: Relation) -> WeightedRows:
    """Changes that lead from ``before`` to ``now``; changes of one row can cancel out."""
    known = now.since(before) if isinstance(now, TableRows) else None
    return difference(now, before) if known is None else known


def listed(rows: Relation) -> Relation:
    """Rows of a table as a list that never changes; other rows are returned unchanged."""
    return rows.listed() if isinstance(rows, TableRows) else rows
