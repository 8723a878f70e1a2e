"""Plain text, Markdown, CSV and TSV. `citewell_documents.parsing` finds the readers by name."""
