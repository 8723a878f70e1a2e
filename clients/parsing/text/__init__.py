"""Plain text, Markdown, CSV and TSV. `clients.parsing` finds the readers by name."""
