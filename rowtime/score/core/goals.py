"""The goals of the core: cases for mistakes, clauses, plans and chapters."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

from algebra.catalog import Profile
from grammar.source import SqlError
from rowtime.score.core.cover import Goal
from rowtime.score.core.features import node_names, operation_names, tiers_of
from rowtime.score.mistake import Mistake
from rowtime.score.plans import Plans
from rowtime.score.survivors import identity
from tck.corpus.case import Case
from tck.corpus.selected.selection import expectation_kind

#: How many transcripts of the core are to kill a mistake of timing: an engine that declares a lower
#: tier, or lacks what one of them needs, is still judged by the other.
_TRANSCRIPTS: Final = 2

#: The chapter whose cases are all in the core: they are built on reports of defects.
_REGRESSIONS: Final = "regressions"


def goals(
    cases: Sequence[Case],
    killers: Mapping[str, Collection[str]],
    mistakes: Sequence[Mistake],
    plans: Plans,
) -> Sequence[Goal]:
    """The goals of the core of some cases, which ``plans`` prepares.

    ``killers`` are the ids of cases that kill mistakes, by the mistakes' identities.  ``mistakes``
    are those written by hand: they declare whether they are mistakes of timing.
    """
    timing = {identity(each) for each in mistakes if each.timing}
    return [
        *_chapters(cases),
        *_clauses(cases),
        *_plans(cases, plans),
        *_mistakes(cases, killers, timing),
    ]


def _chapters(cases: Sequence[Case]) -> Iterator[Goal]:
    """A case of each chapter; of the field regressions all."""
    chapters: dict[str, set[str]] = defaultdict(set)
    for case in cases:
        chapters[case.chapter].add(case.id)
    for chapter, ids in chapters.items():
        yield Goal(f"chapter {chapter}", frozenset(ids), len(ids) if chapter == _REGRESSIONS else 1)


def _clauses(cases: Sequence[Case]) -> Iterator[Goal]:
    """A case for each rule and clause that any case cites."""
    citing: dict[str, set[str]] = defaultdict(set)
    for case in cases:
        for cited in case.cites:
            if cited.startswith("S-"):
                citing[cited].add(case.id)
    for cited, ids in sorted(citing.items()):
        yield Goal(cited, frozenset(ids))


def _plans(cases: Sequence[Case], plans: Plans) -> Iterator[Goal]:
    """A case for each kind of node in each profile, and for each operation at each tier.

    Only cases that run a query count: a refused query has no plan, and deductions about a query
    do not judge how it is evaluated.
    """
    showing: dict[str, set[str]] = defaultdict(set)
    for case in cases:
        if not case.runs:
            continue
        try:
            prepared = plans.prepare(case.ddl, case.sql, Profile(case.profile))
        except SqlError:
            continue
        for node in node_names(prepared):
            showing[f"{node} in profile {case.profile}"].add(case.id)
        if operations := operation_names(prepared):
            for tier in tiers_of(case):
                for operation in operations:
                    showing[f"{operation}, judged at {tier}"].add(case.id)
    for name, ids in sorted(showing.items()):
        yield Goal(name, frozenset(ids))


def _mistakes(
    cases: Sequence[Case], killers: Mapping[str, Collection[str]], timing: Collection[str]
) -> Iterator[Goal]:
    """A case that kills each mistake; of a mistake of timing two transcripts, if two are known."""
    there = {case.id for case in cases}
    transcripts = {case.id for case in cases if expectation_kind(case) == "timing"}
    for mistake, ids in sorted(killers.items()):
        known = there.intersection(ids)
        timed = known & transcripts
        where, of_mutant, _ = mistake.partition(": ")
        name = f"mutant of {where}" if of_mutant else f"mistake {mistake}"
        if mistake in timing and timed:
            yield Goal(name, frozenset(timed), _TRANSCRIPTS)
        else:
            yield Goal(name, frozenset(known))
