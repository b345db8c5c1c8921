"""A plan of the witness as SQL, and its streams as DDL."""

from tests.witness.plans import (
    AsofJoined,
    Distinct,
    Floor,
    Frame,
    Joined,
    Merge,
    Minutes,
    NumberJoined,
    Numbers,
    Plan,
    RowsJoined,
    Sessions,
    SetOf,
    Shift,
    Sorted,
    Stream,
    Timeless,
    TSorted,
    Where,
    WindowJoined,
    Windows,
    inputs_of,
    shows_time,
    width,
)

_ORDERS = {
    "ascending": "ASCENDING",
    "strict": "ASCENDING STRICT",
    "punctuated": "ASCENDING PUNCTUATED",
}


def ddl_of(plan: Plan) -> str:
    """The declarations of the streams that a plan reads."""
    return ";\n".join(sorted({_declared(each) for each in streams_of(plan)}))


def streams_of(plan: Plan) -> list[Stream]:
    """The streams that a plan reads, one as often as it is read."""
    if isinstance(plan, Stream):
        return [plan]
    return [stream for below in inputs_of(plan) for stream in streams_of(below)]


def _declared(stream: Stream) -> str:
    match stream.order:
        case "t-sorted":
            order = f"ASCENDING WITHIN {_span(stream.slack)}"
        case "k-sorted":
            order = f"ASCENDING WITHIN {stream.slack} ROWS"
        case _:
            order = _ORDERS[stream.order]
    number = ", n INTEGER ASCENDING" if stream.counted else ""
    return f"CREATE STREAM {stream.name} (rowtime TIMESTAMP(3) {order}, k INTEGER{number})"


def sql_of(plan: Plan) -> str:
    """The streaming query of a plan."""
    return _text(plan, "SELECT STREAM")


def _span(time: int) -> str:
    return f"INTERVAL '{time // 1000}' SECOND"


def _columns(plan: Plan) -> str:
    """The columns next to the rowtime: k, n, c, in a plan that can stand below others."""
    return ", ".join(_names(plan))


def _names(plan: Plan) -> list[str]:
    match plan:
        case Stream():
            return ["k", "n"] if plan.counted else ["k"]
        case Windows() | Minutes() | Sessions():
            return ["k", "c"] if plan.by_key else ["k"]
        case Frame(input):
            return [*_names(input), f"c{width(input)}"]
        case Numbers():
            return ["n", "c"]
        case SetOf(by_number=True):
            return ["n"]
        case Joined("FULL"):
            return ["k", "k2", "a", "b"]
        case Joined() | AsofJoined():
            return ["k", "k2", "s"]
        case WindowJoined() | RowsJoined():
            return ["k", "k2"]
        case NumberJoined():
            return ["k", "n", "k2", "n2"]
        case _:
            return _names(inputs_of(plan)[0])


def _from(plan: Plan, alias: str) -> str:
    source = plan.name if isinstance(plan, Stream) else f"({_below(plan)})"
    return f"{source} AS {alias}"


def _below(plan: Plan) -> str:
    """The text of a plan that another one reads."""
    return _text(plan, "SELECT")


def _text(plan: Plan, select: str) -> str:
    match plan:
        case Stream(name):
            return f"{select} rowtime, {_columns(plan)} FROM {name}"
        case Where(input, key):
            return f"{select} * FROM {_from(input, 'x')} WHERE k = {key}"
        case Shift(input, by):
            shown = f"rowtime + {_span(by)} AS rowtime, {_columns(plan)}"
            return f"{select} {shown} FROM {_from(input, 'x')}"
        case Floor(input):
            shown = f"FLOOR(rowtime TO MINUTE) AS rowtime, {_columns(plan)}"
            return f"{select} {shown} FROM {_from(input, 'x')}"
        case Timeless(input):
            return f"{select} {_columns(plan)} FROM {_from(input, 'x')}"
        case Merge(inputs):
            time = "rowtime, " if shows_time(plan) else ""
            branches = [f"{select} {time}{_columns(e)} FROM {_from(e, 'x')}" for e in inputs]
            return " UNION ALL ".join(branches)
        case SetOf(kind, all, inputs):
            operator = f" {kind} ALL " if all else f" {kind} "
            shown = "n" if plan.by_number else f"rowtime, {_columns(plan)}"
            return operator.join(f"{select} {shown} FROM {_from(e, 'x')}" for e in inputs)
        case Distinct(input):
            return f"{select} DISTINCT rowtime, {_columns(plan)} FROM {_from(input, 'x')}"
        case Windows(input, step, length, form="group"):
            name = "TUMBLE" if step == length else "HOP"
            sizes = _span(step) if step == length else f"{_span(step)}, {_span(length)}"
            time = f"{name}_END(rowtime, {sizes})"
            return _grouped(plan, _from(input, "x"), time, f"{name}(rowtime, {sizes})", select)
        case Windows(input, step, length, form=form, offset=offset):
            name = "CUMULATE" if form == "cumulate" else "TUMBLE" if step == length else "HOP"
            data = f"TABLE {input.name}" if isinstance(input, Stream) else f"({_below(input)})"
            spans = [length] if name == "TUMBLE" else [step, length]
            spans += [offset] if offset else []
            arguments = [data, "DESCRIPTOR(rowtime)", *map(_span, spans)]
            rows = f"TABLE({name}({', '.join(arguments)}))"
            return _grouped(plan, rows, "window_end", "window_start, window_end", select)
        case Minutes(input, by):
            minute = f"{by}(rowtime TO MINUTE)"
            return _grouped(plan, _from(input, "x"), minute, minute, select)
        case Sessions(input, gap):
            call = f"SESSION(rowtime, {_span(gap)})"
            own, counted = (", k", "k, COUNT(*) AS c") if plan.by_key else ("", "COUNT(*) AS k")
            shown = f"SESSION_END(rowtime, {_span(gap)}) AS rowtime, {counted}"
            return f"{select} {shown} FROM {_from(input, 'x')} GROUP BY {call}{own}"
        case Numbers(input, by):
            of = "n" if by == 1 else f"n * {by}"
            return f"{select} {of} AS n, COUNT(*) AS c FROM {_from(input, 'x')} GROUP BY {of}"
        case Frame(input):
            shown = f"rowtime, {_columns(input)}, COUNT(*) OVER ({_frame(plan)}) AS c{width(input)}"
            return f"{select} {shown} FROM {_from(input, 'x')}"
        case Sorted(input, by):
            keys = {"time": "rowtime", "minute": "FLOOR(rowtime TO MINUTE)", "number": "n"}
            then = ", k" if plan.then_key else ""
            shown = f"rowtime, {_columns(plan)}"
            return f"{select} {shown} FROM {_from(input, 'x')} ORDER BY {keys[by]}{then}"
        case TSorted(input, slack):
            then = ", k" if plan.then_key else ""
            order = f"ORDER BY rowtime WITHIN {_span(slack)}{then}"
            return f"{select} rowtime, {_columns(plan)} FROM {_from(input, 'x')} {order}"
        case Joined():
            return _joined(plan, select)
        case AsofJoined(left, right, strict, padded):
            shown = "x.rowtime AS rowtime, x.k AS k, y.k AS k2, y.rowtime AS s"
            match = f"x.rowtime {'>' if strict else '>='} y.rowtime"
            outer = "LEFT " if padded else ""
            tables = f"{_from(left, 'x')} {outer}ASOF JOIN {_from(right, 'y')}"
            return f"{select} {shown} FROM {tables} MATCH_CONDITION ({match}) ON x.k = y.k"
        case RowsJoined(kind, left, right, rows):
            a, b = (
                f"{side.name} OVER (ROWS {_rows(n)}) AS {alias}"
                for side, n, alias in zip((left, right), rows, "xy", strict=True)
                if isinstance(side, Stream)
            )
            shown = "ROWTIME AS rowtime, x.k AS k, y.k AS k2"
            return f"{select} {shown} FROM {a} {kind} JOIN {b} ON x.k = y.k"
        case NumberJoined(kind, left, right, base):
            side = "x" if base == "left" else "y"
            time = "" if kind == "FULL" else f"{side}.rowtime AS rowtime, "
            shown = f"{time}x.k AS k, x.n AS n, y.k AS k2, y.n AS n2"
            tables = f"{_from(left, 'x')} {kind} JOIN {_from(right, 'y')}"
            return f"{select} {shown} FROM {tables} ON x.n = y.n"
        case WindowJoined(kind, left, right, (own, other)):
            a, b = _with_window(left, own, "x"), _with_window(right, other, "y")
            shown = "ROWTIME AS rowtime, x.k AS k, y.k AS k2"
            return f"{select} {shown} FROM {a} {kind} JOIN {b} ON x.k = y.k"


def _grouped(plan: Windows | Minutes, rows: str, time: str, key: str, select: str) -> str:
    shown = f"{time} AS rowtime, " if plan.shown else ""
    own, counted = (", k", "k, COUNT(*) AS c") if plan.by_key else ("", "COUNT(*) AS k")
    return f"{select} {shown}{counted} FROM {rows} GROUP BY {key}{own}"


def _frame(plan: Frame) -> str:
    parts = [
        *(["k"] if plan.by_key else []),
        *(["FLOOR(rowtime TO MINUTE)"] if plan.by_minute else []),
    ]
    partition = f"PARTITION BY {', '.join(parts)} " if parts else ""

    def end(size: int, way: str) -> str:
        if size == 0:
            return "CURRENT ROW"
        if size < 0:
            return end(-size, "PRECEDING")
        return f"{_span(size) if plan.unit == 'RANGE' else size} {way}"

    before = "UNBOUNDED PRECEDING" if plan.before is None else end(plan.before, "PRECEDING")
    after = "UNBOUNDED FOLLOWING" if plan.after is None else end(plan.after, "FOLLOWING")
    frame = f"{plan.unit} BETWEEN {before} AND {after}"
    return f"{partition}ORDER BY rowtime {frame}"


def _rows(n: int) -> str:
    return "CURRENT ROW" if n == 1 else f"{n - 1} PRECEDING"


def _joined(plan: Joined, select: str) -> str:
    def off(by: int) -> str:
        return f"x.rowtime {'-' if by < 0 else '+'} {_span(abs(by))}"

    condition = f"y.rowtime BETWEEN {off(plan.low)} AND {off(plan.high)}"
    if plan.equal:
        condition = f"x.k = y.k AND {condition}"
    first, other = ("x", "y") if plan.base == "left" else ("y", "x")
    shown = f"{first}.rowtime AS rowtime, x.k AS k, y.k AS k2, {other}.rowtime AS s"
    if plan.kind == "FULL":
        shown = "x.k AS k, y.k AS k2, x.rowtime AS a, y.rowtime AS b"
    tables = f"{_from(plan.left, 'x')} {plan.kind} JOIN {_from(plan.right, 'y')}"
    return f"{select} {shown} FROM {tables} ON {condition}"


def _with_window(plan: Plan, window: tuple[int, int], alias: str) -> str:
    following, preceding = window
    match following, preceding:
        case 0, 0:
            text = ""
        case 0, _:
            text = f" OVER (RANGE {_span(preceding)} PRECEDING)"
        case _, 0:
            text = f" OVER (RANGE {_span(following)} FOLLOWING)"
        case _:
            ends = f"{_span(preceding)} PRECEDING AND {_span(following)} FOLLOWING"
            text = f" OVER (RANGE BETWEEN {ends})"
    source = plan.name if isinstance(plan, Stream) else f"({_text(plan, 'SELECT')})"
    return f"{source}{text} AS {alias}"
