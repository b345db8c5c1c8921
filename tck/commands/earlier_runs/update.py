"""`tck run --update`: the results of an earlier run that still hold, because nothing changed."""

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
from tck.judging.known_failures import of_backend
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
    """Turn the file of an earlier run into that of an incomplete run of ``plans``, to be resumed.

    The result of a case is kept if the case has not changed, and if the backend, which is started
    to find out, declares the same gaps among the case's capabilities.  If only the reason of a gap
    is another, the cases that are skipped for it are skipped again, with the new reason.  A result
    that fails the run is not kept, because the backend may have been mended.  Whether it is known
    to fail, or required, follows ``plans``.

    The version of the kit, the backends, and their descriptions except for the gaps must be those
    of the earlier run, else exit code 2.  The file must have no result of a case in ``left_out``,
    the ids that the command's options exclude, because it would be lost: exit code 2, too.  A
    backend that cannot be started is exit code 3.  The file stays in all these cases.
    """
    record = read_run(path)
    require_the_same_run(record, plans, version)
    _require_no_loss(record, plans, left_out)
    gaps = {name: _gaps(record, name, plans[0]) for name in record.hellos}
    *whole, _ = path.read_text("utf-8").split("\n")  # the last part is not a whole line
    lines = _retained(map(json.loads, whole), plans, record.hellos, gaps)
    write_file(path, "".join(f"{json.dumps(each, ensure_ascii=False)}\n" for each in lines))


def _require_no_loss(record: RunRecord, plans: Sequence[RunPlan], left_out: Container[str]) -> None:
    """End with exit code 2 if the file has results of cases that are left out.

    These are the cases in ``left_out``, and on each backend those that only others run.
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


def _gaps(record: RunRecord, backend: str, plan: RunPlan) -> Mapping[str, str]:
    """The gaps that a backend declares now; the rest of its description must be unchanged."""
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


def _retained(
    lines: Iterable[Json],
    plans: Sequence[RunPlan],
    hellos: Mapping[str, Hello],
    gaps: Mapping[str, Mapping[str, str]],
) -> Iterator[object]:
    """The lines of a file, which fit the schema, in the form that the incomplete run has.

    ``gaps`` are those that each backend declares now; ``hellos`` have those of the file.
    """
    by_backend = cases_by_backend(plans)
    numbers = {backend: len(cases) for backend, cases in by_backend.items()}
    cases = {case.id: case for listed in by_backend.values() for case in listed}
    digests = {id: digest_of(case) for id, case in cases.items()}
    changed = {name: hello.gaps.keys() ^ gaps[name].keys() for name, hello in hellos.items()}
    reworded = {
        name: {word for word, _ in hello.gaps.items() ^ gaps[name].items()}
        for name, hello in hellos.items()
    }
    known = {name: of_backend(plans[0].known, name, hello.name) for name, hello in hellos.items()}
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
            case _:  # another case, or the end
                pass
