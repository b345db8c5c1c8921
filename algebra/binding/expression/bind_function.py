"""Calls of user-defined functions: each is replaced by the function's body, with its arguments."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn

from algebra.binding.scope.scope import Scope
from algebra.catalog import Catalog, Function, Profile
from algebra.expression import Expression
from algebra.functions.coerce import Operand, cast_to
from algebra.functions.type_names import bind_type
from grammar import tree
from grammar.codes import Code
from grammar.source import SqlError


@dataclass(frozen=True, slots=True)
class Body:
    """The `Scope` of a function's body: the only names in it are those of the parameters.

    ``sql`` is the text of the function's CREATE, in which errors have their place.  ``parameters``
    has the argument for the name of each parameter.  ``streaming``: the function is called in a
    streaming query.
    """

    sql: str
    catalog: Catalog
    profile: Profile
    parameters: Mapping[str, Expression]
    streaming: bool

    def column(self, name: tree.Name) -> Expression:
        """The argument for the parameter of that name; UNKNOWN_COLUMN if there is none."""
        found = self.parameters.get(name.parts[0].name) if len(name.parts) == 1 else None
        if found is None:
            message = f"the function has no parameter {name.parts[-1].name}"
            hint = ", ".join(self.parameters)
            raise SqlError(Code.UNKNOWN_COLUMN, message, self.sql, name.span, hint)
        return found

    def subquery(self, query: tree.Query) -> NoReturn:
        """Raise NOT_SUPPORTED: a body cannot have sub-queries."""
        message = "a function's body has no sub-queries"
        raise SqlError(Code.NOT_SUPPORTED, message, self.sql, query.span, "join, and pass a column")

    def special(self, node: tree.Expression) -> None:
        """None: a body gives no call a special meaning; `bind_expression` refuses aggregates."""


#: The type of `bind_expression`, which callers pass because its module imports this one.
Bind = Callable[[tree.Expression, Scope], Expression]


def expand(
    function: Function,
    arguments: Sequence[Operand],
    scope: Scope,
    bind: Bind,
) -> Expression:
    """The body of ``function`` with the arguments for its parameters, cast to the RETURNS type.

    ``scope`` is the scope of the call, and ``bind`` is `bind_expression`.  Each argument is
    converted to its parameter's type.  Faults of the body have their place in the function's text.
    The expansion ends because a function only calls functions that were created before it.
    """
    types = [bind_type(each.type, function.sql) for each in function.statement.parameters]
    values = {
        parameter.name.name: cast_to(argument, type)
        for parameter, type, argument in zip(
            function.statement.parameters, types, arguments, strict=True
        )
    }
    return expand_values(
        function, values, scope.catalog, scope.profile, bind, streaming=scope.streaming
    )


def expand_values(
    function: Function,
    values: Mapping[str, Expression],
    catalog: Catalog,
    profile: Profile,
    bind: Bind,
    *,
    streaming: bool = False,
) -> Expression:
    """The body with ``values``, one for the name of each parameter, cast to the RETURNS type.

    ``streaming``: the function is called in a streaming query.
    """
    statement = function.statement
    body = Body(function.sql, catalog, profile, values, streaming)
    found = bind(statement.body, body)
    returns = bind_type(statement.returns, function.sql)
    return cast_to(Operand(found, statement.body.span, function.sql), returns)
