"""Runs the command line when Python is called as `python -m rowtime`."""

from rowtime.cli import main

main()
