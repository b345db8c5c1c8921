"""Collect the contents of an engine's page: its gaps, and its failures."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from tck.corpus.selected.requirements import BEYOND
from tck.judging.verdict import UNSUPPORTED, VERDICTS, Outcome
from tck.pages.abilities import Group
from tck.pages.engines import Engine, count_states
from tck.pages.history import History, history
from tck.pages.items import Item
from tck.protocol import TIERS, Tier
from tck.report.badge import badge, badge_svg
from tck.report.gaps.lacks import JudgedCase, lacking
from tck.report.gaps.next_gaps import NextGap, next_gaps
from tck.report.record import Entry
from tck.report.states import STATES, State, state, state_at


@dataclass(frozen=True, slots=True)
class Listed:
    """Cases under one name, such as a reason or a kind of fault, with their results."""

    name: str
    cases: tuple[tuple[Item, Entry], ...]


@dataclass(frozen=True, slots=True)
class KnownFailures:
    """The known failures with one verdict, and the meaning of the verdict.

    ``verdict`` is one of `VERDICTS`, or empty if nobody has decided it.  ``reasons`` has the cases
    by reason, the reasons with the most cases first.
    """

    verdict: str
    meaning: str
    reasons: tuple[Listed, ...]

    @property
    def count(self) -> int:
        """The number of cases."""
        return sum(len(each.cases) for each in self.reasons)


@dataclass(frozen=True, slots=True)
class Gap:
    """A gap that an engine declares, its reason, and the number of cases skipped because of it."""

    name: str
    reason: str
    skipped: int


@dataclass(frozen=True, slots=True)
class NeedAtFault:
    """A capability, with the numbers of wrong and of judged cases that need it."""

    need: str
    wrong: int
    judged: int


@dataclass(frozen=True, slots=True)
class EngineView:
    """The page of an engine.

    ``gaps`` are the declared gaps, those with the most skipped cases first.  ``missing`` has the
    cases that the engine does not implement, by its reason, and ``skips`` has the cases that were
    skipped for other reasons than a declared gap.  ``next`` are the gaps that should be filled
    next, in order.  ``faults`` has failures and errors by kind.  ``known`` has the known failures
    by verdict.  ``needs`` are the capabilities whose cases fail, the greatest share first.

    ``total`` has the number of cases in each state, without the chapter `BEYOND`, and ``beyond``
    that for this chapter.  ``tiers`` has the same numbers as ``total``, but at each tier.
    ``history`` is None if there is only one run.  ``badge`` is empty if the engine was not started.
    """

    engine: Engine
    gaps: tuple[Gap, ...]
    missing: tuple[Listed, ...]
    skips: tuple[Listed, ...]
    next: tuple[NextGap, ...]
    faults: tuple[Listed, ...]
    known: tuple[KnownFailures, ...]
    needs: tuple[NeedAtFault, ...]
    tiers: Mapping[Tier, Mapping[State, int]]
    total: Mapping[State, int]
    beyond: Mapping[State, int]
    history: History | None
    badge: Markup | str


def engine_view(engine: Engine, items: Sequence[Item], needs: Iterable[Group]) -> EngineView:
    """The view of an engine; ``needs`` has a group of cases for each capability."""
    found = [(item, entry) for item in items if (entry := engine.entries.get(item.id))]
    skipped = [(item, entry) for item, entry in found if state(entry) == "skip"]
    skip_counts = Counter(_named_gap(entry) for _, entry in skipped)
    gaps = [
        Gap(name, reason, skip_counts[name])
        for name, reason in (engine.hello.gaps if engine.hello else dict[str, str]()).items()
    ]
    gap_names = {gap.name for gap in gaps}
    missing = [(item, entry) for item, entry in skipped if entry.verdict.missing]
    others = [
        (item, entry)
        for item, entry in skipped
        if not entry.verdict.missing and _named_gap(entry) not in gap_names
    ]
    judged = [
        JudgedCase(entry.chapter, entry.needs, entry.verdict, entry.reported, entry.case)
        for _, entry in found
    ]
    lacks = lacking(judged, engine.hello.gaps if engine.hello else {}).lacks
    main = [item.id for item in items if item.chapter != BEYOND]
    beyond = [item.id for item in items if item.chapter == BEYOND]
    wrong = [(item, entry) for item, entry in found if state(entry) in ("fail", "error")]
    known = [(item, entry) for item, entry in found if state(entry) == "known"]
    return EngineView(
        engine=engine,
        gaps=tuple(sorted(gaps, key=lambda gap: -gap.skipped)),
        missing=_group_by(lambda entry: entry.verdict.reason.removeprefix(UNSUPPORTED), missing),
        skips=_group_by(lambda entry: entry.verdict.reason, others),
        next=next_gaps(lacks),
        faults=_group_by(kind_of, wrong),
        known=tuple(_by_verdict(known)),
        needs=_needs_at_fault(engine, needs),
        tiers={tier: _states_at(tier, engine, main) for tier in TIERS},
        total=count_states(engine, main),
        beyond=count_states(engine, beyond),
        history=history(engine.runs),
        badge=_badge(engine),
    )


def _badge(engine: Engine) -> Markup | str:
    """The image that `tck badge` draws for the run; empty if the engine was not started."""
    if engine.tier is None:
        return ""
    run = engine.runs[-1]
    return Markup(badge_svg(badge(run, run.backends[0])))  # noqa: S704  the template escapes


def kind_of(entry: Entry) -> str:
    """The kind of a result that fails the run: a `Kind` or ERROR.

    If a case that is known to fail passes, it is a text that says this.
    """
    verdict = entry.verdict
    if verdict.outcome is Outcome.PASS:
        return "PASSES, but is known to fail"
    return str(verdict.kind or verdict.outcome.upper())


def _entries(engine: Engine, cases: Iterable[str]) -> Iterator[Entry]:
    """The results of an engine on the cases; a case without a result is left out."""
    return (engine.entries[case] for case in cases if case in engine.entries)


def _named_gap(entry: Entry) -> str:
    """The gap because of which a case was skipped: the part of the reason before the colon.

    If the case was skipped for another reason, the text is not the name of a gap.
    """
    return entry.verdict.reason.partition(":")[0]


def _group_by(
    name: Callable[[Entry], str], cases: Iterable[tuple[Item, Entry]]
) -> tuple[Listed, ...]:
    """The cases, grouped by the name that ``name`` returns; the largest groups are first."""
    found: dict[str, list[tuple[Item, Entry]]] = {}
    for item, entry in cases:
        found.setdefault(name(entry), []).append((item, entry))
    listed = (Listed(name, tuple(cases)) for name, cases in found.items())
    return tuple(sorted(listed, key=lambda each: -len(each.cases)))


def _by_verdict(known: Sequence[tuple[Item, Entry]]) -> Iterator[KnownFailures]:
    """The known failures by verdict, in the order of `VERDICTS`; those without one are last."""
    for verdict, meaning in {**VERDICTS, "": "nobody has said yet whose difference it is"}.items():
        cases = [
            (item, entry)
            for item, entry in known
            if entry.known is not None and (entry.known.verdict or "") == verdict
        ]
        if cases:
            yield KnownFailures(verdict, meaning, _group_by(_reason, cases))


def _reason(entry: Entry) -> str:
    """The reason of the known failure."""
    return "" if entry.known is None else entry.known.reason


def _needs_at_fault(engine: Engine, needs: Iterable[Group]) -> tuple[NeedAtFault, ...]:
    """The capabilities with wrong cases, those with the greatest share of wrong cases first."""
    found: list[NeedAtFault] = []
    for each in needs:
        counts = Counter(engine.state(item.id) for item in each.items)
        wrong = counts["fail"] + counts["error"]
        if wrong:
            found.append(NeedAtFault(each.name, wrong, wrong + counts["pass"] + counts["known"]))
    return tuple(sorted(found, key=lambda each: (-each.wrong / each.judged, -each.wrong)))


def _states_at(tier: Tier, engine: Engine, cases: Iterable[str]) -> Mapping[State, int]:
    """The number of the cases in each state at a tier (`state_at`)."""
    counts = Counter(state_at(entry, tier, engine.tier) for entry in _entries(engine, cases))
    return {each: counts[each] for each in STATES}
