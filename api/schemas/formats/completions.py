"""Requests for chat completions in OpenAI's format (N9).

Unknown fields are ignored, because OpenAI's clients send new ones all the time. Fields whose promise could not be kept
are declared here in order to be refused.
"""

from collections.abc import Sequence
from typing import Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationInfo, field_validator

from api.schemas.texts import Input, JsonObject, ModelName
from domain.answers.offered_sources import SOURCE_PARTS, Offered, offered_sources
from domain.query.attached_text import question_beside

ConversationNamed = UUID | Literal["new"]
CONVERSATION = "conversation_id"
"""The key of `metadata` that names the conversation."""

_OF_THE_SYSTEM = {"system", "developer"}
_TEXTS = {"text", "input_text", "output_text"}
_REFUSED: dict[str, str] = {
    "logprobs": "there are no log probabilities; leave it out",
    "audio": "answers are text; leave it out",
    "web_search_options": "only the workspace's documents are searched; leave it out",
}


class Lenient(BaseModel):
    """A base class that ignores unknown fields."""

    model_config = ConfigDict(extra="ignore", strict=True)


class ContentPart(BaseModel):
    """A part of a message; in the question every part has to be text, or a text to answer from."""

    model_config = ConfigDict(extra="allow", strict=True)

    type: str = Field(
        description="`text`, or `document` and `search_result` in the form of Anthropic's API, with a text to answer "
        "from; the question may not have other types.",
        examples=["text"],
    )
    text: str | None = Field(default=None, description="The text of a part of type `text`.")


class ChatMessage(Lenient):
    """A message of the conversation. The last one with the role `user` is the question; earlier messages of users and
    assistants show what the question refers to."""

    role: str = Field(description="`user`, `assistant`, `system`, …", examples=["user"])
    content: str | list[ContentPart] | None = Field(
        default=None,
        description="The text, or a list of its parts.",
        examples=["Within how many days must returns be made?"],
    )


class StreamOptions(Lenient):
    """OpenAI's options of a stream."""

    include_usage: bool | None = Field(default=None, description="End the stream with a chunk that has the usage.")


class JsonSchemaFormat(Lenient):
    """OpenAI's form of a schema; `strict` and other members change nothing, because every object follows the schema."""

    schema_: JsonObject = Field(
        alias="schema",
        description="A JSON Schema (draft 2020-12) with an object at its root.",
        examples=[{"type": "object", "properties": {"days": {"type": ["integer", "null"]}}, "required": ["days"]}],
    )


class ResponseFormat(Lenient):
    """The form of the answer."""

    type: str = Field(
        description="`text`, or `json_object`: `content` is then an object with `answer`, `abstained`, `sentences` "
        "(each with its verdict and the numbers that it cites) and `citations` (number, document, page, the cited "
        "words and their address). `json_schema`: `content` is an object that follows the schema, filled from "
        "verified sentences; when that is impossible, `content` is null and `refusal` says why.",
        examples=["text"],
    )
    json_schema: JsonSchemaFormat | None = Field(default=None, description="The schema, for the type `json_schema`.")


class CompletionOptions(Input):
    """Citewell's own options of a completion; OpenAI's clients send them as `extra_body`."""

    append: Literal["none", "references", "full"] = Field(
        default="full",
        description="What follows the answer in `content`: nothing, the references, or the references and a line "
        "about what was verified. After a refusal only the names of the texts that came with the question follow.",
    )
    links: bool = Field(
        default=True,
        description="Make every citation and reference in `content` a Markdown link that opens the document at the "
        "cited place.",
    )


class Asked(Lenient):
    """The fields that both of OpenAI's APIs share: a question with its options."""

    model: ModelName = Field(
        description="The workspace, with or without `citewell/` before it; `finance:high` also chooses the mode."
    )
    stream: bool | None = Field(default=None, description="Send the answer in chunks, as server-sent events.")
    documents: list[JsonValue] | None = Field(
        default=None,
        description="Texts to answer from in place of the workspace's documents: each a text, or an object with a "
        "`text` or `content` and a `title`. Texts that a chat program attaches to a message count as well.",
    )
    citewell: CompletionOptions = Field(default=CompletionOptions(), description="Citewell's own options.")

    @property
    def said(self) -> Sequence[ChatMessage]:
        """The conversation; the last message of the user is the question."""
        raise NotImplementedError

    @property
    def form(self) -> ResponseFormat | None:
        """The requested form of the answer."""
        raise NotImplementedError

    @property
    def last(self) -> str:
        """The last message of the user, with everything that a chat program put around the question."""
        return _text_of(self.said[_last_of_user(self.said)])

    @property
    def question(self) -> str | None:
        """The question in the last message of the user; None where texts are attached and the question cannot be told
        apart from the words of the chat program."""
        return question_beside(self.last)

    @property
    def before(self) -> list[tuple[str, str]]:
        turns = ((message.role, _text_of(message)) for message in self.said[: _last_of_user(self.said)])
        return [(role, question_beside(text) or "" if role == "user" else text) for role, text in turns]

    @property
    def sources(self) -> list[Offered]:
        """The texts that came with the question: between marks in messages of users or of the system, as parts of
        messages, and as `documents`. Messages of tools bring no sources, and neither do earlier messages in which
        question and texts cannot be told apart."""
        last = _last_of_user(self.said)
        messages = [
            message.model_dump()
            for place, message in enumerate(self.said)
            if message.role in _OF_THE_SYSTEM
            or (message.role == "user" and (place == last or question_beside(_text_of(message)) is not None))
        ]
        return offered_sources(messages, self.documents or (), attached=True)

    @field_validator("documents")
    @classmethod
    def _texts(cls, documents: list[JsonValue] | None) -> list[JsonValue] | None:
        if len(offered_sources((), documents or ())) < len(documents or ()):
            raise ValueError("each must be a text, or an object with a `text` or `content` that has one")
        return documents

    @property
    def is_json(self) -> bool:
        return self.form is not None and self.form.type == "json_object"

    @property
    def answer_schema(self) -> dict[str, Any] | None:
        """The schema that the answer follows: empty for none, None for that of the workspace."""
        if self.form is None:
            return None
        named = self.form.json_schema if self.form.type == "json_schema" else None
        return dict(named.schema_) if named else {}


class CompletionCreate(Asked):
    """A conversation whose last question is answered only from the documents of a workspace, or only from the texts
    that came with it, if there are any.

    Sampling parameters (`temperature`, `top_p`, `max_tokens`, `stop`, `seed`, …) and unknown fields are ignored.
    """

    messages: list[ChatMessage] = Field(
        min_length=1,
        description="The conversation; the last question is answered.",
        examples=[[{"role": "user", "content": "Within how many days must returns be made?"}]],
    )
    stream_options: StreamOptions | None = Field(default=None, description="Options of the stream.")
    metadata: JsonValue = Field(
        default=None,
        description="`conversation_id` makes the question a turn of that conversation; `new` begins a conversation. "
        "Then earlier messages are not used, because the conversation has its own. Other keys are ignored.",
        examples=[{"conversation_id": "new"}],
    )
    n: int | None = Field(default=None, description="Only 1, because a question has one answer.")
    modalities: list[str] | None = Field(default=None, description="Only `text`.")
    response_format: ResponseFormat | None = Field(
        default=None,
        description="`text`, `json_object` or `json_schema`; a stream sends an object as a whole, at its end. If "
        "omitted, the workspace's `answer_schema` decides.",
    )
    tools: list[JsonValue] | None = Field(default=None, description="Accepted, but no tool is ever called.")
    tool_choice: JsonValue = Field(default=None, description="`auto` or `none`, because no tool is ever called.")
    functions: list[JsonValue] | None = Field(default=None, description="The same as `tools`, in an older form.")
    function_call: JsonValue = Field(default=None, description="The same as `tool_choice`, in an older form.")
    logprobs: bool | None = Field(
        default=None, description="Refused when true, because there are no log probabilities."
    )
    audio: JsonValue = Field(default=None, description="Refused, because answers are text.")
    web_search_options: JsonValue = Field(default=None, description="Refused, because only the documents are searched.")

    @property
    def said(self) -> Sequence[ChatMessage]:
        return self.messages

    @property
    def form(self) -> ResponseFormat | None:
        return self.response_format

    @property
    def conversation(self) -> ConversationNamed | None:
        return _conversation_in(self.metadata)

    @field_validator("metadata")
    @classmethod
    def _names_a_conversation(cls, metadata: JsonValue) -> JsonValue:
        _conversation_in(metadata)
        return metadata

    @field_validator("messages")
    @classmethod
    def _a_question(cls, messages: list[ChatMessage]) -> list[ChatMessage]:
        require_a_question(messages)
        return messages

    @field_validator("n")
    @classmethod
    def _one_answer(cls, n: int | None) -> int | None:
        if n not in (None, 1):
            raise ValueError("must be 1: a question has one answer")
        return n

    @field_validator("modalities")
    @classmethod
    def _text_only(cls, modalities: list[str] | None) -> list[str] | None:
        if set(modalities or ()) - {"text"}:
            raise ValueError("answers are text; send ['text'] or leave it out")
        return modalities

    @field_validator("response_format")
    @classmethod
    def _of_sentences(cls, wanted: ResponseFormat | None) -> ResponseFormat | None:
        require_a_known_form(wanted)
        return wanted

    @field_validator("tool_choice", "function_call")
    @classmethod
    def _calls_none(cls, wanted: JsonValue) -> JsonValue:
        if wanted not in (None, "auto", "none"):
            raise ValueError("tools are never called, so none can be required; send auto or none, or leave it out")
        return wanted

    @field_validator(*_REFUSED)
    @classmethod
    def _not_offered(cls, value: Any, info: ValidationInfo) -> Any:
        if value not in (None, False, []):
            raise ValueError(_REFUSED[info.field_name or ""])
        return value


def require_a_question(messages: Sequence[ChatMessage]) -> None:
    """Raise ValueError for a conversation without a question in words, or with a document that has no text."""
    parts = _parts_of(messages[_last_of_user(messages)])
    brought = [
        part
        for message in messages
        if message.role in ("user", *_OF_THE_SYSTEM)
        for part in _parts_of(message)
        if part.type in SOURCE_PARTS
    ]
    if any(not offered_sources([{"role": "user", "content": [part.model_dump()]}]) for part in brought):
        raise ValueError(
            "a document or search_result needs a text, as {'type': 'document', 'title': …, 'source': {'type': 'text', "
            "'data': …}}; addresses, ids of files and data that is no text are not read"
        )
    if any(part.type not in SOURCE_PARTS and (part.type not in _TEXTS or part.text is None) for part in parts):
        raise ValueError("the last user message may only have text; images, audio and files cannot be asked")


def require_a_known_form(wanted: ResponseFormat | None) -> None:
    """Raise ValueError for a form that answers cannot have."""
    if wanted and wanted.type not in ("text", "json_object", "json_schema"):
        raise ValueError("the type must be text, json_object or json_schema")
    if wanted and wanted.type == "json_schema" and not (wanted.json_schema and wanted.json_schema.schema_):
        raise ValueError("send the schema as {'type': 'json_schema', 'json_schema': {'schema': {…}}}")


def _conversation_in(metadata: JsonValue) -> ConversationNamed | None:
    named = metadata.get(CONVERSATION) if isinstance(metadata, dict) else None
    if named is None:
        return None
    if named == "new":
        return "new"
    try:
        return UUID(str(named))
    except ValueError:
        raise ValueError(f"{CONVERSATION} must be the id of a conversation, or new") from None


def _last_of_user(messages: Sequence[ChatMessage]) -> int:
    places = [place for place, message in enumerate(messages) if message.role == "user"]
    if not places:
        raise ValueError("none has the role user, so there is no question")
    return places[-1]


def _text_of(message: ChatMessage) -> str:
    content = message.content
    return content if isinstance(content, str) else "".join(part.text or "" for part in content or [])


def _parts_of(message: ChatMessage) -> list[ContentPart]:
    return message.content if isinstance(message.content, list) else []
