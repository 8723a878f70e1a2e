"""Terminal view of a verification: a verdict for every sentence, and the scores."""

from collections.abc import Mapping
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from citewell.cli.console import plain
from citewell.cli.show.words import place, score, verdict
from citewell_client.types import Attempt, CommonScores, QuestionVerdict, Scores, Sentence
from domain.verdicts.answer_confidence import confidence_word


def verification_view(verification: Scores | Attempt) -> RenderableType:
    parts: list[RenderableType] = [_sentences(verification["sentences"])]
    if verification["overall_score"] is not None or verification["claims_checked"]:
        parts.append(_scores(verification))
    # Servers of older versions omit it.
    if question := verification.get("question"):
        parts += _question(question)
    parts += [plain(f"! {issue}", "yellow") for issue in verification["issues"]]
    if misses := misses_line(verification):
        parts.append(plain(misses, "dim"))
    return Group(*parts)


def _question(verdict: QuestionVerdict) -> list[RenderableType]:
    if verdict["open_parts"]:
        return [plain(f"Left open: {'; '.join(verdict['open_parts'])} ({verdict['reason']})", "yellow")]
    return [] if verdict["relevant"] == "yes" else [plain(verdict["reason"], "yellow")]


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
            quote += Text("  ") + place(source["document_name"], source["page_number"], source["section"], source)
        lines.append(Padding(quote, (0, 0, 0, 2)))
    elif sentence["reason"]:
        lines.append(Padding(plain(sentence["reason"], "dim"), (0, 0, 0, 2)))
    return Group(*lines)


def confidence_line(scores: Mapping[str, Any]) -> str:
    # Servers of older versions send no level, and no calibration that says whether it holds.
    word = confidence_word(scores.get("confidence_level"), is_measured=bool(scores.get("calibration")))
    checked = f"{scores['claims_supported']} of {scores['claims_checked']} claims supported"
    reason: str | None = _calibration(scores).get("reason")
    return " · ".join(
        filter(None, [f"confidence {score(scores['confidence'])}{f' ({word})' if word else ''}", checked, reason])
    )


def misses_line(scores: Mapping[str, Any]) -> str:
    calibration = _calibration(scores)
    false_pass: float | None = calibration.get("false_pass")
    if false_pass is None or not calibration.get("holds"):
        return ""
    return (
        f"This verifier takes about {false_pass * 100:.0f} of 100 statements that the sources do not support for "
        "supported (docs/evaluation.md)."
    )


def _calibration(scores: Mapping[str, Any]) -> dict[str, Any]:
    return scores.get("calibration") or {}


def _scores(verification: CommonScores) -> Text:
    return Text(
        f"{confidence_line(verification)}\n"
        f"overall {score(verification['overall_score'])}"
        f"  = alignment {score(verification['answer_source_alignment'])}"
        f" · coverage {score(verification['citation_coverage'])}"
        f" · facts {score(verification['fact_verification_score'])}"
    )
