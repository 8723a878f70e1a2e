"""Word documents: body, styles, numbering, tables and notes. `citewell_documents.parsing` finds the reader by name."""
