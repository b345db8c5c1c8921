"""The exit statuses of the commands; docs/adding-a-backend.md lists them for users."""

from typing import Final

#: The run has reached its end, cases were judged, and none failed but those known to fail.
EXIT_OK: Final = 0
#: A case failed; or a case known to fail passed, or does not exist.
EXIT_FAILURES: Final = 1
#: The call is wrong, or a file that it names.
EXIT_USAGE: Final = 2
#: A backend could not be started.
EXIT_NO_BACKEND: Final = 3
#: The process ended before the run was complete.
EXIT_INCOMPLETE: Final = 4
#: On some backend no case was judged: all were skipped.
EXIT_NOTHING_JUDGED: Final = 5
#: `tck diff`: the newer run is worse than the older.
EXIT_WORSE: Final = 6
#: `tck smoke`: the harness of the backend gives no answer, or none that the protocol allows.
EXIT_HARNESS: Final = 7
#: `tck smoke`: the harness is right, the answers of the engine are wrong.
EXIT_ENGINE: Final = 8
#: Ctrl-C.
EXIT_INTERRUPTED: Final = 130
