"""Read the file of JSON lines of a run: its head, its backends, its results, its end.

`tck.report.json_lines` writes the file, and ``run.schema.json`` describes its lines.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, Literal, TypeAlias, cast

from tck.corpus.case import Case, Place
from tck.corpus.document import InvalidFilesError, Problem
from tck.files import shown_path
from tck.judging.verdict import Kind, KnownFailure, Mark, Marks, Outcome, Result, Verdict, is_bad
from tck.protocol import Hello, Tier
from tck.report.json_lines import EndLine, EntryLine, HeadLine, HelloLine, VerdictFields
from tck.report.transcript_fields import TranscriptFields
from tck.schema import violations


@dataclass(frozen=True, slots=True)
class Entry:
    """A result in the file: it has the chapter and id of the case, but not the case itself.

    The verdicts in ``at`` have no detail.  ``digest`` is the digest of the case when it was run
    (`tck.corpus.selected.digest`); empty if the file does not have it.  ``known`` is the known
    failure of the case; None: it is not known to fail.  ``transcript`` None: the file does not have
    it.  ``reported`` is as `tck.reported` computes it.
    """

    backend: str
    chapter: str
    case: str
    cites: tuple[str, ...]
    needs: tuple[str, ...]
    verdict: Verdict
    tier: Tier
    at: Mapping[Tier, Verdict]
    why: tuple[str, ...]
    marks: Marks
    known: KnownFailure | None
    required: bool
    seconds: float
    place: Place
    transcript: TranscriptFields | None
    digest: str = ""
    reported: Mapping[str, bool] = field(default_factory=dict[str, bool])

    @property
    def name(self) -> str:
        """The chapter and the case: ``over/frame-of-rows``."""
        return f"{self.chapter}/{self.case}"

    @property
    def bad(self) -> bool:
        """Whether it is an unknown failure, or a pass of a known failure, as `Result.bad`."""
        return is_bad(self.verdict, self.known)

    @property
    def failing(self) -> bool:
        """Whether it fails the run: it is `bad`, and the case is required."""
        return self.bad and self.required

    def result(self, case: Case) -> Result:
        """The result without its transcript; ``case`` is the case that the entry names."""
        return Result(
            self.backend,
            case,
            self.verdict,
            self.seconds,
            known=self.known,
            tier=self.tier,
            at=self.at,
            why=self.why,
            marks=self.marks,
            reported=self.reported,
        )


@dataclass(frozen=True, slots=True)
class RunRecord:
    """The contents of a file of JSON lines.

    ``cases`` is the number of cases on each of the ``backends`` that is not in ``fewer``, which has
    the smaller numbers of cases on the others.  ``hellos`` and ``tiers`` have the backends that
    were started.  ``entries`` are in the order of the file.  ``exit`` is the exit status of the
    run; None: the run did not reach its end.  ``date`` is the day of the run, such as
    ``2026-02-15``, or of the oldest part of an updated run; empty if the file does not have it.
    ``unjudged`` has, by backend, lines about properties that were not judged
    (`tck.report.unjudged`); empty if the file does not have them.
    """

    path: Path
    version: str
    cases: int
    backends: tuple[str, ...]
    hellos: Mapping[str, Hello] = field(default_factory=dict[str, Hello])
    tiers: Mapping[str, Tier] = field(default_factory=dict[str, Tier])
    entries: tuple[Entry, ...] = ()
    exit: int | None = None
    date: str = ""
    fewer: Mapping[str, int] = field(default_factory=dict[str, int])
    unjudged: Mapping[str, Sequence[str]] = field(default_factory=dict[str, list[str]])

    def cases_on(self, backend: str) -> int:
        """The number of cases that the run was to run on a backend."""
        return self.fewer.get(backend, self.cases)


def read_record(path: Path) -> RunRecord:
    """The run that a file describes; a last line that lacks its line break is left out.

    Such a line was being written when the process of the run died.  Raises `InvalidFilesError` if
    the file cannot be read, if the schema does not allow a line, if a line follows the end, or if
    the exit status is 0 although not all cases have results.
    """
    lines = _lines(path)
    head = cast("HeadLine", _valid(path, 1, "head", lines[0]))["rowtime"]  # by the schema
    hellos: dict[str, Hello] = {}
    tiers: dict[str, Tier] = {}
    entries: list[Entry] = []
    status: int | None = None
    unjudged: Mapping[str, Sequence[str]] = {}
    for number, line in enumerate(lines[1:], 2):
        if status is not None:
            raise _invalid(path, number, "a line after the end of the run")
        form = _form(line)
        data = _valid(path, number, form, line)
        match form:
            case "hello":
                hello = cast("HelloLine", data)  # by the schema
                hellos[hello["backend"]] = _hello(hello)
                tiers[hello["backend"]] = hello["tier"]
            case "entry":
                try:
                    entries.append(_entry(cast("EntryLine", data)))  # by the schema
                except ValueError as error:  # a kind that this version does not have
                    raise _invalid(path, number, str(error)) from None
            case "end":
                end = cast("EndLine", data)["end"]  # by the schema
                status, unjudged = end["exit"], end.get("unjudged", {})
    fewer = head.get("cases_on", {})
    planned = sum(fewer.get(backend, head["cases"]) for backend in hellos)
    if status == 0 and len(entries) < planned:
        message = f"exit 0 with {len(entries)} of {planned} results"
        raise _invalid(path, len(lines), message)
    return RunRecord(
        path=path,
        version=head["version"],
        cases=head["cases"],
        backends=tuple(head["backends"]),
        hellos=hellos,
        tiers=tiers,
        entries=tuple(entries),
        exit=status,
        date=head.get("date", ""),
        fewer=fewer,
        unjudged=unjudged,
    )


# --- lines --------------------------------------------------------------------------------------

#: A value of JSON, as the standard library reads it.
Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
_Form: TypeAlias = Literal["hello", "entry", "end"]


def _lines(path: Path) -> list[Json]:
    """The JSON values of the lines of a file that end with a line break; at least one.

    Raises `InvalidFilesError`.
    """
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        raise _invalid(path, 1, error.strerror or str(error)) from None
    except UnicodeDecodeError as error:
        raise _invalid(path, 1, f"not UTF-8 text: {error.reason}") from None
    values: list[Json] = []
    for number, line in enumerate(text.split("\n")[:-1], 1):
        try:
            values.append(json.loads(line))
        except (ValueError, RecursionError) as error:
            raise _invalid(path, number, f"not JSON: {error}") from None
    if not values:
        raise _invalid(path, 1, "there is no whole line")
    return values


def _form(line: Json) -> _Form:
    """The form of a line after the head, which is also the name of its definition in the schema."""
    if isinstance(line, dict):
        if "hello" in line:
            return "hello"
        if "end" in line:
            return "end"
    return "entry"


def _valid(path: Path, number: int, form: str, line: Json) -> Json:
    """The line, if the schema allows it.  If not, raises `InvalidFilesError`.

    ``number`` is the number of the line, and ``form`` the name of its definition in the schema.
    """
    for each in violations(line, "run.schema.json", form):
        where = "/".join(map(str, each.path))
        raise _invalid(path, number, f"{where}: {each.message}" if where else each.message)
    return line


_HINT: Final = "it should be a file that `rowtime tck run --jsonl` wrote"


def _invalid(path: Path, number: int, message: str) -> InvalidFilesError:
    return InvalidFilesError([Problem(Place(shown_path(path), number), message, _HINT)])


def _hello(line: HelloLine) -> Hello:
    hello = line["hello"]
    return Hello(
        name=hello["name"],
        version=hello["version"],
        language=hello["language"],
        tier=hello["tier"],
        profiles=tuple(hello["profiles"]),
        gaps=hello["gaps"],
        properties=hello.get("properties", {}),
        windows=hello.get("windows", "functions"),
        consistency=hello.get("consistency"),
        hop=hello.get("hop", "step-first"),
    )


def _entry(line: EntryLine) -> Entry:
    """The result on a line.  Raises `ValueError` if this version lacks its kind, for example."""
    return Entry(
        backend=line["backend"],
        chapter=line["chapter"],
        case=line["case"],
        cites=tuple(line["cites"]),
        needs=tuple(line["needs"]),
        verdict=replace(
            _verdict(line),
            detail=tuple(line["detail"]),
            gaps=tuple(line.get("gaps", ())),
            needs=tuple(line.get("event_needs", ())),
        ),
        tier=line["tier"],
        at={tier: _verdict(each) for tier, each in line["at"].items()},
        why=tuple(line["why"]),
        marks=Marks(*(Mark(line["marks"][each]) for each in ("rows", "order", "time"))),
        known=_known_failure(line),
        required=line["required"],
        seconds=line["seconds"],
        place=Place(line["file"], line["line"]),
        transcript=line["transcript"],
        digest=line.get("digest", ""),
        reported=line.get("reported", {}),
    )


def _known_failure(line: EntryLine) -> KnownFailure | None:
    """The known failure that a line names; None: its case is not known to fail."""
    reason = line["known"]
    if reason is None:
        return None
    return KnownFailure(reason, line["sometimes"], line.get("known_verdict"))


def _verdict(fields: VerdictFields) -> Verdict:
    kind = fields["kind"]
    return Verdict(Outcome(fields["outcome"]), Kind(kind) if kind else None, fields["reason"])
