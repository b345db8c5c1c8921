"""Run the cases of the kit as tests of pytest: ``pytest --rowtime-backend NAME``.

pytest loads this module in every run of an environment where the kit is installed.  So it imports
the other modules of the kit only in functions that need them.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from tck.backends import RunningBackend
    from tck.corpus.case import Case
    from tck.corpus.load import Corpus
    from tck.judging.known_failures import Known
    from tck.judging.verdict import Result
    from tck.reasons import ReferenceExplainer

#: The exit status of a run whose backend cannot be started, as that of `rowtime tck run`.
_NO_BACKEND: Final = 3


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add options: some of `rowtime tck run`, with the prefix ``--rowtime-``, and unit tests."""
    group = parser.getgroup("rowtime", "the conformance kit for streaming SQL")
    group.addoption(
        "--rowtime-backend",
        action="append",
        metavar="NAME|module:Class|cmd:COMMAND",
        help="Test this backend, each case a test with the marker rowtime.",
    )
    group.addoption(
        "--rowtime-cases", action="append", metavar="DIR", help="Cases; default: the kit's own."
    )
    group.addoption(
        "--rowtime-only", action="append", metavar="GLOB", help="Only these: id, or chapter/id."
    )
    group.addoption("--rowtime-core", action="store_true", help="Only the core of the kit's cases.")
    group.addoption(
        "--rowtime-tier",
        choices=("final", "bounded", "exact"),
        help="The tier at which answers are judged.",
    )
    group.addoption("--rowtime-known", metavar="FILE", help="Cases known to fail.")
    group.addoption(
        "--rowtime-tests",
        action="append",
        metavar="PATH",
        help="Unit tests of your own SQL, in place of cases; default backend: reference.",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker ``rowtime``.  Register the kit, too, if the options request cases.

    With the marker, ``-m rowtime`` runs only cases, and ``-m 'not rowtime'`` none.
    """
    config.addinivalue_line("markers", "rowtime: a case of the conformance kit")
    if config.getoption("--rowtime-backend") or config.getoption("--rowtime-tests"):
        config.pluginmanager.register(_Kit(config), "rowtime-kit")


@dataclass(slots=True)
class _Kit:
    """The kit in one run of pytest: it adds a test for each case, and runs the cases.

    ``running`` has the backends that have been started so far, by name.  ``explainer`` finds the
    reasons of wrong rows; None: no case has run yet.  ``known`` are the known failures by backend
    and case, and ``words`` the names of all capabilities that the cases need.
    """

    config: pytest.Config
    running: "dict[str, RunningBackend]" = field(default_factory=dict[str, "RunningBackend"])
    explainer: "ReferenceExplainer | None" = None
    known: "Known" = field(default_factory=dict[str, Any])
    words: frozenset[str] = frozenset()

    # First, so that the options -k and -m can choose among these tests.
    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(
        self, session: pytest.Session, items: list[pytest.Item]
    ) -> None:
        """Add a test for each case and backend."""
        from tck.corpus.document import InvalidFilesError
        from tck.corpus.needs import known_words
        from tck.judging.known_failures import expand_series, read_known
        from tck.reasons import REFERENCE

        file = self.config.getoption("--rowtime-known")
        cases = self._corpus().cases
        try:
            self.known = expand_series(read_known(Path(file)), cases) if file else {}
        except InvalidFilesError as error:
            raise pytest.UsageError(str(error)) from None
        self.words = known_words(cases)
        for backend in self.config.getoption("--rowtime-backend") or (REFERENCE,):
            items += [self._item(session, backend, case) for case in cases]

    def _corpus(self) -> "Corpus":
        """The chosen cases.  Raises `pytest.UsageError` if there are none, or a file is invalid."""
        from tck.corpus.load import Corpus, kit_corpus, load_corpus
        from tck.corpus.selected.core import core_ids, kit_core
        from tck.corpus.unit_tests.reading import read_unit_tests

        roots, tests = (self.config.getoption(f"--rowtime-{each}") for each in ("cases", "tests"))
        if roots and tests:
            raise pytest.UsageError("give --rowtime-cases or --rowtime-tests: one of them")
        if tests:
            corpus = read_unit_tests(map(Path, tests))
        else:
            corpus = load_corpus(map(Path, roots)) if roots else kit_corpus()
        if corpus.problems:
            raise pytest.UsageError("\n".join(map(str, corpus.problems)))
        globs = self.config.getoption("--rowtime-only") or ()
        chosen = corpus.only(globs)
        if not chosen.cases:
            raise pytest.UsageError(f"no case matches --rowtime-only {' '.join(globs)}")
        if self.config.getoption("--rowtime-core"):
            core = core_ids(kit_core())
            chosen = Corpus(tuple(case for case in chosen.cases if case.id in core))
            if not chosen.cases:
                raise pytest.UsageError("none of these cases is in the core: --rowtime-core")
        return chosen

    def _item(self, session: pytest.Session, backend: str, case: "Case") -> "CaseItem":
        """The test of a case on a backend."""
        name = f"{backend}::{case.chapter}::{case.id}"
        untyped: Any = CaseItem  # the method `from_parent` that it inherits has no types
        item: CaseItem = untyped.from_parent(session, name=name, nodeid=f"rowtime::{name}")
        item.kit, item.backend, item.case = self, backend, case
        item.add_marker("rowtime")
        return item

    def run(self, backend: str, case: "Case") -> "Result":
        """Run a case on a backend; the run of pytest ends if the backend cannot be started."""
        from tck.judging.known_failures import failures_on
        from tck.reasons import ReferenceExplainer
        from tck.run import SLOW, run_cases

        self.explainer = self.explainer or ReferenceExplainer()
        tier = self.config.getoption("--rowtime-tier")
        running = self._running_backend(backend)
        known = failures_on(self.known, backend, running.hello.name)
        (result,) = run_cases(running, [case], _Silent(), known, SLOW, tier, self.explainer)
        return result

    def _running_backend(self, backend: str) -> "RunningBackend":
        """The backend with this name, which is started at the first call."""
        from tck.backends import Wiring, start_backend
        from tck.wire.faults import BackendStartError, UnknownBackendError

        if backend not in self.running:
            try:
                self.running[backend] = start_backend(backend, Wiring(words=self.words))
            except (BackendStartError, UnknownBackendError) as error:
                pytest.exit(error.explained, returncode=_NO_BACKEND)
        return self.running[backend]

    def pytest_sessionfinish(self) -> None:
        """Stop the backends."""
        for running in self.running.values():
            running.stop()
        if self.explainer:
            self.explainer.stop()


class _Silent:
    """A listener that shows nothing, because pytest shows the progress."""

    def started(self, backend: str, case: "Case") -> None:
        """A case begins."""

    def slow(self, backend: str, case: "Case", seconds: float) -> None:
        """A case has not ended after ``seconds`` seconds."""

    def finished(self, result: "Result") -> None:
        """A case has ended."""


class FailedCaseError(Exception):
    """A backend fails a case, or passes it although the case is known to fail."""

    def __init__(self, result: "Result") -> None:
        super().__init__(result.verdict.reason)
        self.result = result


class CaseItem(pytest.Item):
    """A test that runs one case on one backend."""

    kit: _Kit
    backend: str
    case: "Case"

    def runtest(self) -> None:
        """Run the case.

        It is skipped if it needs a capability that the backend lacks.  A known failure is reported
        as xfailed.
        """
        from tck.judging.verdict import Outcome

        result = self.kit.run(self.backend, self.case)
        if result.bad:
            raise FailedCaseError(result)
        if result.verdict.outcome is Outcome.SKIP:
            pytest.skip(result.verdict.reason)
        if result.verdict.outcome is not Outcome.PASS:
            pytest.xfail(str(result.known or ""))

    def reportinfo(self) -> tuple[PathLike[str] | str, int | None, str]:
        """The case's file and line, counted from 0, and its name in reports."""
        return self.case.place.file, self.case.place.line - 1, self.name

    # The result has the type Any, because the type in pytest's own method is not public.
    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The failure as `rowtime tck run` shows it; any other exception has its traceback."""
        from tck.terminal.printable import printable_lines

        if isinstance(excinfo.value, FailedCaseError):
            return printable_lines("\n".join(_lines(excinfo.value.result)))
        return super().repr_failure(excinfo, style)


def _lines(result: "Result") -> Iterator[str]:
    """The lines about a failed case: verdict, place, intent, query, differences and reasons."""
    case, verdict = result.case, result.verdict
    known = f", though it is known to fail: {result.known}" if result.known else ""
    yield f"{verdict.label} {result.backend}{known}: {verdict.reason}".removesuffix(": ")
    yield f"{case.place}  cites {', '.join(case.cites)}" if case.cites else str(case.place)
    if case.why:
        yield case.why.strip()
    yield from (f"| {line.expandtabs()}" for line in (case.sql or case.ddl).strip().splitlines())
    yield from verdict.detail
    yield from result.why
