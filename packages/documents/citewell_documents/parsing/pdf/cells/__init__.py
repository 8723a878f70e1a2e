"""The cells of tables: cells between drawn lines, and cells in columns that the rows have in common."""
