"""The parser that ANTLR generated from the grammar: never edited by hand."""
