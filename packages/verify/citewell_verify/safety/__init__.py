"""What comes from outside: instructions to a model in a source, and paths that lead out of their folder.

Imports `citewell_verify.text`; what shows a source to a model imports it, and what opens files by such a path.
"""
