"""Both forms of the reference give the same rows: as they are defined, and fast."""

import random
from collections.abc import Iterator
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING

from hypothesis import given

from algebra.catalog import Profile, Stream, Table
from algebra.plan import Delta, Plan
from algebra.prepare import Prepared, prepare
from grammar.source import SqlError
from reference.acceptance import typed_rows
from reference.definitions import DEFINITIONS
from reference.dml.statements import applied
from reference.environment import Forms
from reference.evaluate import World, evaluate
from reference.fast.forms import FAST
from reference.ingress import ingress_of
from tck.corpus.case import Case
from tck.corpus.load import kit_corpus
from tck.corpus.selected.core import core_ids, kit_core
from tck.protocol import Load, Rows
from tests.examples import NIGHTLY
from tests.reference.incremental.samples import Sample, samples

if TYPE_CHECKING:
    from reference.relation import Row


#: Of more rows than this a stream's order takes too long to define: it is compared as a relation.
MANY = 2_000


def answer(plan: Plan, world: World, forms: Forms) -> str:
    """The rows to the bit, and in order; or the code of the error."""
    random.seed(0)  # for RAND
    try:
        return repr(list(evaluate(plan, world, forms)))
    except SqlError as error:
        return str(error.code)


def many(plan: Plan, world: World) -> bool:
    """Whether a plan has many rows."""
    try:
        return len(evaluate(plan, world, FAST)) > MANY
    except SqlError:
        return False


@cache
def legal(ddl: str, sql: str | None, profile: str) -> Prepared | None:
    """A script and its query, which the lines of a series share; None: they are refused."""
    try:
        return prepare(ddl, sql, Profile(profile))
    except SqlError:
        return None


def differences(case: Case) -> Iterator[str]:
    """What the two forms say of a case's query over all the rows that the case has."""
    prepared = legal(case.ddl, case.sql, case.profile)
    if prepared is None or prepared.query is None:
        return
    objects = {".".join(name): each for name, each in prepared.catalog.objects.items()}
    contents: dict[tuple[str, ...], list[Row]] = {}
    events = chain(case.tables, case.streams, *(step.events for step in case.steps))
    for event in events:
        if isinstance(event, Load | Rows):
            source = objects[event.object if isinstance(event, Load) else event.input]
            assert isinstance(source, Stream | Table)
            rows, _ = typed_rows(source.columns, event.rows, 0)
            contents.setdefault(source.name, []).extend(rows)
    world = World(contents, contents, contents)
    ingresses = {
        each.name: ingress_of(each) for each in objects.values() if isinstance(each, Stream)
    }
    try:
        for step in prepared.steps:
            world, _, _ = applied(step, world, ingresses)
    except SqlError:
        return
    plan = prepared.query
    if isinstance(plan, Delta) and many(plan.input, world):
        plan = plan.input
    defined, fast = (answer(plan, world, each) for each in (DEFINITIONS, FAST))
    if defined != fast:
        yield f"{case.id}: {case.sql}\n{defined}\n{fast}"


def test_the_queries_of_the_corpus_have_the_same_rows_in_both_forms() -> None:
    """Those of the core; nightly all."""
    core = core_ids(kit_core())
    chosen = [case for case in kit_corpus().cases if NIGHTLY or case.id in core]
    assert len(chosen) >= len(core)
    found = [each for case in chosen for each in differences(case)]
    assert not found, "\n".join(found)


@given(samples())
def test_generated_queries_have_the_same_rows_in_both_forms(sample: Sample) -> None:
    play = sample.play()
    for event in sample.events:
        play.step(event)
    world = World(sample.tables, play.contents, play.contents, play.world.now)
    for plan in (sample.query, sample.query.input):
        assert answer(plan, world, DEFINITIONS) == answer(plan, world, FAST)
