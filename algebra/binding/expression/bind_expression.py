"""Binding of expressions: from the syntax tree to an `Expression` whose every node has a type.

**What backends may build on.**  Binding has put every implicit Cast into the expression.  A value
is NULL only if its type is nullable.  The operands of each node have these types:

=======================  =======================================================================
AND, OR, NOT, IS …       AND, OR: two or more BOOLEANs, without an AND directly in an AND, or an OR
                         in an OR; NOT and the IS tests: one BOOLEAN (IS [NOT] NULL: any type)
comparisons, IN,         operands of one type, but for nullability; a text literal with a CHAR is
Quantified, InQuery      cast to CHAR, and CHARs are padded to one length; rows, BETWEEN, simple
                         CASE and NULLIF are expanded to comparisons of single values
+ - * / MOD, exact       operands as they are, integers and DECIMALs mixed: the exact result (of /
                         of integers: cut towards zero; else rounded HALF_UP) as a value of the
                         node's type.  MOD has the type of its second operand, or a DECIMAL
+ - * /, REAL, DOUBLE    both operands of the result's type.  EXP, LN, SQRT, POWER: DOUBLE
+ -, intervals           both of one family, not always of the same fields
*, /, interval first     interval and number of any kind: an interval, cut towards zero to whole
                         months or milliseconds; interval / interval: DOUBLE
DATETIME_PLUS            a datetime, then an interval (negated for ``-``); DATE with an interval
                         down to hours or less is cast to TIMESTAMP; TIME never with months
DATETIME_MINUS           two DATEs, two TIMEs or two TIMESTAMPs; the node's type is the qualifier's
NEGATE, ABS, FLOOR,      one operand of the node's type; but FLOOR and CEIL of a DECIMAL(p, s) are
CEIL, MONOTONIC          DECIMAL(p, 0).  A literal contains its own sign
STEP                     two integers of the node's type; or a datetime, then an interval
GREATEST, LEAST          operands of the node's type, which are compared as comparisons do
SIGN, TRUNCATE           one number of the node's type; but SIGN of DECIMAL(p, p) has one more
                         digit, because it can be 1
ROUND                    one number of the node's type; but a DECIMAL(p, s) becomes
                         DECIMAL(p + 1, s)
second operands          of TRUNCATE and ROUND (digits), LPAD and RPAD (length): integers of any
                         width
LPAD, RPAD               always three operands
Round (FLOOR and CEIL    to units of a DATE: years to days; of a TIME: hours to milliseconds; of a
of a datetime)           TIMESTAMP: both
Extract                  units as in `algebra.binding.expression.bind_datetime.bind_extract`
text operators           all texts VARCHAR, CHAR cast with its blanks; places and lengths integers
                         of any width; ``||`` has integers and DECIMALs cast to VARCHAR
CASE, COALESCE           results and operands of the node's type
Cast                     pairs as in `functions.casts`; a Cast to the operand's own type is left out
NULL, parameters         have the type that their place asks for; a bare ``NULL`` alone is of kind
                         NULL, and so are CASE and COALESCE of nothing else
sub-queries              ScalarQuery, Quantified: plans of one column; InQuery: as many as operands
=======================  =======================================================================

The scope binds columns, sub-queries and the calls that only some clauses allow.
"""

from collections.abc import Sequence

from algebra.binding.expression.bind_datetime import bind_clock, bind_extract, bind_round, bind_step
from algebra.binding.expression.bind_function import expand
from algebra.binding.expression.bind_subquery import exists, in_query, quantified, scalar_query
from algebra.binding.expression.bind_text import (
    bind_concat,
    bind_like,
    bind_overlay,
    bind_position,
    bind_substring,
    bind_trim,
)
from algebra.binding.scope.calls import operands_of
from algebra.binding.scope.function_calls import (
    check_count,
    check_parameters,
    check_plain,
    misplaced,
    unknown_function,
)
from algebra.binding.scope.scope import Scope
from algebra.build import not_
from algebra.catalog import ExternalFunction, Function
from algebra.expression import (
    Call,
    Case,
    Expression,
    External,
    Literal,
    Op,
    Parameter,
)
from algebra.functions.arithmetic import (
    ARITHMETIC,
    bind_arithmetic,
    bind_distance,
    bind_minus,
    bind_plus,
)
from algebra.functions.coerce import (
    Operand,
    bind_cast,
    cast_to,
    convert,
    require_boolean,
    require_typed,
    unify,
    unify_compared,
)
from algebra.functions.comparison import (
    COMPARISONS,
    Operands,
    between,
    compare,
    conjunction,
    disjunction,
    in_list,
)
from algebra.functions.literals import bind_literal, interval_literal
from algebra.functions.scalar_functions import FUNCTIONS, UNIFYING, bind_scalar
from algebra.functions.timestamp_arithmetic import bind_timestamp_add, bind_timestamp_diff
from algebra.functions.type_names import bind_type, interval_type
from algebra.refusal.validate import not_deterministic
from algebra.rewrite import with_location
from algebra.types import BOOLEAN, NULL, Kind, Type
from grammar import tree
from grammar.codes import Code
from grammar.source import Location, SqlError
from grammar.tree import BinaryOperator, LiteralKind, Quantifier, Truth, UnaryOperator

#: The operator of each test ``IS [NOT] …``, by the word after IS and whether NOT is written.
_TESTS = {
    (Truth.TRUE, False): Op.IS_TRUE,
    (Truth.TRUE, True): Op.IS_NOT_TRUE,
    (Truth.FALSE, False): Op.IS_FALSE,
    (Truth.FALSE, True): Op.IS_NOT_FALSE,
    (Truth.UNKNOWN, False): Op.IS_NULL,
    (Truth.UNKNOWN, True): Op.IS_NOT_NULL,
    (Truth.NULL, False): Op.IS_NULL,
    (Truth.NULL, True): Op.IS_NOT_NULL,
}


def bind_expression(
    node: tree.Expression, scope: Scope, expected: Type | None = None
) -> Expression:
    """The expression that ``node`` denotes in ``scope``.

    ``expected`` is the type that the place of the expression requires; None: it requires none.  A
    ``?`` or NULL that is the whole expression takes this type, and no other expression is cast to
    it.  TYPE_MISMATCH for a ``?`` without it.  The first fault in the text is raised, an operand's
    before its operator's (S-801).
    """
    bound = _bound(node, scope)
    if expected is not None and bound.kind is Kind.NULL:
        return convert(bound.expression, expected)
    return require_typed(bound).expression


def bind_condition(node: tree.Expression, scope: Scope) -> Expression:
    """The condition that ``node`` denotes; TYPE_MISMATCH at ``node`` if it is not a BOOLEAN."""
    return require_boolean(_bound(node, scope))


def _bound(node: tree.Expression, scope: Scope) -> Operand:
    """``node``, bound as an operand; a ``?`` may be left without a type."""
    return _operand(_bind(node, scope), node, scope)


def _operand(expression: Expression, node: tree.Expression, scope: Scope) -> Operand:
    """``expression``, bound from ``node``, as an operand.

    The expression keeps its location in the text, for errors at run time.
    """
    return Operand(with_location(expression, Location(scope.sql, node.span)), node.span, scope.sql)


def _typed(node: tree.Expression, scope: Scope) -> Operand:
    """``node``, bound as an operand; TYPE_MISMATCH for a ``?``, because it has no type."""
    return require_typed(_bound(node, scope))


def _optional(node: tree.Expression | None, scope: Scope) -> Operand | None:
    """As `_bound`; None for a part that is not written, such as FOR in SUBSTRING."""
    return None if node is None else _bound(node, scope)


def _row(node: tree.Expression, scope: Scope) -> Operands:
    """The columns of a row value, bound; any other expression is a row of one."""
    match node:
        case tree.Row(items):
            return tuple(_bound(each, scope) for each in items)
        case _:
            return (_bound(node, scope),)


def _bind(node: tree.Expression, scope: Scope) -> Expression:
    """The expression that each kind of node denotes; a ``?`` may be left without a type."""
    if (special := scope.special(node)) is not None:
        return special
    match node:
        case tree.Literal():
            return bind_literal(node, scope.sql)
        case tree.IntervalLiteral():
            return interval_literal(node, scope.sql)
        case tree.Parameter(index):
            return Parameter(index, NULL)
        case tree.ColumnRef(name):
            return scope.column(name)
        case tree.Star(_, span):
            message = "'*' is allowed only in a select list and in COUNT(*)"
            raise SqlError(Code.SYNTAX_ERROR, message, scope.sql, span, "COUNT(*)")
        case tree.Row(items, span):
            message = f"a row of {len(items)} where a single value is expected"
            hint = "name the values one by one; a row can only be compared: (a, b) = (c, d)"
            raise SqlError(Code.TYPE_MISMATCH, message, scope.sql, span, hint)
        case tree.Unary():
            return _unary(node, scope)
        case tree.Binary():
            return _binary(node, scope)
        case tree.Between(operand, low, high, symmetric, negated, span):
            first, second, third = (_row(each, scope) for each in (operand, low, high))
            return between(first, second, third, span, symmetric=symmetric, negated=negated)
        case tree.Like(operand, pattern, escape, similar, negated):
            text, shape = _bound(operand, scope), _bound(pattern, scope)
            like = bind_like(text, shape, _optional(escape, scope), similar=similar)
            return not_(like) if negated else like
        case tree.Is():
            return _is(node, scope)
        case tree.InList(operand, items, negated, span):
            row, rows = _row(operand, scope), [_row(each, scope) for each in items]
            found = in_list(row, rows, [each.span for each in items])
            return not_(found) if negated else found
        case tree.InQuery(operand, query, negated):
            row = tuple(require_typed(each) for each in _row(operand, scope))
            found = in_query(row, scope.subquery(query), query.span, scope.sql)
            return not_(found) if negated else found
        case tree.Exists(query):
            return exists(scope.subquery(query))
        case tree.Quantified(operator, quantifier, operand, query):
            value = _typed(operand, scope)
            every = quantifier is Quantifier.ALL
            plan = scope.subquery(query)
            return quantified(COMPARISONS[operator], every, value, plan, query.span)
        case tree.ScalarQuery(query):
            return scalar_query(scope.subquery(query), query.span, scope.sql)
        case tree.Case():
            return _case(node, scope)
        case tree.Cast(operand, type, span):
            value = _bound(operand, scope)
            return bind_cast(value, bind_type(type, scope.sql), span)
        case tree.Extract(unit, operand, span):
            return bind_extract(unit, _bound(operand, scope), span)
        case tree.Round(up, operand, unit, span):
            return bind_round(up, _bound(operand, scope), unit, span)
        case tree.Step(operand, by, span):
            return bind_step(_bound(operand, scope), _bound(by, scope), span)
        case tree.TimestampAdd(unit, count, operand, span):
            return bind_timestamp_add(unit, _bound(count, scope), _bound(operand, scope), span)
        case tree.TimestampDiff(unit, start, end, span):
            return bind_timestamp_diff(unit, _bound(start, scope), _bound(end, scope), span)
        case tree.Substring(operand, start, length):
            text, first_place = _bound(operand, scope), _bound(start, scope)
            return bind_substring(text, first_place, _optional(length, scope))
        case tree.Position(needle, haystack):
            return bind_position(_bound(needle, scope), _bound(haystack, scope))
        case tree.Trim(side, characters, operand):
            return bind_trim(side, _optional(characters, scope), _bound(operand, scope))
        case tree.Overlay(operand, replacement, start, length):
            text, new = _bound(operand, scope), _bound(replacement, scope)
            return bind_overlay(text, new, _bound(start, scope), _optional(length, scope))
        case tree.DatetimeMinus(left, right, qualifier, span):
            distance = interval_type(qualifier)
            return bind_distance(_bound(left, scope), _bound(right, scope), distance, span)
        case tree.CurrentTime():
            return bind_clock(node, scope.sql)
        case tree.Monotonic(operand):
            value = _typed(operand, scope)
            return Call(Op.MONOTONIC, (value.expression,), value.type)
        case tree.FunctionCall():
            return _call(node, scope)


# --- operators --------------------------------------------------------------------------------


def _unary(node: tree.Unary, scope: Scope) -> Expression:
    """NOT and the signs; the sign of a literal number is part of the literal."""
    match node:
        case tree.Unary(UnaryOperator.MINUS, tree.Literal(LiteralKind.NUMBER) as number):
            return bind_literal(number, scope.sql, negative=True)
        case tree.Unary(UnaryOperator.MINUS, operand):
            return bind_minus(_bound(operand, scope))
        case tree.Unary(UnaryOperator.PLUS, operand):
            return bind_plus(_bound(operand, scope))
        case tree.Unary(UnaryOperator.NOT, operand):
            return not_(bind_condition(operand, scope))
        case _:
            raise AssertionError(node)


def _binary(node: tree.Binary, scope: Scope) -> Expression:
    """A chain of operators ``((a op b) op c) …``, of which ``node`` is the last.

    It is bound in a loop and not by recursion, because a chain may have thousands of operators.
    """
    chain: list[tree.Binary] = [node]  # the operators from the last to the first
    while isinstance(left := chain[-1].left, tree.Binary) and scope.special(left) is None:
        chain.append(left)
    innermost = chain[-1].left
    found: Operands = _row(innermost, scope)  # the left side of the next operator, bound
    run: list[Expression] = []  # the operands of consecutive ANDs, or of consecutive ORs
    for place in range(len(chain) - 1, -1, -1):
        each = chain[place]
        logical = each.operator in (BinaryOperator.AND, BinaryOperator.OR)
        if logical:
            # The operands of the whole run are gathered, because the run becomes one node.
            if not run:
                run.append(_condition(found, each.left, scope))
            run.append(bind_condition(each.right, scope))
            if place and chain[place - 1].operator is each.operator:
                continue  # the next operator belongs to the run, too
            join = conjunction if each.operator is BinaryOperator.AND else disjunction
            expression, run = join(run), []
        else:
            expression = _operator(each, found, scope)
        found = (_operand(expression, each, scope),)
    return found[0].expression


def _operator(node: tree.Binary, left: Operands, scope: Scope) -> Expression:
    """The call of one operator other than AND and OR; ``left`` is its left side, bound."""
    if (comparison := COMPARISONS.get(node.operator)) is not None:
        return compare(comparison, left, _row(node.right, scope), node.span)
    value = _single(left, node.left, scope)
    right = _bound(node.right, scope)
    if node.operator in ARITHMETIC:
        return bind_arithmetic(node.operator, value, right, node.span)
    assert node.operator is BinaryOperator.CONCAT, "AND and OR are handled above"
    return bind_concat(value, right, node.span)


def _condition(row: Operands, node: tree.Expression, scope: Scope) -> Expression:
    """The only value of ``row``, bound from ``node``; TYPE_MISMATCH if it is not a BOOLEAN."""
    return require_boolean(_single(row, node, scope))


def _single(row: Operands, node: tree.Expression, scope: Scope) -> Operand:
    """The only value of ``row``, bound from ``node``; TYPE_MISMATCH if ``row`` has several."""
    if len(row) == 1:
        return row[0]
    return _bound(node, scope)  # it raises the error for a row in place of a value


def _is(node: tree.Is, scope: Scope) -> Expression:
    """A test ``IS [NOT] …``; a row IS NULL if all its columns are, and IS NOT NULL if none is."""
    certain = BOOLEAN.as_nullable(False)
    op = _TESTS[node.truth, node.negated]
    if node.truth is not Truth.NULL:
        return Call(op, (bind_condition(node.operand, scope),), certain)
    columns = [require_typed(each) for each in _row(node.operand, scope)]
    return conjunction([Call(op, (each.expression,), certain) for each in columns])


def _case(node: tree.Case, scope: Scope) -> Expression:
    """CASE, with or without an operand: results are cast to one type; a missing ELSE is NULL."""
    operand = None if node.operand is None else _row(node.operand, scope)
    conditions: list[Expression] = []
    results: list[Operand] = []
    for when in node.whens:
        if operand is None:
            conditions.append(bind_condition(when.condition, scope))
        else:
            value = _row(when.condition, scope)
            conditions.append(compare(Op.EQUAL, operand, value, when.condition.span))
        results.append(_bound(when.result, scope))
    if node.otherwise is not None:
        results.append(_bound(node.otherwise, scope))
    else:
        results.append(Operand(Literal(None, NULL), node.span, scope.sql))
    type, unified = unify(results, "results")
    branches = zip(conditions, unified[:-1], strict=True)
    return Case(tuple(branches), unified[-1], type)


# --- functions --------------------------------------------------------------------------------


def _call(node: tree.FunctionCall, scope: Scope) -> Expression:
    """A call by name, of a built-in scalar function or of a user-defined one.

    Other calls are refused.  The faults of the arguments are raised before those of the call
    (S-801).
    """
    parts = node.name.parts
    name = parts[0].name if len(parts) == 1 else ""
    # Each branch binds the arguments before it checks the call, so that their faults come first.
    if (scalar := FUNCTIONS.get(name)) is not None:
        arguments = _arguments(node, scope)
        check_plain(node, scope.sql)
        check_count(node, scalar.least, len(scalar.parameters), scope.sql)
        if scalar.op is Op.RAND and scope.streaming:
            raise not_deterministic(node, scope.sql)
        return bind_scalar(scalar, arguments)
    if (unifying := UNIFYING.get(name)) is not None:
        arguments = _arguments(node, scope)
        check_plain(node, scope.sql)
        check_count(node, unifying.least, unifying.most, scope.sql)
        return _unifying_call(name, node, arguments)
    found = scope.catalog.find(tuple(each.name for each in parts))
    if isinstance(found, Function):
        arguments = _arguments(node, scope)
        check_plain(node, scope.sql)
        names = [each.name.name for each in found.statement.parameters]
        check_parameters(node, names, scope.sql)
        return expand(found, arguments, scope, bind_expression)
    external = scope.catalog.extensions.get(tuple(each.name for each in parts))
    if isinstance(external, ExternalFunction):
        return _call_of_host(node, external, scope)
    refused = misplaced(node, scope.sql)
    if refused is None:
        raise unknown_function(node, scope.catalog, scope.sql)
    for each in operands_of(node):  # the faults of operands are raised first
        bind_expression(each, scope)
    raise refused


def _call_of_host(node: tree.FunctionCall, external: ExternalFunction, scope: Scope) -> Expression:
    """A call of an extension function, which is written in the host language, Python."""
    arguments = _arguments(node, scope)
    check_plain(node, scope.sql)
    check_parameters(node, [each.name for each in external.parameters], scope.sql)
    pairs = zip(arguments, external.parameters, strict=True)
    operands = [cast_to(argument, parameter.type) for argument, parameter in pairs]
    return External(external, tuple(operands), external.returns)


def _arguments(node: tree.FunctionCall, scope: Scope) -> Sequence[Operand]:
    """The arguments of a call, bound; a ``?`` among them has no type yet."""
    return [_bound(each, scope) for each in node.arguments]


def _unifying_call(name: str, node: tree.FunctionCall, arguments: Sequence[Operand]) -> Expression:
    """A call of the function ``name`` of `UNIFYING`, whose arguments are cast to a common type."""
    match name:
        case "MOD":
            dividend, divisor = arguments
            return bind_arithmetic(BinaryOperator.MODULO, dividend, divisor, node.span)
        case "NULLIF":
            value, other = arguments
            equal = compare(Op.EQUAL, (value,), (other,), node.span)
            type = require_typed(value).type.as_nullable()
            return Case(((equal, Literal(None, type)),), value.expression, type)
        case "GREATEST" | "LEAST":
            type, operands = unify_compared(arguments)
            return Call(Op(name), operands, type)
        case _:
            type, operands = unify(arguments, "arguments")
            nullable = all(each.type.nullable for each in operands)
            return Call(Op.COALESCE, operands, type.as_nullable(nullable))
