"""OpenAI's Responses API (N9): request and response. The same fields are ignored and refused as in chat completions."""

from collections.abc import Sequence
from typing import Any, Literal, Self
from uuid import UUID

from pydantic import BaseModel, Field, JsonValue, ValidationInfo, field_validator, model_validator

from api.schemas.formats.completion_replies import CompletionProof
from api.schemas.formats.completions import (
    Asked,
    ChatMessage,
    CompletionOptions,
    ConversationNamed,
    JsonSchemaFormat,
    Lenient,
    ResponseFormat,
    require_a_known_form,
    require_a_question,
)

PREFIX = "resp_"
_REFUSED: dict[str, str] = {
    "prompt": "no prompts are stored here; send the question as `input`",
    "moderation": "nothing is moderated; leave it out",
    "top_logprobs": "there are no log probabilities; leave it out",
}
# Documents are searched anyway, and the client calls its own functions: these tools change nothing.
_TOOLS = {"function", "custom", "file_search"}


def response_id(query_id: UUID | str) -> str:
    return f"{PREFIX}{query_id}"


class InputItem(ChatMessage):
    """A message, or an item of another type, such as a tool call, which is not used."""

    type: str = Field(default="message", description="`message`; items of other types are accepted and not used.")
    role: str = Field(default="", description="`user`, `assistant`, `system`, …", examples=["user"])


class TextFormat(Lenient):
    """The form of the answer."""

    type: str = Field(description="`text`, `json_object` or `json_schema`, as in chat completions.", examples=["text"])
    schema_: JsonValue = Field(
        default=None,
        alias="schema",
        description="For the type `json_schema`: a JSON Schema with an object at its root.",
    )


class TextOptions(Lenient):
    """OpenAI's options of the text."""

    format: TextFormat | None = Field(default=None, description="The form of the answer.")


class ResponseOptions(CompletionOptions):
    """Citewell's own options of a response; OpenAI's clients send them as `extra_body`."""

    append: Literal["none", "references", "full"] = Field(
        default="none", description="What follows the answer in the text, as in chat completions."
    )
    links: bool = Field(
        default=False,
        description="Make every citation in the text a Markdown link. The addresses are in `annotations` either way.",
    )


class ConversationOfResponse(Lenient):
    """A conversation, in OpenAI's form."""

    id: str = Field(description="The id of a conversation.")


class ResponseCreate(Asked):
    """A question that is answered only from the documents of a workspace, or only from the texts that came with it, if
    there are any.

    Sampling parameters (`temperature`, `top_p`, `max_output_tokens`, `reasoning`, …) and unknown fields are ignored.
    """

    input: str | list[InputItem] = Field(
        description="The question, or a conversation whose last message of the user is the question.",
        examples=["Within how many days must returns be made?"],
    )
    instructions: str | None = Field(
        default=None,
        description="Stored with the response and, like any system prompt, not used, except for the texts that a "
        "program attached in it: the question is then answered from them.",
    )
    previous_response_id: str | None = Field(
        default=None,
        description="The question is asked after that response, as the next turn of its conversation. A second "
        "question after the same response begins a branch. Earlier messages of `input` are not used then.",
    )
    conversation: str | ConversationOfResponse | None = Field(
        default=None,
        description="The question is the next turn of that conversation of `/v1/conversations`; `new` begins a "
        "conversation.",
        examples=["new"],
    )
    background: bool | None = Field(
        default=None, description="Respond at once; `GET /v1/responses/{response_id}` has the answer later."
    )
    store: bool | None = Field(
        default=None,
        description="With false the response cannot be read or followed later. The question stays in the audit.",
    )
    metadata: dict[str, str] | None = Field(
        default=None, max_length=16, description="Up to 16 texts, stored with the response."
    )
    text: TextOptions | None = Field(default=None, description="The form of the answer.")
    tools: list[dict[str, JsonValue]] | None = Field(
        default=None,
        description="Functions are never called and `file_search` happens anyway; other tools are refused.",
    )
    tool_choice: JsonValue = Field(default=None, description="`auto` or `none`, because no tool is ever called.")
    prompt: JsonValue = Field(default=None, description="Refused, because no prompts are stored here.")
    moderation: JsonValue = Field(default=None, description="Refused, because nothing is moderated.")
    top_logprobs: JsonValue = Field(default=None, description="Refused, because there are no log probabilities.")
    citewell: ResponseOptions = Field(  # pyright: ignore[reportIncompatibleVariableOverride] - fields are frozen
        default=ResponseOptions(), description="Citewell's own options."
    )

    @property
    def said(self) -> Sequence[ChatMessage]:
        prompt = [ChatMessage(role="system", content=self.instructions)] if self.instructions else []
        return [*prompt, *_messages(self.input)]

    @property
    def form(self) -> ResponseFormat | None:
        return _form_of(self.text)

    @property
    def previous(self) -> UUID | None:
        return id_of(self.previous_response_id) if self.previous_response_id else None

    @property
    def conversation_named(self) -> ConversationNamed | None:
        named = self.conversation.id if isinstance(self.conversation, ConversationOfResponse) else self.conversation
        return "new" if named == "new" else UUID(named) if named else None

    @property
    def beside(self) -> dict[str, Any]:
        """Return the fields that are stored with the response."""
        return {
            "model": self.model,
            "instructions": self.instructions,
            "previous_response_id": self.previous_response_id,
            "background": bool(self.background),
            "store": self.store is not False,
            "metadata": self.metadata or {},
            "is_json": self.is_json,
            "citewell": self.citewell.model_dump(),
        }

    @field_validator("input")
    @classmethod
    def _a_question(cls, given: str | list[InputItem]) -> str | list[InputItem]:
        require_a_question(_messages(given))
        return given

    @field_validator("previous_response_id")
    @classmethod
    def _of_a_response(cls, given: str | None) -> str | None:
        if given is not None:
            id_of(given)
        return given

    @field_validator("conversation")
    @classmethod
    def _of_a_conversation(cls, given: str | ConversationOfResponse | None) -> str | ConversationOfResponse | None:
        named = given.id if isinstance(given, ConversationOfResponse) else given
        if named not in (None, "new") and not _is_uuid(named or ""):
            raise ValueError("must be the id of a conversation of /v1/conversations, or new")
        return given

    @field_validator("text")
    @classmethod
    def _of_sentences(cls, wanted: TextOptions | None) -> TextOptions | None:
        require_a_known_form(_form_of(wanted))
        return wanted

    @field_validator("tools")
    @classmethod
    def _only_these(cls, tools: list[dict[str, JsonValue]] | None) -> list[dict[str, JsonValue]] | None:
        if others := sorted({str(tool.get("type")) for tool in tools or ()} - _TOOLS):
            raise ValueError(
                f"{', '.join(others)} cannot be used: only the workspace's documents are searched; leave it out"
            )
        return tools

    @field_validator("tool_choice")
    @classmethod
    def _calls_none(cls, wanted: JsonValue) -> JsonValue:
        if wanted not in (None, "auto", "none", {"type": "file_search"}):
            raise ValueError("tools are never called, so none can be required; send auto or none, or leave it out")
        return wanted

    @field_validator(*_REFUSED)
    @classmethod
    def _not_offered(cls, value: Any, info: ValidationInfo) -> Any:
        if value not in (None, False, 0, []):
            raise ValueError(_REFUSED[info.field_name or ""])
        return value

    @model_validator(mode="after")
    def _goes_together(self) -> Self:
        if self.background and self.store is False:
            raise ValueError("background needs store, otherwise nobody could read the response")
        if self.previous_response_id and self.conversation:
            raise ValueError("send either previous_response_id or conversation")
        return self


def id_of(given: str) -> UUID:
    """Return the id of the question behind a response. Raises ValueError if `given` is not the id of a response."""
    try:
        return UUID(given.removeprefix(PREFIX))
    except ValueError:
        raise ValueError(f"must be the id of a response, as in {PREFIX}…") from None


def _is_uuid(given: str) -> bool:
    try:
        UUID(given)
    except ValueError:
        return False
    return True


def _messages(given: str | Sequence[InputItem]) -> Sequence[ChatMessage]:
    if isinstance(given, str):
        return [ChatMessage(role="user", content=given)]
    return [item for item in given if item.type == "message"]


def _form_of(text: TextOptions | None) -> ResponseFormat | None:
    if text is None or text.format is None:
        return None
    schema = text.format.schema_
    named = JsonSchemaFormat(schema=schema) if isinstance(schema, dict) else None
    return ResponseFormat(type=text.format.type, json_schema=named)


class CitationAnnotation(BaseModel):
    """A citation in OpenAI's fields, and the place that it cites. `text[start_index:end_index]` is its marker, in code
    points."""

    type: Literal["url_citation"]
    start_index: int = Field(description="Where the marker begins in `text`, in code points.")
    end_index: int = Field(description="Where the marker ends in `text`, exclusive.")
    title: str = Field(
        description="The source's name, as in the list of references.", examples=["refund-policy.pdf, p.2"]
    )
    url: str = Field(description="The address that opens the document at the cited words.")
    document_id: str = Field(description="The id of the document.")
    document_name: str = Field(description="The name of the document.")
    page_number: int | None = Field(description="The page, where the document has pages.")
    text_span: str | None = Field(description="The cited words.")


class OutputContent(BaseModel):
    """The text, or the refusal where no verified sentence could fill the schema."""

    type: Literal["output_text", "refusal"]
    text: str | None = Field(default=None, description="The checked answer.")
    annotations: list[CitationAnnotation] | None = Field(default=None, description="The citations, in their order.")
    logprobs: list[JsonValue] | None = Field(default=None, description="Always empty.")
    refusal: str | None = Field(default=None, description="Why no object follows the schema.")


class OutputMessage(BaseModel):
    """The answer."""

    id: str = Field(description="`msg_`, followed by the id of the question.")
    type: Literal["message"]
    role: Literal["assistant"]
    status: Literal["in_progress", "completed", "incomplete"]
    content: list[OutputContent] = Field(description="The only part.")


class CachedTokens(BaseModel):
    """A field that OpenAI's clients expect; cached tokens are not counted separately."""

    cached_tokens: int = Field(description="Always 0.")
    cache_write_tokens: int = Field(description="Always 0.")


class ReasoningTokens(BaseModel):
    """A field that OpenAI's clients expect; reasoning tokens are not counted separately."""

    reasoning_tokens: int = Field(description="Always 0.")


class ResponseUsage(BaseModel):
    """Tokens of all model calls for the answer, including its checks."""

    input_tokens: int = Field(description="Tokens of all prompts.")
    input_tokens_details: CachedTokens = Field(description="Always zeros.")
    output_tokens: int = Field(description="Tokens of all replies.")
    output_tokens_details: ReasoningTokens = Field(description="Always zeros.")
    total_tokens: int


class ResponseFault(BaseModel):
    """Why there is no answer."""

    code: Literal["server_error"]
    message: str


class Incomplete(BaseModel):
    """Why the answer is not shown."""

    reason: Literal["content_filter"]


class ConversationId(BaseModel):
    """The conversation that the question is a turn of."""

    id: str = Field(description="The id at `/v1/conversations`.")


class ResponseRead(BaseModel):
    """OpenAI's `response`, with one additional member: `citewell`."""

    id: str = Field(description="`resp_`, followed by the id of the question.")
    object: Literal["response"]
    created_at: int = Field(description="Seconds since 1970.")
    completed_at: int | None = Field(description="Seconds since 1970; null before the end.")
    status: Literal["queued", "in_progress", "completed", "incomplete", "failed", "cancelled"] = Field(
        description="`incomplete` while a person has to release the answer."
    )
    background: bool = Field(description="As it was sent.")
    error: ResponseFault | None = Field(description="Why the response failed.")
    incomplete_details: Incomplete | None = Field(description="Why the response is incomplete.")
    instructions: str | None = Field(description="As it was sent.")
    max_output_tokens: None = Field(description="Always null.")
    model: str = Field(description="The model as it was requested.")
    output: list[OutputMessage] = Field(description="One message, once there is an answer.")
    parallel_tool_calls: bool = Field(description="Always true, though no tool is called.")
    previous_response_id: str | None = Field(description="As it was sent.")
    conversation: ConversationId | None = Field(description="The conversation that the question is a turn of.")
    store: bool = Field(description="Whether the response can be read later.")
    temperature: None = Field(description="Always null.")
    text: JsonValue = Field(description="The form of the answer.")
    tool_choice: str = Field(description="Always `auto`.")
    tools: list[JsonValue] = Field(description="Always empty.")
    top_p: None = Field(description="Always null.")
    truncation: str = Field(description="Always `disabled`.")
    usage: ResponseUsage | None = Field(description="Null before the end.")
    metadata: dict[str, str] = Field(description="As it was sent.")
    citewell: CompletionProof | None = Field(description="The proof of the answer; null while there is none.")


class ResponseDeleted(BaseModel):
    """The confirmation that a response was deleted."""

    id: str = Field(description="The id of the response.")
    object: Literal["response"]
    deleted: Literal[True] = Field(description="Always true.")
