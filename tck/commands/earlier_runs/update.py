"""The option `tck run --update`: reduce the file of a run to the results that still hold."""

import json
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

import typer

from tck.backends import start_backend
from tck.commands.earlier_runs.files import read_run
from tck.commands.earlier_runs.resume import difference_of, require_the_same_run
from tck.commands.options import usage_error, write_file
from tck.corpus.needs import EASING, needs_of
from tck.corpus.selected.digest import digest_of
from tck.exit_codes import EXIT_NO_BACKEND
from tck.files import shown_path
from tck.judging.known_failures import failures_on
from tck.judging.verdict import Outcome, Verdict, is_bad
from tck.processes import RunPlan, cases_by_backend
from tck.protocol import Hello
from tck.report.json_lines import EntryLine, HeadLine, HelloLine, known_fields, numbers_of_cases
from tck.report.record import Json, RunRecord
from tck.terminal.messages import print_message
from tck.wire.faults import BackendStartError, UnknownBackendError


def keep_what_holds(
    path: Path, plans: Sequence[RunPlan], version: str, left_out: Container[str]
) -> None:
    """Turn the file of a run into that of an incomplete run of ``plans``, which can be resumed.

    The result of a case is kept if the case has not changed, and if the backend still declares the
    same gaps among the case's needs, and among the gaps that make the judging less strict
    (`EASING`); the backend is started to find this out.  A skipped case is run again if the backend
    now gives another reason for one of its gaps, so that the result has the new reason.  A result
    that fails the run is not kept, because the backend may have been mended.  ``plans`` decide
    whether a case is known to fail, and whether it is required.

    The command ends, and the file stays as it was, in these cases:

    - exit code 2, if the version of the kit, the backends, or their descriptions, except for the
      gaps, are not those of the earlier run;
    - exit code 2, if the file has a result of a case in ``left_out``, the ids that the command's
      options exclude, because this result would be lost;
    - exit code 3, if a backend cannot be started.
    """
    record = read_run(path)
    require_the_same_run(record, plans, version)
    _require_no_loss(record, plans, left_out)
    gaps = {name: _declared_gaps(record, name, plans[0]) for name in record.hellos}
    *whole, _ = path.read_text("utf-8").split("\n")  # the last part has no line break
    lines = _retained_lines(map(json.loads, whole), plans, record.hellos, gaps)
    write_file(path, "".join(f"{json.dumps(each, ensure_ascii=False)}\n" for each in lines))


def _require_no_loss(record: RunRecord, plans: Sequence[RunPlan], left_out: Container[str]) -> None:
    """End with exit code 2 if the file has results of cases that the plans do not run.

    These are the cases in ``left_out``, and cases that the plans run only on other backends.
    """
    by_backend = cases_by_backend(plans)
    planned = {name: {case.id for case in cases} for name, cases in by_backend.items()}
    anywhere = frozenset[str]().union(*planned.values())
    lost = {
        entry.case
        for entry in record.entries
        if entry.case in left_out
        or (entry.case in anywhere and entry.case not in planned[entry.backend])
    }
    if lost:
        what = f"the options leave out {len(lost):,} of its cases, whose results would be lost"
        hint = "give the options that the run was started with, or write another file with --jsonl"
        usage_error(f"{shown_path(record.path)}: cannot be updated: {what} ({hint})")


def _declared_gaps(record: RunRecord, backend: str, plan: RunPlan) -> Mapping[str, str]:
    """Start a backend, and return the gaps that it declares now.

    Ends with exit code 2 if the rest of its description has changed.
    """
    try:
        running = start_backend(backend, plan.wiring)
    except UnknownBackendError as error:
        usage_error(str(error))
    except BackendStartError as error:
        print_message(f"{backend} was not run: {error.explained}")
        raise typer.Exit(EXIT_NO_BACKEND) from None
    now, before = running.hello, record.hellos[backend]
    running.stop()
    if difference := difference_of(replace(before, gaps=now.gaps), now):
        usage_error(
            f"{shown_path(record.path)}: cannot be updated: {backend} is not the same as before "
            f"({difference}): run it whole, with --jsonl"
        )
    return now.gaps


def _retained_lines(
    lines: Iterable[Json],
    plans: Sequence[RunPlan],
    hellos: Mapping[str, Hello],
    gaps: Mapping[str, Mapping[str, str]],
) -> Iterator[object]:
    """The lines of the incomplete run: some of the ``lines`` of the file, changed as necessary.

    ``gaps`` has the gaps that each backend declares now; ``hellos`` has its description in the
    file.  The lines about the run and the backends are brought up to date.  The lines of results
    that do not hold, and the last line, by which a run is complete, are left out.
    """
    by_backend = cases_by_backend(plans)
    numbers = {backend: len(cases) for backend, cases in by_backend.items()}
    cases = {case.id: case for listed in by_backend.values() for case in listed}
    digests = {id: digest_of(case) for id, case in cases.items()}
    # By backend: the gaps that are new or no longer declared.
    changed = {name: hello.gaps.keys() ^ gaps[name].keys() for name, hello in hellos.items()}
    # By backend: these gaps, and the gaps whose reason has changed.
    reworded = {
        name: {word for word, _ in hello.gaps.items() ^ gaps[name].items()}
        for name, hello in hellos.items()
    }
    known = {name: failures_on(plans[0].known, name, hello.name) for name, hello in hellos.items()}
    for line in lines:
        match line:
            case {"rowtime": _}:
                head = cast("HeadLine", line)["rowtime"]
                head.pop("cases_on", None)
                yield HeadLine(rowtime={**head, **numbers_of_cases(numbers)})
            case {"hello": _}:
                hello = cast("HelloLine", line)
                hello["hello"]["gaps"] = dict(gaps[hello["backend"]])
                yield hello
            case {"case": str(id), "digest": str(digest)} if digest == digests.get(id):
                entry = cast("EntryLine", line)
                needs = needs_of(cases[id])
                if not changed[entry["backend"]].isdisjoint({*needs, *EASING}):
                    continue
                if entry["outcome"] == "skip" and not reworded[entry["backend"]].isdisjoint(needs):
                    continue
                failure = known[entry["backend"]].get(id)
                entry = cast("EntryLine", {**entry, **known_fields(failure)})
                entry["required"] = cases[id].required
                verdict = Verdict(Outcome(entry["outcome"]), None, entry["reason"])
                if not is_bad(verdict, failure):
                    yield entry
            case _:  # a case that has changed or is not planned, or the end
                pass
