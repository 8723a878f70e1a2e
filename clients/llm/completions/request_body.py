"""The body of a chat completion's request, and the differences between servers in it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from citewell_verify.prompting.judgements import Reply
from clients.llm.completions.adaptations import Learned, adapt
from clients.llm.protocol import ModelRequest
from config.models import ModelInfo


@dataclass(frozen=True, slots=True)
class Dialect:
    """Differences between servers: the name in results, the field that bounds a reply, and the settings that hold
    address and key.
    """

    provider: str
    room: str
    url_setting: str
    key_setting: str


GROQ = Dialect("groq", "max_completion_tokens", "GROQ_BASE_URL", "GROQ_API_KEY")
# Ollama and older servers do not know the field's newer name; servers of open models know this one.
COMPATIBLE = Dialect("openai_compatible", "max_tokens", "models.base_url", "models.api_key")


_NOTHING: Mapping[str, str] = {}


def request_body(
    request: ModelRequest,
    info: ModelInfo,
    dialect: Dialect = GROQ,
    *,
    streamed: bool = False,
    learned: Learned = _NOTHING,
) -> dict[str, Any]:
    """The body of a chat completion for `request`, with what was `learned` of the model.

    Raises PromptFieldMismatch when the fields do not fit the prompt.
    """
    prompt = request.text.rendered
    body: dict[str, Any] = {
        "model": request.model,
        "messages": [{"role": "system", "content": prompt.system}, {"role": "user", "content": prompt.user}],
        "temperature": request.temperature,
        dialect.room: request.max_tokens,
    }
    if info.reasoning_effort:
        body["reasoning_effort"] = info.reasoning_effort
    if request.reply:
        body["response_format"] = _format(request.reply, info)
    if streamed:
        body |= {"stream": True, "stream_options": {"include_usage": True}}
    if learned:
        adapt(body, learned, _strict_format(request.reply) if request.reply else None)
    if info.extra_body:
        body |= info.extra_body
        body = {name: value for name, value in body.items() if value is not None}
    return body


def prompt_bytes(request: ModelRequest, info: ModelInfo) -> int:
    """Bytes of UTF-8 in a request's messages and reply schema, which are billed as its prompt.

    Raises PromptFieldMismatch when the fields do not fit the prompt.
    """
    schema = _format_bytes(request.reply, strict=info.strict_schema) if request.reply else 0
    return schema + request.text.size


def _format(reply: type[Reply], info: ModelInfo) -> dict[str, Any]:
    return _strict_format(reply) if info.strict_schema else {"type": "json_object"}


@cache
def _format_bytes(reply: type[Reply], *, strict: bool) -> int:
    return len(json.dumps(_format(reply, ModelInfo(strict_schema=strict))))


@cache
def _strict_format(reply: type[Reply]) -> dict[str, Any]:
    schema = _without_notes(reply.model_json_schema())
    return {"type": "json_schema", "json_schema": {"name": reply.__name__, "strict": True, "schema": schema}}


def _without_notes(node: Any) -> Any:
    # Titles and docstrings cost prompt tokens and tell the model nothing; a *property* called title is not a str.
    if isinstance(node, dict):
        items: list[tuple[str, Any]] = list(node.items())  # pyright: ignore[reportUnknownArgumentType] JSON is untyped
        return {k: _without_notes(v) for k, v in items if not (k in {"title", "description"} and isinstance(v, str))}
    return node
