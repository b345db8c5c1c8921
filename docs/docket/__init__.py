"""The docket: questions on which engines differ, each with the ruling and the engines' answers."""
