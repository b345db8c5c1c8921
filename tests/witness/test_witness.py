"""The reference and the witness judge the same random histories, event by event (S-305, S-306)."""

from collections.abc import Callable, Iterator
from itertools import count, islice
from random import Random
from typing import Final

import pytest

from algebra.monotonicity.columns import rowtime_column
from algebra.plan import Plan as BoundPlan
from algebra.plan import row_type
from reference.engine.session import Session
from reference.incremental import node_facts
from reference.incremental.emission_queue import EmissionQueue
from reference.incremental.group_sort.sets import SetOperation
from reference.incremental.join.join_emission import JoinEmissionQueue
from reference.relation import Row
from tests.examples import scaled
from tests.witness.comparison import account, disagreement, is_legal
from tests.witness.continuations import UNIT
from tests.witness.draws import history, plan
from tests.witness.histories import Event
from tests.witness.plans import Plan
from tests.witness.sql import streams_of

#: How many plans are drawn from one seed, and on how many histories each of them is judged.
PLANS: Final = 25
HISTORIES: Final = 20


def disagreements(seed: int) -> Iterator[tuple[Plan, list[Event]]]:
    """The first history of each plan of a seed on which the two disagree, if there is one."""
    draw = Random(seed)
    plans = (made for _ in count() if is_legal(made := plan(draw)))
    for each in islice(plans, PLANS):
        streams = list(dict.fromkeys(streams_of(each)))
        for _ in range(HISTORIES):
            events = history(draw, streams)
            if disagreement(each, events):
                yield each, events
                break


@pytest.mark.parametrize("seed", range(scaled(1, 200)))
def test_the_reference_agrees_with_the_witness(seed: int) -> None:
    """On 1,000 histories, and nightly on 100,000."""
    found = [account(*each) for each in disagreements(seed)]
    assert "\n\n".join(found) == ""


# --- a witness that finds nothing is none ---------------------------------------------------------


def late_queue(self: EmissionQueue, clock: float) -> list[Row]:
    """Rows at the bound itself wait for the next one."""
    return _RELEASE(self, clock - 1)


def early_join(self: JoinEmissionQueue, time: float, base: float) -> list[Row]:
    """Pairs are emitted before the bound is there."""
    return _RELEASE_PAIRS(self, time + UNIT, base + UNIT)


def late_join(self: JoinEmissionQueue, time: float, base: float) -> list[Row]:
    """Pairs at the bound itself wait for the next one."""
    return _RELEASE_PAIRS(self, time - 1, base - 1)


def never_excluded(_self: SetOperation, _group: object) -> bool:
    """Groups that cannot come out hold back the bound."""
    return False


def lax_bound(self: Session, name: tuple[str, ...], at: int) -> object:
    """A strict bound is taken for one that is not."""
    return _BOUND(self, name, at - at % 1000)


def start_of_window(plan: BoundPlan) -> int | None:
    """The rowtime of groups of a window is its start."""
    place = _ROWTIME(plan)
    if place is None or row_type(plan)[place].name != "WINDOW_END":
        return place
    return place + 1  # the key after WINDOW_END is WINDOW_START


_ROWTIME: Final = rowtime_column
_RELEASE: Final = EmissionQueue.release
_RELEASE_PAIRS: Final = JoinEmissionQueue.release
_BOUND: Final = Session.set_bound


@pytest.mark.parametrize(
    ("place", "name", "wrong"),
    [
        (EmissionQueue, "release", late_queue),
        (JoinEmissionQueue, "release", late_join),
        (JoinEmissionQueue, "release", early_join),
        (SetOperation, "_excluded", never_excluded),
        (Session, "set_bound", lax_bound),
        (node_facts, "rowtime_column", start_of_window),
    ],
)
def test_a_reference_that_is_wrong_is_found(
    place: object, name: str, wrong: Callable[..., object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(place, name, wrong)
    try:
        found = any(True for seed in range(2) for _ in disagreements(seed))
    except ArithmeticError:  # a bound that is infinite where it must not be
        found = True
    assert found
