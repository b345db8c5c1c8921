"""Read a backend's answer from a file of results, as the records of the protocol."""

from tck.protocol import Accepted, ColumnInfo, LateRow, Output, Refused, SqlWarning
from tck.report.transcript_fields import OutputFields, RefusedFields, TranscriptFields
from tck.transcript import Transcript


def transcript_of(fields: TranscriptFields | None) -> Transcript | None:
    """The transcript; None if the file does not have it, or lacks some of its rows."""
    if fields is None or any(output["more"] for output in fields["outputs"]):
        return None
    if "accepted" not in fields:
        return Transcript(_refused(fields["refused"])) if "refused" in fields else None
    accepted = fields["accepted"]
    columns = tuple(ColumnInfo(**column) for column in accepted["columns"])
    answer = Accepted(
        accepted["streaming"], columns, accepted["monotonicity"], accepted["metadata"]
    )
    return Transcript(answer, tuple(map(_output, fields["outputs"])))


def _output(fields: OutputFields) -> Output:
    """The output of a step, without its state, which no page shows."""
    error = fields["error"]
    return Output(
        tuple(map(tuple, fields["rows"])),
        bound=fields["bound"],
        late=tuple(
            LateRow(late["input"], tuple(late["row"]), late["place"], late["code"], late["reason"])
            for late in fields["late"]
        ),
        error=_refused(error) if error else None,
        warnings=tuple(SqlWarning(**warning) for warning in fields.get("warnings", ())),
    )


def _refused(fields: RefusedFields) -> Refused:
    """The error of a query."""
    start, end = fields["at"]
    return Refused(
        fields["code"],
        fields["message"],
        at=(start, end),
        in_ddl=fields["in_ddl"],
        hint=fields["hint"],
        rendered="\n".join(fields["rendered"]),
    )
