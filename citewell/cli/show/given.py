"""Terminal view of a verified external answer."""

from typing import Any

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from citewell.cli.console import plain
from citewell.cli.show.verification import signal_view
from citewell.cli.show.words import place, verdict
from domain.quality.summary_line import verifier_note


def given_view(result: dict[str, Any]) -> RenderableType:
    parts: list[RenderableType] = []
    if result["question"]:
        parts.append(plain(result["question"], "bold"))
    if signal := result["signal"]:
        parts.append(signal_view(signal, result["verification"], asked=bool(result["question"])))
    if result["sentences"]:
        parts += [Rule("Sentences", align="left", style="dim"), _table(map(_sentence, result["sentences"]))]
    if result["citations"]:
        parts += [Rule("Citations", align="left", style="dim"), _table(map(_citation, result["citations"]))]
    if result["changed"]:
        parts += [Rule("Repaired", align="left", style="dim"), Panel(plain(result["repaired_answer"]), padding=(0, 1))]
    if scores := result["verification"]:
        parts += [plain(f"! {issue}", "dim") for issue in scores["issues"]]
        if note := verifier_note(scores.get("calibration")):
            parts.append(plain(note, "dim"))
    return Group(*parts, Text())


def _table(rows: Any) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for row in rows:
        table.add_row(*row)
    return table


def _sentence(sentence: dict[str, Any]) -> tuple[Text, RenderableType]:
    reason: list[RenderableType] = [plain(f"  {sentence['reason']}", "dim")] if sentence["reason"] else []
    if sentence["evidence"] and (source := sentence["source"]):
        quote = plain(f"  “{' '.join(sentence['evidence'].split())}”  ", "dim")
        reason = [quote + place(f"[{source['number']}] {source['title']}", source["page_number"], source["section"])]
    return verdict(sentence["status"]), Group(plain(sentence["text"]), *reason)


def _citation(citation: dict[str, Any]) -> tuple[Text, RenderableType]:
    where = Text(f"[{citation['cited']}] ")
    if source := citation["source"]:
        where += place(source["title"], citation["page_number"], None)
    return verdict(citation["status"]), Group(where, plain(citation["explanation"], "dim"))
