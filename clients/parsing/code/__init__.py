"""Source code. `clients.parsing` finds the reader by name."""
