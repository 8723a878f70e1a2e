"""What was proven: a verdict for every sentence, and the scores."""

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from citewell.cli.console import plain
from citewell.cli.show.words import place, score, verdict
from citewell.wire import Scores, Sentence


def verification_view(verification: Scores) -> RenderableType:
    """Sentences, then scores, then issues."""
    parts: list[RenderableType] = [_sentences(verification["sentences"])]
    if verification["overall_score"] is not None or verification["claims_checked"]:
        parts.append(_scores(verification))
    parts += [plain(f"! {issue}", "yellow") for issue in verification["issues"]]
    return Group(*parts)


def _sentences(sentences: list[Sentence]) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for sentence in sentences:
        table.add_row(verdict(sentence["status"]), _with_evidence(sentence))
    return table


def _with_evidence(sentence: Sentence) -> RenderableType:
    lines: list[RenderableType] = [plain(sentence["text"])]
    if sentence["evidence"]:
        quote = plain(f"“{' '.join(sentence['evidence'].split())}”", "dim")
        if source := sentence["source"]:
            quote += Text("  ") + place(source["document_name"], source["page_number"], source["section"])
        lines.append(Padding(quote, (0, 0, 0, 2)))
    elif sentence["reason"]:
        lines.append(Padding(plain(sentence["reason"], "dim"), (0, 0, 0, 2)))
    return Group(*lines)


def _scores(verification: Scores) -> Text:
    checked = f"{verification['claims_supported']} of {verification['claims_checked']} claims supported"
    level = f" ({verification['confidence_level']})" if verification["confidence_level"] else ""
    return Text(
        f"overall {score(verification['overall_score'])}"
        f"  = alignment {score(verification['answer_source_alignment'])}"
        f" · coverage {score(verification['citation_coverage'])}"
        f" · facts {score(verification['fact_verification_score'])}\n"
        f"confidence {score(verification['confidence'])}{level} · {checked}"
    )
