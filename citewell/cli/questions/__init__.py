"""Questions and their answers: asked, followed, kept, judged, shared.

A module per command, and beside it the module that does its work (`ask`, `asking`); `citewell.cli.main` lists commands.
"""
