"""Write cases as files of sqllogictest: the declarations, the rows, the query and its result.

In these files a table takes the place of each stream, and has the rows that the case feeds.  By the
law S-303.a, a streaming query has the same rows as the query without STREAM over such tables.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Final

from tck.corpus.case import Case, CellRow
from tck.corpus.ddl import declared_columns
from tck.corpus.needs import needs_of, says_stream
from tck.corpus.permitted import permitted_rows
from tck.corpus.used_objects import statements_of
from tck.corpus.values import Family, TypedValue, UnreadableError, family, read_value, wire_value
from tck.protocol import ColumnInfo, Rows, WireRow

#: Capabilities whose cases do not have the result of a query over tables, at least in some runs.
_NOT_OF_TABLES: Final = frozenset({
    "changelogs", "changing-tables", "current-time", "descending-order", "dml",
    "emit-after-watermark", "expedited", "foreign-streams", "history-limits", "late",
    "monotonic-function", "now", "producers", "pumps", "rand", "standing-inserts", "t-sort",
    "update-delete", "upsert", "user-functions", "versioned-tables", "warnings",
})  # fmt: skip
#: The types that have the letter I in a file.
_INTEGERS: Final = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "BOOLEAN")
#: The types that have the letter R.  All other types have the letter T.
_NUMBERS: Final = ("DECIMAL", "REAL", "DOUBLE")
#: The number of digits with which a floating number is written.
_DIGITS: Final = 9
#: The start of a window of a join: OVER after the name of a stream.  After a call, OVER follows a
#: parenthesis.
_WINDOW_OF_A_JOIN: Final = re.compile(r"[\w\"]\s+OVER\b", re.IGNORECASE)
#: The start of a window in parentheses, after OVER or in the clause WINDOW (``w AS (…)``), but not
#: of a query in parentheses.
_WINDOW: Final = re.compile(r"\b(?:OVER|AS)\s*\(\s*(?!SELECT|WITH|VALUES)", re.IGNORECASE)
#: A clause ORDER BY, of a window or of the query.
_ORDER: Final = re.compile(r"\bORDER\s+BY\b", re.IGNORECASE)
#: A literal, a quoted name or a comment (the first group), or SELECT (the second) before STREAM.
_STREAM: Final = re.compile(
    r"('(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|--[^\n]*|/\*.*?\*/)|(\bSELECT)\s+STREAM\b",
    re.IGNORECASE | re.DOTALL,
)


class NotPortableError(Exception):
    """A case cannot be written as a file; the text is the reason."""


def sqllogictest_file(case: Case) -> str:
    """The text of the file of one case.  Raises `NotPortableError`."""
    return "\n\n".join(["\n".join(_comments(case)), *_records(case)]) + "\n"


def tables_of(case: Case) -> Mapping[str, tuple[WireRow, ...]]:
    """The rows of each table that the query reads, by its name in the catalog.

    Raises `NotPortableError`.
    """
    if reason := _reason_against(case):
        raise NotPortableError(reason)
    rows: dict[str, tuple[WireRow, ...]] = dict.fromkeys(declared_columns(case.ddl), ())
    streaming = says_stream(case.sql or "")
    for load in case.tables:
        if not streaming or not _is_stream(case, load.object):
            rows[load.object] = load.rows
        elif "subqueries" in needs_of(case):
            raise NotPortableError("a sub-query of a streaming query reads a history")
    fed_without_steps = case.streams if streaming and not case.steps else ()
    for event in (*_fed(case), *fed_without_steps):
        rows[event.input] = (*rows.get(event.input, ()), *event.rows)
    return rows


def _reason_against(case: Case) -> str | None:
    """The reason why the case cannot have a file; None: only its names or values can prevent it."""
    if case.sql is None or not case.lists_rows:
        return "it lists no rows of a query"
    if case.result is None or case.error or any(step.error for step in case.steps):
        return "the query is rejected, or fails"
    if case.profile != "calcite":
        return "it has the profile sqlstream"
    if not case.ended:
        return "its inputs do not end"
    texts = "\n".join([case.ddl, case.sql])
    if _WINDOW_OF_A_JOIN.search(texts):
        return "it joins streams by windows in FROM"
    if _is_ordered_by_its_stream(texts, needs_of(case)):
        return "a window without ORDER BY has the order of its stream"
    excluded = sorted(_NOT_OF_TABLES.intersection(needs_of(case)))
    return f"its result is not that of a query over tables: {excluded[0]}" if excluded else None


def _is_ordered_by_its_stream(texts: str, needs: Iterable[str]) -> bool:
    """Whether a window in the texts may lack ORDER BY, so that its stream orders it (S-505.d).

    The texts are not parsed.  A window may lack ORDER BY if there are fewer of them than windows.
    """
    windows = len(_WINDOW.findall(texts)) if "over" in needs else 0
    return "STREAM" in texts.upper() and len(_ORDER.findall(texts)) < windows


def table_query(sql: str) -> str:
    """The query without the words STREAM, and without empty lines.

    >>> table_query("SELECT STREAM 'SELECT STREAM' FROM t;")
    "SELECT 'SELECT STREAM' FROM t"
    """
    text = _STREAM.sub(lambda match: match[1] or match[2], sql).strip().removesuffix(";")
    return "\n".join(line.rstrip() for line in text.splitlines() if line.strip())


def expected_lines(case: Case) -> list[str]:
    """The lines of the result, each with the values of a row; sorted unless ORDER BY orders them.

    Raises `NotPortableError` if a value cannot stand in such a line.
    """
    listed = case.rows
    if listed is None:
        listed = tuple(each.cells for each in permitted_rows(case))
    rows = [_value_texts(case, row) for row in listed]
    return [" ".join(row) for row in (rows if is_ordered(case) else sorted(rows))]


def is_ordered(case: Case) -> bool:
    """Whether the rows must have the order in which the case lists them, because of ORDER BY."""
    return case.order == "exact" and "order-by" in needs_of(case)


def _comments(case: Case) -> Iterator[str]:
    """The lines of comments at the top of a file."""
    yield f"# {case.chapter}/{case.id}"
    if case.cites:
        yield f"# cites {', '.join(case.cites)}"
    yield from (f"# {line.strip()}" for line in case.why.strip().splitlines())


def _records(case: Case) -> Iterator[str]:
    """The records of a file: the statements that make the tables, and the query with its result.

    Raises `NotPortableError`.
    """
    rows = tables_of(case)
    own = declared_columns(case.ddl)
    columns = {**own, **case.columns}
    for name, listed in rows.items():
        if "." in name:
            raise NotPortableError("a table is in a schema")
        declared = columns.get(name)
        if declared is None:
            raise NotPortableError(f"the columns of {name} are not known")
        if declared != own.get(name, declared):
            raise NotPortableError(f"values of {name} are converted when they arrive")
        yield from _table(name, declared, listed)
    for created, statement in statements_of(case.ddl):
        if created is None and statement.strip():
            yield f"statement ok\n{table_query(statement)}"
    result = expected_lines(case)
    assert case.result is not None, "tables_of has seen it"
    types = "".join(_letter(column.type) for column in case.result)
    mode = "nosort" if is_ordered(case) else "rowsort"
    yield "\n".join([f"query {types} {mode}", table_query(case.sql or ""), "----", *result])


def _table(name: str, columns: tuple[ColumnInfo, ...], rows: tuple[WireRow, ...]) -> Iterator[str]:
    """The statements that create a table and fill it."""
    declared = ", ".join(f"{_name(each.name)} {_type(each.type)}" for each in columns)
    yield f"statement ok\nCREATE TABLE {_name(name)} ({declared})"
    for row in rows:
        cells = zip(row, columns, strict=True)
        values = ", ".join(_literal(read_value(cell, each.type), each.type) for cell, each in cells)
        yield f"statement ok\nINSERT INTO {_name(name)} VALUES ({values})"


def _is_stream(case: Case, name: str) -> bool:
    """Whether an object of the script is a stream."""
    return re.search(rf"(?i)\bSTREAM\s+{re.escape(name)}\b", case.ddl) is not None


def _fed(case: Case) -> list[Rows]:
    """The events by which the steps of a case feed rows."""
    return [event for step in case.steps for event in step.events if isinstance(event, Rows)]


def _name(name: str) -> str:
    """The name, in quotes only if it needs them, because engines fold other names differently."""
    return (
        name if re.fullmatch(r"[A-Z_][A-Z0-9_]*", name) else '"{}"'.format(name.replace('"', '""'))
    )


def _type(type: str) -> str:
    """The type of a column as most engines write it.  Raises `NotPortableError` for an interval."""
    if type == "DOUBLE":
        return "DOUBLE PRECISION"
    if type.startswith("INTERVAL"):
        raise NotPortableError("a column of a table is an interval")
    return re.sub(r"^(TIMESTAMP|TIME)\(\d\)", r"\1", type)


def _letter(type: str) -> str:
    """The letter that sqllogictest has for a type."""
    if type.startswith(_INTEGERS):
        return "I"
    return "R" if type.startswith(_NUMBERS) else "T"


def _literal(value: TypedValue, type: str) -> str:
    """A value in an INSERT; times are written as texts, which all engines convert."""
    match wire_value(value, type):
        case None:
            return "NULL"
        case bool() as truth:
            return str(truth).upper()
        case str() as text if family(type) is Family.BINARY:
            return f"X'{text}'"
        case str() as text if type.startswith("DECIMAL"):
            return text
        case str() as text:
            if "\n" in text or "\r" in text or type.startswith(("DOUBLE", "REAL")):
                raise NotPortableError("a value has a line break, or is not finite")
            return "'{}'".format(text.replace("'", "''"))
        case number:
            return repr(number)


def _value_texts(case: Case, row: CellRow) -> list[str]:
    """The values of an expected row, as texts.  Raises `NotPortableError`."""
    assert case.result is not None, "tables_of has seen it"
    cells = zip(row, case.result, strict=True)
    try:
        texts = [_text(read_value(cell, each.type, case.date), each.type) for cell, each in cells]
    except UnreadableError:
        raise NotPortableError("a value is not of its column's type") from None
    if not " ".join(texts).strip():
        raise NotPortableError("a row is blank")
    return texts


def _text(value: TypedValue, type: str) -> str:
    """A value of a result, as docs/sqllogictest.md defines it."""
    if type.startswith("INTERVAL"):
        raise NotPortableError("a column of the result is an interval")
    match wire_value(value, type):
        case None:
            return "NULL"
        case bool() as truth:
            return str(int(truth))
        case float() as number:
            return f"{number:.{_DIGITS}g}"
        case str() as text if type.startswith("DECIMAL"):
            return exact_text(Decimal(text))
        case str() as text:
            if not text.isprintable() or type.startswith(("DOUBLE", "REAL")):
                raise NotPortableError("a value has a line break, or is not finite")
            return text or "(empty)"
        case number:
            return str(number)


def exact_text(number: Decimal) -> str:
    """A number in digits, without zeros at the end of its fraction.

    >>> exact_text(Decimal("1.50")), exact_text(Decimal("200")), exact_text(Decimal("-0.00"))
    ('1.5', '200', '0')
    """
    text = f"{number:f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("-0", "") else text


def sqllogictest_files(cases: Iterable[Case]) -> tuple[dict[str, str], dict[str, int]]:
    """The texts of the files, by ``chapter/id.slt``; and the number of cases without a file.

    This number is given for each reason why a case has no file.
    """
    files: dict[str, str] = {}
    reasons: dict[str, int] = {}
    for case in cases:
        try:
            files[f"{case.chapter}/{case.id}.slt"] = sqllogictest_file(case)
        except NotPortableError as error:
            reasons[str(error)] = reasons.get(str(error), 0) + 1
    return files, reasons
