"""The error of a printer for an expression that its dialect lacks."""


class UnsupportedError(Exception):
    """``reason``: why the dialect has no text for a plan.  The driver answers `Unsupported`."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
