"""`rowtime sql`: the statements of standard input, and the shell on a terminal."""

import contextlib
import io
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document

import rowtime
from algebra.records.printing import Format
from rowtime.shell.interactive import CatalogCompleter
from rowtime.shell.session import ShellSession

SHELL = [str(Path(sys.executable).with_name("rowtime")), "sql"]
CREATE = "CREATE STREAM S (rowtime TIMESTAMP(3) NOT NULL ASCENDING, a INTEGER, b VARCHAR(5))"
INSERT = "INSERT INTO S VALUES (TIMESTAMP '2026-01-01 10:00:00', 5, 'x')"


def shell(text: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The shell with standard input."""
    return subprocess.run(
        [*SHELL, *arguments], input=text, capture_output=True, text=True, check=False
    )


def test_a_table_is_printed_as_psql_does() -> None:
    done = shell(
        "CREATE TABLE T (name VARCHAR(20), n INTEGER, ok BOOLEAN);\n"
        "INSERT INTO T VALUES ('XXXX', 5, TRUE),\n ('Victoria Bitter', NULL, FALSE);\n"
        "SELECT * FROM T;\n"
    )
    assert done.stdout == (
        "2 rows written\n"
        "      NAME       |  N   |  OK\n"
        "-----------------+------+-------\n"
        " XXXX            |    5 | true\n"
        " Victoria Bitter | NULL | false\n"
        "(2 rows)\n"
    )
    assert (done.stderr, done.returncode) == ("", 0)


def test_in_expanded_mode_each_value_has_a_line() -> None:
    done = shell(
        "\\x\n"
        "SELECT * FROM (VALUES (1, 'x', TRUE), (20, NULL, FALSE)) AS t (a, longer, c);\n"
        "\\x off\n"
        "SELECT 1 AS a;\n"
    )
    assert done.stdout == (
        "expanded mode is on\n"
        "-[ RECORD 1 ]\n"
        "A      | 1\n"
        "LONGER | x\n"
        "C      | true\n"
        "-[ RECORD 2 ]\n"
        "A      | 20\n"
        "LONGER | NULL\n"
        "C      | false\n"
        "(2 rows)\n"
        "expanded mode is off\n"
        " A\n---\n 1\n(1 row)\n"
    )
    assert (done.stderr, done.returncode) == ("", 0)


@pytest.mark.parametrize(
    ("format", "text"),
    [
        ("csv", "A,B\n1,x\n2,\n"),
        ("json", '{"A": 1, "B": "x"}\n{"A": 2, "B": null}\n'),
    ],
)
def test_other_formats(format: str, text: str) -> None:
    done = shell("SELECT * FROM (VALUES (1, 'x'), (2, NULL)) AS t (a, b)", "--format", format)
    assert done.stdout == text


def test_the_first_error_is_shown_with_its_caret_and_is_the_end() -> None:
    done = shell(f"{CREATE};\nSELECT c FROM S;\nSELECT 1;\n")
    assert done.returncode == 1
    assert done.stdout == ""
    assert "UNKNOWN_COLUMN" in done.stderr
    assert "1 | SELECT STREAM c FROM S" in shell(f"{CREATE};\nSELECT STREAM c FROM S").stderr
    assert "       ^\n" in done.stderr


def test_a_file_keeps_the_database(tmp_path: Path) -> None:
    path = str(tmp_path / "file.db")
    assert shell("CREATE TABLE T (a INTEGER); INSERT INTO T VALUES (7);", path).returncode == 0
    assert " 7\n" in shell("SELECT a FROM T;", path).stdout
    bad = tmp_path / "text.db"
    bad.write_text("no database\n" * 100)
    done = shell("SELECT 1;", str(bad))
    assert done.returncode == 1
    assert done.stderr == f"{bad}: file is not a database\n"


def test_a_semicolon_in_a_text_or_a_comment_ends_no_statement() -> None:
    done = shell(
        "SELECT 'a;\nb;' AS x; -- one;\n-- none;\nSELECT 2 AS \"y;\n\"; /* two */\nSELECT 3 AS z",
        "--format",
        "json",
    )
    assert done.stderr == ""
    assert done.stdout == '{"X": "a;\\nb;"}\n{"y;\\n": 2}\n{"Z": 3}\n'


@pytest.fixture
def session() -> Iterator[ShellSession]:
    with rowtime.connect() as connection:
        connection.executescript(CREATE)
        yield ShellSession(connection, io.StringIO(), io.StringIO(), Format.CSV)


def printed(session: ShellSession, text: str) -> str:
    """What a line prints, output and errors."""
    out, err = io.StringIO(), io.StringIO()
    session._out, session._err = out, err  # pyright: ignore[reportPrivateUsage]
    assert session.run(text)
    return out.getvalue() + err.getvalue()


def test_commands_look_at_the_database(session: ShellSession, tmp_path: Path) -> None:
    assert printed(session, "\\d") == (
        "stream   S\nstream   SYS_BOOT.MGMT.ALL_TRACE\ntable    SYS_BOOT.MGMT.SAVED_TRACE\n"
    )
    assert printed(session, "\\d s") == (
        "ROWTIME TIMESTAMP(3) NOT NULL monotonic\nA       INTEGER\nB       VARCHAR(5)\n"
    )
    assert printed(session, INSERT) == "1 row written\n"
    assert "S 2026-01-01 10:00:00\n" in printed(session, "\\clock")
    assert printed(session, "\\explain SELECT STREAM a FROM S").startswith("PLAN\nLogicalDelta\n")
    assert printed(session, INSERT.replace("10:00", "09:00")) == "0 rows written\n"
    assert "LATE" in printed(session, "\\trace")
    script = tmp_path / "script.sql"
    script.write_text("CREATE VIEW V AS SELECT STREAM a FROM S; CREATE TABLE T (a INTEGER);")
    assert printed(session, f".read {script}") == ""
    assert printed(session, "\\d v") == "CREATE VIEW V AS SELECT STREAM a FROM S\n"
    assert printed(session, 'CREATE TABLE "a ""b""" (x INTEGER)') == ""
    assert printed(session, '\\d "a ""b"""') == "X INTEGER\n"
    assert printed(session, "\\format json") == ""
    assert printed(session, "SELECT COUNT(*) AS c FROM T") == '{"C": 0}\n'


def test_errors_of_a_script_name_its_file_and_have_its_lines(
    session: ShellSession, tmp_path: Path
) -> None:
    script = tmp_path / "script.sql"
    script.write_text("SELECT 1;\nSELECT nothing\nFROM S;\n")
    said = printed(session, f".read {script}")
    assert f"{script}:\nUNKNOWN_COLUMN: " in said
    assert "\n2 | SELECT nothing\n" in said
    script.write_text("SELECT 1;\nSELEC 2;\n")
    said = printed(session, f".read {script}")
    assert said.startswith(f"{script}:\nSYNTAX_ERROR: ")
    assert "\n2 | SELEC 2;\n" in said
    script.write_text("SELECT 1;", encoding="utf-16")
    assert f"hint: iconv -f utf-16 -t utf-8 {script}\n" in printed(session, f".read {script}")


def test_what_a_statement_brings_about_is_printed_before_its_count(session: ShellSession) -> None:
    """Rows of queries in the background come from other threads, and are waited for."""
    out = io.StringIO()
    session._out = out  # pyright: ignore[reportPrivateUsage]
    session.run("\\bg SELECT STREAM a * 100 AS h FROM S")
    session.run("\\bg SELECT STREAM 1000 / (a - 7) AS q FROM S")
    for number in range(5, 10):
        session.run(f"INSERT INTO S VALUES (TIMESTAMP '2026-01-01 10:00:00', {number}, 'x')")
    session.close()
    expected = {5: {"500", "-500"}, 6: {"600", "-1000"}, 7: {"700"}, 8: {"800"}, 9: {"900"}}
    statements = out.getvalue().split("1 row written\n")[:-1]
    statements[0] = statements[0].removeprefix("H\nQ\n")
    assert [set(each.split()) for each in statements] == list(expected.values())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\\y", "there is no command \\y; \\? lists them"),
        ("\\x wide", "\\x takes on or off, not 'wide'"),
        ("\\d nothing", "there is no object nothing"),
        ("\\format xml", "there is no format 'xml': table, markdown, csv, json"),
        (".read nowhere.sql", "nowhere.sql: No such file or directory\n"),
        (".read", ".: Is a directory\n"),
        (".read -", ".read reads a file, not the standard input\n"),
        ("\\bg SELECT * FROM SYS_BOOT.MGMT.SAVED_TRACE", "only a streaming query keeps running"),
        ("\\explain", "SYNTAX_ERROR"),
    ],
)
def test_wrong_commands_get_an_error(session: ShellSession, text: str, message: str) -> None:
    assert message in printed(session, text)
    assert session.failed


def test_words_are_completed_from_the_catalog(session: ShellSession) -> None:
    completer = CatalogCompleter(session)

    def completed(text: str) -> list[str]:
        found = completer.get_completions(Document(text), CompleteEvent())
        return [each.text for each in found]

    assert "SYS_BOOT.MGMT.ALL_TRACE" in completed("SELECT * FROM sys")
    assert completed("SELECT MAX(row") == ["ROWTIME"]
    assert completed("\\cl") == ["\\clock"]
    session.run("CREATE TABLE Zebras (stripes INTEGER)")
    assert completed("SELECT * FROM zeb") == ["ZEBRAS"]
    assert completed("SELECT ") == []


class Terminal:
    """The shell on a terminal of its own."""

    def __init__(self, home: Path) -> None:
        environment = {**os.environ, "HOME": str(home), "TERM": "xterm"}
        self.pid, self._master = pty.fork()
        if self.pid == 0:  # pragma: no cover
            os.execve(SHELL[0], SHELL, environment)
        self.seen = ""

    def expect(self, text: str) -> None:
        """Wait until ``text`` is on the screen, after what was waited for before."""
        deadline = time.monotonic() + 60
        while not self.shows(text):
            assert time.monotonic() < deadline, self.seen
        self.seen = self.seen.partition(text)[2]

    def shows(self, text: str) -> bool:
        """Whether ``text`` is on the screen by now, or after what comes within a second."""
        if text not in self.seen and select.select([self._master], [], [], 1)[0]:
            data = os.read(self._master, 65_536).decode("utf-8", "replace")
            if "\x1b[6n" in data:  # the shell asks where the cursor is
                os.write(self._master, b"\x1b[1;1R")
            self.seen += re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", data)
        return text in self.seen

    def type(self, text: str) -> None:
        """Type a text."""
        os.write(self._master, text.encode())

    def end(self) -> int:
        """The exit status."""
        _, status = os.waitpid(self.pid, 0)
        os.close(self._master)
        return os.waitstatus_to_exitcode(status)


@contextlib.contextmanager
def on_terminal(home: Path) -> Generator[Terminal]:
    """The shell on a terminal; it is killed if the test fails."""
    terminal = Terminal(home)
    try:
        yield terminal
    except BaseException:
        os.kill(terminal.pid, signal.SIGKILL)
        terminal.end()
        raise


def test_the_shell_on_a_terminal(tmp_path: Path) -> None:
    with on_terminal(tmp_path) as terminal:
        terminal.expect("rowtime>")
        terminal.type(f"{CREATE};\r")
        terminal.expect("rowtime>")
        terminal.type("\\bg SELECT STREAM a * 100 AS h FROM S\r")
        terminal.expect("rowtime>")
        terminal.type(f"{INSERT};\r")
        terminal.expect("500")
        terminal.type("SELECT STREAM * FROM S;\r")
        terminal.expect("ROWTIME")
        terminal.expect("---+---")
        terminal.type("\x03")
        terminal.expect("(0 rows)")
        terminal.type("SELECT nothing FROM S;\r")
        terminal.expect("UNKNOWN_COLUMN")
        terminal.expect("^^^^^^^")
        terminal.type("\\q\r")
        assert terminal.end() == 0
    assert "SELECT nothing FROM S;" in (tmp_path / ".rowtime_history").read_text()


def test_ctrl_c_breaks_off_a_statement_and_not_the_shell(tmp_path: Path) -> None:
    """What is in memory is there still."""
    with on_terminal(tmp_path) as terminal:
        terminal.expect("rowtime>")
        terminal.type("CREATE TABLE T (a INTEGER);\r")
        terminal.expect("rowtime>")
        terminal.type(f"INSERT INTO T VALUES {', '.join(f'({each})' for each in range(60))};\r")
        terminal.expect("60 rows written")
        terminal.type("SELECT COUNT(*) + 7000 FROM T; ")
        terminal.type("SELECT COUNT(*) FROM T AS a, T AS b, T AS c, T AS d, T AS e;\r")
        terminal.expect("7060")  # before that, Ctrl-C would delete what is typed
        terminal.type("\x03\x03")  # a second one does nothing
        terminal.expect("interrupted: the statement was broken off")
        terminal.type("SELECT COUNT(*) + 1000 FROM T;\r")
        terminal.expect("1060")
        terminal.type("\\q\r")
        assert terminal.end() == 0


def test_a_script_is_read_within_the_root_alone(tmp_path: Path) -> None:
    inside = tmp_path / "in"
    inside.mkdir()
    (inside / "a.sql").write_text("CREATE TABLE T (a INTEGER);")
    (inside / "bytes.sql").write_bytes(b"\xff\xfe")
    (tmp_path / "secret").write_text("SECRET")
    (inside / "link.sql").symlink_to(tmp_path / "secret")
    with rowtime.connect() as connection:
        confined = ShellSession(connection, io.StringIO(), io.StringIO(), Format.CSV, inside)
        for path in (tmp_path / "secret", inside / ".." / "secret", inside / "link.sql"):
            said = printed(confined, f".read {path}")
            assert said == f"{path} is not within {inside}, to which .read is confined\n"
        assert "not UTF-8 text" in printed(confined, f".read {inside / 'bytes.sql'}")
        assert "SECRET" in printed(
            ShellSession(connection, io.StringIO(), io.StringIO(), Format.CSV),
            f".read {tmp_path / 'secret'}",
        )
        assert "ERROR" not in printed(confined, f".read {inside / 'a.sql'}")


def test_statements_open_no_file(tmp_path: Path) -> None:
    """Only `rowtime run` reads and writes foreign streams; the embedded engine has no path."""
    (tmp_path / "in.csv").write_text("a\n7\n")
    with rowtime.connect() as connection:
        text = f"CREATE FOREIGN STREAM F (a INTEGER) OPTIONS (path '{tmp_path / 'in.csv'}')"
        with contextlib.suppress(rowtime.Error):
            connection.execute(text)
            connection.execute("INSERT INTO F VALUES (8)")
    assert [each.name for each in tmp_path.iterdir()] == ["in.csv"]
    assert (tmp_path / "in.csv").read_text() == "a\n7\n"
