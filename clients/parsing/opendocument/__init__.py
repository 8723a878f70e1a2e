"""OpenDocument texts: body, styles and tables. `clients.parsing` finds the reader by name."""
