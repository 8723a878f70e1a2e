"""`citewell up`: everything on this machine, until Ctrl-C."""

import json
import os
import signal
import sys
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from multiprocessing import get_context
from typing import Annotated

import typer

from citewell.cli.connection import provider_chosen_on_page
from citewell.cli.console import complain, say
from citewell.cli.documents.examples import WORKSPACE, Examples, add_documents, load_examples
from citewell.cli.errors import CommandFailed
from citewell.supervisor.supervisor import Supervisor
from citewell_client import ApiProblem, CitewellClient, ServerUnreachable, key_of_environment
from config.settings import Settings, settings

NO_MODEL = (
    "No language model is configured: answers are sentences of your documents, checked by rules."
    " The page (#/models) or `citewell models use groq|ollama|llamacpp|URL` sets one up."
)

app = typer.Typer(rich_markup_mode=None, add_completion=False)
_SUPERVISOR = "[supervisor] "
_ERRORS = ("error", "critical")
_LONGEST = 300  # the longest line, in characters


@app.command()
def up(
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="Of the API; 0 takes a free one. [default: as configured]")
    ] = None,
    example: Annotated[
        bool, typer.Option("--example", help=f"Add five documents to try it with, in the workspace {WORKSPACE}.")
    ] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show the logs of all processes here.")] = False,
) -> None:
    """Start servers, API and workers, and keep them running until Ctrl-C.

    Data lives under CITEWELL_HOME, and the logs of all processes under logs/ there. Errors are shown here as well. A
    key that the provider of the language model refuses is an error at once.
    """
    if verbose and sys.stderr.isatty():
        os.environ.setdefault("CITEWELL_LOG_FORMAT", "console")
    configured, examples = settings(), load_examples() if example else None
    say(f"Citewell starts Postgres, Valkey, its API and its workers; data and logs are in {configured.home}")
    problem = _checked(configured)
    if problem and problem != NO_MODEL:
        say(problem)
    with Supervisor(configured, port=port, on_line=_show if verbose else _show_errors) as supervisor:
        if examples:
            _add(examples, supervisor)
        if problem == NO_MODEL and not provider_chosen_on_page():
            say(problem)
        say(f"Citewell is ready at {supervisor.url} ({supervisor.url}/docs shows the API); Ctrl-C stops it")
        supervisor.run_forever()
    say("Citewell has stopped")


def _checked(configured: Settings) -> str | None:
    """Return the result of `problem_of_provider`, or its error, from a process of its own: this process stays, and
    should not keep what the check loads."""
    ways = get_context("fork" if sys.platform == "linux" else "spawn")
    ignoring_interrupts = signal.SIGINT, signal.SIG_IGN
    with ProcessPoolExecutor(1, ways, initializer=signal.signal, initargs=ignoring_interrupts) as child:
        return child.submit(problem_of_provider, configured).result()


def _add(examples: Examples, supervisor: Supervisor) -> None:
    """Add the example documents that the workspace lacks. A failure is printed and does not stop the start."""
    try:
        with CitewellClient(supervisor.url, key_of_environment(), after_each=supervisor.revive) as client:
            for problem in add_documents(client, examples):
                complain(problem)
    except (ApiProblem, ServerUnreachable) as error:
        complain(f"the example documents could not be added: {error}")
    else:
        question = examples.questions[0]["question"]
        say(f'The workspace {WORKSPACE} has documents to try: citewell ask -w {WORKSPACE} "{question}"')


def _show(process: str, line: str) -> None:
    sys.stderr.write(f"{process:>10} | {line}\n")


def _show_errors(process: str, line: str) -> None:
    if line.startswith(_SUPERVISOR):
        say(f"citewell: {line.removeprefix(_SUPERVISOR)}; logs/{process}.log says why")
    elif event := error_in(line):
        say(f"{process}: {event[:_LONGEST]}")


def error_in(line: str) -> str | None:
    """Return the event of a log line in JSON whose level is `error` or above; None for every other line."""
    if not line.startswith("{"):
        return None
    try:
        record: dict[str, object] = json.loads(line)
    except ValueError:
        return None
    return str(record.get("event", "")) if record.get("level") in _ERRORS else None


def problem_of_provider(settings: Settings) -> str | None:
    """Return the problem that a user should know before the first question, or None.

    Raises CommandFailed when the provider refuses the key, and ConfigurationInvalid when it cannot be asked at all.
    """
    if settings.provider == "offline":
        return NO_MODEL
    # These load modules that compute vectors and ask models, which `citewell up` itself does not need.
    import_module("clients.llm.factory").check_provider(settings)
    servers = import_module("clients.llm.servers")
    answer = servers.ask_provider(settings)
    if answer is None:
        return None
    if answer.state == "key_refused":
        raise CommandFailed(f"{answer.detail}; no question would be answered")
    if answer.state == "forbidden":
        return f"The language model's server does not list its models: {answer.detail}. `citewell doctor` asks each."
    if answer.state == "unreachable":
        return f"The language model's server is away: {answer.detail}; until it is back, no question is answered."
    if missing := servers.missing_models(answer, (settings.models.main, settings.models.fast)):
        return (
            f"The language model's server does not have {' and '.join(missing)}; it has {', '.join(answer.models[:8])}."
            " `citewell models use` chooses one."
        )
    return None
