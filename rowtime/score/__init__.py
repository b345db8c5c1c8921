"""The score of the corpus: how many wrong backends its cases tell from a right one."""
