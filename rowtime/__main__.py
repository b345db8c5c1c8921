"""`python -m rowtime`: the command line."""

from rowtime.cli import main

main()
