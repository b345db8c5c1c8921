"""What a text may refer to: the columns in scope, and what encloses them."""
