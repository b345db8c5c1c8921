"""Read the JSON lines of earlier runs, and continue or update these runs."""
