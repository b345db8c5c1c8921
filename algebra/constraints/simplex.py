"""The greatest value of a linear form under linear inequalities, found exactly by pivoting."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction


class ContradictionError(Exception):
    """No point satisfies all of the inequalities."""


@dataclass(slots=True)
class Tableau:
    """The points that satisfy some inequalities ``factors * variables <= limit`` in whole numbers.

    Variables are named 0, 1, 2, … and have any sign.  Each inequality has a slack variable, which
    is never negative and is named -1, -2, ….  ``rows`` express some variables by the others, which
    are ``columns``: a constant, then a factor per column, all divided by ``divisor``.  The divisor
    is a determinant, so that every division below is exact (Edmonds).  A variable that occurs in an
    inequality is in ``rows``, unless no pivot for it is left.
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
        """Whether no point is left: any form, such as 0, then has no greatest value."""
        try:
            self._climb([0] * (len(self.columns) + 1))
        except ContradictionError:
            return True
        return False

    def greatest(self, factors: Mapping[int, int]) -> Fraction | None:
        """The greatest ``factors * variables``; None: unbounded.  Some point must be left."""
        if any(each not in self.rows and each not in self.columns for each in factors):
            return None
        goal = self._row(factors)
        if any(goal[place] for place, name in enumerate(self.columns, start=1) if name >= 0):
            return None
        return self._climb(goal)

    def _row(self, factors: Mapping[int, int]) -> list[int]:
        """A linear form of the variables, expressed by the columns."""
        result = [0] * (len(self.columns) + 1)
        for variable, factor in factors.items():
            if variable in self.rows:
                result = [a + factor * b for a, b in zip(result, self.rows[variable], strict=True)]
            else:
                result[1 + self.columns.index(variable)] += factor * self.divisor
        return result

    def _climb(self, goal: list[int]) -> Fraction | None:
        """The greatest value of a form of slack variables; None: unbounded.

        Each step looks at the point at which all columns are 0.  ``wrong`` are the slack variables
        that are negative there, and ``better`` the columns that make the form greater if they grow.
        Without either, the point has the greatest value.

        Pivots by Terlaky's criss-cross rule with the least index first, which always terminates.
        """
        while True:
            wrong = [name for name, row in self.rows.items() if name < 0 and row[0] < 0]
            better = [name for name, up in zip(self.columns, goal[1:], strict=True) if up > 0]
            if not wrong and not better:
                return Fraction(goal[0], self.divisor)
            first = max((*wrong, *better))  # slacks count downwards
            if first in self.rows:
                leaving, row = first, self.rows[first]
                helpful = [n for n, up in zip(self.columns, row[1:], strict=True) if up > 0]
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
        """Exchange the row ``leaving`` and the column at ``place``; the result is ``goal`` then.

        The row is solved for the column's variable, which is replaced in all other rows.  ``sign``
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
