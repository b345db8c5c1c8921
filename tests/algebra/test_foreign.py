"""OPTIONS of a foreign stream (S-607); tests.rowtime shows how a wrong one is reported."""

import pytest

from algebra.catalog import Profile, Stream, Table
from algebra.outside.foreign import CONNECTORS, KNOWN, ROLES, Connection, Format, OptionSpec
from algebra.prepare import prepare
from grammar.codes import Code
from grammar.source import SqlError


def declared(options: str, changes: str = "") -> Connection:
    """The connection of a foreign stream with these options; ``changes`` may be WITH CHANGES."""
    ddl = f"CREATE FOREIGN STREAM s (x INTEGER) {changes} OPTIONS ({options})"
    stream = prepare(ddl, None, Profile.CALCITE).catalog.objects["S",]
    assert isinstance(stream, Stream | Table)
    assert stream.connection is not None
    return stream.connection


OPTIONS = [(format, each) for format, known in KNOWN.items() for each in known]


@pytest.mark.parametrize(
    ("format", "known"), OPTIONS, ids=[f"{format}-{each.name}" for format, each in OPTIONS]
)
def test_the_example_of_an_option_passes(format: Format, known: OptionSpec) -> None:
    """What a hint advises can be written so."""
    needed = [o.example for o in KNOWN[format] if o.default is None and o is not known]
    changes = "WITH CHANGES" if format is Format.DEBEZIUM else ""
    found = declared(", ".join([f"format '{format}'", known.example, *needed]), changes)
    assert dict(found.settings).keys() == {each.name for each in KNOWN[format]}
    assert dict(found.settings)[known.name] is not None


def test_what_is_left_out_has_its_default() -> None:
    found = declared("path 'a.csv'")
    assert dict(found.settings) == {
        "path": "a.csv", "header": True, "delimiter": ",", "quote": '"', "null_text": "",
        "time_unit": "", "strict_times": False, "on_error": "fail",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("path", "format"),
    [("a.csv", Format.CSV), ("a.jsonl", Format.JSON), ("a.pq", Format.PARQUET)],
)
def test_the_ending_of_a_path_says_the_format(path: str, format: Format) -> None:
    assert declared(f"path '{path}'").format is format


def test_the_names_of_options_are_identifiers_in_any_case() -> None:
    assert declared("""FORMAT 'CSV', "Path" 'a b.csv', Header FALSE""").flag("header") is False


def test_the_options_of_a_connector_are_handed_on_as_they_stand() -> None:
    found = declared("""format 'kafka', "kafka.bootstrap.servers" 'h:9092', topic 'T'""")
    assert found.settings == (("kafka.bootstrap.servers", "h:9092"), ("topic", "T"))


def test_every_format_goes_some_way_and_has_options_or_is_a_connector() -> None:
    assert ROLES.keys() == set(Format)
    assert KNOWN.keys() | CONNECTORS == set(Format)
    assert all(ROLES.values())


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ("path ''", Code.BAD_OPTION),
        ("format 'csv'", Code.BAD_OPTION),
        ("format 'socket'", Code.BAD_OPTION),
        ("format 'json', path 'a', header TRUE", Code.BAD_OPTION),
        ("format 'socket', port '9999x'", Code.BAD_OPTION),
        ("path 'a.csv', PATH 'b.csv'", Code.DUPLICATE_NAME),
        ("path NULL", Code.TYPE_MISMATCH),
    ],
)
def test_a_wrong_option_is_refused_where_it_is_declared(options: str, code: Code) -> None:
    with pytest.raises(SqlError) as refused:
        declared(options)
    assert refused.value.code is code


def test_two_declarations_are_equal_wherever_their_options_stand() -> None:
    assert declared("path 'a.csv'") == declared("   path   'a.csv'")
