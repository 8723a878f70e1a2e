"""Hancom documents (.hwpx). `clients.parsing` finds the reader by name."""
