"""Prepared scripts and queries, shared by all wrong backends that prepare them correctly."""

from dataclasses import dataclass, field
from functools import cache, partial
from typing import TypeAlias

import algebra.prepare
from algebra.catalog import Profile
from algebra.prepare import Prepared, prepare
from grammar.parse import parse_script, parse_statement
from grammar.source import SqlError
from tck.corpus.case import Case

#: A script, a query and its profile.
_Request: TypeAlias = tuple[str, str | None, Profile]


@dataclass(slots=True)
class Plans:
    """The prepared scripts and queries, each prepared once.

    ``anew``: earlier results are ignored, because the backend may prepare differently.  Its own
    results are then in ``_anew``: each wrong backend is a process with plans of its own.
    """

    anew: bool = False
    _prepared: dict[_Request, Prepared | SqlError] = field(
        default_factory=dict[_Request, Prepared | SqlError]
    )
    _anew: dict[_Request, Prepared | SqlError] = field(
        default_factory=dict[_Request, Prepared | SqlError]
    )

    def prepare(self, ddl: str, sql: str | None, profile: Profile) -> Prepared:
        """`algebra.prepare.prepare`, remembered.  Raises `SqlError` like that."""
        key, prepared = (ddl, sql, profile), self._anew if self.anew else self._prepared
        if key not in prepared:
            try:
                prepared[key] = prepare(ddl, sql, profile)
            except SqlError as error:
                prepared[key] = error
        found = prepared[key]
        if isinstance(found, SqlError):
            raise found
        return found

    def remember(self, case: Case) -> None:
        """Prepare the queries of a case."""
        for sql in (case.sql, *([case.equal_to] if case.equal_to else [])):
            try:
                self.prepare(case.ddl, sql, Profile(case.profile))
            except SqlError:
                return


def remember_parsing() -> None:
    """Cache parses in this process and its forks: parsing is a large part of the cost of a case.

    `clear_caches` does not clear this cache, because no change changes a parse.
    """
    for name, parse in (("parse_script", parse_script), ("parse_statement", parse_statement)):
        setattr(algebra.prepare, name, partial(cache(parse)))
