"""The search for a small history on which a backend breaks a rule."""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass, field, replace
from random import Random
from typing import Final, TypeAlias

from hypothesis import HealthCheck, Phase, Verbosity, find, settings
from hypothesis.errors import Flaky, NoSuchExample

from rowtime.compare.expected_case import recorded_case
from rowtime.fuzz.sample import Sample, samples
from rowtime.fuzz.vocabulary import Vocabulary
from tck.backends import RunningBackend
from tck.corpus.case import Case
from tck.corpus.needs import needs_of
from tck.judging.verdict import Kind, Outcome, Verdict
from tck.protocol import Backend, Refused
from tck.result_types import typed
from tck.run import grade_case
from tck.variants.variants import SEPARATOR, variants
from tck.wire.faults import BackendStartError

#: The number of samples that are tried from one seed before the next begins.
_SAMPLES: Final = 400
#: The number of answered queries up to which each query has at most one operator.  In this first
#: part of a hunt, the search finds out which operators a small engine has.
_FIRST: Final = 200
#: The number of samples that are tried from one seed in this first part.
_FIRST_SAMPLES: Final = 25
_SETTINGS: Final = settings(
    max_examples=_SAMPLES,
    deadline=None,
    database=None,
    phases=(Phase.generate, Phase.shrink),
    suppress_health_check=(HealthCheck.too_slow, HealthCheck.data_too_large),
    # By default, Hypothesis would print how to repeat a test, and there is no test.
    verbosity=Verbosity.quiet,
)


#: Findings with equal values probably have one cause: the broken clause, the kind of failure, and
#: the capabilities that the case needs.
_Sort: TypeAlias = tuple[str, Kind | None, frozenset[str]]


class _OverError(BaseException):
    """The search is over; not an `Exception`, because Hypothesis must not catch it."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A case that the backend fails, as small as the search could make it.

    ``broken`` is the clause that the case tests, or the name of its variant.
    """

    case: Case
    broken: str
    verdict: Verdict


@dataclass(slots=True)
class Hunt:
    """A search in progress.

    ``until`` is the end of the search, in the time of `time.monotonic`.  ``counts`` has the number
    of samples by their outcome.  ``lost`` is the reason why a crashed backend could not be started
    again, which ends the search; empty if there is no such reason.  ``on_query`` is called before
    each query.  ``running`` is the backend that is searched for faults.
    """

    running: RunningBackend
    reference: Backend
    until: float
    vocabulary: Vocabulary = field(default_factory=Vocabulary)
    counts: Counter[str] = field(default_factory=Counter[str])
    lost: str = ""
    on_query: "Callable[[Hunt], None]" = lambda _hunt: None

    def findings(self, seed: int) -> Iterator[Finding]:
        """The findings until the search ends; only the first of the findings that are alike."""
        known: set[_Sort] = set()
        round = 0
        while time.monotonic() < self.until and not self.lost:
            round += 1
            finding = self._least(Random(f"{seed}/{round}"), known)
            if finding is not None:
                known.add(_sort_of(finding))
                yield replace(finding, case=replace(finding.case, id=f"fuzz-{seed}-{round}"))

    def _least(self, random: Random, known: AbstractSet[_Sort]) -> Finding | None:
        """The smallest finding of a sort that is not in ``known``; None if no sample has one.

        The samples are drawn by ``random``.  If the search ends, or the backend does not repeat its
        answer, the result is the smallest finding so far.
        """
        # Hypothesis calls `breaks` with smaller and smaller samples, so the last one is the least.
        broken: list[Finding] = []

        def breaks(sample: Sample) -> bool:
            if time.monotonic() >= self.until:
                raise _OverError
            finding = self.judge(sample)
            if finding is None or _sort_of(finding) in known:
                return False
            broken.append(finding)
            return True

        with suppress(NoSuchExample, Flaky, _OverError):
            is_first_part = self.vocabulary.queries < _FIRST
            drawn = samples(1 if is_first_part else 3, self.vocabulary.missing)
            most = _FIRST_SAMPLES if is_first_part else _SAMPLES
            find(drawn, breaks, settings=settings(_SETTINGS, max_examples=most), random=random)
        return broken[-1] if broken else None

    def judge(self, sample: Sample) -> Finding | None:
        """Judge a sample: return a finding for the first rule that the backend breaks, else None.

        The result is also None if the sample is not judged: the reference or the backend refuses
        its query, or the engine lacks a part of it.  `counts` and `vocabulary` record the outcome.
        """
        self.on_query(self)
        sampled = sample.case("fuzz")
        words = sample.pieces.union(needs_of(sampled))
        if self.vocabulary.missing.intersection(words):
            self.counts["not asked for"] += 1
            return None
        case = recorded_case(sampled, self.reference)
        if isinstance(case, Refused):
            self.counts["not legal"] += 1
            return None
        verdict = self._verdict(case)
        if verdict.outcome is Outcome.SKIP and not verdict.missing:
            self.counts["skipped by its gaps"] += 1
            return None
        accepted = verdict.kind is not Kind.REFUSED and not verdict.missing
        self.vocabulary.add(words, accepted=accepted)
        if not accepted:
            self.counts["refused"] += 1
            return None
        self.counts["judged"] += 1
        if verdict.outcome is not Outcome.PASS:
            return Finding(case, "S-1001" if sample.query.changelog else "S-305", verdict)
        return self._law_of_rows(case, sample) or self._by_variants(case)

    def _verdict(self, case: Case) -> Verdict:
        """The verdict on a case; a backend that has crashed before is started again.

        If it cannot be started, the search is over, and `lost` has the reason.
        """
        if self.running.over:
            try:
                self.running.restart()
            except BackendStartError as error:
                self.lost = error.explained
                raise _OverError from None
        return grade_case(self.running, typed(case), self.running.hello.tier).verdict

    def _law_of_rows(self, case: Case, sample: Sample) -> Finding | None:
        """The finding that the streaming query and the relational query have different rows.

        None if their rows are the same, if they cannot be compared, or if the backend refuses the
        relational query.
        """
        if case.failure or not case.all_rows:
            return None
        compared = replace(case, equal_to=sample.query.text)
        verdict = self._verdict(compared)
        if verdict.outcome in (Outcome.PASS, Outcome.SKIP) or verdict.kind is Kind.REFUSED:
            return None
        return Finding(compared, "S-303", verdict)

    def _by_variants(self, case: Case) -> Finding | None:
        """The first variant of the case, by the laws of `tck.variants`, that the backend fails."""
        for variant in variants(case):
            verdict = self._verdict(variant)
            if verdict.outcome not in (Outcome.PASS, Outcome.SKIP):
                return Finding(variant, variant.id.partition(SEPARATOR)[2], verdict)
        return None


def _sort_of(finding: Finding) -> _Sort:
    """The values by which findings of one cause are recognized (`_Sort`)."""
    return finding.broken, finding.verdict.kind, frozenset(needs_of(finding.case))
