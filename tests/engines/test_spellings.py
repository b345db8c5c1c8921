"""A spelling is the query of its case: over the case's rows, and over each part of them."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final, TypeAlias

import pytest

from algebra.catalog import Profile
from algebra.expression import Value
from algebra.plan import row_type
from algebra.prepare import prepare
from algebra.wire import reader
from engines.duckdb import backend as duckdb
from engines.duckdb.backend import DuckdbBackend
from engines.harness.spellings import read_spellings, read_texts
from engines.sqlite import backend as sqlite
from engines.sqlite.backend import SqliteBackend
from reference.backend import ReferenceBackend
from tck.corpus.case import Case
from tck.corpus.load import kit_corpus
from tck.protocol import Accepted, Backend, Event, Load, Open, Rows, Wire
from tck.transcript import events_by_step
from tests.examples import scaled

CASES: Final = {each.id: each for each in kit_corpus().cases}
SPELLED: Final = [
    *((DuckdbBackend, case) for case in read_texts(duckdb.SPELLINGS)),
    *((SqliteBackend, case) for case in read_texts(sqlite.SPELLINGS)),
]


#: What reads the values of each column of a result.
Readers: TypeAlias = list[Callable[[Wire], Value]]


def readers_of(case: Case) -> Readers:
    """What reads the values of each column of a case's result."""
    plan = prepare(case.ddl, case.sql, Profile(case.profile)).query
    assert plan is not None
    return [reader(each.type.as_nullable()) for each in row_type(plan)]


def answer(
    backend: Backend, case: Case, readers: Readers, events: list[Event]
) -> list[tuple[object, ...]]:
    """The rows that a backend has at the end, as values of rowtime's types, in one order."""
    assert case.sql is not None
    reply = backend.open(Open(case.ddl, case.sql, case.profile))
    assert isinstance(reply, Accepted), reply
    for event in events:
        backend.feed(event)
    output = backend.poll()
    backend.close()
    assert output.error is None, output.error
    rows = [tuple(r(v) for r, v in zip(readers, row, strict=True)) for row in output.rows]
    return sorted(rows, key=repr)


#: So many variants of a case's rows are tried at most.
MOST: Final = scaled(8, 1_000)


def variants(events: list[Event]) -> list[list[Event]]:
    """The events; then without a row, or with it twice: each row, or some if there are many."""
    every = [events, *_changed(events)]
    return every[:: len(every) // MOST | 1]  # odd, so that of both kinds there are as many


def _changed(events: list[Event]) -> Iterator[list[Event]]:
    for place, event in enumerate(events):
        if isinstance(event, Load | Rows):
            for i in range(len(event.rows)):
                less = replace(event, rows=event.rows[:i] + event.rows[i + 1 :])
                more = replace(event, rows=event.rows[: i + 1] + event.rows[i:])
                yield [*events[:place], less, *events[place + 1 :]]
                yield [*events[:place], more, *events[place + 1 :]]


@pytest.mark.parametrize(
    ("engine", "id"), SPELLED, ids=lambda each: getattr(each, "__name__", each)
)
def test_a_spelling_has_the_rows_of_the_reference(engine: type[Backend], id: str) -> None:
    case = CASES[id]
    events = [*case.tables, *(event for step in events_by_step(case) for event in step)]
    spelled, reference, readers = engine(), ReferenceBackend(), readers_of(case)
    for each in variants(events):
        assert answer(spelled, case, readers, each) == answer(reference, case, readers, each)


def test_an_engine_without_a_file_has_no_spellings(tmp_path: Path) -> None:
    assert read_spellings(tmp_path / "spellings.yaml").texts == {}
