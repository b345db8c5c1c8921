"""The reference and the witness judge the same random changelogs, event by event (S-1001.b)."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Final

import pytest

from algebra.prepare import Prepared
from reference.engine.session import Session
from reference.incremental.changes import groups, join
from reference.incremental.changes.bag import Bag
from reference.incremental.changes.network import ChangesNetwork
from reference.incremental.changes.operator import Form, WeightedRows
from reference.incremental.changes.recomputed import Recomputed
from reference.relation import Relation
from reference.relational.changelog import difference
from tests.examples import scaled
from tests.witness import draws
from tests.witness.changing import Plan, Row, Rows, rows_of
from tests.witness.changing_draws import Event, history, plan, states
from tests.witness.changing_sql import changelog_of, ddl_of, inputs_of
from tests.witness.comparison import prepared, wrong_fold
from tests.witness.sql import ddl_of as ddl_of_streams
from tests.witness.sql import sql_of, streams_of

#: How many plans are drawn from one seed, and on how many histories each of them is judged.
PLANS: Final = 50
HISTORIES: Final = 10

FORMS: Final[Sequence[Form]] = (Recomputed, ChangesNetwork)


def disagreements(seed: int) -> Iterator[str]:
    """The first history of each plan of a seed on which the two disagree, if there is one."""
    draw = Random(seed)
    for each in [plan(draw) for _ in range(PLANS)]:
        for _ in range(HISTORIES):
            events = history(draw, inputs_of(each))
            if any(disagreement(each, events, form) for form in FORMS):
                yield account(each, events)
                break


def _query(plan: Plan) -> Prepared:
    return prepared(ddl_of(plan), changelog_of(plan))


def disagreement(plan: Plan, events: Sequence[Event], form: Form) -> str:
    """Where reference and witness first disagree; empty: nowhere."""
    session = Session(_query(plan), changelog_form=form)
    fold: Rows = Counter()
    for place, there in enumerate(states(inputs_of(plan), events)):
        if place:
            name, changes = events[place - 1]
            session.take_rows((name,), [row for row, _ in changes], weights=[w for _, w in changes])
        for row, weight in session.new_changes():
            fold[_row(row)] += weight
        expected = rows_of(plan, there)
        if {row: n for row, n in fold.items() if n} != {row: n for row, n in expected.items() if n}:
            return f"event {place}: witness {_shown(expected)}, {form.__name__} {_shown(fold)}"
    return ""


def _row(row: Sequence[object]) -> Row:
    """A row of the reference, whose sums may be decimals."""
    key, value = (None if each is None else int(str(each)) for each in row)
    return key, value


def _shown(rows: Rows) -> str:
    return str(sorted(rows.items(), key=repr))


def account(plan: Plan, events: Sequence[Event]) -> str:
    """A disagreement with all that it takes to see it again, on a history as short as may be."""
    for i in range(len(events)):
        fewer = [*events[:i], *events[i + 1 :]]
        if any(disagreement(plan, fewer, form) for form in FORMS):
            return account(plan, fewer)
    texts = [disagreement(plan, events, form) for form in FORMS]
    return "\n".join([ddl_of(plan), changelog_of(plan), *map(str, events), *texts])


@pytest.mark.parametrize("seed", range(scaled(1, 200)))
def test_the_changelogs_of_the_reference_agree_with_the_witness(seed: int) -> None:
    """On 1,000 histories, and nightly on 100,000; definition and operators both."""
    assert "\n\n".join(disagreements(seed)) == ""


@pytest.mark.parametrize("seed", range(scaled(1, 100)))
def test_changelogs_of_plans_with_times_agree_with_the_witness(seed: int) -> None:
    """The plans that also stream, on 500 histories, and nightly on 50,000."""
    draw = Random(seed)
    for each in [draws.plan(draw) for _ in range(25)]:
        streams = list(dict.fromkeys(streams_of(each)))
        for _ in range(20):
            events = draws.history(draw, streams)
            text = [ddl_of_streams(each), sql_of(each), *map(str, events)]
            assert wrong_fold(each, events) == "", "\n".join(text)


# --- a witness must find a reference that is wrong ------------------------------------------------


def always_padded(_numbers: tuple[int, int]) -> int:
    """A row of a preserved side is padded though it has partners."""
    return _numbers[0]


def without_multiplicity(self: Bag) -> list[tuple[object, ...]]:
    """Equal rows are retained once."""
    return [row for row, _ in self]


def never_lost(now: Relation, before: Relation) -> WeightedRows:
    """An answer only gains rows."""
    return [(row, weight) for row, weight in difference(now, before) if weight > 0]


@pytest.mark.parametrize(
    ("place", "name", "wrong"),
    [
        (join, "_padded_count", always_padded),
        (Bag, "rows", without_multiplicity),
        (groups, "difference", never_lost),
    ],
)
def test_a_changelog_that_is_wrong_is_found(
    place: object, name: str, wrong: Callable[..., object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(place, name, wrong)
    assert any(True for seed in range(2) for _ in disagreements(seed))
