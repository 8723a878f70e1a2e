"""PowerPoint presentations: a page per slide. `citewell_documents.parsing` finds the reader by name."""
