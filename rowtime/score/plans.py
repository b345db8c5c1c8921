"""What is prepared once, for all wrong backends that prepare it as the right one does."""

from dataclasses import dataclass, field
from functools import cache
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
    """What scripts and queries are prepared to, each prepared once.

    ``anew``: what was prepared before that was set is left out of account, as by a backend that may
    prepare it in another way.
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
    """Let this process and its forks parse each text once: parsing is most of what a case costs."""
    for name, parse in (("parse_script", parse_script), ("parse_statement", parse_statement)):
        setattr(algebra.prepare, name, cache(parse))
