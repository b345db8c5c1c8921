"""Expressions that users write, with the strongest sound answer, derived by hand.

The reasons take 1, 2, 3 … for the values of the strict column ``s``.  Where the deduction is
weaker, ``gap`` says why, and the test pins what it gives.
"""

from dataclasses import dataclass
from typing import Final

from algebra.monotonicity.tables import Monotonicity

C = Monotonicity.CONSTANT
S = Monotonicity.STRICTLY_INCREASING
I = Monotonicity.INCREASING  # noqa: E741  the tables' own letter
T = Monotonicity.STRICTLY_DECREASING
D = Monotonicity.DECREASING
N = Monotonicity.NOT_MONOTONIC

DDL: Final = """
    CREATE STREAM Ticks (
      rowtime TIMESTAMP(3) ASCENDING,
      orderId INTEGER ASCENDING STRICT,
      seq BIGINT ASCENDING STRICT,
      a INTEGER ASCENDING, s INTEGER ASCENDING STRICT,
      d INTEGER DESCENDING, ds INTEGER DESCENDING STRICT,
      p INTEGER ASCENDING STRICT CHECK (p BETWEEN 1 AND 1000),
      n INTEGER ASCENDING STRICT CHECK (n BETWEEN -1000 AND -1),
      q INTEGER ASCENDING CHECK (q >= 0),
      f DOUBLE ASCENDING STRICT, g DOUBLE ASCENDING CHECK (g > 0),
      c DECIMAL(10, 2) ASCENDING STRICT,
      code VARCHAR(20) ASCENDING STRICT, ch CHAR(4) ASCENDING STRICT,
      dd DATE ASCENDING STRICT, tm TIME ASCENDING,
      h INTERVAL HOUR ASCENDING STRICT, mo INTERVAL MONTH ASCENDING STRICT,
      x INTEGER, y INTEGER NOT NULL);
"""


@dataclass(frozen=True, slots=True)
class Entry:
    """An expression over the columns of Ticks, and the strongest answer that is sound.

    ``reached`` is what is deduced where that is weaker, and ``gap`` why; else it is None.
    """

    sql: str
    strongest: Monotonicity
    why: str
    reached: Monotonicity | None = None
    gap: str = ""

    @property
    def line(self) -> str:
        """The entry's line of docs/monotonicity.md."""
        sql = self.sql.replace("|", "\\|")
        here = "" if self.reached is None else f"; here {self.reached}: *{self.gap}*"
        return f"| `{sql}` | {self.strongest}{here} | {self.why} |"


#: The kinds of gap, by a word for each.
GAPS: Final = {
    "same column": "two occurrences of a column are treated as two columns; terms are not "
    "collected",
    "float": "REAL and DOUBLE round, so they are never deduced to be strict (S-402)",
    "interval": "a computed interval can hold less than one unit of its last field (S-207), which "
    "its type does not show",
    "libm": "no standard promises that POWER increases with its base to the last bit",
    "text": "the text of an integer is not analysed; 9 is after 10",
    "neighbours": "how far apart consecutive values are is not analysed, only the least distance "
    "of two values of a type",
    "error": "division by 0 ends the query, so it breaks no order; but the rule requires a "
    "divisor that is never 0 (E-50)",
    "no number": "infinity times 0 is NaN; the product of any other value and 0 is 0",
}

ENTRIES: Final = (
    # --- MON's table
    Entry("7", C, "a literal"),
    Entry("1 + 2", C, "constants make a constant"),
    Entry("FLOOR(f)", I, "1.2 and 1.4 both give 1"),
    Entry("CEIL(f)", I, "1.2 and 1.4 both give 2"),
    Entry("FLOOR(c)", I, "as with a DOUBLE"),
    Entry("CEIL(-c)", D, "-c decreases"),
    Entry("FLOOR(s)", S, "an integer is its own floor"),
    Entry("FLOOR(rowtime TO HOUR)", I, "10:17 and 10:18 both give 10:00"),
    Entry("CEIL(rowtime TO DAY)", I, "the same upwards"),
    Entry("FLOOR(dd TO DAY)", S, "a date is its own day"),
    Entry("FLOOR(dd TO WEEK)", I, "Monday and Tuesday"),
    Entry("CEIL(tm TO HOUR)", I, "a TIME column ascends within its day"),
    Entry("STEP(rowtime BY INTERVAL '5' MINUTE)", I, "10:01 and 10:02 both give 10:00"),
    Entry("STEP(orderId BY 100)", I, "101 and 102 both give 100"),
    Entry("STEP(orderId BY 1)", S, "every integer is a multiple of 1"),
    Entry("SUBSTRING(code FROM 0 FOR 4)", I, "the first three characters (E-58)"),
    Entry("SUBSTRING(code FROM 1 FOR 3)", I, "abca and abcb both give abc"),
    Entry("SUBSTRING(code FROM 1)", S, "all of it"),
    Entry("SUBSTRING(ch FROM 1 FOR 4)", S, "all of a CHAR(4)"),
    Entry("SUBSTRING(code FROM 2 FOR 3)", N, "ab, ba gives b, a"),
    Entry("SUBSTRING('abcdef' FROM 1 FOR s)", I, "a, ab, abc, until the text ends"),
    Entry("SUBSTRING(code FROM 1 FOR s)", I, "a longer prefix of a later text"),
    Entry("SUBSTRING('abcdef' FROM s)", N, "f, and then nothing"),
    Entry("+s", S, "the same"),
    Entry("-s", T, "-1, -2, -3"),
    Entry("-(-s)", S, "negated twice"),
    Entry("s + 5", S, "6, 7, 8"),
    Entry("5 + a", I, "as a"),
    Entry("s - 5", S, "-4, -3, -2"),
    Entry("5 - s", T, "4, 3, 2"),
    Entry("s + a", S, "one strict summand is enough (E-56)"),
    Entry("a + a", I, "neither is strict"),
    Entry("s + d", N, "1 + 5, 2 + 5, 3 + 0"),
    Entry("s + x", N, "x has no order"),
    Entry("s * 2", S, "2, 4, 6"),
    Entry("-2 * s", T, "-2, -4, -6"),
    Entry("s * 0", C, "always 0"),
    Entry("s * (1 - 2)", T, "the factor is -1, though it is not a literal"),
    Entry("12 / p", D, "12, 6, 4, 3, 2, 2 (E-50)"),
    Entry("-12 / p", I, "-12, -6, -4, -3 (E-50)"),
    Entry("12 / n", D, "12 / -3, 12 / -2, 12 / -1 is -4, -6, -12 (E-50)"),
    Entry("-12 / n", I, "4, 6, 12"),
    Entry("0 / p", C, "always 0"),
    Entry("12 / s", N, "12 / -1, 12 / 1, 12 / 2 is -12, 12, 6"),
    Entry("12 / q", D, "as 12 / p when q is above 0; no value before that", N, "error"),
    Entry("MONOTONIC(x)", I, "declared by the query (S-407)"),
    Entry("MONOTONIC(s)", S, "the declaration adds nothing"),
    Entry("-MONOTONIC(x)", D, "the declared order, negated"),
    Entry("MONOTONIC(x) / 4", I, "the declared order, truncated"),
    # --- what the table leaves out (E-57)
    Entry("s - ds", S, "minus a descending column is plus an ascending one"),
    Entry("a - d", I, "neither is strict"),
    Entry("s - a", N, "1 - 0, 2 - 5"),
    Entry("s - 2 * ds", S, "s + 2 * -ds"),
    Entry("a - 3 * d", I, "the same, not strict"),
    Entry("s - 2 * a", N, "1 - 0, 2 - 2 * 5"),
    Entry("orderId / 100", I, "101 and 102 both give 1"),
    Entry("orderId / 100 * 100", I, "the same, times 100"),
    Entry("orderId - MOD(orderId, 100)", I, "the difference is a multiple of 100"),
    Entry("MOD(orderId, 100)", N, "99, 0"),
    Entry("s / -2", D, "0, -1, -1"),
    Entry("s / 1", S, "the same"),
    Entry("s / -1", T, "as -s"),
    Entry("s / 2.0", S, "a DECIMAL of six digits keeps halves apart"),
    Entry("c / 2", S, "the quotient has digits enough to keep cents apart"),
    Entry("c / 3E0", S, "cents of ten digits are far apart for a DOUBLE", I, "float"),
    Entry("s / 0", C, "no row has a value, so all have the same", N, "error"),
    Entry("c * 0.5", S, "0.005 is not rounded in DECIMAL(12, 3)"),
    Entry("s * s", N, "-2 * -2, -1 * -1, 0 * 0, 1 * 1"),
    Entry("p * p", S, "1, 4, 9"),
    Entry("p * q", I, "1 * 0, 2 * 0, 3 * 1"),
    Entry("n * n", T, "9, 4, 1"),
    Entry("p * n", N, "1 * -9, 2 * -8, then 3 * -1"),
    Entry("p * x", N, "x has no order"),
    Entry("y * 0", C, "0 times a value that is never NULL"),
    Entry("x * 0", N, "0, or NULL where x is"),
    Entry("p / -n", I, "1 / 9, 2 / 8, 3 / 1: an increasing number over a decreasing one"),
    Entry("p / q", N, "as 12 / q"),
    Entry("2 * s - s", S, "it is s", N, "same column"),
    Entry("s - s", C, "it is 0", N, "same column"),
    Entry("ABS(s)", N, "1, 0, 1"),
    Entry("ABS(p)", S, "it is p"),
    Entry("ABS(n)", T, "it is -n"),
    Entry("SIGN(s)", I, "-1, 0, 1, 1"),
    Entry("ROUND(c, 1)", I, "1.01 and 1.02 both give 1.0"),
    Entry("ROUND(c, 2)", S, "cents have two digits"),
    Entry("ROUND(s)", S, "an integer is round"),
    Entry("TRUNCATE(c, -1)", I, "11 and 12 both give 10"),
    Entry("GREATEST(s, 10)", I, "10, 10, 11"),
    Entry("GREATEST(s, s + 1)", S, "each is greater than both before"),
    Entry("LEAST(s, seq)", S, "each is greater than the lesser before"),
    Entry("LEAST(a, d)", N, "1, 2, then 0"),
    Entry("GREATEST(rowtime, TIMESTAMP '2015-02-15 10:00:00')", I, "as rowtime, from there on"),
    Entry("COALESCE(s, 0)", S, "s is never NULL"),
    Entry("COALESCE(x, s)", N, "x has no order"),
    Entry("NULLIF(s, 5)", N, "4, NULL, 6: NULL has no place in the middle"),
    Entry("CASE WHEN s < 10 THEN 0 WHEN s < 20 THEN 1 ELSE 2 END", I, "0, then 1, then 2"),
    Entry("CASE WHEN s < 0 THEN 0 ELSE s END", I, "0 until s is above it"),
    Entry("CASE WHEN s < 0 THEN -s ELSE s END", N, "1, 0, 1"),
    Entry("CASE WHEN s > 0 THEN s END", N, "NULL, then 1"),
    Entry("CASE WHEN s > 10 THEN 0 ELSE 1 END", D, "1, then 0"),
    Entry("CASE WHEN x > 0 THEN s ELSE a END", N, "x has no order"),
    Entry("CASE WHEN x > 0 THEN s + 1 ELSE s END", I, "s to s + 1, then at least that", N,
          "neighbours"),
    Entry("s > 10", I, "FALSE, then TRUE, and FALSE is less"),
    Entry("NOT (s > 10)", D, "TRUE, then FALSE"),
    Entry("rowtime >= TIMESTAMP '2015-02-15 10:00:00'", I, "FALSE, then TRUE"),
    Entry("s > 10 AND a > 5", I, "FALSE until both are TRUE"),
    Entry("s = 10", N, "FALSE, TRUE, FALSE"),
    Entry("s BETWEEN 1 AND 10", N, "FALSE, TRUE, FALSE"),
    Entry("s IS NULL", C, "never"),
    Entry("x IS NULL", N, "x has no order"),
    Entry("s + CAST(NULL AS INTEGER)", C, "always NULL"),
    Entry("SQRT(p)", S, "no two whole numbers to 1000 have one root", I, "float"),
    Entry("EXP(f)", I, "1E3 and 2E3 both give infinity"),
    Entry("LN(g)", I, "two neighbours have one logarithm"),
    Entry("POWER(p, 2)", S, "whole numbers to 1000000 are exact", N, "libm"),
    Entry("f + 1", I, "1E-20 and 2E-20 both give 1"),
    Entry("f * 2", I, "1E308 and 1.5E308 both give infinity"),
    Entry("f > 5E0", I, "FALSE, then TRUE: a monotonic column holds no NaN (S-301)"),
    Entry("LEAST(f, 10E0)", I, "as f, up to there"),
    Entry("CAST(f AS DECIMAL(10, 2))", I, "1.001 and 1.002 both give 1.00"),
    Entry("-f", T, "a sign is not rounded"),
    Entry("f * 0E0", C, "0, apart from infinity", N, "no number"),
    Entry("1 / g", D, "the quotients over 1E308 and 1.7E308 can be equal"),
    # --- texts
    Entry("'x' || code", S, "two texts that differ still differ after the x"),
    Entry("code || 'x'", N, "a, ab gives ax, abx, and b is before x"),
    Entry("ch || 'x'", S, "all have one length, so the x is never compared with a letter"),
    Entry("ch || code", S, "ch decides"),
    Entry("code || code", N, "b, ba gives bb, baba"),
    Entry("CAST(dd AS VARCHAR(10)) || ' ' || code", S, "a date has ten characters"),
    Entry("CAST(rowtime AS VARCHAR(30)) || 'Z'", N, "10:17:00Z is after 10:17:00.5Z"),
    Entry("UPPER(code)", N, "B, a gives B, A"),
    Entry("CHAR_LENGTH(code)", N, "aa, b"),
    Entry("TRIM(code)", N, "'a' || tab is before 'a  ', and after 'a'"),
    Entry("LPAD(CAST(p AS VARCHAR(4)), 4, '0')", S, "0009 is before 0010", N, "text"),
    # --- casts
    Entry("CAST(rowtime AS DATE)", I, "many times of one day"),
    Entry("CAST(dd AS TIMESTAMP)", S, "each day has one midnight"),
    Entry("CAST(rowtime AS TIME)", N, "23:59, 00:00"),
    Entry("CAST(rowtime AS VARCHAR(30))", I, "ISO text orders as time does"),
    Entry("CAST(dd AS VARCHAR(10))", S, "ISO text orders as dates do"),
    Entry("CAST(tm AS VARCHAR(12))", I, "10:17:00 is a prefix of 10:17:00.5"),
    Entry("CAST(s AS VARCHAR(11))", N, "9 is after 10"),
    Entry("CAST(code AS INTEGER)", N, "10, 9"),
    Entry("CAST(s AS BIGINT)", S, "the same numbers"),
    Entry("CAST(s AS SMALLINT)", S, "the same numbers, or an error, which ends the query"),
    Entry("CAST(s AS DECIMAL(12, 2))", S, "the same numbers"),
    Entry("CAST(c AS INTEGER)", I, "1.2 and 1.4 both give 1"),
    Entry("CAST(c AS DOUBLE)", S, "15 digits are exact, and it has 10"),
    Entry("CAST(s AS DOUBLE)", S, "53 bits hold 32"),
    Entry("CAST(seq AS DOUBLE)", I, "2^53 and 2^53 + 1 both give 2^53"),
    Entry("CAST(s AS REAL)", I, "24 bits do not hold 32"),
    Entry("CAST(f AS REAL)", I, "rounded"),
    Entry("CAST(f AS BIGINT)", I, "1.2 and 1.4 both give 1"),
    Entry("FLOOR(CAST(s AS DOUBLE))", S, "a whole DOUBLE is its own floor", I, "float"),
    Entry("FLOOR(CAST(x AS DOUBLE))", N, "x has no order"),
    Entry("CAST(s AS INTERVAL DAY)", S, "one day each"),
    Entry("CAST(mo AS INTEGER)", S, "months are whole"),
    Entry("CAST(h AS INTEGER)", S, "only whole hours come in", I, "interval"),
    Entry("CAST(h AS INTERVAL MINUTE)", S, "only whole hours come in", I, "interval"),
    Entry("CAST(s > 10 AS VARCHAR(5))", I, "FALSE is before TRUE as text, too"),
    # --- dates and intervals
    Entry("rowtime + INTERVAL '1' DAY", I, "as rowtime"),
    Entry("rowtime - INTERVAL '1' HOUR", I, "as rowtime"),
    Entry("FLOOR(rowtime TO HOUR) + INTERVAL '1' HOUR", I, "the end of the hour"),
    Entry("rowtime + h", S, "h is strict"),
    Entry("rowtime - h", N, "10:00 - 1, 10:30 - 2"),
    Entry("rowtime + s * INTERVAL '1' SECOND", S, "as rowtime + h"),
    Entry("rowtime + INTERVAL '1' MONTH", N, "30 January 23:00 and 31 January 01:00 both land on "
          "28 February"),
    Entry("FLOOR(rowtime TO MONTH) + INTERVAL '1' MONTH", I, "first days are never clamped"),
    Entry("FLOOR(rowtime TO DAY) + INTERVAL '1' MONTH", I, "midnights only become equal"),
    Entry("dd + INTERVAL '1' MONTH", I, "30 and 31 January both become 28 February"),
    Entry("dd + INTERVAL '1' DAY", S, "the next day"),
    Entry("CAST(rowtime AS DATE) + INTERVAL '1' YEAR", I, "as dd, not strict"),
    Entry("TIMESTAMP '2015-01-31 10:00:00' + mo", S, "more months, a later month"),
    Entry("DATE '2015-01-31' + mo", S, "28 February, 31 March, 30 April"),
    Entry("dd + mo", S, "a later date, and more months"),
    Entry("tm + INTERVAL '1' HOUR", N, "23:30 becomes 00:30"),
    Entry("LAST_DAY(rowtime)", I, "many days of one month"),
    Entry("TIMESTAMPADD(DAY, 1, rowtime)", I, "rowtime + INTERVAL '1' DAY"),
    Entry("TIMESTAMPADD(MONTH, 1, rowtime)", N, "as rowtime + INTERVAL '1' MONTH"),
    Entry("TIMESTAMPADD(MONTH, s, TIMESTAMP '2015-01-31 00:00:00')", S, "as a constant + mo"),
    Entry("TIMESTAMPDIFF(DAY, TIMESTAMP '2015-01-01 00:00:00', rowtime)", I, "whole days"),
    Entry("TIMESTAMPDIFF(SECOND, TIMESTAMP '2015-01-01 00:00:00', rowtime)", I, "whole seconds"),
    Entry("TIMESTAMPDIFF(MONTH, TIMESTAMP '2015-01-01 00:00:00', rowtime)", I, "whole months from "
          "a day that every month contains"),
    Entry("TIMESTAMPDIFF(MONTH, TIMESTAMP '2015-04-30 12:00:00', rowtime)", N, "from 30 March "
          "23:00 none is whole, from 31 March 01:00 one"),
    Entry("(rowtime - TIMESTAMP '2015-01-01 00:00:00') HOUR", I, "whole hours"),
    Entry("(dd - DATE '2015-01-01') DAY", S, "days are whole"),
    Entry("(dd - DATE '2015-01-31') MONTH", I, "months never reverse the order of two dates"),
    Entry("(CURRENT_TIMESTAMP - rowtime) SECOND", N, "the clock increases, and so does rowtime"),
    Entry("EXTRACT(YEAR FROM rowtime)", I, "many times of one year"),
    Entry("EXTRACT(MONTH FROM rowtime)", N, "12, 1"),
    Entry("EXTRACT(HOUR FROM rowtime)", N, "23, 0"),
    Entry("EXTRACT(HOUR FROM tm)", I, "a TIME column ascends within its day"),
    Entry("EXTRACT(EPOCH FROM rowtime)", I, "whole seconds"),
    Entry("EXTRACT(EPOCH FROM rowtime) / 3600", I, "whole hours"),
    Entry("EXTRACT(EPOCH FROM dd)", S, "86,400 for each day"),
    Entry("EXTRACT(CENTURY FROM rowtime)", I, "as the year"),
    Entry("EXTRACT(ISOYEAR FROM rowtime)", I, "it increases with its weeks"),
    Entry("EXTRACT(MONTH FROM mo)", S, "the total number of months"),
    Entry("EXTRACT(HOUR FROM h)", S, "only whole hours come in", I, "interval"),
    Entry("EXTRACT(YEAR FROM rowtime) * 100 + EXTRACT(MONTH FROM rowtime)", I, "201412, 201501"),
    Entry("EXTRACT(YEAR FROM rowtime) * 10000 + EXTRACT(MONTH FROM rowtime) * 100 + "
          "EXTRACT(DAY FROM rowtime)", I, "20141231, 20150101"),
    Entry("EXTRACT(ISOYEAR FROM rowtime) * 100 + EXTRACT(WEEK FROM rowtime)", I, "201452, 201501"),
    Entry("EXTRACT(YEAR FROM rowtime) * 100 + EXTRACT(WEEK FROM rowtime)", N, "29 December 2014 is "
          "in week 1: 201452, 201401"),
    Entry("EXTRACT(YEAR FROM rowtime) * 100 + EXTRACT(DAY FROM rowtime)", N, "201531, 201501"),
    Entry("EXTRACT(HOUR FROM tm) * 60 + EXTRACT(MINUTE FROM tm)", I, "minutes of the day"),
    Entry("EXTRACT(HOUR FROM tm) * 3600 + EXTRACT(MINUTE FROM tm) * 60 + "
          "EXTRACT(SECOND FROM tm)", I, "seconds of the day"),
    Entry("EXTRACT(HOUR FROM tm) * 3600000 + EXTRACT(MINUTE FROM tm) * 60000 + "
          "EXTRACT(MILLISECOND FROM tm)", I, "milliseconds count from the minute: 59999, 60000"),
    Entry("EXTRACT(ISOYEAR FROM rowtime) * 1000 + EXTRACT(WEEK FROM rowtime) * 10 + "
          "EXTRACT(ISODOW FROM rowtime)", I, "Sunday 2014527, Monday 2015011"),
    Entry("12 / EXTRACT(YEAR FROM rowtime)", D, "a year is 1 to 9999"),
    Entry("9999 - EXTRACT(YEAR FROM rowtime)", D, "negated"),
    Entry("CURRENT_TIMESTAMP", I, "the session's clock"),
    Entry("CURRENT_DATE", I, "its date"),
    Entry("CURRENT_TIME", N, "23:59, 00:00"),
    Entry("-h", T, "negated"),
    Entry("h + INTERVAL '30' MINUTE", S, "as h"),
    Entry("h * 2", S, "whole milliseconds"),
    Entry("h * 0.5", S, "half hours are whole milliseconds", I, "interval"),
    Entry("h / INTERVAL '1' HOUR", S, "1E0, 2E0", I, "float"),
    Entry("INTERVAL '1' HOUR * c", S, "36 seconds for each cent"),
    Entry("x + 1", N, "x has no order"),
)  # fmt: skip
