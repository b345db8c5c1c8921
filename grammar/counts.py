"""The text of a number of things, for messages: 1 row, 2 rows."""


def counted(number: int, noun: str) -> str:
    """The number with the noun, in the plural unless it is 1.

    >>> counted(1, "row"), counted(0, "row"), counted(2, "column")
    ('1 row', '0 rows', '2 columns')
    """
    return f"{number} {noun}{'' if number == 1 else 's'}"
