"""What questions are asked of: documents, archives of them, workspaces."""
