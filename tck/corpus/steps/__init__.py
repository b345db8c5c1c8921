"""The steps of a case file: what happens, and which of the rows that arrive are dropped."""
