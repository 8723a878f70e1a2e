"""Chat completions in OpenAI's format (N9) as they are returned, and the workspaces as models."""

from typing import Literal
from uuid import UUID

from pydantic import BaseModel, Field

from api.schemas.questions.answers import ObjectRead, VerificationRead
from api.schemas.questions.evidence import CitationRead, SignalRead
from api.schemas.questions.queries import QueryLinks


class UrlCitation(BaseModel):
    """A citation: its position in `content` and the address that it links to."""

    start_index: int
    end_index: int = Field(description="Where it ends in `content`, in code points, exclusive.")
    title: str = Field(description="The source as in the references.", examples=["refund-policy.pdf, p.2"])
    url: str = Field(description="Opens the document at the cited words.")


class Annotation(BaseModel):
    """OpenAI's form of a citation."""

    type: Literal["url_citation"]
    url_citation: UrlCitation = Field(description="The citation.")


class CompletionMessage(BaseModel):
    """The checked answer."""

    role: Literal["assistant"]
    content: str | None = Field(
        description="The answer after the checks, and what `citewell.append` adds to it; null beside a `refusal`."
    )
    refusal: str | None = Field(
        description="Why no object follows the schema that was asked for. Otherwise null: a refusal is a text like any "
        "other, see `citewell.abstained`."
    )
    annotations: list[Annotation] = Field(description="The linked citations of the answer, in their order.")


class CompletionChoice(BaseModel):
    """The one choice."""

    index: Literal[0]
    message: CompletionMessage
    logprobs: None = Field(description="Always null.")
    finish_reason: Literal["stop", "content_filter"] = Field(
        description="`content_filter`: a person has to release the answer, and `content` says so in its place."
    )


class CompletionUsage(BaseModel):
    """Tokens of all model calls for the answer, including its checks."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class CompletionProof(BaseModel):
    """The proof of the answer, for which OpenAI's format has no place."""

    query_id: UUID = Field(description="The question at `/v1/queries/{id}`.")
    restated_question: str | None = Field(
        description="The question as it was understood from the conversation; null when that is how it was asked."
    )
    attached_texts: list[str] = Field(
        description="The names of the texts that came with the question, of which alone it is answered; none: of the "
        "workspace."
    )
    conversation_id: UUID | None = Field(description="The conversation that the question is a turn of, if any.")
    citations: list[CitationRead] = Field(
        description="Every citation of the answer, with its number in `content`; offsets count from the start of that."
    )
    references: list[str] = Field(examples=[["[1] refund-policy.pdf, p.2"]])
    verification: VerificationRead | None = Field(
        description="Null when it is off, or when it broke (see the history)."
    )
    signal: SignalRead
    answer_object: ObjectRead | None = Field(
        description="With a schema: the object, and what was verified and removed for every place of it."
    )
    removed_citations: list[int] = Field(description="Numbers of the original answer whose sources do not say it.")
    abstained: bool = Field(description="True when the documents do not answer the question.")
    links: QueryLinks


class Completion(BaseModel):
    """OpenAI's `chat.completion`, with one additional member: `citewell`."""

    id: str = Field(description="`chatcmpl-` and the id of the question.")
    object: Literal["chat.completion"]
    created: int = Field(description="Seconds since 1970.")
    model: str = Field(description="As asked for.")
    choices: list[CompletionChoice] = Field(description="One.")
    usage: CompletionUsage
    citewell: CompletionProof | None = Field(
        description="Null for a reply about the conversation, such as its title, which states nothing, and for an "
        "answer that is held back."
    )
    metadata: dict[str, str] | None = Field(
        default=None, description="`conversation_id`, when the question is a turn of a conversation."
    )


class ModelRead(BaseModel):
    """A workspace in the role of a model, or a model behind the guard."""

    id: str = Field(examples=["finance"])
    object: Literal["model"]
    created: int = Field(description="Seconds since 1970; 0 for a model behind the guard.")
    owned_by: Literal["citewell", "upstream"]


class ModelList(BaseModel):
    """All workspaces, or all models behind the guard."""

    object: Literal["list"]
    data: list[ModelRead]
