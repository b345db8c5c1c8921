"""Which of two readings of the language a plan is bound by, as far as its facts depend on it."""

from dataclasses import dataclass
from typing import Final

from algebra.catalog import Profile
from algebra.plan import Plan, inputs_of


@dataclass(frozen=True, slots=True)
class Context:
    """Of two readings of the language, the one that the query is bound by (S-701)."""

    profile: Profile = Profile.CALCITE

    def inputs(self, plan: Plan) -> tuple["Context", ...]:
        """The context of each input of ``plan``, if this is the context of ``plan``."""
        return (self,) * len(inputs_of(plan))


#: The context of a plan that is looked at alone.
TOP: Final = Context()
