"""The row of a FROM item, under its alias and column list (S-205)."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from algebra.binding.scope.environment import BoundQuery, Environment
from algebra.binding.scope.names import FromRow, Variable, Visible
from algebra.expression import InputRef
from algebra.plan import Plan, Project, row_type
from grammar import tree
from grammar.codes import Code
from grammar.counts import counted
from grammar.suggestion import Suggestion, replacement


def renamed(
    bound: BoundQuery, columns: Sequence[tree.Identifier], environment: Environment
) -> BoundQuery:
    """The query with its columns named by the list ``columns``; an empty list changes nothing.

    COLUMN_COUNT if the list has another number of names; DUPLICATE_NAME for a repeated name.
    """
    if not columns:
        return bound
    unique_columns(columns, environment)
    if len(columns) != len(bound.names):
        raise environment.error(
            Code.COLUMN_COUNT,
            f"{counted(len(columns), 'name')} for {counted(len(bound.names), 'column')}",
            columns[0].span.to(columns[-1].span),
            f"name all of {', '.join(bound.names)}",
        )
    names = tuple(each.name for each in columns)
    return replace(bound, plan=_labelled(bound, names), names=names)


def _labelled(bound: BoundQuery, names: tuple[str, ...]) -> Plan:
    """The plan with its columns named ``names``, and an implicit ROWTIME named ROWTIME.

    The plan has to have the names, because they decide which column is the rowtime (S-311).
    """
    labels = list(names)
    if bound.rowtime is not None:
        labels.insert(bound.rowtime, "ROWTIME")
    if isinstance(bound.plan, Project):
        return replace(bound.plan, names=tuple(labels))
    refs = tuple(InputRef(i, each.type) for i, each in enumerate(row_type(bound.plan)))
    return Project(bound.plan, refs, tuple(labels))


def unique_columns(columns: Sequence[tree.Identifier], environment: Environment) -> None:
    """Refuse a column list that has a name twice: DUPLICATE_NAME."""
    seen: set[str] = set()
    for i, each in enumerate(columns):
        if each.name in seen:
            renaming = replacement("name each column once", each.span, f"{each.name}{i}")
            raise environment.refusal(
                Code.DUPLICATE_NAME,
                f"duplicate name '{each.name}' in column list",
                each.span,
                "name each column once",
                partial(_only, renaming),
            )
        seen.add(each.name)


def _only(suggestion: Suggestion) -> tuple[Suggestion, ...]:
    """The one suggestion of a refusal, which asks a function for its suggestions."""
    return (suggestion,)


def row_of(
    bound: BoundQuery, name: tuple[str, ...], alias: tree.Alias | None, environment: Environment
) -> FromRow:
    """The row of a FROM item, with the columns named by the alias if that has a column list.

    The alias qualifies the columns; without an alias, ``name`` does, unless it is empty.
    """
    columns = alias.columns if alias is not None else ()
    bound = renamed(bound, columns, environment)
    refs = [InputRef(i, each.type) for i, each in enumerate(row_type(bound.plan))]
    shown = [each for each in refs if each.index != bound.rowtime]
    visible = tuple(Visible(own, ref) for own, ref in zip(bound.names, shown, strict=True))
    implicit = tuple(
        Visible("ROWTIME", each, implicit=True) for each in refs if each.index == bound.rowtime
    )
    qualifier = (alias.name.name,) if alias is not None else name
    every = implicit + visible
    variables = (Variable(qualifier, every),) if qualifier else ()
    return FromRow(bound.plan, variables, star=visible, unqualified=every)
