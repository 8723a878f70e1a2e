"""Translates between chat completions and Anthropic's Messages: requests one way, answers the other."""

from collections.abc import Mapping
from typing import Any

from clients.llm.completions.transport import Body

_TRANSLATED = frozenset(
    {"messages", "max_tokens", "max_completion_tokens", "stream_options", "response_format", "reasoning_effort"}
)


def messages_body(body: Body) -> Body:
    """The body of a chat completion's request as a body of Messages; fields that `extra_body` added are sent unchanged.

    A strict schema becomes the format of the output; without one the prompt alone asks for JSON.
    """
    sent = {name: value for name, value in body.items() if name not in _TRANSLATED}
    sent["max_tokens"] = body.get("max_tokens") or body.get("max_completion_tokens")
    sent["messages"] = [message for message in body["messages"] if message["role"] != "system"]
    if system := "\n\n".join(message["content"] for message in body["messages"] if message["role"] == "system"):
        sent["system"] = system
    output = dict[str, Any](sent.pop("output_config", None) or {})
    if schema := body.get("response_format", {}).get("json_schema"):
        output["format"] = {"type": "json_schema", "schema": schema["schema"]}
    if effort := body.get("reasoning_effort"):
        output["effort"] = effort
    return sent | ({"output_config": output} if output else {})


def as_completion(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """An answer of Messages as a completion, an event as a piece of one; anything else is returned unchanged."""
    if "choices" in value:
        return value
    match value.get("type"):
        case "message":
            choice = {"message": {"content": value.get("content")}, "finish_reason": value.get("stop_reason")}
            return {**value, "choices": [choice]}
        case "message_start":
            begun: Mapping[str, Any] = value.get("message") or {}
            return {"model": begun.get("model"), "usage": begun.get("usage")}
        case "content_block_delta":
            piece: Mapping[str, Any] = value.get("delta") or {}
            delta = {"content": piece.get("text"), "reasoning_content": piece.get("thinking")}
            return {"choices": [{"delta": delta}]}
        case "message_delta":
            ended: Mapping[str, Any] = value.get("delta") or {}
            return {"choices": [{"finish_reason": ended.get("stop_reason")}], "usage": value.get("usage")}
        case _:
            return value


def usage_of(reported: Mapping[str, Any]) -> Mapping[str, Any]:
    """Token counts under the names of chat completions. The prompt's count is the sum of the tokens that Anthropic
    read, wrote to its cache, and read from its cache.
    """
    if not isinstance(reported.get("input_tokens"), int):
        return reported
    found = reported.get("cache_read_input_tokens") or 0
    kept = reported.get("cache_creation_input_tokens") or 0
    return {
        "prompt_tokens": reported["input_tokens"] + found + kept,
        "completion_tokens": reported.get("output_tokens"),
        "prompt_tokens_details": {"cached_tokens": found},
    }
