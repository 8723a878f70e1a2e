"""Zip archives of documents: their format, the names of their members, and a reader that bounds what it unpacks."""
