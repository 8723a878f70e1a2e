"""`citewell demo`: sets everything up, shows verified answers, and stops everything that it started."""

import typer

from citewell.cli.connection import connected
from citewell.cli.console import complain, err, out, output, say
from citewell.cli.documents.examples import Examples, load_examples
from citewell.cli.documents.uploading import ingest_all
from citewell.cli.errors import FAILED, CommandFailed
from citewell.cli.options import Json, Url
from citewell.cli.questions.asking import ask_and_wait, failure_of
from citewell.cli.show.answer import answer_view, timings_view
from citewell.cli.show.words import document_line
from citewell_client import CitewellClient
from citewell_client.types import Query

app = typer.Typer(rich_markup_mode=None, add_completion=False)

WORKSPACE = "demo"
_PATIENCE_S = 300.0


@app.command()
def demo(as_json: Json = False, url: Url = None) -> None:
    """Ask five questions about the example documents.

    Ingests them into the workspace `demo`, shows every answer with what proves it, and how long each stage took.
    """
    examples = load_examples()
    with connected(url) as client:
        say(_introduction(examples))
        for ingested in ingest_all(client, examples.documents, WORKSPACE):
            if ingested.problem is not None or ingested.document is None:
                raise CommandFailed(ingested.problem or "a document is lost", FAILED)
            err.print(document_line(ingested.document))
        answers = [_ask(client, number, examples, as_json) for number in range(1, len(examples.questions) + 1)]
        if not as_json:
            out.print(timings_view(answers))
    failed = sum(failure_of(answer) is not None for answer in answers)
    if failed:
        raise CommandFailed(f"{failed} of {len(answers)} questions were not answered", FAILED)
    say("Next, your own documents: `make up` says where (docs/quickstart.md)")


def _introduction(examples: Examples) -> str:
    unanswerable = [f"Q{number}" for number, asked in enumerate(examples.questions, start=1) if not asked["answerable"]]
    return (
        f"{len(examples.documents)} example documents, {len(examples.questions)} questions;"
        f" the documents have no answer to {', '.join(unanswerable)}"
    )


def _ask(client: CitewellClient, number: int, examples: Examples, as_json: bool) -> Query:
    example = examples.questions[number - 1]
    answer = ask_and_wait(client, example["question"], wait=_PATIENCE_S, workspace=WORKSPACE, mode=example["mode"])
    output(answer, lambda query: answer_view(query, title=f"Q{number}  "), as_json=as_json)
    if failure := failure_of(answer):
        complain(failure)
    return answer
