"""The help texts: whole summaries, an example of each command, words that are explained."""

import shlex
from typing import Final

import pytest
import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command
from typer.testing import CliRunner

from rowtime.cli import TCK_EXTENSIONS, app
from tck.cli import COMMANDS, add_command, kit_app


def _whole_kit() -> typer.Typer:
    kit = kit_app()
    for name, (place, arguments) in TCK_EXTENSIONS.items():
        add_command(kit, f"rowtime tck {name}", place, arguments)
    return kit


_KIT: Final = _whole_kit()
_GROUPS: Final = {"rowtime": app, "rowtime tck": _KIT}


def _commands(words: str) -> dict[str, TyperCommand]:
    """The commands of a group by the words that each is called by."""
    group = get_command(_GROUPS[words])
    assert isinstance(group, TyperGroup)
    found: dict[str, TyperCommand] = {}
    for name, each in group.commands.items():
        assert isinstance(each, TyperCommand)
        found[f"{words} {name}"] = each
    return found


#: All commands; the help of `rowtime tck` is that of a group.
_COMMANDS: Final = {
    words: each
    for group in _GROUPS
    for words, each in _commands(group).items()
    if words not in _GROUPS
}


def _help(words: str) -> str:
    """The help that a command prints, 80 columns wide."""
    of_kit = words.startswith("rowtime tck ")
    name = words.rpartition(" ")[2]
    arguments = ["--help"] if words in _GROUPS else [name, "--help"]
    called = _GROUPS.get(words, _KIT if of_kit else app)
    return CliRunner().invoke(called, arguments, env={"COLUMNS": "80"}).stdout


@pytest.mark.parametrize("words", _GROUPS)
def test_no_summary_in_the_list_of_commands_is_cut(words: str) -> None:
    listed = _help(words).partition("Commands:")[2]
    assert listed
    assert "..." not in listed


def test_the_help_of_rowtime_lists_the_commands_of_the_kit() -> None:
    shown = " ".join(_help("rowtime").split())
    assert f"The commands of rowtime tck are: {', '.join((*COMMANDS, *TCK_EXTENSIONS))}." in shown


@pytest.mark.parametrize("words", _COMMANDS)
def test_the_example_of_a_command_is_a_call_of_it(words: str) -> None:
    before, found, line = _help(words).rpartition("Example:\n    ")
    assert found, before
    called, arguments = words.split(), shlex.split(line)
    assert arguments[: len(called)] == called
    # An option that does not exist, or a missing argument, raises an error.
    _COMMANDS[words].make_context(words, arguments[len(called) :])


@pytest.mark.parametrize("words", _COMMANDS)
def test_each_option_has_a_help(words: str) -> None:
    for each in _COMMANDS[words].params:
        shown = getattr(each, "help", None) if each.param_type_name == "option" else "."
        assert shown, each.name
