"""Source code. `citewell_documents.parsing` finds the reader by name."""
