"""`citewell chat`: a conversation with the documents of a workspace."""

import sys
from typing import Annotated

import typer

from citewell.cli.connection import connected
from citewell.cli.console import say
from citewell.cli.errors import FAILED
from citewell.cli.options import Json, Preset, Url, Workspace
from citewell.cli.questions.chatting import Chat, converse, lines_of

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command()
def chat(
    workspace: Workspace = "default",
    conversation: Annotated[
        str | None, typer.Option(metavar="ID", help="Go on with this conversation, in its own workspace.")
    ] = None,
    mode: Annotated[str, typer.Option(help="How much evidence an answer needs: low, balanced or high.")] = "balanced",
    preset: Preset = None,
    as_json: Json = False,
    wait: Annotated[float, typer.Option(min=0, metavar="SECONDS", help="How long to wait for each answer.")] = 300,
    url: Url = None,
) -> int:
    """Ask one question after the other; each is understood from those before it.

    Questions are typed at a prompt, or read from standard input, one per line. /new begins another conversation,
    /history shows this one, /quit ends it; Ctrl-C stops the answer that is being written.
    """
    options = {"mode": mode, **({"preset": preset} if preset else {})}
    with connected(url) as client:
        talk = Chat(client, workspace, conversation, wait=wait, as_json=as_json, options=options)
        is_typed = sys.stdin.isatty()
        if is_typed:
            say(f"workspace {talk.workspace}; /new, /history, /quit; Ctrl-C stops an answer")
        failed = converse(talk, lines_of(sys.stdin, is_typed=is_typed))
    if talk.conversation_id and not as_json:
        say(f"`citewell chat --conversation {talk.conversation_id}` goes on with it")
    # At a terminal each failure was printed when it occurred; a script checks the exit code.
    return FAILED if failed and not is_typed else 0
