"""Read the steps of a case file, and write steps as texts for reports."""
