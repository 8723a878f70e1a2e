"""Chat completions in OpenAI's format (N9) as they are returned, and the workspaces in the role of models."""

from typing import Literal
from uuid import UUID

from pydantic import BaseModel, Field

from api.schemas.questions.answers import ObjectRead, VerificationRead
from api.schemas.questions.evidence import CitationRead, SignalRead
from api.schemas.questions.queries import QueryLinks


class UrlCitation(BaseModel):
    """A citation: its position in `content` and the address that it links to."""

    start_index: int
    end_index: int = Field(description="Where the marker ends in `content`, in code points, exclusive.")
    title: str = Field(
        description="The source's name, as in the list of references.", examples=["refund-policy.pdf, p.2"]
    )
    url: str = Field(description="The address that opens the document at the cited words.")


class Annotation(BaseModel):
    """OpenAI's form of a citation."""

    type: Literal["url_citation"]
    url_citation: UrlCitation = Field(description="The citation.")


class CompletionMessage(BaseModel):
    """The checked answer."""

    role: Literal["assistant"]
    content: str | None = Field(
        description="The answer after the checks, followed by what `citewell.append` adds; null beside a `refusal`."
    )
    refusal: str | None = Field(
        description="Why no object follows the requested schema. Null otherwise: an answer that refuses is a text "
        "like any other, marked by `citewell.abstained`."
    )
    annotations: list[Annotation] = Field(description="The linked citations of the answer, in their order.")


class CompletionChoice(BaseModel):
    """The only choice."""

    index: Literal[0]
    message: CompletionMessage
    logprobs: None = Field(description="Always null.")
    finish_reason: Literal["stop", "content_filter"] = Field(
        description="`content_filter`: a person has to release the answer, and `content` says so."
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
        description="The question as the conversation implies it; null when it was understood as it was asked."
    )
    attached_texts: list[str] = Field(
        description="The names of the texts that came with the question, which are then its only sources; empty when "
        "the workspace is searched."
    )
    conversation_id: UUID | None = Field(description="The conversation that the question is a turn of, if any.")
    citations: list[CitationRead] = Field(
        description="Every citation of the answer, with its number in `content`; offsets count from the start of "
        "`content`."
    )
    references: list[str] = Field(examples=[["[1] refund-policy.pdf, p.2"]])
    verification: VerificationRead | None = Field(
        description="Null when verification is off, or when it broke (see the history)."
    )
    signal: SignalRead
    answer_object: ObjectRead | None = Field(
        description="The object that follows the schema, and the verified and removed values of every place in it; "
        "null without a schema."
    )
    removed_citations: list[int] = Field(description="Numbers of the original answer whose sources do not support it.")
    abstained: bool = Field(description="True when the documents do not answer the question.")
    links: QueryLinks


class Completion(BaseModel):
    """OpenAI's `chat.completion`, with one additional member: `citewell`."""

    id: str = Field(description="`chatcmpl-`, followed by the id of the question.")
    object: Literal["chat.completion"]
    created: int = Field(description="Seconds since 1970.")
    model: str = Field(description="The model as it was requested.")
    choices: list[CompletionChoice] = Field(description="The only choice.")
    usage: CompletionUsage
    citewell: CompletionProof | None = Field(
        description="Null for a reply about the conversation, such as its title, which states nothing, and for an "
        "answer that is held back."
    )
    metadata: dict[str, str] | None = Field(
        default=None, description="The `conversation_id`, when the question is a turn of a conversation."
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
