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
    "same column": "if a column occurs twice in an expression, the deduction treats the two "
    "occurrences as two columns, and so does not find that 2 * s - s is s",
    "float": "REAL and DOUBLE round, so they are never deduced to be strict (S-402)",
    "interval": "a computed interval can have a part that is less than one unit of its last field "
    "(S-207), and the type does not show whether it has such a part",
    "libm": "no standard promises that POWER is exact to the last bit, so a greater base might "
    "give a lesser result",
    "text": "the text of an integer is not analysed, because in general it does not sort as the "
    "number does: the text 9 is greater than the text 10",
    "neighbours": "the deduction knows the least distance of two values of a type. It does not "
    "use this distance to compare a row's value with the value of the next row",
    "error": "a division by 0 ends the query, so it does not break an order. But the rule "
    "of `c / m` requires that the divisor is never 0 (E-50)",
    "no number": "infinity times 0 is NaN, while any other value times 0 is 0",
}

ENTRIES: Final = (
    # --- MON's table
    Entry("7", C, "a literal"),
    Entry("1 + 2", C, "an operation on constants gives a constant"),
    Entry("FLOOR(f)", I, "1.2 and 1.4 both give 1"),
    Entry("CEIL(f)", I, "1.2 and 1.4 both give 2"),
    Entry("FLOOR(c)", I, "1.2 and 1.4 both give 1"),
    Entry("CEIL(-c)", D, "-c decreases, and CEIL keeps the direction"),
    Entry("FLOOR(s)", S, "the floor of an integer is the integer"),
    Entry("FLOOR(rowtime TO HOUR)", I, "10:17 and 10:18 both give 10:00"),
    Entry("CEIL(rowtime TO DAY)", I, "10:17 and 10:18 both give the next midnight"),
    Entry("FLOOR(dd TO DAY)", S, "the result is the date itself"),
    Entry("FLOOR(dd TO WEEK)", I, "Monday and Tuesday give the same day"),
    Entry("CEIL(tm TO HOUR)", I,
          "10:17 and 10:18 both give 11:00"),
    Entry("STEP(rowtime BY INTERVAL '5' MINUTE)", I, "10:01 and 10:02 both give 10:00"),
    Entry("STEP(orderId BY 100)", I, "101 and 102 both give 100"),
    Entry("STEP(orderId BY 1)", S, "every integer is a multiple of 1"),
    Entry("SUBSTRING(code FROM 0 FOR 4)", I, "the result is the first three characters (E-58)"),
    Entry("SUBSTRING(code FROM 1 FOR 3)", I, "abca and abcb both give abc"),
    Entry("SUBSTRING(code FROM 1)", S, "the result is the whole text"),
    Entry("SUBSTRING(ch FROM 1 FOR 4)", S, "the result is the whole CHAR(4)"),
    Entry("SUBSTRING(code FROM 2 FOR 3)", N, "ab and ba give b and a"),
    Entry("SUBSTRING('abcdef' FROM 1 FOR s)", I,
          "the results are a, ab, abc and so on, until the text ends"),
    Entry("SUBSTRING(code FROM 1 FOR s)", I, "each result is a longer prefix of a greater text"),
    Entry("SUBSTRING('abcdef' FROM s)", N, "the first result is 'f', the next is the empty text"),
    Entry("+s", S, "the values are those of s"),
    Entry("-s", T, "the values are -1, -2, -3"),
    Entry("-(-s)", S, "s is negated twice"),
    Entry("s + 5", S, "the values are 6, 7, 8"),
    Entry("5 + a", I, "the sum has the order of a"),
    Entry("s - 5", S, "the values are -4, -3, -2"),
    Entry("5 - s", T, "the values are 4, 3, 2"),
    Entry("s + a", S, "if one summand is strict, the sum is strict (E-56)"),
    Entry("a + a", I, "neither operand is strict"),
    Entry("s + d", N, "the pairs (s, d) = (1, 5), (2, 5), (3, 0) give the sums 6, 7, 3"),
    Entry("s + x", N, "x has no order"),
    Entry("s * 2", S, "the values are 2, 4, 6"),
    Entry("-2 * s", T, "the values are -2, -4, -6"),
    Entry("s * 0", C, "the product is always 0"),
    Entry("s * (1 - 2)", T, "the factor is -1, although it is not a literal"),
    Entry("12 / p", D, "the values are 12, 6, 4, 3, 2, 2 (E-50)"),
    Entry("-12 / p", I, "the values are -12, -6, -4, -3 (E-50)"),
    Entry("12 / n", D, "the values -3, -2, -1 of n give the quotients -4, -6, -12 (E-50)"),
    Entry("-12 / n", I, "the values -3, -2, -1 of n give the quotients 4, 6, 12"),
    Entry("0 / p", C, "the quotient is always 0"),
    Entry("12 / s", N, "the values -1, 1, 2 of s give the quotients -12, 12, 6"),
    Entry("12 / q", D,
          "as long as q is 0, the query ends with an error; as soon as q is above 0, the "
          "order is the order of 12 / p",
          N, "error"),
    Entry("MONOTONIC(x)", I, "the query declares the order (S-407)"),
    Entry("MONOTONIC(s)", S, "s has a stronger order than the declaration"),
    Entry("-MONOTONIC(x)", D, "the declared order is reversed"),
    Entry("MONOTONIC(x) / 4", I, "the declared order is kept, but truncation makes values equal"),
    # --- what the table leaves out (E-57)
    Entry("s - ds", S, "to subtract a descending column is the same as to add an ascending column"),
    Entry("a - d", I, "neither operand is strict"),
    Entry("s - a", N, "the pairs (s, a) = (1, 0), (2, 5) give the differences 1, -3"),
    Entry("s - 2 * ds", S, "the value is that of s + 2 * -ds, and -ds is strictly ascending"),
    Entry("a - 3 * d", I, "neither operand is strict"),
    Entry("s - 2 * a", N, "the pairs (s, a) = (1, 0), (2, 5) give the differences 1, -8"),
    Entry("orderId / 100", I, "101 and 102 both give 1"),
    Entry("orderId / 100 * 100", I, "101 and 102 both give 100"),
    Entry("orderId - MOD(orderId, 100)", I,
          "the difference is the greatest multiple of 100 up to orderId"),
    Entry("MOD(orderId, 100)", N, "99 and 100 give 99 and 0"),
    Entry("s / -2", D, "1, 2 and 3 give 0, -1 and -1"),
    Entry("s / 1", S, "the values are those of s"),
    Entry("s / -1", T, "the values are those of -s"),
    Entry("s / 2.0", S,
          "the quotient has six digits after the point, so the halves of two different numbers "
          "stay different"),
    Entry("c / 2", S, "the quotient has enough digits to keep cents apart"),
    Entry("c / 3E0", S,
          "if two values have at most ten digits, their quotients are different "
          "DOUBLEs", I, "float"),
    Entry("s / 0", C, "the division always fails, so no row has a value that differs from "
          "another", N, "error"),
    Entry("c * 0.5", S, "the product 0.005 is not rounded, because its type is DECIMAL(12, 3)"),
    Entry("s * s", N, "the values -2, -1, 0, 1 of s give the squares 4, 1, 0, 1"),
    Entry("p * p", S, "the values are 1, 4, 9"),
    Entry("p * q", I, "the pairs (p, q) = (1, 0), (2, 0), (3, 1) give the products 0, 0, 3"),
    Entry("n * n", T, "the values -3, -2, -1 of n give the squares 9, 4, 1"),
    Entry("p * n", N, "the pairs (p, n) = (1, -9), (2, -8), (3, -1) give the products -9, -16, -3"),
    Entry("p * x", N, "x has no order"),
    Entry("y * 0", C, "the result is always 0, because y is never NULL"),
    Entry("x * 0", N, "the result is 0, or NULL if x is NULL"),
    Entry("p / -n", I,
          "p increases, and the divisor -n decreases"),
    Entry("p / q", N, "the pairs (p, q) = (1, 1), (2, 1), (3, 3) give the quotients 1, 2, 1"),
    Entry("2 * s - s", S, "the values are those of s", N, "same column"),
    Entry("s - s", C, "the difference is always 0", N, "same column"),
    Entry("ABS(s)", N, "-1, 0 and 1 give 1, 0 and 1"),
    Entry("ABS(p)", S, "the values are those of p"),
    Entry("ABS(n)", T, "the values are those of -n"),
    Entry("SIGN(s)", I, "the values -2, 0, 1, 2 of s give the signs -1, 0, 1, 1"),
    Entry("ROUND(c, 1)", I, "1.01 and 1.02 both give 1.0"),
    Entry("ROUND(c, 2)", S, "c has two digits after the point, so it is not rounded"),
    Entry("ROUND(s)", S, "an integer is not rounded"),
    Entry("TRUNCATE(c, -1)", I, "11 and 12 both give 10"),
    Entry("GREATEST(s, 10)", I, "9, 10 and 11 give 10, 10 and 11"),
    Entry("GREATEST(s, s + 1)", S, "both operands increase strictly, so the greater of them does"),
    Entry("LEAST(s, seq)", S, "both operands increase strictly, so the lesser of them does"),
    Entry("LEAST(a, d)", N, "the values can be 1, 2 and then 0"),
    Entry("GREATEST(rowtime, TIMESTAMP '2015-02-15 10:00:00')", I,
          "the value is 10:00 until rowtime is later than 10:00"),
    Entry("COALESCE(s, 0)", S, "s is never NULL"),
    Entry("COALESCE(x, s)", N, "x has no order"),
    Entry("NULLIF(s, 5)", N,
          "4, 5 and 6 give 4, NULL and 6, and NULL has no place in the middle of an order"),
    Entry("CASE WHEN s < 10 THEN 0 WHEN s < 20 THEN 1 ELSE 2 END", I,
          "the values are 0, then 1, then 2"),
    Entry("CASE WHEN s < 0 THEN 0 ELSE s END", I, "the value is 0 until s is greater than 0"),
    Entry("CASE WHEN s < 0 THEN -s ELSE s END", N, "-1, 0 and 1 give 1, 0 and 1"),
    Entry("CASE WHEN s > 0 THEN s END", N, "0 and 1 give NULL and 1"),
    Entry("CASE WHEN s > 10 THEN 0 ELSE 1 END", D, "the value is 1, and later 0"),
    Entry("CASE WHEN x > 0 THEN s ELSE a END", N, "x has no order"),
    Entry("CASE WHEN x > 0 THEN s + 1 ELSE s END", I, "s + 1 is at most the next value of s", N,
          "neighbours"),
    Entry("s > 10", I, "the value is FALSE, and later TRUE, and FALSE is less than TRUE"),
    Entry("NOT (s > 10)", D, "the value is TRUE, and later FALSE"),
    Entry("rowtime >= TIMESTAMP '2015-02-15 10:00:00'", I, "the value is FALSE, and later TRUE"),
    Entry("s > 10 AND a > 5", I, "the value is FALSE until both conditions are TRUE"),
    Entry("s = 10", N, "9, 10 and 11 give FALSE, TRUE and FALSE"),
    Entry("s BETWEEN 1 AND 10", N, "0, 1 and 11 give FALSE, TRUE and FALSE"),
    Entry("s IS NULL", C, "s is never NULL"),
    Entry("x IS NULL", N, "x has no order"),
    Entry("s + CAST(NULL AS INTEGER)", C, "the sum is always NULL"),
    Entry("SQRT(p)", S, "two different whole numbers up to 1000 have different roots", I, "float"),
    Entry("EXP(f)", I, "1E3 and 2E3 both give infinity"),
    Entry("LN(g)", I, "two adjacent DOUBLEs can have the same logarithm"),
    Entry("POWER(p, 2)", S,
          "the squares are whole numbers up to 1000000, which are exact in a DOUBLE", N, "libm"),
    Entry("f + 1", I, "1E-20 and 2E-20 both give 1"),
    Entry("f * 2", I, "1E308 and 1.5E308 both give infinity"),
    Entry("f > 5E0", I,
          "the value is FALSE, and later TRUE, because a monotonic column is never NaN (S-301)"),
    Entry("LEAST(f, 10E0)", I, "9E0, 11E0 and 12E0 give 9E0, 10E0 and 10E0"),
    Entry("CAST(f AS DECIMAL(10, 2))", I, "1.001 and 1.002 both give 1.00"),
    Entry("-f", T, "negation does not round"),
    Entry("f * 0E0", C, "the product is 0, unless f is an infinity", N, "no number"),
    Entry("1 / g", D, "the quotients 1 / 1E308 and 1 / 1.7E308 can be equal"),
    # --- texts
    Entry("'x' || code", S,
          "two texts that differ still differ after the letter x is put before each"),
    Entry("code || 'x'", N, "'a' is less than 'ab', but 'ax' is greater than 'abx'"),
    Entry("ch || 'x'", S,
          "all values of ch have the same length, so the x is never compared with a letter "
        "of another value"),
    Entry("ch || code", S, "the values of ch differ, and all have the same length"),
    Entry("code || code", N, "b and ba give bb and baba, and baba is less than bb"),
    Entry("CAST(dd AS VARCHAR(10)) || ' ' || code", S,
          "the text of a date always has ten characters"),
    Entry("CAST(rowtime AS VARCHAR(30)) || 'Z'", N,
          "the text 10:17:00Z is greater than 10:17:00.5Z"),
    Entry("UPPER(code)", N, "B and a give B and A"),
    Entry("CHAR_LENGTH(code)", N, "aa and b give 2 and 1"),
    Entry("TRIM(code)", N,
          "'a' with a tab is less than 'a' with two blanks; TRIM changes only the second "
          "text, and the result 'a' is less than 'a' with a tab"),
    Entry("LPAD(CAST(p AS VARCHAR(4)), 4, '0')", S,
          "with zeros in front, the texts sort as the numbers do: 0009 is before 0010", N, "text"),
    # --- casts
    Entry("CAST(rowtime AS DATE)", I, "many times have the same day"),
    Entry("CAST(dd AS TIMESTAMP)", S, "the result is the midnight at which the day begins"),
    Entry("CAST(rowtime AS TIME)", N, "23:59 is followed by 00:00"),
    Entry("CAST(rowtime AS VARCHAR(30))", I,
          "times that are written as ISO text sort as the times do"),
    Entry("CAST(dd AS VARCHAR(10))", S, "dates that are written as ISO text sort as the dates do"),
    Entry("CAST(tm AS VARCHAR(12))", I,
          "a prefix is less than the longer text: 10:17:00 is less than 10:17:00.5"),
    Entry("CAST(s AS VARCHAR(11))", N, "the text 9 is greater than the text 10"),
    Entry("CAST(code AS INTEGER)", N,
          "the text 10 is less than the text 9, but the number 10 is greater"),
    Entry("CAST(s AS BIGINT)", S, "the cast does not change the number"),
    Entry("CAST(s AS SMALLINT)", S,
          "the cast does not change the number, or is an error, which ends the query"),
    Entry("CAST(s AS DECIMAL(12, 2))", S, "the cast does not change the number"),
    Entry("CAST(c AS INTEGER)", I, "1.2 and 1.4 both give 1"),
    Entry("CAST(c AS DOUBLE)", S, "a DOUBLE holds 15 digits exactly, and c has 10 digits"),
    Entry("CAST(s AS DOUBLE)", S, "a DOUBLE holds 53 bits exactly, and s has 32 bits"),
    Entry("CAST(seq AS DOUBLE)", I, "2^53 and 2^53 + 1 both give 2^53"),
    Entry("CAST(s AS REAL)", I, "a REAL holds only 24 bits exactly, and s has 32 bits"),
    Entry("CAST(f AS REAL)", I, "the cast rounds, so two different values can become equal"),
    Entry("CAST(f AS BIGINT)", I, "1.2 and 1.4 both give 1"),
    Entry("FLOOR(CAST(s AS DOUBLE))", S, "the floor of a whole DOUBLE is that DOUBLE", I, "float"),
    Entry("FLOOR(CAST(x AS DOUBLE))", N, "x has no order"),
    Entry("CAST(s AS INTERVAL DAY)", S, "each unit of s becomes one day"),
    Entry("CAST(mo AS INTEGER)", S, "an interval of months is a whole number of months"),
    Entry("CAST(h AS INTEGER)", S, "the values of h are whole hours", I, "interval"),
    Entry("CAST(h AS INTERVAL MINUTE)", S, "the values of h are whole hours", I, "interval"),
    Entry("CAST(s > 10 AS VARCHAR(5))", I, "FALSE is less than TRUE as text, too"),
    # --- dates and intervals
    Entry("rowtime + INTERVAL '1' DAY", I, "the sum has the order of rowtime"),
    Entry("rowtime - INTERVAL '1' HOUR", I, "the difference has the order of rowtime"),
    Entry("FLOOR(rowtime TO HOUR) + INTERVAL '1' HOUR", I, "the sum is the end of the hour"),
    Entry("rowtime + h", S, "h is strict"),
    Entry("rowtime - h", N, "10:00 less 1 hour is 9:00, and 10:30 less 2 hours is 8:30"),
    Entry("rowtime + s * INTERVAL '1' SECOND", S, "the second operand is strict"),
    Entry("rowtime + INTERVAL '1' MONTH", N,
          "30 January 23:00 and 31 January 01:00 become 28 February 23:00 and 28 February 01:00"),
    Entry("FLOOR(rowtime TO MONTH) + INTERVAL '1' MONTH", I,
          "the first day of a month is never clamped"),
    Entry("FLOOR(rowtime TO DAY) + INTERVAL '1' MONTH", I,
          "midnights can become equal, but are never reversed"),
    Entry("dd + INTERVAL '1' MONTH", I, "30 and 31 January both become 28 February"),
    Entry("dd + INTERVAL '1' DAY", S, "the sum is the next day"),
    Entry("CAST(rowtime AS DATE) + INTERVAL '1' YEAR", I, "the cast is not strict"),
    Entry("TIMESTAMP '2015-01-31 10:00:00' + mo", S, "more months give a later month"),
    Entry("DATE '2015-01-31' + mo", S, "the sums are 28 February, 31 March, 30 April"),
    Entry("dd + mo", S, "a later date plus more months is a later date"),
    Entry("tm + INTERVAL '1' HOUR", N, "22:30 and 23:30 become 23:30 and 00:30"),
    Entry("LAST_DAY(rowtime)", I, "many days have the same month"),
    Entry("TIMESTAMPADD(DAY, 1, rowtime)", I, "the value is that of rowtime + INTERVAL '1' DAY"),
    Entry("TIMESTAMPADD(MONTH, 1, rowtime)", N,
          "the value is that of rowtime + INTERVAL '1' MONTH"),
    Entry("TIMESTAMPADD(MONTH, s, TIMESTAMP '2015-01-31 00:00:00')", S,
          "the value is a constant plus months, and the months increase"),
    Entry("TIMESTAMPDIFF(DAY, TIMESTAMP '2015-01-01 00:00:00', rowtime)", I,
          "the result is a number of whole days"),
    Entry("TIMESTAMPDIFF(SECOND, TIMESTAMP '2015-01-01 00:00:00', rowtime)", I,
          "the result is a number of whole seconds"),
    Entry("TIMESTAMPDIFF(MONTH, TIMESTAMP '2015-01-01 00:00:00', rowtime)", I,
          "the months are counted from a day that every month has"),
    Entry("TIMESTAMPDIFF(MONTH, TIMESTAMP '2015-04-30 12:00:00', rowtime)", N,
          "30 March 23:00 is less than a whole month away, but 31 March 01:00 is a whole "
        "month away"),
    Entry("(rowtime - TIMESTAMP '2015-01-01 00:00:00') HOUR", I,
          "the difference is a number of whole hours"),
    Entry("(dd - DATE '2015-01-01') DAY", S, "two dates are whole days apart"),
    Entry("(dd - DATE '2015-01-31') MONTH", I,
          "a later date is never fewer months away"),
    Entry("(CURRENT_TIMESTAMP - rowtime) SECOND", N,
          "the clock and rowtime both increase, so their difference can go in either direction"),
    Entry("EXTRACT(YEAR FROM rowtime)", I, "many times have the same year"),
    Entry("EXTRACT(MONTH FROM rowtime)", N, "12 is followed by 1"),
    Entry("EXTRACT(HOUR FROM rowtime)", N, "23 is followed by 0"),
    Entry("EXTRACT(HOUR FROM tm)", I, "a TIME column ascends within its day"),
    Entry("EXTRACT(EPOCH FROM rowtime)", I, "the result is a number of whole seconds"),
    Entry("EXTRACT(EPOCH FROM rowtime) / 3600", I, "the result is a number of whole hours"),
    Entry("EXTRACT(EPOCH FROM dd)", S, "each day adds 86,400"),
    Entry("EXTRACT(CENTURY FROM rowtime)", I, "many times have the same century"),
    Entry("EXTRACT(ISOYEAR FROM rowtime)", I, "the ISO year increases with the ISO weeks"),
    Entry("EXTRACT(MONTH FROM mo)", S, "the result is the total number of months"),
    Entry("EXTRACT(HOUR FROM h)", S, "the values of h are whole hours", I, "interval"),
    Entry("EXTRACT(YEAR FROM rowtime) * 100 + EXTRACT(MONTH FROM rowtime)", I,
          "201412 is followed by 201501"),
    Entry("EXTRACT(YEAR FROM rowtime) * 10000 + EXTRACT(MONTH FROM rowtime) * 100 + "
          "EXTRACT(DAY FROM rowtime)", I, "20141231 is followed by 20150101"),
    Entry("EXTRACT(ISOYEAR FROM rowtime) * 100 + EXTRACT(WEEK FROM rowtime)", I,
          "201452 is followed by 201501"),
    Entry("EXTRACT(YEAR FROM rowtime) * 100 + EXTRACT(WEEK FROM rowtime)", N,
          "28 December 2014 gives 201452, but 29 December 2014 is in week 1 and gives 201401"),
    Entry("EXTRACT(YEAR FROM rowtime) * 100 + EXTRACT(DAY FROM rowtime)", N,
          "31 January gives 201531, and 1 February gives 201501"),
    Entry("EXTRACT(HOUR FROM tm) * 60 + EXTRACT(MINUTE FROM tm)", I,
          "the sum is the minute of the day"),
    Entry("EXTRACT(HOUR FROM tm) * 3600 + EXTRACT(MINUTE FROM tm) * 60 + "
          "EXTRACT(SECOND FROM tm)", I, "the sum is the second of the day"),
    Entry("EXTRACT(HOUR FROM tm) * 3600000 + EXTRACT(MINUTE FROM tm) * 60000 + "
          "EXTRACT(MILLISECOND FROM tm)", I,
          "MILLISECOND goes from 0 to 59999 within a minute, and the next minute adds 60000"),
    Entry("EXTRACT(ISOYEAR FROM rowtime) * 1000 + EXTRACT(WEEK FROM rowtime) * 10 + "
          "EXTRACT(ISODOW FROM rowtime)", I, "Sunday 2014527 is followed by Monday 2015011"),
    Entry("12 / EXTRACT(YEAR FROM rowtime)", D, "a year is at least 1, so the divisor is above 0"),
    Entry("9999 - EXTRACT(YEAR FROM rowtime)", D, "the year increases, and the minus reverses it"),
    Entry("CURRENT_TIMESTAMP", I, "the session's clock never goes back"),
    Entry("CURRENT_DATE", I, "the date of the session's clock never goes back"),
    Entry("CURRENT_TIME", N, "23:59 is followed by 00:00"),
    Entry("-h", T, "the minus reverses the order of h"),
    Entry("h + INTERVAL '30' MINUTE", S, "the sum has the order of h"),
    Entry("h * 2", S, "the product is a whole number of milliseconds"),
    Entry("h * 0.5", S, "half an hour is a whole number of milliseconds", I, "interval"),
    Entry("h / INTERVAL '1' HOUR", S, "1 hour and 2 hours give 1E0 and 2E0", I, "float"),
    Entry("INTERVAL '1' HOUR * c", S, "each cent of c adds 36 seconds"),
    Entry("x + 1", N, "x has no order"),
)  # fmt: skip
