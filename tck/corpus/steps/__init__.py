"""The steps of a case file: the events, and which of the arriving rows are dropped."""
