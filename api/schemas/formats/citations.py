"""S4 as JSON: citations that are sent as a claim and returned verified (S4.4), and the streamed query (S4.3)."""

from typing import Annotated, Literal
from uuid import UUID

from pydantic import AfterValidator, BaseModel, Field

from api.schemas.questions.evidence import Score, SourceRead
from api.schemas.texts import Input, PlainText, WorkspaceName
from citewell_verify.evidence.citation_scoring import CitationIssue

MAX_CLAIM_CHARS = 4_000
MAX_SPAN_CHARS = 10_000
_LAST_INDEX = 2**31 - 1
_SPAN = "All returns must be made within 30 days of purchase date."


def _with_words(text: str) -> str:
    if not any(character.isalnum() for character in text):
        raise ValueError("contains no word")
    return text


Words = Annotated[PlainText, AfterValidator(_with_words)]


class CitationVerify(Input):
    """A claim, and the chunk that it cites."""

    document_id: UUID = Field(
        strict=False,
        description="The document's id, as in `/v1/documents` and in every citation.",
        examples=["6f1e3b9c-8f0e-4a51-9d3c-2b7a4e5f6071"],
    )
    chunk_index: int = Field(
        ge=0, le=_LAST_INDEX, description="The place of the chunk in its document, from 0.", examples=[0]
    )
    claim_text: Words = Field(
        max_length=MAX_CLAIM_CHARS,
        description="The claim to check; above 2,000 characters it is called unproven.",
        examples=["allows returns within 30 days"],
    )
    expected_text_span: Words | None = Field(
        default=None,
        max_length=MAX_SPAN_CHARS,
        description="The words that should stand in the chunk; if omitted, the chunk's best words for the claim are "
        "taken.",
        examples=["All returns must be made within 30 days"],
    )


class VerifiedCitation(BaseModel):
    """S4.2: the citation as it stands in the document."""

    document_name: str = Field(examples=["Refund Policy v2.pdf"])
    document_id: UUID = Field(description="The document's id as it was sent.")
    page_number: int | None = Field(description="Null where the page is not known; pages are never guessed.")
    section: str | None = Field(examples=["Returns and Refunds"])
    text_span: str = Field(
        description="The expected words as the chunk has them; if the chunk lacks them, its best words for the claim.",
        examples=[_SPAN],
    )
    claim_text: str = Field(examples=["allows returns within 30 days"])
    citation_type: Literal["direct_quote", "paraphrase", "inference"] = Field(
        description="The relation of the claim to these words."
    )
    chunk_index: int = Field(examples=[0])
    confidence_score: Score = Field(description="The same as `confidence_score` of the verdict.")


class CitationVerdict(BaseModel):
    """S4.4: whether the chunk supports the claim that cites it, found without a model."""

    source_text: str = Field(description="The text of the chunk.", examples=[_SPAN])
    context: str = Field(
        description="The heading of the section, an empty line, and the chunk's text with the text of the chunks "
        "around it.",
        examples=[f"Returns and Refunds\n\n{_SPAN}"],
    )
    confidence_score: Score = Field(
        description="The lower one of two numbers: how well the chunk matches the expected words, and the share of "
        "the claim's words that the chunk has."
    )
    is_accurate: bool = Field(description="Confidence of at least 0.7 and no issue.")
    citation: VerifiedCitation = Field(description="The citation as it stands in the document.")
    issues: list[CitationIssue] = Field(description="The objections to the citation; empty when there are none.")


class StreamAsk(Input):
    """S4: a question whose answer is streamed while the model writes."""

    query: str = Field(description="The question.", examples=["What is the refund policy?"])
    workspace: WorkspaceName = Field(default="default", description="The collection of documents that is asked.")


class FinalEvent(BaseModel):
    """S4.3: the last event of the stream."""

    type: Literal["final"]
    data: str = Field(description="The answer after the checks.")
    sources: list[SourceRead] = Field(description="The passages that the answer was written from.")
    citations: list[VerifiedCitation] = Field(description="S4.2: the citations of the answer.")
