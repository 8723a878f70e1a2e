"""Reading files, ingesting and searching, as a collection grows."""
