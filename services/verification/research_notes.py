"""Uses of the research notes: shown to the synthesis, and their quotes taken as evidence (S3.6)."""

from services.core.context import StepContext
from services.verification.citation_spans import ExtractedQuote


def notes_text(context: StepContext) -> str:
    """The notes of this round in the form shown to the synthesis; empty when there are none."""
    notes = (context.outcome("research_notes") or {}).get("notes", [])
    return "\n".join(f"- [{note['source']}] {note['fact']}: “{' '.join(note['quote'].split())}”" for note in notes)


def notes_issues(context: StepContext) -> list[str]:
    """Why notes are missing, if they were to be taken."""
    noted = context.outcome("research_notes")
    return [f"The research left no notes: {noted['reason']}."] if noted and noted["status"] == "failed" else []


def quotes_by_source(context: StepContext) -> dict[int, list[ExtractedQuote]]:
    """The quotes of the synthesis and of the research, merged; the same words of one source count once."""
    extracted = (context.outcome("extract_citations") or {}).get("citations", [])
    noted = (context.outcome("research_notes") or {}).get("notes", [])
    quotes = [(each["source"], ExtractedQuote(each["text_span"], each["citation_type"])) for each in extracted]
    quotes += [(each["source"], ExtractedQuote(each["quote"], "direct_quote")) for each in noted]
    found: dict[int, dict[str, ExtractedQuote]] = {}
    for source, quote in quotes:
        found.setdefault(source, {}).setdefault(" ".join(quote.text.split()).casefold(), quote)
    return {source: list(by_words.values()) for source, by_words in found.items()}
