"""OpenDocument texts: body, styles and tables. `citewell_documents.parsing` finds the reader by name."""
