"""The exit statuses of the commands; docs/adding-a-backend.md lists them for users."""

from typing import Final

#: The run has reached its end, cases were judged, and only cases that are known to fail failed.
EXIT_OK: Final = 0
#: A case failed; or a case known to fail passed, or does not exist.
EXIT_FAILURES: Final = 1
#: The command line is wrong, or a file that it names is missing or invalid.
EXIT_USAGE: Final = 2
#: A backend could not be started.
EXIT_NO_BACKEND: Final = 3
#: The process ended before the run was complete.
EXIT_INCOMPLETE: Final = 4
#: On some backend no case was judged: all were skipped.
EXIT_NOTHING_JUDGED: Final = 5
#: `tck diff`: the newer run is worse than the older.
EXIT_WORSE: Final = 6
#: `tck smoke`: the backend gives no answer, or an answer that the protocol does not allow.
EXIT_HARNESS: Final = 7
#: `tck smoke`: the backend follows the protocol, but the answers of the engine are wrong.
EXIT_ENGINE: Final = 8
#: Ctrl-C.
EXIT_INTERRUPTED: Final = 130
