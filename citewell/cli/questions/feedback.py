"""`citewell feedback`: judgements of answers by people, and the queue of feedback to review."""

from typing import Annotated, Any, Literal

import typer
from rich.padding import Padding

from citewell.cli.connection import connected
from citewell.cli.console import emit, out, plain, say
from citewell.cli.options import AnswerId, Json, Url, group
from citewell.cli.short_ids import whole_id
from citewell.cli.show.words import when
from citewell_client.types import Feedback

app = group("Judge answers, and review judgements.")

_Verdict = Annotated[
    Literal["supported", "unsupported"] | None, typer.Option("--verdict", help="Whether its sources say it.")
]
_Relevant = Annotated[
    Literal["yes", "no"] | None,
    typer.Option("--relevant", help="Whether it is what was asked; no: true perhaps, but about something else."),
]
_Reason = Annotated[str | None, typer.Option("--reason", help="Why.")]
_Corrected = Annotated[str | None, typer.Option("--corrected", metavar="TEXT", help="What it should say.")]
_By = Annotated[str | None, typer.Option("--by", metavar="NAME", help="Whose judgement it is.")]


@app.command()
def give(
    query_id: AnswerId,
    rating: Annotated[Literal["up", "down"] | None, typer.Option("--rating", help="Whether it helps.")] = None,
    verdict: _Verdict = None,
    relevant: _Relevant = None,
    sentence: Annotated[int | None, typer.Option(min=1, help="Only of this sentence, from 1.")] = None,
    citation: Annotated[int | None, typer.Option(min=1, help="Only of this citation, from 1.")] = None,
    reason: _Reason = None,
    corrected: _Corrected = None,
    by: _By = None,
    url: Url = None,
) -> None:
    """Keep a judgement of an answer, or of one sentence or citation of it."""
    fields = _given(
        rating=rating,
        verdict=verdict,
        relevant=relevant,
        sentence=sentence and sentence - 1,
        citation=citation and citation - 1,
        reason=reason,
        corrected_answer=corrected,
        author=by,
    )
    with connected(url) as client:
        kept = client.feedback.give(whole_id(client, query_id, "question", "verification"), **fields)
    say(f"kept as {kept['id']}")


@app.command("list")
def list_(
    status: Annotated[Literal["open", "reviewed"] | None, typer.Option("--status", help="Only in this state.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="List so many, the newest first.")] = 50,
    as_json: Json = False,
    url: Url = None,
) -> None:
    """List judgements; `--status open` is the queue to review."""
    with connected(url) as client:
        reports = list(client.feedback.list(status=status, limit=limit))
    for report in reports:
        emit(report) if as_json else _show(report)
    if not reports and not as_json:
        say("no feedback; `citewell feedback give ID` adds some")


@app.command()
def review(
    feedback_id: Annotated[
        str, typer.Argument(metavar="ID", help="As the list shows it; at least its first 6 characters.")
    ],
    verdict: _Verdict = None,
    relevant: _Relevant = None,
    reason: _Reason = None,
    corrected: _Corrected = None,
    by: _By = None,
    decision: Annotated[
        Literal["release", "correct", "reject"] | None,
        typer.Option("--decision", help="What becomes of an answer that is held back; correct needs --corrected."),
    ] = None,
    url: Url = None,
) -> None:
    """Decide on a judgement or an answer that is held back, and take it out of the queue."""
    fields = _given(
        verdict=verdict,
        relevant=relevant,
        reason=reason,
        corrected_answer=corrected,
        reviewer=by,
        decision=decision,
    )
    with connected(url) as client:
        reviewed = client.feedback.review(whole_id(client, feedback_id, "feedback"), **fields)
    say(f"reviewed {reviewed['id']}")


def _given(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _show(report: Feedback) -> None:
    where = report["place"] if report["position"] is None else f"{report['place']} {report['position'] + 1}"
    asked = {"yes": "what was asked", "no": "not what was asked"}.get(report["relevant"] or "")
    reasons = f"{report['review']}: {', '.join(report['reasons'])}" if report["reasons"] else None
    said = " · ".join(filter(None, (report["rating"], report["verdict"], asked, report["author"], reasons)))
    out.print(plain(f"{report['id']}  {when(report['created_at'])}  {report['status']:<8}  {where}  {said}", "dim"))
    for text in (report["question"], report["excerpt"], report["reason"], report["corrected_answer"]):
        if text:
            out.print(Padding(plain(" ".join(text.split())), (0, 0, 0, 2)))
