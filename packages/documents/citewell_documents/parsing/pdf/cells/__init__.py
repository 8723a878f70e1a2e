"""The cells of tables: between drawn lines, and in columns that the rows share."""
