"""The exit statuses of the commands."""

from typing import Final

EXIT_OK: Final = 0
EXIT_FAILURES: Final = 1
EXIT_USAGE: Final = 2
EXIT_NO_BACKEND: Final = 3
EXIT_INTERRUPTED: Final = 130
