"""What binding promises to backends, checked on every node of generated expressions."""

from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from algebra.expression import Call, Case, Cast, Expression, Extract, Op, Round
from algebra.types import APPROXIMATE, DATETIME, EXACT, INTEGERS, INTERVAL, NUMERIC, Kind
from tests.algebra.expression_scope import COLUMNS, bind

_NUMBERS = ["s", "i", "j", "l", "d", "r", "f", "1", "2.5", "1E0", "NULL", "-3"]
_TEXTS = ["c", "v", "w", "'ab'", "NULL"]
_TIMES = ["dt", "ts", "u", "DATE '2015-02-15'", "NULL"]
_SPANS = ["h", "m", "INTERVAL '1' DAY", "INTERVAL -'90' MINUTE"]


def _numbers(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    pair = st.tuples(inner, inner)
    return st.one_of(
        st.tuples(inner, st.sampled_from("+-*/"), inner).map(
            lambda p: f"(COALESCE({p[0]}, 1) {p[1]} {p[2]})"
        ),
        pair.map(lambda p: f"COALESCE({p[0]}, {p[1]}, i)"),
        pair.map(lambda p: f"CASE WHEN {p[0]} < {p[1]} THEN {p[1]} ELSE i END"),
        pair.map(lambda p: f"NULLIF(COALESCE({p[0]}, 1), {p[1]})"),
        inner.map(lambda n: f"SQRT({n})"),
        pair.map(lambda p: f"GREATEST({p[0]}, {p[1]}, l)"),
        inner.map(lambda n: f"ROUND(COALESCE({n}, 1), 1)"),
        st.sampled_from(_TIMES).map(lambda t: f"EXTRACT(YEAR FROM CAST({t} AS DATE))"),
        st.sampled_from(_TEXTS).map(lambda t: f"CHAR_LENGTH({t})"),
        st.tuples(st.sampled_from(_SPANS), st.sampled_from(_SPANS)).map(
            lambda p: f"({p[0]} / ({p[1]} + {p[0]}))"
        ),
    )


_number = st.recursive(st.sampled_from(_NUMBERS), _numbers, max_leaves=6)
_time = st.tuples(st.sampled_from(_TIMES), st.sampled_from(_SPANS), st.sampled_from("+-")).map(
    lambda p: f"(CAST({p[0]} AS TIMESTAMP) {p[2]} {p[1]})"
)
_day = st.sampled_from(_SPANS).map(lambda s: f"(dt + {s})")
_compared = st.one_of(
    st.tuples(_number, _number),
    st.tuples(st.sampled_from(_TEXTS), st.sampled_from(_TEXTS)),
    st.tuples(st.one_of(_time, _day), st.one_of(_time, _day)),
    st.tuples(st.sampled_from(_SPANS), st.sampled_from(_SPANS)),
)
_comparison = st.one_of(
    st.tuples(_compared, st.sampled_from(["=", "<>", "<", ">=", "IS DISTINCT FROM"])).map(
        lambda p: f"{p[0][0]} {p[1]} {p[0][1]}"
    ),
    _compared.map(lambda p: f"{p[0]} IN ({p[1]}, {p[0]})"),
    _compared.map(lambda p: f"{p[0]} NOT BETWEEN SYMMETRIC {p[1]} AND {p[0]}"),
    _compared.map(lambda p: f"({p[0]}, i) <= ({p[1]}, l)"),
)
_condition = st.recursive(
    _comparison,
    lambda inner: st.tuples(inner, st.sampled_from(["AND", "OR"]), inner).map(
        lambda p: f"({p[0]} {p[1]} ({p[2]}))"
    ),
    max_leaves=4,
)

_COMPARISONS = {
    Op.EQUAL,
    Op.NOT_EQUAL,
    Op.LESS,
    Op.LESS_OR_EQUAL,
    Op.GREATER,
    Op.GREATER_OR_EQUAL,
    Op.IS_DISTINCT_FROM,
    Op.IS_NOT_DISTINCT_FROM,
    Op.IN,
}
_CERTAIN = {Op.IS_DISTINCT_FROM, Op.IS_NOT_DISTINCT_FROM}


def _nodes(expression: Expression) -> Iterator[Expression]:
    yield expression
    match expression:
        case Call(_, operands):
            children = operands
        case Case(branches, otherwise):
            children = (*(each for pair in branches for each in pair), otherwise)
        case Cast(operand) | Extract(_, operand) | Round(_, operand):
            children = (operand,)
        case _:
            children = ()
    for each in children:
        yield from _nodes(each)


@given(_condition)
def test_every_node_has_operands_of_the_types_promised(sql: str) -> None:
    for node in _nodes(bind(sql)):
        if isinstance(node, Call):
            _check_call(node)
        if isinstance(node, Case):
            results = [result for _, result in node.branches] + [node.otherwise]
            assert {each.type.as_nullable() for each in results} == {node.type.as_nullable()}
            assert node.type.nullable == any(each.type.nullable for each in results)
        if isinstance(node, Cast):
            assert node.operand.type != node.type
            assert node.operand.type.nullable == node.type.nullable


def _check_call(node: Call) -> None:
    types = [each.type for each in node.operands]
    kinds = [each.kind for each in types]
    nullable = any(each.nullable for each in types)
    match node.op:
        case op if op in _COMPARISONS:
            assert len({each.as_nullable() for each in types}) == 1
            assert node.type.kind is Kind.BOOLEAN
            assert node.type.nullable == (nullable and op not in _CERTAIN)
        case Op.AND | Op.OR:
            assert len(types) >= 2
            assert set(kinds) == {Kind.BOOLEAN}
            assert all(not isinstance(e, Call) or e.op is not node.op for e in node.operands)
        case Op.PLUS | Op.MINUS | Op.TIMES | Op.DIVIDE if node.type.kind in NUMERIC:
            approximate = node.type.kind in APPROXIMATE and not set(kinds) <= INTERVAL
            assert set(kinds) == {node.type.kind} if approximate else True
            assert set(kinds) <= (
                EXACT if node.type.kind in EXACT else EXACT | APPROXIMATE | INTERVAL
            )
            assert node.type.nullable == nullable
        case Op.DATETIME_PLUS:
            assert kinds[0] in DATETIME
            assert kinds[1] in INTERVAL
            assert node.type == types[0].as_nullable(nullable)
        case Op.COALESCE:
            assert {each.as_nullable() for each in types} == {node.type.as_nullable()}
            assert node.type.nullable == all(each.nullable for each in types)
        case Op.GREATEST:
            assert {each.as_nullable() for each in types} == {node.type.as_nullable()}
            assert node.type.nullable == nullable
        case Op.ROUND:
            assert kinds[0] is node.type.kind
            assert node.type.scale == types[0].scale
            assert kinds[1] in INTEGERS
            assert node.type.nullable == nullable
        case Op.SQRT:
            assert kinds == [Kind.DOUBLE]
        case Op.CHAR_LENGTH:
            assert kinds == [Kind.VARCHAR]
            assert node.type.kind in INTEGERS
        case _:
            pass


def test_the_columns_of_these_tests_have_a_type_of_every_kind() -> None:
    missing = set(Kind) - {each.type.kind for each in COLUMNS}
    assert missing == {Kind.TINYINT, Kind.NULL}
