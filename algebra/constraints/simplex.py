"""The greatest value of a linear form under linear inequalities, found exactly by pivoting.

A linear form is a sum of variables times factors: ``factors * variables``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction


class ContradictionError(Exception):
    """No point satisfies all of the inequalities."""


@dataclass(slots=True)
class Tableau:
    """The points that satisfy some inequalities ``factors * variables <= limit``.

    Factors and limits are integers.  Variables are named 0, 1, 2, … and have any sign.  Each
    inequality has a slack variable ``limit - factors * variables``, which is never negative and is
    named -1, -2, ….  ``slacks`` is their number.

    Each variable is either one of ``columns`` or a key of ``rows``.  A row expresses its variable
    by the columns: it has a constant, and then a factor for each column, all divided by
    ``divisor``.  The divisor is a determinant, so every integer division in this class is exact
    (Edmonds).  A variable that is not a slack variable and occurs in an inequality is in ``rows``,
    unless there is no row to pivot with.
    """

    divisor: int = 1
    columns: list[int] = field(default_factory=list[int])
    rows: dict[int, list[int]] = field(default_factory=dict[int, list[int]])
    slacks: int = 0

    def copy(self) -> "Tableau":
        """An independent copy."""
        rows = {name: list(row) for name, row in self.rows.items()}
        return Tableau(self.divisor, list(self.columns), rows, self.slacks)

    def add(self, factors: Mapping[int, int], limit: int) -> None:
        """Remove the points that violate ``factors * variables <= limit``."""
        for variable in factors:
            if variable not in self.rows and variable not in self.columns:
                self.columns.append(variable)
                for row in self.rows.values():
                    row.append(0)
        self.slacks += 1
        slack = [-each for each in self._row(factors)]
        slack[0] += limit * self.divisor
        self.rows[-self.slacks] = slack
        # A variable of the inequality that is still a column becomes a row in place of the slack.
        for place, name in enumerate(self.columns, start=1):
            if name >= 0 and slack[place]:
                self._pivot(-self.slacks, place)
                return

    def is_empty(self) -> bool:
        """Whether no point satisfies the inequalities; then no form, such as 0, has a value."""
        try:
            self._climb([0] * (len(self.columns) + 1))
        except ContradictionError:
            return True
        return False

    def greatest(self, factors: Mapping[int, int]) -> Fraction | None:
        """The greatest ``factors * variables``; None: unbounded.

        It raises `ContradictionError` if the tableau is empty.
        """
        if any(each not in self.rows and each not in self.columns for each in factors):
            return None  # a variable is in no inequality
        goal = self._row(factors)
        if any(goal[place] for place, name in enumerate(self.columns, start=1) if name >= 0):
            return None  # a variable of the form that is still a column can have any value
        return self._climb(goal)

    def _row(self, factors: Mapping[int, int]) -> list[int]:
        """The row of a linear form of the variables: the form expressed by the columns."""
        result = [0] * (len(self.columns) + 1)
        for variable, factor in factors.items():
            if variable in self.rows:
                result = [a + factor * b for a, b in zip(result, self.rows[variable], strict=True)]
            else:
                result[1 + self.columns.index(variable)] += factor * self.divisor
        return result

    def _climb(self, goal: list[int]) -> Fraction | None:
        """The greatest value of ``goal``, the row of a form whose columns are slack variables.

        None: unbounded.  `ContradictionError`: no point satisfies the inequalities.

        Each step looks at the point at which all columns are 0.  ``wrong`` are the slack variables
        that are negative at this point, and ``better`` the columns that make the form greater if
        they grow.  If there are none of either, the form is greatest at this point.  Each pivot
        exchanges a column and a row, and so moves to another point.

        Pivots are chosen by Terlaky's criss-cross rule: the first of these slack variables comes
        first.  With this rule the loop always terminates.
        """
        while True:
            wrong = [name for name, row in self.rows.items() if name < 0 and row[0] < 0]
            better = [n for n, factor in zip(self.columns, goal[1:], strict=True) if factor > 0]
            if not wrong and not better:
                return Fraction(goal[0], self.divisor)
            first = max((*wrong, *better))  # the names of slack variables count downwards
            if first in self.rows:
                leaving, row = first, self.rows[first]
                helpful = [n for n, factor in zip(self.columns, row[1:], strict=True) if factor > 0]
                if not helpful:
                    raise ContradictionError
                place = 1 + self.columns.index(max(helpful))
            else:
                place = 1 + self.columns.index(first)
                blocking = [n for n, row in self.rows.items() if n < 0 and row[place] < 0]
                if not blocking:
                    return None
                leaving = max(blocking)
            goal = self._pivot(leaving, place, goal)

    def _pivot(self, leaving: int, place: int, goal: list[int] | None = None) -> list[int]:
        """Make the variable ``leaving`` a column, and that of the column at ``place`` a row.

        The row of ``leaving`` is solved for the column's variable, which is replaced in all other
        rows and in ``goal``.  Returns the new ``goal``, or an empty list if it is None.  ``sign``
        keeps the divisor positive.
        """
        pivot_row = self.rows.pop(leaving)
        pivot, old = pivot_row[place], self.divisor
        sign = 1 if pivot > 0 else -1

        def replaced(row: list[int]) -> list[int]:
            factor = row[place]
            new = [
                sign * (a * pivot - factor * b) // old for a, b in zip(row, pivot_row, strict=True)
            ]
            new[place] = sign * factor
            return new

        self.rows = {name: replaced(row) for name, row in self.rows.items()}
        entered = [-sign * each for each in pivot_row]
        entered[place] = sign * old
        self.rows[self.columns[place - 1]] = entered
        self.columns[place - 1] = leaving
        self.divisor = abs(pivot)
        return replaced(goal) if goal is not None else []
