"""Commands for questions and answers: asked, followed, saved, judged, shared.

Each command has a module, and beside it the module that does its work (`ask`, `asking`); `citewell.cli.main` lists the
commands.
"""
