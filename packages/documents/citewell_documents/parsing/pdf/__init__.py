"""PDF: characters, lines, columns, tables, paragraphs and sections."""
