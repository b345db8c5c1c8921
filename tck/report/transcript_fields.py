"""Write the answers of a backend as JSON, for tools that compare expected and actual rows.

Texts are made printable; a text of several lines is a list of its lines.
"""

import math
from collections.abc import Mapping
from typing import Final, NotRequired, TypedDict

from tck.protocol import Accepted, LateRow, Output, Refused, Wire, WireRow
from tck.terminal.printable import printable
from tck.transcript import Transcript

#: The greatest number of rows of one output that are listed.
MOST_ROWS: Final = 1000


class ColumnFields(TypedDict):
    """A column of the result."""

    name: str
    type: str
    nullable: bool


class AcceptedFields(TypedDict):
    """The answer to a legal query."""

    streaming: bool
    columns: list[ColumnFields]
    monotonicity: dict[str, str]
    metadata: dict[str, str]


class RefusedFields(TypedDict):
    """A refusal, or an error at run time."""

    code: str
    message: str
    at: list[int]
    in_ddl: bool
    hint: str
    rendered: list[str]


class LateFields(TypedDict):
    """A row that was dropped at ingress."""

    input: str
    row: list[Wire]
    place: int | None
    code: str
    reason: str


class WarningFields(TypedDict):
    """A warning about an event that was refused (`tck.protocol.SqlWarning`)."""

    event: int
    code: str
    message: str


class OutputFields(TypedDict):
    """The output of a step; ``more`` is the number of further rows, which are not listed.

    ``warnings`` is missing if there are none, and in the files of older versions.
    """

    rows: list[list[Wire]]
    more: int
    bound: str | None
    late: list[LateFields]
    error: RefusedFields | None
    state: dict[str, int] | None
    warnings: NotRequired[list[WarningFields]]


class TranscriptFields(TypedDict):
    """The answers about one query: ``accepted`` and the output of each poll, or ``refused``."""

    accepted: NotRequired[AcceptedFields]
    refused: NotRequired[RefusedFields]
    outputs: list[OutputFields]


def transcript_fields(transcript: Transcript) -> TranscriptFields:
    """The fields of a transcript."""
    outputs = list(map(_output, transcript.outputs))
    match transcript.answer:
        case Accepted() as accepted:
            return TranscriptFields(accepted=_accepted(accepted), outputs=outputs)
        case Refused() as refused:
            return TranscriptFields(refused=_refused(refused), outputs=outputs)


def _accepted(accepted: Accepted) -> AcceptedFields:
    return AcceptedFields(
        streaming=accepted.streaming,
        columns=[
            ColumnFields(
                name=printable(each.name), type=printable(each.type), nullable=each.nullable
            )
            for each in accepted.columns
        ],
        monotonicity=_texts(accepted.monotonicity),
        metadata=_texts(accepted.metadata),
    )


def _refused(refused: Refused) -> RefusedFields:
    return RefusedFields(
        code=printable(refused.code),
        message=printable(refused.message),
        at=list(refused.at),
        in_ddl=refused.in_ddl,
        hint=printable(refused.hint),
        rendered=list(map(printable, refused.rendered.splitlines())),
    )


def _output(output: Output) -> OutputFields:
    """The fields of an output; at most `MOST_ROWS` rows, and dropped rows, are listed."""
    fields = OutputFields(
        rows=list(map(_row, output.rows[:MOST_ROWS])),
        more=max(0, len(output.rows) - MOST_ROWS),
        bound=None if output.bound is None else printable(output.bound),
        late=list(map(_late, output.late[:MOST_ROWS])),
        error=_refused(output.error) if output.error else None,
        state={"rows": output.state.rows, "groups": output.state.groups} if output.state else None,
    )
    if output.warnings:
        fields["warnings"] = [
            WarningFields(event=w.event, code=printable(w.code), message=printable(w.message))
            for w in output.warnings
        ]
    return fields


def _late(late: LateRow) -> LateFields:
    return LateFields(
        input=printable(late.input),
        row=_row(late.row),
        place=late.place,
        code=printable(late.code),
        reason=printable(late.reason),
    )


def _texts(texts: Mapping[str, str]) -> dict[str, str]:
    return {printable(key): printable(text) for key, text in texts.items()}


def _row(row: WireRow) -> list[Wire]:
    return list(map(_value, row))


def _value(value: Wire) -> Wire:
    """The value for JSON; NaN and the infinities, which JSON lacks, become texts."""
    match value:
        case str():
            return printable(value)
        case float() if not math.isfinite(value):
            return str(value)
        case _:
            return value
