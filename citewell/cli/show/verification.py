"""Terminal views of a signal, and of a verification: a verdict for every sentence, and the scores."""

from collections.abc import Mapping
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from citewell.cli.console import plain
from citewell.cli.show.words import grid, place, score, signal_word, verdict
from citewell_client.types import Attempt, CommonScores, QuestionVerdict, Scores, Sentence, Signal
from domain.quality.summary_line import explained, verifier_note


def signal_view(
    signal: Signal | dict[str, Any], scores: Mapping[str, Any] | None, *, asked: bool = True
) -> RenderableType:
    calibration = scores.get("calibration") if scores else None
    return Group(signal_word(signal), plain(explained(signal, calibration, asked=asked), "dim"))


def verification_view(verification: Scores | Attempt, question: str = "", *, details: bool = False) -> RenderableType:
    """Show a verification; `question` is the question of the answer; `details` adds the scores, for readers who want to
    know how a result came about."""
    parts: list[RenderableType] = [_sentences(verification["sentences"])]
    if details and (verification["overall_score"] is not None or verification["claims_checked"]):
        parts.append(_scores(verification))
    if judged := verification.get("question"):
        parts += _question(judged, question)
    parts += [plain(f"! {issue}", "dim") for issue in verification["issues"]]
    if note := verifier_note(verification.get("calibration")):
        parts.append(plain(note, "dim"))
    return Group(*parts)


def _question(verdict: QuestionVerdict, question: str) -> list[RenderableType]:
    # The signal already says whether a part of the question may be open or in doubt.
    if verdict["complete"]:
        return []
    parts = [part for part in verdict["open_parts"] if part.strip(" ?") != question.strip(" ?")]
    left = f"Left open: {'; '.join(parts)} ({verdict['reason']})" if parts else verdict["reason"]
    return [plain(left, "yellow")]


def _sentences(sentences: list[Sentence]) -> Table:
    table = grid()
    for sentence in sentences:
        table.add_row(verdict(sentence["status"]), _with_evidence(sentence))
    return table


def _with_evidence(sentence: Sentence) -> RenderableType:
    lines: list[RenderableType] = [plain(sentence["text"])]
    if sentence["evidence"]:
        quote = plain(f"“{' '.join(sentence['evidence'].split())}”", "dim")
        if source := sentence["source"]:
            quote += Text("  ") + place(source["document_name"], source["page_number"], source["section"], source)
        lines.append(Padding(quote, (0, 0, 0, 2)))
    elif sentence["reason"]:
        lines.append(Padding(plain(sentence["reason"], "dim"), (0, 0, 0, 2)))
    return Group(*lines)


def _scores(verification: CommonScores) -> Text:
    return Text(
        f"{verification['claims_supported']} of {verification['claims_checked']} claims supported\n"
        f"overall {score(verification['overall_score'])}"
        f"  = alignment {score(verification['answer_source_alignment'])}"
        f" · coverage {score(verification['citation_coverage'])}"
        f" · facts {score(verification['fact_verification_score'])}"
    )
