"""The common parts of the engines' drivers, and the checks of all reports."""
