"""EPUB books: the package, and the documents in their reading order."""
