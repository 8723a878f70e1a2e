"""PDF: characters, lines, columns, tables, paragraphs and sections. `clients.parsing` finds the reader by name."""
