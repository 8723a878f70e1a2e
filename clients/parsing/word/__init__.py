"""Word documents: body, styles, numbering, tables and notes. `clients.parsing` finds the reader by name."""
