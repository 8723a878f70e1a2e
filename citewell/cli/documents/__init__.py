"""Commands for the material that questions are asked about: files, archives, workspaces and their vectors.

A command's module is imported when the command runs, and imports slow modules only then.
"""
