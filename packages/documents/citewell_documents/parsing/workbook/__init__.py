"""Excel workbooks: a section per sheet, and the tables on it. `citewell_documents.parsing` finds the reader by name."""
