"""From plans to the SQL text of a dialect: tables of spellings, and what no table says."""
