"""OPTIONS of a foreign stream: their names and values are checked, and gathered (S-607).

They state where the rows of the stream are, and how they are encoded.
"""

import difflib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, TypeAlias

from algebra.outside.file_names import Compression, ending_of, format_named, unread_ending
from grammar.codes import Code
from grammar.source import Span, SqlError


class Format(StrEnum):
    """The encoding of a foreign stream, or the connector that carries it."""

    CSV = "csv"  # files of records, whose header names the columns
    JSON = "json"  # one JSON object per line
    PARQUET = "parquet"
    DEBEZIUM = "debezium"  # one JSON object per line: a change, with the rows before and after it
    RATE = "rate"  # generated rows at a fixed rate: the time, and a number from 0
    SOCKET = "socket"  # lines from a TCP server
    CONSOLE = "console"  # standard output
    KAFKA = "kafka"
    DELTA = "delta"
    ICEBERG = "iceberg"


class Role(StrEnum):
    """The use of a foreign stream: a source is read, and statements write into a sink."""

    SOURCE = "source"
    SINK = "sink"


_BOTH: Final = frozenset(Role)
#: Whether each format can be a source, a sink, or both.
ROLES: Final[Mapping[Format, frozenset[Role]]] = {
    Format.CSV: _BOTH,
    Format.JSON: _BOTH,
    Format.PARQUET: _BOTH,
    Format.DEBEZIUM: _BOTH,
    Format.RATE: frozenset({Role.SOURCE}),
    Format.SOCKET: frozenset({Role.SOURCE}),
    Format.CONSOLE: frozenset({Role.SINK}),
    Format.KAFKA: _BOTH,
    Format.DELTA: _BOTH,
    Format.ICEBERG: _BOTH,
}

#: The value of an option.
Setting: TypeAlias = str | int | bool


@dataclass(frozen=True, slots=True)
class OptionSpec:
    """An option that a format has.

    ``read`` converts the text of the option to its value; it returns None for a text that is not
    valid.  ``default`` None: the option is mandatory.  ``example`` is the option as hints show it.
    """

    name: str
    read: Callable[[str], Setting | None]
    default: Setting | None
    example: str


# Each of the next functions returns the value of an option's text, or None if it is not valid.


def _text(value: str) -> Setting | None:
    """A name of a file or a host, which is not empty; no system allows NUL in it."""
    return value if value and "\0" not in value else None


def _any_text(value: str) -> Setting | None:
    """Any text, also an empty one."""
    return value


def _character(value: str) -> Setting | None:
    """One character that can separate fields: not a double quote or a line break."""
    return value if len(value) == 1 and value not in '"\r\n' else None


def _quote(value: str) -> Setting | None:
    """One character that can enclose a field: not a line break."""
    return value if len(value) == 1 and value not in "\r\n" else None


def _flag(value: str) -> Setting | None:
    """``true`` or ``false``, in any case."""
    return {"true": True, "false": False}.get(value.lower())


def _positive(value: str) -> Setting | None:
    """A number from 1 to 999,999,999, perhaps with leading zeros."""
    return int(value) if re.fullmatch(r"0*[1-9][0-9]{0,8}", value, re.ASCII) else None


def _port(value: str) -> Setting | None:
    """The number of a TCP port, from 1 to 65,535."""
    number = _positive(value)
    return number if isinstance(number, int) and number <= 65_535 else None


def _one_of(*words: str) -> Callable[[str], Setting | None]:
    """A function that reads one of ``words``, in any case."""
    return lambda value: value.lower() if value.lower() in words else None


_PATH: Final = OptionSpec("path", _text, None, "path 'orders.csv'")
#: The choice at a record that is not a valid row: the run fails, or continues without it.
_ON_ERROR: Final = OptionSpec("on_error", _one_of("fail", "drop"), "fail", "on_error 'drop'")
_DELIMITER: Final = OptionSpec("delimiter", _character, ",", "delimiter ';'")
_QUOTE: Final = OptionSpec("quote", _quote, '"', "quote '|'")
#: The text that stands for NULL.
_NULL: Final = OptionSpec("null_text", _any_text, "", "null_text 'NA'")

#: The unit in which a number in a TIMESTAMP column counts the time since 1970.
_TIME_UNIT: Final = OptionSpec("time_unit", _one_of("s", "ms", "us", "ns"), "", "time_unit 'ms'")
#: The options for times; ``strict_times`` refuses parts of a millisecond, which are cut by default.
_TIMES: Final = (
    _TIME_UNIT,
    OptionSpec("strict_times", _flag, False, "strict_times TRUE"),
)

#: The options of each format; one that is not listed is refused.
#: Defines: S-607.a
KNOWN: Final[Mapping[Format, tuple[OptionSpec, ...]]] = {
    Format.CSV: (
        _PATH,
        OptionSpec("header", _flag, True, "header 'false'"),
        _DELIMITER,
        _QUOTE,
        _NULL,
        *_TIMES,
        _ON_ERROR,
    ),
    Format.JSON: (_PATH, *_TIMES, _ON_ERROR),
    Format.PARQUET: (_PATH, *_TIMES, _ON_ERROR),
    Format.DEBEZIUM: (_PATH, *_TIMES, _ON_ERROR),
    Format.RATE: (OptionSpec("rows_per_second", _positive, 1, "rows_per_second 100"), _ON_ERROR),
    Format.SOCKET: (
        OptionSpec("host", _text, "localhost", "host 'localhost'"),
        OptionSpec("port", _port, None, "port 9999"),
        OptionSpec("lines", _one_of("csv", "json"), "csv", "lines 'json'"),
        _DELIMITER,
        _NULL,
        *_TIMES,
        _ON_ERROR,
    ),
    Format.CONSOLE: (),
}
#: Formats whose options belong to their connector: they are passed to it unchanged.
CONNECTORS: Final = frozenset(Format) - KNOWN.keys()

#: The formats of files.
FILES: Final = frozenset({Format.CSV, Format.JSON, Format.PARQUET, Format.DEBEZIUM})


@dataclass(frozen=True, slots=True)
class Option:
    """An option as written, its name in lower case; ``at`` is its place in the script."""

    name: str
    value: str
    at: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Connection:
    """Where the rows of a foreign stream are, and how they are encoded.

    ``settings`` are the values of all options of the format, defaults included; a connector has
    only the options that are written.  ``options`` are the options as written.
    """

    format: Format
    settings: tuple[tuple[str, Setting], ...]
    options: tuple[Option, ...]

    def text(self, name: str) -> str:
        """The setting of that name, which is a text."""
        value = dict(self.settings)[name]
        assert isinstance(value, str), name
        return value

    def number(self, name: str) -> int:
        """The setting of that name, which is a number."""
        value = dict(self.settings)[name]
        assert isinstance(value, int), name
        return value

    def flag(self, name: str) -> bool:
        """The setting of that name, which is true or false."""
        return dict(self.settings)[name] is True

    def at(self, name: str) -> Span:
        """The place of an option in the script; if it is left out, that of the first option."""
        return next((each.at for each in self.options if each.name == name), self.options[0].at)


def connection(options: Sequence[Option], sql: str) -> Connection:
    """The connection that ``options``, one or more, describe.

    Raises BAD_OPTION for a format or option that is unknown, a value that the option cannot have,
    or a mandatory option that is missing; DUPLICATE_NAME for an option that is written twice.

    Defines: S-607.b
    """
    seen = _by_name(options, sql)
    format = _format(options, seen, sql)
    rest = [each for each in options if each.name != "format"]
    if format in CONNECTORS:
        return Connection(format, tuple((each.name, each.value) for each in rest), tuple(options))
    known = {each.name: each for each in KNOWN[format]}
    for each in rest:
        if each.name not in known:
            raise _unknown(each, f"format '{format}'", list(known), sql)
    if format in FILES:
        _check_compression(seen, sql)
    settings = {
        name: _setting(each, seen.get(name), format, options[0], sql)
        for name, each in known.items()
    }
    _separate_by_tabs(settings, seen)
    return Connection(format, tuple(settings.items()), tuple(options))


def column_time_unit(options: Sequence[Option], sql: str) -> str:
    """The ``time_unit`` that ``options``, one or more options of a column, declare.

    Raises BAD_OPTION for another option or value, and DUPLICATE_NAME for an option that is written
    twice.
    """
    for each in _by_name(options, sql).values():
        if each.name != _TIME_UNIT.name:
            raise _unknown(each, "a column", [_TIME_UNIT.name], sql)
    return str(_value(_TIME_UNIT, options[0], sql))


def _by_name(options: Sequence[Option], sql: str) -> Mapping[str, Option]:
    """The options by their names; DUPLICATE_NAME for one that is written twice."""
    seen: dict[str, Option] = {}
    for each in options:
        if each.name in seen:
            message = f"option '{each.name}' is given twice"
            raise SqlError(Code.DUPLICATE_NAME, message, sql, each.at, "leave one of them out")
        seen[each.name] = each
    return seen


def _separate_by_tabs(settings: dict[str, Setting], seen: Mapping[str, Option]) -> None:
    """Make a tab the delimiter of a file whose name ends in ``.tsv``, if no option names one."""
    has_default = "delimiter" in settings and "delimiter" not in seen
    if has_default and "path" in seen and ending_of(seen["path"].value) == ".tsv":
        settings["delimiter"] = "\t"


def _check_compression(seen: Mapping[str, Option], sql: str) -> None:
    """BAD_OPTION at a path whose ending names a compression that is not read."""
    path = seen.get("path")
    if path is not None and (ending := unread_ending(path.value)) is not None:
        hint = f"one of {', '.join(Compression)}, or a file that is not compressed"
        raise _bad(f"files that end in {ending} are not read or written", sql, path.at, hint)


def _format(options: Sequence[Option], seen: Mapping[str, Option], sql: str) -> Format:
    """The format that OPTIONS names, else the one that the ending of the path implies."""
    words = ", ".join(f"'{each}'" for each in Format)
    named = seen.get("format")
    if named is not None:
        if named.value.lower() in list(Format):
            return Format(named.value.lower())
        near = difflib.get_close_matches(named.value.lower(), list(Format), 1)
        hint = f"format '{near[0]}'" if near else f"one of {words}"
        raise _bad(f"there is no format '{named.value}'", sql, named.at, hint)
    path = seen.get("path")
    ending = None if path is None else format_named(path.value)
    if ending is not None:
        return Format(ending)
    at = options[0].at if path is None else path.at
    raise _bad(
        "OPTIONS do not name the format of the foreign stream", sql, at, f"format, one of {words}"
    )


def _unknown(option: Option, owner: str, known: Sequence[str], sql: str) -> SqlError:
    """The error for an option that ``owner`` does not have; ``known`` are the names that it has."""
    near = difflib.get_close_matches(option.name, known, 1)
    listed = f"it has: {', '.join(known)}" if known else "leave it out: it has none"
    message = f"{owner} has no option '{option.name}'"
    hint = f"{near[0]}; {listed}" if near else listed
    return _bad(message, sql, option.at, hint)


def _setting(
    spec: OptionSpec, option: Option | None, format: Format, first: Option, sql: str
) -> Setting:
    """The value of ``option``, or the default if it is None: it is not written.

    BAD_OPTION at ``first``, the first option, if the option is mandatory.
    """
    if option is None:
        if spec.default is None:
            message = f"format '{format}' needs the option '{spec.name}'"
            raise _bad(message, sql, first.at, f"{spec.example}")
        return spec.default
    return _value(spec, option, sql)


def _value(spec: OptionSpec, option: Option, sql: str) -> Setting:
    """The value of ``option``; BAD_OPTION if its text is not valid."""
    value = spec.read(option.value)
    if value is None:
        message = f"'{option.value}' is not a value of option '{spec.name}'"
        raise _bad(message, sql, option.at, spec.example)
    return value


def _bad(message: str, sql: str, at: Span, hint: str) -> SqlError:
    return SqlError(Code.BAD_OPTION, message, sql, at, hint)
