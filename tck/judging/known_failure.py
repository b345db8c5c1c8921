"""A known failure: why a case fails, and whose difference it is."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

#: Whose difference a known failure is, and what that means.
VERDICTS: Final[Mapping[str, str]] = {
    "engine-defect": "the engine's own documentation, or the SQL standard, says otherwise",
    "open": "the rules, or the standard, leave it open",
    "dialect": "the engine's dialect has it so, and says so",
    "missing": "the engine's own documentation says that it does not have it",
    "ours": "an error of this project, to be mended",
}


@dataclass(frozen=True, slots=True)
class KnownFailure:
    """Why a case fails; ``sometimes``: in some runs only, so that it may pass as well.

    ``verdict`` is one of `VERDICTS`; None: nobody has said yet.
    """

    reason: str
    sometimes: bool = False
    verdict: str | None = None

    def __str__(self) -> str:
        return self.reason if self.verdict is None else f"{self.verdict}: {self.reason}"
