"""PowerPoint presentations: a page per slide. `clients.parsing` finds the reader by name."""
