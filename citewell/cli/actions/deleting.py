"""Deletes a workspace, after asking whether all that it contains is to go."""

import sys

import typer

from citewell.cli.errors import CommandFailed
from citewell.cli.show.words import counted
from citewell_client import ApiProblem, CitewellClient


def delete_workspace(client: CitewellClient, name: str, *, confirmed: bool) -> bool:
    """Delete a workspace. Return False if the server is still deleting its contents.

    One with contents needs `confirmed`, or its name typed at a terminal. Raises CommandFailed without either.
    """
    try:
        return client.workspaces.delete(name, with_contents=confirmed)
    except ApiProblem as problem:
        if problem.code != "workspace_not_empty":
            raise
    found = client.workspaces.get(name)["documents"]
    number = found["queued"] + found["processing"] + found["ready"] + found["failed"] + found["superseded"]
    documents = counted(number, "document")
    if not sys.stdin.isatty():
        raise CommandFailed(
            f"workspace {name!r} is not empty ({documents}); --yes deletes it with all that it contains"
        )
    asked = f"{documents}, and all questions with their history, will be gone. To delete them type the name"
    if typer.prompt(asked, err=True) != name:
        raise CommandFailed(f"that is not the name; nothing was deleted from {name!r}")
    return client.workspaces.delete(name, with_contents=True)
