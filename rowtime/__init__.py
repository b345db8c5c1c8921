"""The front door: the command line, and what it needs to read and write files."""
