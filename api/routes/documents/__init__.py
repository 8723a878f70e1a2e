"""Routes of documents, their chunks and originals, their sources, and the workspaces that hold them."""
