"""`tck run --update`: the results of an earlier run on cases that are as they were."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import cast

from tck.commands.options import read_run, write_file
from tck.commands.resume import require_the_same_run
from tck.corpus.selected.digest import digest_of
from tck.judging.verdict import Outcome, Verdict, is_bad
from tck.processes import RunPlan
from tck.report.json_lines import EntryLine, HeadLine
from tck.report.record import Json


def keep_what_holds(path: Path, plan: RunPlan, version: str) -> None:
    """Make the file of an earlier run that of an incomplete run of ``plan``, to be resumed.

    The result of a case stays if the case was the same, but not if it fails the run: the backend
    may have been mended.  Whether it is known to fail, or required, is as ``plan`` says.  Version,
    backends and tiers must be those of the earlier run; else exit code 2, and the file stays.
    """
    require_the_same_run(read_run(path), plan, version)
    *whole, _ = path.read_text("utf-8").split("\n")  # behind the last line break is no whole line
    lines = _retained(map(json.loads, whole), plan)
    write_file(path, "".join(f"{json.dumps(each, ensure_ascii=False)}\n" for each in lines))


def _retained(lines: Iterable[Json], plan: RunPlan) -> Iterator[object]:
    """The lines of a file, which are by the schema, as they are in that of the incomplete run."""
    cases = {case.id: case for case in plan.cases}
    digests = {case.id: digest_of(case) for case in plan.cases}
    for line in lines:
        match line:
            case {"rowtime": _}:
                head = cast("HeadLine", line)["rowtime"]
                yield HeadLine(rowtime={**head, "cases": len(cases)})
            case {"hello": _}:
                yield line
            case {"case": str(id), "digest": str(digest)} if digest == digests.get(id):
                entry = cast("EntryLine", line)
                failure = plan.known.get(entry["backend"], {}).get(id)
                entry["known"] = failure.reason if failure else None
                entry["sometimes"] = failure is not None and failure.sometimes
                entry["required"] = cases[id].required
                verdict = Verdict(Outcome(entry["outcome"]), None, entry["reason"])
                if not is_bad(verdict, known=failure is not None, sometimes=entry["sometimes"]):
                    yield entry
            case _:  # another case, or the end
                pass
