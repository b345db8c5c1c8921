"""Make the variants of a case: a law changes the input, and determines the new result."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final, TypeAlias

from tck.corpus.case import Case, Step
from tck.corpus.needs import emits_changes, needs_of, says_stream
from tck.protocol import End
from tck.variants.bounds import with_bounds_again, with_implied_bounds, without_bounds
from tck.variants.cuts import in_one_step, one_at_a_time
from tck.variants.names import renamed
from tck.variants.order import with_inputs_reversed, with_ties_reversed
from tck.variants.shift import four_centuries_later
from tck.variants.size import in_many_copies
from tck.variants.undone import with_changes_undone

#: Makes a variant of a case that has steps; None if the law does not hold for the case, or if the
#: variant would be the case itself.
Law: TypeAlias = Callable[[Case], Case | None]

#: The laws by the names of their variants.
LAWS: Final[Mapping[str, Law]] = {
    "bounds-again": with_bounds_again,
    "implied-bounds": with_implied_bounds,
    "without-bounds": without_bounds,
    "one-at-a-time": one_at_a_time,
    "in-one-step": in_one_step,
    "ties-reversed": with_ties_reversed,
    "inputs-reversed": with_inputs_reversed,
    "four-centuries-later": four_centuries_later,
    "in-many-copies": in_many_copies,
    "changes-undone": with_changes_undone,
    "renamed": renamed,
}

#: The laws that also hold for a case with producers; the others change the sender of events.
_OF_PRODUCERS: Final = frozenset(
    {"one-at-a-time", "in-one-step", "four-centuries-later", "renamed"}
)

#: The laws that also hold for changelogs; the others change answers before the end, or list rows.
_OF_CHANGELOGS: Final = frozenset(
    {
        *("one-at-a-time", "in-one-step", "bounds-again", "inputs-reversed"),
        *("four-centuries-later", "changes-undone", "renamed"),
    }
)

#: The laws that also hold for a case that expects a refusal; the others change events.
_OF_REFUSALS: Final = frozenset({"renamed"})

#: The sign between the id of a case and the name of a variant; no id of a case has it.
SEPARATOR: Final = "~"


def is_variant(id: str) -> bool:
    """Whether an id is that of a variant."""
    return SEPARATOR in id


def variants(case: Case) -> Iterator[Case]:
    """The variants of a case, in the order of `LAWS`, with ids like ``tumble~one-at-a-time``.

    The case must have the types of its result (`tck.result_types.typed`).  A case has no variants
    if it neither runs a query nor expects a refusal.
    """
    if not case.error and (not case.runs or case.sql is None):
        return
    base = case if case.error else with_steps(case)
    for name, law in LAWS.items():
        if case.error and name not in _OF_REFUSALS:
            continue
        if case.has_producers and name not in _OF_PRODUCERS:
            continue
        if emits_changes(case.sql) and name not in _OF_CHANGELOGS:
            continue
        variant = law(base)
        if variant is not None:
            yield _named(variant, case, name)


def _named(variant: Case, of: Case, name: str) -> Case:
    """The variant ``name`` of the case ``of``, without properties that follow from the query alone.

    The case itself tests these properties.
    """
    return replace(
        variant,
        id=f"{of.id}{SEPARATOR}{name}",
        why=f"variant {name} of {of.id}" + (f": {of.why}" if of.why else ""),
        monotonicity={},
        metadata={},
        plan=None,
        schema=None,
    )


def large_variants(cases: Iterable[Case], rows: int) -> Iterator[Case]:
    """Variants like ``tumble~with-1000-rows``, whose input has ``rows`` rows, or a few more.

    A case has such a variant if its input can be copied, and if it needs a capability, or has a
    profile, that no earlier case with a variant has.  So there is a variant for each kind of query.
    The cases must have the types of their results.
    """
    seen = set[str]()
    for case in cases:
        needs = {*needs_of(case), case.profile}
        if needs <= seen or not case.runs or case.sql is None or emits_changes(case.sql):
            continue
        variant = in_many_copies(with_steps(case), rows)
        if variant is not None:
            seen |= needs
            yield _named(variant, case, f"with-{rows}-rows")


def with_steps(case: Case) -> Case:
    """The case; if it has no steps, with one step that has all its events."""
    if case.steps:
        return case
    fed = case.streams if says_stream(case.sql or "") else ()
    return replace(case, steps=(Step(0, (*fed, End())),))


def with_variants(cases: Iterable[Case]) -> Iterator[Case]:
    """Each case, followed by its variants."""
    for case in cases:
        yield case
        yield from variants(case)
