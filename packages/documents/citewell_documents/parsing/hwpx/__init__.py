"""Hancom documents (.hwpx). `citewell_documents.parsing` finds the reader by name."""
