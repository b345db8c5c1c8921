"""The DML of a script.

Relational statements are applied before a session starts.  Standing statements run in the session;
here their order is found, and the sources of their rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from algebra.catalog import QualifiedName, Stream
from algebra.modify import Delete, Insert, Merge, Modify, Update
from algebra.parts.mentions import read_names, scans
from algebra.plan import Plan
from grammar.codes import Code
from grammar.source import SqlError, located
from reference.definitions import DEFINITIONS
from reference.dml.modify import checked, deleted, inserted, merged, updated
from reference.environment import Accept, Environment, Forms
from reference.evaluate import Contents, World, evaluate
from reference.ingress import Dropped, Ingress, Ingresses
from reference.relation import Relation, Row
from reference.values import failure


@dataclass(frozen=True, slots=True)
class Refusal:
    """A row that the target dropped after a statement or a producer had sent it.

    ``place`` is the row's place among the rows that were sent together.  ``fed`` is its place among
    all rows that were fed to the target from outside; None: a statement sent the row.
    """

    target: QualifiedName
    row: Row
    place: int
    dropped: Dropped
    fed: int | None = None


def environment(world: World, forms: Forms = DEFINITIONS) -> Environment:
    """The environment of an expression outside any query, in ``world``."""

    def query(plan: Plan, outer: tuple[Row, ...]) -> Relation:
        return evaluate(plan, world, forms, outer)

    return Environment(lambda: world.now, world.parameters, (), query, forms)


def accepted_rows(
    ingress: Ingress, rows: Relation, accept: Accept
) -> tuple[Ingress, Relation, list[Refusal]]:
    """The ingress after ``rows``, the rows that it accepted, in order, and the dropped rows.

    ``accept`` is the function that passes rows through this ingress.

    Defines: S-605.h
    """
    ingress, verdicts = accept(ingress, rows)  # for each row why it is dropped; None: accepted
    if not any(verdicts):
        return ingress, rows, []
    judged = list(zip(rows, verdicts, strict=True))
    refused = [
        Refusal(ingress.source.name, row, place, dropped)
        for place, (row, dropped) in enumerate(judged)
        if dropped is not None
    ]
    return ingress, [row for row, dropped in judged if dropped is None], refused


def extended(contents: Contents, name: QualifiedName, rows: Relation) -> Contents:
    """``contents`` with ``rows`` appended to those of ``name``."""
    return {**contents, name: [*contents.get(name, ()), *rows]}


# --- before the session -------------------------------------------------------------------------


def applied(
    step: Modify, world: World, ingresses: Ingresses, forms: Forms = DEFINITIONS
) -> tuple[World, Ingresses, list[Refusal]]:
    """The world and the ingresses after one relational statement of the script.

    A row that violates a constraint of a table is the error BAD_ROW; a row that a stream drops is
    among the refusals.  Rows that are inserted into a stream are only in its history: they arrived
    before the query started.

    Defines: S-605.i, S-605.l
    """
    env = environment(world, forms)
    try:
        return _applied(step, world, ingresses, env)
    except SqlError as error:
        # Only the condition of a DELETE can fail, and an error of an expression has its place.
        raise located(error, None if isinstance(step, Delete) else step.location) from None


def _applied(
    step: Modify, world: World, ingresses: Ingresses, env: Environment
) -> tuple[World, Ingresses, list[Refusal]]:
    """As `applied`, but an error that concerns the whole statement has no place in the text yet."""
    forms, name = env.forms, step.target.name
    match step:
        case Insert(target, input):
            if isinstance(target, Stream):
                ingress, rows = ingresses[name], evaluate(input, world, forms)
                ingress, accepted, refused = accepted_rows(
                    ingress, rows, env.forms.ingress(ingress, env)
                )
                history = extended(world.histories, name, accepted)
                return world._replace(histories=history), {**ingresses, name: ingress}, refused
            old = world.tables.get(name, ())
            new = evaluate(input, world, forms)
            rows, dropped = inserted(target, old, new, step.upsert, env)
            for _, fault in dropped:
                reason = f"a row of {'.'.join(name)}: {fault.reason}"
                raise failure(Code.BAD_ROW, reason, "correct the row")
        case Update():
            rows = checked(step.target, updated(step, world.tables.get(name, ()), env), env)
        case Delete():
            rows = deleted(step, world.tables.get(name, ()), env)
        case Merge():
            source = evaluate(step.source, world, forms)
            rows = merged(step, world.tables.get(name, ()), source, env)
            rows = checked(step.target, rows, env)
    return world._replace(tables={**world.tables, name: rows}), ingresses, []


# --- standing statements ------------------------------------------------------------------------


def in_order_of_flow(standing: Sequence[Insert]) -> list[QualifiedName]:
    """The targets of standing statements: each before the targets of statements that read it.

    Of several that can be next, the first in the script is next.  Statements that feed each other
    in a circle are NOT_SUPPORTED, because the end of input would never reach them.

    Defines: S-605.g
    """
    reads: dict[QualifiedName, set[QualifiedName]] = {}
    for statement in standing:
        inputs = read_names(statement.input)
        reads.setdefault(statement.target.name, set()).update(inputs)
    order: list[QualifiedName] = []
    while len(order) < len(reads):
        unordered = [name for name in reads if name not in order]
        ready = next((name for name in unordered if reads[name].isdisjoint(unordered)), None)
        if ready is None:
            raise failure(
                Code.NOT_SUPPORTED,
                "standing statements feed each other in a circle",
                "let each stream be fed by earlier ones",
                next(each.location for each in standing if each.target.name in unordered),
            )
        order.append(ready)
    return order


def sources_of(plan: Plan, standing: Sequence[Insert]) -> set[QualifiedName]:
    """The names of the streams and tables that ``plan`` reads, directly or through ``standing``.

    A statement of ``standing`` passes rows from the streams that it reads to its target.
    """
    found: set[QualifiedName] = set()
    pending = list(scans(plan))
    while pending:
        name = pending.pop().source.name
        if name not in found:
            found.add(name)
            feeding = (each.input for each in standing if each.target.name == name)
            pending += [scan for input in feeding for scan in scans(input)]
    return found
