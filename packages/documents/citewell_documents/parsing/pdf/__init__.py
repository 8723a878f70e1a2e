"""PDF: characters, lines, columns, tables, paragraphs and sections. `citewell_documents.parsing` finds the reader by
name."""
