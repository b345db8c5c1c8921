"""The witness's plans of changelogs as SQL."""

from tests.witness.changing import (
    Beside,
    Combined,
    First,
    FirstOfEach,
    Greatest,
    Grouped,
    Input,
    Known,
    Least,
    Once,
    Paired,
    Plan,
    Swapped,
    Whole,
)


def inputs_of(plan: Plan) -> set[Input]:
    """The streams and tables that a plan reads."""
    match plan:
        case Input():
            return {plan}
        case Paired(_, left, right) | Combined(_, _, left, right):
            return inputs_of(left) | inputs_of(right)
        case Known(input, other) | Greatest(input, other):
            return inputs_of(input) | inputs_of(other)
        case _:
            return inputs_of(plan.input)


def ddl_of(plan: Plan) -> str:
    """The script that creates what a plan reads."""
    return ";\n".join(sorted(map(_declared, inputs_of(plan))))


def _declared(input: Input) -> str:
    null = " NOT NULL" if input.form == "keyed" else ""
    what = "TABLE" if input.form == "table" else "STREAM"
    written = {"changed": " WITH CHANGES", "keyed": " WITH CHANGES KEY (k)"}
    columns = f"(k INTEGER{null}, v INTEGER)"
    return f"CREATE {what} {input.name} {columns}{written.get(input.form, '')}"


def changelog_of(plan: Plan) -> str:
    """The streaming query whose changes are those of a plan."""
    return text_of(plan).replace("SELECT", "SELECT STREAM", 1) + " EMIT CHANGES"


def text_of(plan: Plan) -> str:
    """The relational query of a plan."""
    match plan:
        case Input(name):
            return f"SELECT k, v FROM {name}"
        case Least(input, number):
            return f"SELECT k, v FROM {_from(input)} AS a WHERE v >= {number}"
        case Swapped(input):
            return f"SELECT v AS k, k AS v FROM {_from(input)} AS a"
        case Grouped(input, measure, often):
            having = f" HAVING COUNT(*) >= {often}" if often else ""
            return f"SELECT k, {measure} AS v FROM {_from(input)} AS a GROUP BY k{having}"
        case Whole(input, measure):
            return f"SELECT 0 AS k, {measure} AS v FROM {_from(input)} AS a"
        case Beside(input, measure):
            over = f"{measure} OVER (PARTITION BY k)"
            if measure == "COUNT(DISTINCT v)":
                inner = f"SELECT k, COUNT(DISTINCT v) AS v FROM {_from(input)} AS c GROUP BY k"
                on = "a.k IS NOT DISTINCT FROM b.k"
                return f"SELECT a.k, b.v FROM {_from(input)} AS a JOIN ({inner}) AS b ON {on}"
            return f"SELECT k, {over} AS v FROM {_from(input)} AS a"
        case Once(input):
            return f"SELECT DISTINCT k, v FROM {_from(input)} AS a"
        case Paired(kind, left, right, both):
            on = "a.k = b.k AND a.v = b.v" if both else "a.k = b.k"
            tables = f"{_from(left)} AS a {kind} JOIN {_from(right)} AS b"
            return f"SELECT a.k AS k, b.v AS v FROM {tables} ON {on}"
        case Combined(operator, all, left, right):
            word = f"{operator} ALL" if all else operator
            sides = (f"SELECT k, v FROM {_from(each)} AS a" for each in (left, right))
            return f"SELECT k, v FROM ({f' {word} '.join(sides)}) AS c"
        case First(input, number, skipped, falling, ties):
            way = " DESC" if falling else ""
            by = f"v{way}" if ties else f"v{way}, k{way}"
            offset = f" OFFSET {skipped} ROWS" if skipped else ""
            rows = f"FETCH FIRST {number} ROWS {'WITH TIES' if ties else 'ONLY'}"
            return f"SELECT k, v FROM {_from(input)} AS a ORDER BY {by}{offset} {rows}"
        case FirstOfEach(input, number):
            rank = "RANK() OVER (PARTITION BY k ORDER BY v)"
            return f"SELECT k, v FROM {_from(input)} AS a QUALIFY {rank} <= {number}"
        case Known(input, other, known):
            exists = f"EXISTS (SELECT 1 FROM {_from(other)} AS b WHERE b.k = a.k)"
            condition = exists if known else f"NOT {exists}"
            return f"SELECT k, v FROM {_from(input)} AS a WHERE {condition}"
        case Greatest(input, other):
            most = f"(SELECT MAX(v) FROM {_from(other)} AS b)"
            return f"SELECT k, v FROM {_from(input)} AS a WHERE v = {most}"


def _from(plan: Plan) -> str:
    return plan.name if isinstance(plan, Input) else f"({text_of(plan)})"
