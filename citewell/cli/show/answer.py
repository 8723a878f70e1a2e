"""Terminal view of a finished query."""

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from citewell.cli.console import plain
from citewell.cli.show.verification import signal_view, verification_view
from citewell.cli.show.words import duration, heading, place, score, signal_word, verdict
from citewell_client.types import Query
from domain.answers.conflicts_in_words import conflict_in_words
from domain.documents.text_marks import in_words
from domain.quality.signal import NO_MODEL


def answer_view(query: Query, title: str = "") -> RenderableType:
    parts: list[RenderableType] = [plain(title + query["question"], "bold")]
    if restated := query["restated_question"]:
        parts.append(plain(f"Understood as: {restated}"))
    if query["answer"] is not None:
        parts.append(Panel(plain(query["answer"]), padding=(0, 1)))
    return Group(*parts, proof_view(query))


def proof_view(query: Query) -> RenderableType:
    parts: list[RenderableType] = []
    if signal := query["signal"]:
        parts.append(signal_word(signal) if query["abstained"] else signal_view(signal, query["verification"]))
    if query["provider"] == "offline" and not query["abstained"]:
        parts.append(plain(NO_MODEL, "dim"))
    if query["abstained"]:
        parts.append(Text.assemble(("Why: ", "yellow"), plain(query["abstain_reason"] or "no reason was stored")))
    if conflicts := query["conflicts"]:
        parts.append(heading("Your documents disagree"))
        parts += [plain(conflict_in_words(conflict), "yellow") for conflict in conflicts]
    if query["references"]:
        parts += [heading("References"), _references(query)]
    if query["removed_citations"]:
        numbers = ", ".join(map(str, query["removed_citations"]))
        parts.append(
            Text(
                f"Citations of the draft that were removed: {numbers}; their sources do not prove the sentences",
                style="yellow",
            )
        )
    parts += closest_view(query)
    if query["verification"] is not None and not query["abstained"]:
        asked = query["restated_question"] or query["question"]
        parts += [heading("Verification"), verification_view(query["verification"], asked)]
    return Group(*parts, _cost(query), Text())


def closest_view(query: Query) -> Iterator[RenderableType]:
    """Show the passages that come closest, beside a refusal or an answer in doubt."""
    if mentioned := query["mentions"]:
        is_read = query["provider"] != "offline"
        yield heading("These passages come closest" if is_read else "Closest passages; no model read them")
        yield from (
            plain(f"“{mention['quote']}”  ", "dim") + place(mention["document"], mention["page"], None)
            for mention in mentioned
        )


def timings_view(queries: list[Query]) -> RenderableType:
    stages = dict.fromkeys(stage for query in queries for stage in query["timings"] if stage != "total")
    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    table.add_column("stage")
    for number in range(1, len(queries) + 1):
        table.add_column(f"Q{number}", justify="right")
    for stage in [*stages, "total"]:
        style = "bold" if stage == "total" else None
        table.add_row(stage, *(duration(query["timings"].get(stage)) for query in queries), style=style)
    return Group(heading("Time per stage"), table)


def _references(query: Query) -> RenderableType:
    lines: list[RenderableType] = []
    for number, reference in enumerate(query["references"], start=1):
        taken = Table.grid(padding=(0, 2), expand=True)
        taken.add_column(no_wrap=True, min_width=len("✗ inaccurate 0.00"))
        taken.add_column(no_wrap=True, overflow="ellipsis", ratio=1)
        for citation in query["citations"]:
            if citation["number"] == number:
                standing = verdict(citation["status"]).append(f" {score(citation['confidence_score'])}")
                quote = plain(f"“{' '.join(citation['text_span'].split())}”", "dim")
                if said := in_words(citation):
                    quote = plain(f"({said}) ", "dim") + quote
                taken.add_row(standing, quote)
        lines += [plain(reference), Padding(taken, (0, 0, 0, 4))]
    return Group(*lines)


def _cost(query: Query) -> Text:
    usage = query["usage"]
    asked_models = (
        f"model calls: {usage['llm_calls']}",
        f"{usage['prompt_tokens'] + usage['completion_tokens']:,} tokens",
        f"${usage['cost_usd']:.4f}",
    )
    parts = (
        query["provider"],
        f"mode {query['mode']}",
        *([f"preset {query['preset']}"] if query["preset"] != "standard" else []),
        *(asked_models if query["provider"] != "offline" else ()),
        duration(query["timings"].get("total")),
    )
    return Text(f"{' · '.join(parts)}\n`citewell history {query['id']}` tells more", style="dim")
