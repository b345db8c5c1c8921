"""The parts of a declaration that concern files: OPTIONS, and paths and time units of columns.

They declare where and how the rows of a stream or table are stored outside the database.
"""

from algebra.binding.expression.constants import constant
from algebra.binding.expression.scopes import NO_COLUMNS, RowScope
from algebra.binding.scope.environment import Environment
from algebra.outside.foreign import Option, column_time_unit
from algebra.outside.json_path import JsonPath, json_path
from algebra.types import Kind, Type
from grammar import statement as syntax
from grammar.codes import Code


def option_of(option: syntax.Option, environment: Environment) -> Option:
    """The option with its value as a text; TYPE_MISMATCH for a value that is not constant."""
    found = constant(option.value, RowScope(environment, NO_COLUMNS, "OPTIONS"))
    if found is None or found.value is None:
        raise environment.error(
            Code.TYPE_MISMATCH,
            "the value of an option must be a constant",
            option.value.span,
            "'value'",
        )
    return Option(option.name.name.lower(), str(found.value), option.span)


def json_path_of(node: syntax.ColumnDef, environment: Environment) -> JsonPath:
    """The path to a column's value in JSON; (): none is declared.

    BAD_OPTION if the text is not a path.

    Defines: S-607.s
    """
    if node.path is None:
        return ()
    found = json_path(node.path.text)
    if found is None:
        message = f"'{node.path.text}' is not a path to a member"
        hint = "FROM '$.user.name', FROM '$.items[0]', FROM '$[''first name'']'"
        raise environment.error(Code.BAD_OPTION, message, node.path.span, hint)
    return found


def time_unit_of(node: syntax.ColumnDef, type: Type, environment: Environment) -> str:
    """The unit in which numbers in a column count the time since 1970; '' if none is declared.

    BAD_OPTION for another option, for an unknown unit, and for a column that is not a TIMESTAMP.

    Defines: S-613.j
    """
    if not node.options:
        return ""
    options = [option_of(each, environment) for each in node.options]
    unit = column_time_unit(options, environment.sql)
    if type.kind is not Kind.TIMESTAMP:
        message = f"a column of {type} has no time_unit"
        hint = "TIMESTAMP(3) OPTIONS (time_unit 'ms')"
        raise environment.error(Code.BAD_OPTION, message, options[0].at, hint)
    return unit
