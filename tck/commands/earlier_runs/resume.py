"""The option `tck run --resume`: read an incomplete run, and find its remaining cases."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from tck.commands.earlier_runs.files import read_run
from tck.commands.options import usage_error
from tck.files import shown_path
from tck.judging.verdict import Result
from tck.processes import RunPlan, cases_by_backend
from tck.protocol import Hello, Tier
from tck.report.record import RunRecord


@dataclass(frozen=True, slots=True)
class Resumed:
    """The remaining part of a run, and the results of its earlier part.

    ``remaining`` has the plans of the cases that have no result yet; a backend on which all cases
    were run has none.  ``hellos``, ``tiers`` and ``results`` are those of the earlier part; empty
    for a new run.
    """

    remaining: tuple[RunPlan, ...]
    hellos: Mapping[str, Hello] = field(default_factory=dict[str, Hello])
    tiers: Mapping[str, Tier] = field(default_factory=dict[str, Tier])
    results: tuple[Result, ...] = ()


def resume(path: Path, plans: Sequence[RunPlan], version: str) -> Resumed:
    """Read the earlier part of a run from a file of JSON lines.

    Ends with exit code 2 if the file does not belong to a run of ``plans`` with this version of the
    kit.
    """
    record = read_run(path)
    require_the_same_run(record, plans, version)
    _require_the_same_cases(record, plans)
    cases = {case.id: case for plan in plans for case in plan.cases}
    results = {
        (entry.backend, entry.case): entry.result(cases[entry.case]) for entry in record.entries
    }
    remaining = tuple(part for plan in plans for part in _remaining(plan, results))
    return Resumed(remaining, record.hellos, record.tiers, tuple(results.values()))


def require_the_same_backend(resumed: Resumed, backend: str, hello: Hello) -> None:
    """End with exit code 2 if a backend describes itself differently than in the earlier part."""
    before = resumed.hellos.get(backend)
    if before is not None and (differ := difference_of(before, hello)):
        usage_error(f"the run cannot be resumed: {backend} is not the same as before ({differ})")


def difference_of(before: Hello, now: Hello) -> str:
    """The difference between two descriptions of a backend, in words; "" if they are equal."""
    if before == now:
        return ""
    old_name, new_name = (f"{each.name} {each.version}" for each in (before, now))
    if old_name == new_name:
        return "it declares other things"
    return f"it was {old_name}, now it is {new_name}"


def _remaining(plan: RunPlan, results: Mapping[tuple[str, str], Result]) -> Sequence[RunPlan]:
    """A plan for each backend with the cases that have no result on it; none if all have.

    ``results`` are those of the earlier part, by backend and case id.
    """
    each_backend = (
        replace(
            plan,
            backends=(backend,),
            cases=tuple(case for case in plan.cases if (backend, case.id) not in results),
        )
        for backend in plan.backends
    )
    return [part for part in each_backend if part.cases]


def require_the_same_run(record: RunRecord, plans: Sequence[RunPlan], version: str) -> None:
    """End with exit code 2 if the file has other backends, other tiers or another version."""
    backends = tuple(cases_by_backend(plans))
    tiers = {name: plans[0].tier or hello.tier for name, hello in record.hellos.items()}
    faults = {
        f"it is of version {record.version} of the kit, this is {version}": (
            record.version != version
        ),
        f"its backends are {', '.join(record.backends)}": record.backends != backends,
        f"it was judged at {', '.join(record.tiers.values())}": tiers != record.tiers,
    }
    _require_no_fault(record, faults)


def _require_the_same_cases(record: RunRecord, plans: Sequence[RunPlan]) -> None:
    """End with exit code 2 if the file has another number of cases, or a case without a plan."""
    faults: dict[str, bool] = {}
    by_backend = cases_by_backend(plans)
    for backend, cases in by_backend.items():
        where = f" on {backend}" if len(by_backend) > 1 else ""
        ids, before = {case.id for case in cases}, record.cases_on(backend)
        entries = (entry.case for entry in record.entries if entry.backend == backend)
        other = next((case for case in entries if case not in ids), None)
        faults |= {
            f"it has {before} cases{where}, this run has {len(ids)}": before != len(ids),
            f"its case {other} is not in this run": other is not None,
        }
    _require_no_fault(record, faults)


def _require_no_fault(record: RunRecord, faults: Mapping[str, bool]) -> None:
    """End with exit code 2 if one of the faults is true; the message names it.

    ``faults`` has for each text about a fault whether the run has this fault.
    """
    for fault, found in faults.items():
        if found:
            hint = "give the options that the run was started with"
            usage_error(f"{shown_path(record.path)}: cannot be resumed: {fault} ({hint})")
