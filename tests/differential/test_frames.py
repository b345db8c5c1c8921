"""The ends of frames: the reference next to DuckDB and SQLite; and an end off by one is found."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from decimal import Decimal
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, Phase, find, given, settings

from reference.backend import fast_backend
from reference.fast import sliding
from reference.fast.sliding import Peers
from reference.relational import frames
from reference.relational.frames import Partition
from tests.differential import test_duckdb, test_sqlite
from tests.differential.compare import same_rows
from tests.differential.engines import DuckDB, SQLite, ask_backend
from tests.differential.frames import frame_questions
from tests.differential.queries import Question
from tests.examples import NIGHTLY

DUCKDB: Final = test_duckdb.FEATURES
SQLITE: Final = test_sqlite.FEATURES

#: What is enough for the rarest of the mutants below.
MANY: Final = settings(
    max_examples=1_000,
    deadline=None,
    database=None,
    derandomize=True,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@pytest.fixture(scope="module")
def duckdb() -> DuckDB:
    """One DuckDB for all questions."""
    return DuckDB()


@pytest.fixture(scope="module")
def sqlite() -> SQLite:
    """One SQLite for all questions."""
    return SQLite()


@given(question=frame_questions(DUCKDB))
def test_frames_hold_the_rows_that_they_hold_in_duckdb(duckdb: DuckDB, question: Question) -> None:
    test_duckdb.check(duckdb, question, exact_errors=True)


@given(question=frame_questions(SQLITE))
def test_frames_hold_the_rows_that_they_hold_in_sqlite(sqlite: SQLite, question: Question) -> None:
    test_sqlite.check(sqlite, question, exact_errors=True)


def one_place(partition: Partition, place: int, *_: object) -> range:
    """Instead of the rows at a distance, or the peers: the row alone."""
    del partition
    return range(place, place + 1)


def itself(_: Peers, place: int) -> int:
    """Instead of the first peer."""
    return place


def behind(_: Peers, place: int) -> int:
    """Instead of the place after the last peer."""
    return place + 1


#: The reference with one fault in it: in its fast form (`sliding`), or in its plain one (`frames`),
#: which decides where rows are excluded or a key is NULL.
MUTANTS: Final[dict[str, tuple[object, str, object]]] = {
    "sliding: the end leaves out the rows exactly at it": (sliding, "bisect_right", bisect_left),
    "sliding: the start leaves out the rows exactly at it": (sliding, "bisect_left", bisect_right),
    "sliding: CURRENT ROW as the end leaves out later peers": (Peers, "stop", behind),
    "sliding: CURRENT ROW as the start leaves out earlier peers": (Peers, "start", itself),
    "frames: the end leaves out the rows exactly at it": (frames, "bisect_right", bisect_left),
    "frames: the start leaves out the rows exactly at it": (frames, "bisect_left", bisect_right),
    "frames: CURRENT ROW leaves out peers": (Partition, "peers", one_place),
}


#: The least that two keys of a type can be apart, or, of a DOUBLE, that those here are.
UNITS: Final[dict[type, Any]] = {int: 1, Decimal: Decimal("0.01"), float: 0.25}


def moved(sign: int) -> Callable[..., Any]:
    """`reference.relational.frames.moved`, but to a place a unit too far, or too near."""
    right: Callable[..., Any] = frames.moved  # of a value of any type of key

    def wrong(*arguments: Any) -> Any:  # what `moved` takes
        place = right(*arguments)
        return place + sign * UNITS[type(place)]

    return wrong


def found(engine: DuckDB) -> bool:
    """Whether some question in `MANY` has other rows in DuckDB."""

    def differs(question: Question) -> bool:
        # The fast form leaves to the plain one what it has no form for, so that this runs both.
        left, right = engine.ask(question), ask_backend(question, fast_backend())
        if left.error is not None or right.error is not None:
            return left.error != right.error
        return not same_rows(left.rows, right.rows, False)

    find(frame_questions(DUCKDB), differs, settings=MANY)
    return True


#: A mutant of each form.  Nightly all are tried: then the comparisons above have as many examples
#: as it takes to find the rarest one.
_LIGHT: Final = (
    "sliding: CURRENT ROW as the end leaves out later peers",
    "frames: CURRENT ROW leaves out peers",
)


@pytest.mark.parametrize("name", MUTANTS if NIGHTLY else _LIGHT)
def test_a_frame_that_is_off_is_found(
    duckdb: DuckDB, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """The comparison above finds faults."""
    where, attribute, wrong = MUTANTS[name]
    monkeypatch.setattr(where, attribute, wrong)
    assert found(duckdb)


@pytest.mark.parametrize("by", [-1, 1] if NIGHTLY else [1])
@pytest.mark.parametrize("where", [sliding, frames] if NIGHTLY else [frames])
def test_a_frame_that_is_off_by_one_unit_is_found(
    duckdb: DuckDB, monkeypatch: pytest.MonkeyPatch, where: object, by: int
) -> None:
    """A day, a millisecond, a 1: no more than the least that keys can be apart."""
    monkeypatch.setattr(where, "moved", moved(by))
    assert found(duckdb)
