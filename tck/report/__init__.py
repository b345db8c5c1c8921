"""Reports of a run: on the console, as JSON lines, as JUnit XML."""
