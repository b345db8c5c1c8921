"""The smoke test of the kit itself: its files, its reference, and the installed backends."""

from collections.abc import Generator, Iterable, Iterator
from itertools import groupby
from typing import Final

from tck.backends import Wiring, start_backend
from tck.corpus.case import Case
from tck.corpus.document import InvalidFilesError
from tck.corpus.ledger import kit_ledger, read_ledger
from tck.corpus.load import Corpus, kit_corpus
from tck.corpus.selected.core import kit_core, vanished_from_core
from tck.corpus.selected.requirements import kit_requirements, vanished
from tck.judging.verdict import Outcome
from tck.reasons import REFERENCE
from tck.result_types import typed
from tck.run import grade_case
from tck.smoke.conversations import Fault, Finding, smoke
from tck.wire.factory import entry_point, factory, installed
from tck.wire.faults import BackendStartError, UnknownBackendError

#: The number of cases that are run of each chapter.
_OF_A_CHAPTER: Final = 3


def installation(seconds: float) -> Generator[Finding]:
    """Check this installation, and yield the findings, in order.

    ``seconds`` is the time limit for each answer of the reference.  A wrong answer of the reference
    is a fault of the engine; all other faults count as faults of the harness.  Raises
    `UnknownBackendError` if the reference is not installed, `BackendStartError` if its process
    cannot be started.
    """
    corpus = kit_corpus()
    yield _check_files(corpus)
    yield _check_reference("in this process", REFERENCE, Wiring(seconds=seconds))
    path = entry_point(REFERENCE).value
    yield _check_reference("in a process of its own", path, Wiring(seconds=seconds))
    yield _check_cases(corpus)
    for name in installed():
        if name != REFERENCE:
            yield _check_other(name)


def _check_files(corpus: Corpus) -> Finding:
    """Check that the kit's files exist and are valid, and return the finding."""
    name = "the kit's cases and statements are read"
    try:
        entries = read_ledger(kit_ledger())
        problems = [
            *corpus.problems,
            *vanished(kit_requirements(), corpus.cases),
            *vanished_from_core(kit_core(), corpus.cases),
        ]
    except InvalidFilesError as error:
        problems = list(error.problems)
    else:
        if not problems:
            found = f"{len(corpus.cases)} cases of {len(entries)} statements"
            return Finding(name, Fault.NONE, found)
    return Finding(name, Fault.HARNESS, str(problems[0]))


def _check_reference(where: str, spec: str, wiring: Wiring) -> Finding:
    """Run the smoke test of the reference, and return its first fault as the finding, or none.

    ``where`` is a part of the finding's name, and ``spec`` names the backend as for `smoke`.
    """
    name = f"the reference answers {where}"
    for each in smoke(spec, wiring):
        if each.fault is not Fault.NONE:
            return Finding(f"{name}: {each.name}", each.fault, each.reason, each.detail)
    return Finding(name, Fault.NONE)


def _check_cases(corpus: Corpus) -> Finding:
    """Check that the reference passes a few cases of each chapter at its tier.

    The finding has the first failure, or the number of cases that passed.
    """
    name = "the reference passes cases of each chapter"
    running = start_backend(REFERENCE, Wiring())
    passed = 0
    try:
        for case in map(typed, _of_each_chapter(corpus.cases)):
            verdict = grade_case(running, case, running.hello.tier).verdict
            match verdict.outcome:
                case Outcome.PASS:
                    passed += 1
                case Outcome.FAIL | Outcome.ERROR:
                    fault = f"{case.chapter}/{case.id}: {verdict.reason}"
                    return Finding(name, Fault.ENGINE, fault, verdict.detail)
                case Outcome.SKIP:
                    pass
    finally:
        running.stop()
    return Finding(name, Fault.NONE, f"{passed} cases")


def _of_each_chapter(cases: Iterable[Case]) -> Iterator[Case]:
    """The first cases of each chapter; ``cases`` are sorted by chapter."""
    for _, chapter in groupby(cases, lambda case: case.chapter):
        for case, _ in zip(chapter, range(_OF_A_CHAPTER), strict=False):
            yield case


def _check_other(name: str) -> Finding:
    """Check that another installed backend can be imported; missing packages are not a fault."""
    title = f"backend {name}, if its packages are installed"
    try:
        factory(name, entry_point(name).value)
    except BackendStartError as error:
        return Finding(title, Fault.NONE if error.absent else Fault.HARNESS, str(error))
    except UnknownBackendError as error:
        return Finding(title, Fault.HARNESS, str(error))
    return Finding(title, Fault.NONE, "they are")
