"""A cache of prepared scripts and queries, for trying many wrong backends on the same cases.

All wrong backends share its results, except those whose mistake concerns the preparation itself.
"""

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
    """A cache of prepared scripts and queries.

    ``_prepared`` has the results of the right reference.  While ``prepares_again`` is true, they
    are not used, because the wrong backend in this process may prepare differently: its own results
    are cached in ``_own``.
    """

    prepares_again: bool = False
    _prepared: dict[_Request, Prepared | SqlError] = field(
        default_factory=dict[_Request, Prepared | SqlError]
    )
    _own: dict[_Request, Prepared | SqlError] = field(
        default_factory=dict[_Request, Prepared | SqlError]
    )

    def prepare(self, ddl: str, sql: str | None, profile: Profile) -> Prepared:
        """The cached result of `algebra.prepare.prepare`.  Raises `SqlError` as that does."""
        key = (ddl, sql, profile)
        prepared = self._own if self.prepares_again else self._prepared
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
        """Prepare the queries of a case, so that they are in the cache.

        A query that is rejected is cached, too; the queries after it are not prepared.
        """
        for sql in (case.sql, *([case.equal_to] if case.equal_to else [])):
            try:
                self.prepare(case.ddl, sql, Profile(case.profile))
            except SqlError:
                return


def remember_parsing() -> None:
    """Cache syntax trees in this process and its forks: parsing takes much of the time of a case.

    `clear_caches` must not clear this cache, because no mistake changes the parser.  `partial`
    hides the cache from it.
    """
    for name, parse in (("parse_script", parse_script), ("parse_statement", parse_statement)):
        setattr(algebra.prepare, name, partial(cache(parse)))
