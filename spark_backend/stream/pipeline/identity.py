"""The identity of a pipeline, by which a checkpoint rejects any other pipeline."""

from collections.abc import Mapping

from algebra.catalog import Profile, QualifiedName, Stream, Table
from algebra.explain import explain
from algebra.parts.mentions import scans
from algebra.prepare import Prepared


def identity_of(prepared: Prepared, profile: Profile) -> Mapping[str, str]:
    """The identity of a pipeline: the text of each part, by the name of the part in messages.

    The parts are the profile, the statements, and the declarations of the relations with their
    connections.  Scripts that differ only in spelling have the same identity.  So do scripts that
    differ only in the option ``on_error``: then a pipeline can be continued after a malformed
    record.
    """
    parts = {"the profile": str(profile)}
    found: dict[QualifiedName, Table | Stream] = {}
    for number, each in enumerate(prepared.standing, 1):
        how = "UPSERT" if each.upsert else "INSERT"
        into = ".".join(each.target.name)
        parts[f"statement {number} (into {into})"] = f"{how} {into}\n{explain(each.input)}"
        found[each.target.name] = each.target
        found |= {scan.source.name: scan.source for scan in scans(each.input)}
    for name, relation in found.items():
        parts[f"the declaration of {'.'.join(name)}"] = _declared(relation)
    return parts


def _declared(relation: Table | Stream) -> str:
    """The declaration of a table or stream, and the connection of a foreign stream."""
    columns = [f"{each.name} {each.type!r} {each.ordering!r}" for each in relation.columns]
    lines = [*columns, *(repr(each) for each in relation.checks)]
    if isinstance(relation, Table) and relation.changing:
        lines.append(f"WITH CHANGES KEY {relation.primary_key!r}")
    if relation.connection is not None:
        settings = [each for each in relation.connection.settings if each[0] != "on_error"]
        lines += [str(relation.connection.format), repr(settings)]
    return "\n".join(lines)
