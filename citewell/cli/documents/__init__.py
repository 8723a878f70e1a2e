"""What questions are asked of: files, archives, workspaces and their vectors.

A command's module is imported when the command runs, and loads what is heavy only then.
"""
