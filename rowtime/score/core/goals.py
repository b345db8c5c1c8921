"""The goals of the core: the part of the corpus that detects almost as much as the whole.

A goal is a set of cases, and the number of them that the core must contain.  There is a goal for
each mistake (the set has the cases that *kill* the mistake, because they fail on it), for each
clause that cases cite, for each kind of node in plans, and for each chapter.
"""

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

#: The number of transcripts in the core that kill a mistake of timing. With two, an engine that
#: declares a lower tier, or lacks a feature that one of them needs, is still judged by the other.
_TRANSCRIPTS: Final = 2

#: The chapter whose cases are all in the core: each repeats a defect that users reported.
_REGRESSIONS: Final = "regressions"


def goals(
    cases: Sequence[Case],
    killers: Mapping[str, Collection[str]],
    mistakes: Sequence[Mistake],
    plans: Plans,
) -> Sequence[Goal]:
    """The goals that the core of ``cases`` must meet: chapters, clauses, plans, then mistakes.

    ``killers`` has the ids of the cases that kill each mistake, by the mistake's identity.
    ``mistakes`` are the hand-written ones, which declare whether they concern timing. ``plans``
    prepares the queries of the cases.
    """
    timing = {identity(each) for each in mistakes if each.timing}
    return [
        *_chapters(cases),
        *_clauses(cases),
        *_plans(cases, plans),
        *_mistakes(cases, killers, timing),
    ]


def _chapters(cases: Sequence[Case]) -> Iterator[Goal]:
    """One case of each chapter, and all cases of the regressions."""
    chapters: dict[str, set[str]] = defaultdict(set)
    for case in cases:
        chapters[case.chapter].add(case.id)
    for chapter, ids in chapters.items():
        yield Goal(f"chapter {chapter}", frozenset(ids), len(ids) if chapter == _REGRESSIONS else 1)


def _clauses(cases: Sequence[Case]) -> Iterator[Goal]:
    """One case for each rule and clause that any case cites."""
    citing: dict[str, set[str]] = defaultdict(set)
    for case in cases:
        for cited in case.cites:
            if cited.startswith("S-"):
                citing[cited].add(case.id)
    for cited, ids in sorted(citing.items()):
        yield Goal(cited, frozenset(ids))


def _plans(cases: Sequence[Case], plans: Plans) -> Iterator[Goal]:
    """One case for each kind of node in each profile, and for each operation at each tier.

    Only cases that run a query count: a rejected query has no plan, and cases about metadata do not
    judge the evaluation.
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
    """One case that kills each mistake; two transcripts, if known, for a mistake of timing."""
    existing = {case.id for case in cases}
    transcripts = {case.id for case in cases if expectation_kind(case) == "timing"}
    for mistake, ids in sorted(killers.items()):
        killing = existing.intersection(ids)
        timed = killing & transcripts
        # The identity of a mutant is its place, a colon and its lines; that of any other mistake is
        # its name, which has no colon.
        where, of_mutant, _ = mistake.partition(": ")
        name = f"mutant of {where}" if of_mutant else f"mistake {mistake}"
        if mistake in timing and timed:
            yield Goal(name, frozenset(timed), _TRANSCRIPTS)
        else:
            yield Goal(name, frozenset(killing))
