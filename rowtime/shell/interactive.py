"""Runs the shell on a terminal, with history, completion from the catalog, and highlighting."""

import signal
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Final

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.lexers import PygmentsLexer
from prompt_toolkit.patch_stdout import patch_stdout
from prompt_toolkit.styles import Style
from pygments.lexers.sql import SqlLexer  # pyright: ignore[reportMissingTypeStubs]

from algebra.catalog import Catalog, Stream, Table
from rowtime.driver.errors import Error
from rowtime.shell.session import ShellSession

#: The keywords that are completed: those of queries on streams, and of the statements around them.
_WORDS: Final = """
    SELECT STREAM FROM WHERE GROUP BY HAVING ORDER JOIN ON OVER PARTITION RANGE INTERVAL PRECEDING
    FOLLOWING TUMBLE HOP CUMULATE DESCRIPTOR QUALIFY FLOOR COUNT SUM MIN MAX AVG INSERT EXPEDITED
    INTO VALUES UPDATE DELETE CREATE TABLE VIEW PUMP STARTED AS ALTER START STOP DROP CASCADE
    ASCENDING WATERMARK HISTORY WITH TIMESTAMP INTEGER VARCHAR EXPLAIN EMIT CHANGES KEY
""".split()  # noqa: SIM905 (a list of these would be a page)
#: Seconds after which the tables below the prompt are drawn again.
_REFRESH: Final = 0.25
#: The commands that are completed.
_COMMANDS: Final = (
    "\\d", "\\explain", "\\trace", "\\clock", "\\format", "\\x", "\\bg", "\\stop", "\\?", "\\q",
    ".read", ".import", ".tables",
)  # fmt: skip


class CatalogCompleter(Completer):
    """Completes keywords, commands, and the present names of objects and columns."""

    def __init__(self, session: ShellSession) -> None:
        self._session = session

    def get_completions(
        self, document: Document, complete_event: CompleteEvent
    ) -> Iterable[Completion]:
        """The completions of the word before the cursor."""
        del complete_event
        # The text up to the cursor after the last blank, bracket and comma.
        word = document.get_word_before_cursor(WORD=True).rpartition("(")[2].rpartition(",")[2]
        if not word:
            return
        try:
            names = words_of(self._session.connection.catalog)
        except Error:
            names = []
        for each in (*names, *_WORDS, *_COMMANDS):
            if each.upper().startswith(word.upper()):
                yield Completion(each, start_position=-len(word))


def words_of(catalog: Catalog) -> list[str]:
    """The names of a catalog's objects and of their columns, each once, in order."""
    names = {".".join(name) for name in catalog.objects}
    for each in catalog.objects.values():
        if isinstance(each, Table | Stream):
            names |= {column.name for column in each.columns}
    return sorted(names)


def interact(session: ShellSession, history: Path | None) -> None:
    """Read and execute lines until the end of input; Ctrl-C discards a line, or ends a query."""
    lines: History = InMemoryHistory()
    if history is not None:
        with suppress(OSError):  # only the owner may read typed text
            history.touch(mode=0o600)
        lines = FileHistory(str(history))
    prompt: PromptSession[str] = PromptSession(
        history=lines,
        completer=CatalogCompleter(session),
        lexer=PygmentsLexer(SqlLexer),
        complete_while_typing=False,
        multiline=Condition(lambda: not session.is_complete(prompt.default_buffer.text)),
        prompt_continuation="     ...> ",
        bottom_toolbar=lambda: session.tables or None,
        refresh_interval=_REFRESH,
        style=Style.from_dict({"bottom-toolbar": "noreverse"}),
    )
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        while _execute(session, _read_text(prompt)):
            pass
    finally:
        signal.signal(signal.SIGINT, before)


def _read_text(terminal: "PromptSession[str]") -> str:
    """Read what the user types; Ctrl-C discards it, and the end of input is the command to quit."""
    while True:
        try:
            with patch_stdout():
                return terminal.prompt("rowtime> ")
        except KeyboardInterrupt:
            continue
        except EOFError:
            return "\\q"


def _execute(session: ShellSession, text: str) -> bool:
    """Execute a text; return whether the shell continues.

    Ctrl-C interrupts the statement; a second Ctrl-C is ignored.
    """

    def break_off(_number: int, _frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        raise KeyboardInterrupt

    try:
        signal.signal(signal.SIGINT, break_off)
        return session.run(text)
    except KeyboardInterrupt:
        session.print_interrupted()
        return True
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
