"""Excel workbooks: a section per sheet, and the tables on it. `clients.parsing` finds the reader by name."""
