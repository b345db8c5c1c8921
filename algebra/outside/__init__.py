"""Input from outside: names of files, and texts of times."""
