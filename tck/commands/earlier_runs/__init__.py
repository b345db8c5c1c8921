"""Earlier runs, whose files of JSON lines commands read."""
