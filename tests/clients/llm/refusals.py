"""Refusals of parameters as servers word them: what is refused, with which status and body, and after how many calls
the reply comes.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Body = dict[str, Any]
NEVER = 0
"""Calls of a refusal that no change of the request helps against."""


@dataclass(frozen=True, slots=True)
class Wording:
    """`refused` tells whether the server refuses this body; `said` is what it answers then."""

    name: str
    refused: Callable[[Body], bool]
    said: object | Callable[[Body], Body]
    status: int = 400
    calls: int = 2
    streamed: bool = False
    strict: bool = False
    effort: str | None = None


def openai(message: str, param: str | None = None, code: str | int | None = None) -> Body:
    return {"error": {"message": message, "type": "invalid_request_error", "param": param, "code": code}}


def has(*names: str) -> Callable[[Body], bool]:
    return lambda body: any(name in body for name in names)


def form(*kinds: str) -> Callable[[Body], bool]:
    return lambda body: "response_format" in body and body["response_format"]["type"] in kinds


def has_system(body: Body) -> bool:
    return any(message["role"] not in ("user", "assistant") for message in body["messages"])


def always(_: Body) -> bool:
    return True


def over(most: int) -> Callable[[Body], bool]:
    return lambda body: max(body.get("max_tokens") or 0, body.get("max_completion_tokens") or 0) > most


def not_default_temperature(body: Body) -> bool:
    return body.get("temperature", 1) != 1


def gpt5(body: Body) -> Body:
    if "max_tokens" in body:
        return openai("Unsupported parameter: 'max_tokens'.", "max_tokens")
    return openai("Unsupported value: 'temperature'.", "temperature")


_GEMINI = 'Invalid JSON payload received. Unknown name "{0}": Cannot find field.'

WORDINGS = [
    # The room for the reply.
    Wording(
        "openai: use the newer name",
        has("max_tokens"),
        openai("Parameter 'max_tokens' cannot be used with this model. Use 'max_completion_tokens'.", "max_tokens"),
    ),
    Wording("no param, no quotes", has("max_tokens"), {"detail": "max_tokens: unexpected keyword argument"}, 422),
    Wording(
        "a model with digits in its name",
        has("max_tokens"),
        openai("max_tokens is not available for gpt-5.1-2025-11-13, send max_completion_tokens."),
    ),
    Wording(
        "deepseek: a range",
        over(512),
        openai("Invalid max_tokens value, it has to lie in [1, 512]", None, "invalid_request_error"),
    ),
    Wording(
        "dashscope: the status within the words",
        over(512),
        {"code": "InvalidParameter", "message": "<400> Algo.InvalidParameter: Range of max_tokens should be [1, 512]"},
    ),
    # The temperature.
    Wording(
        "openai: only the default",
        not_default_temperature,
        openai("'temperature' of 0.0 is not possible here. Only the default (1) is.", "temperature", "unsupported"),
    ),
    Wording(
        "tgi: strictly positive",
        not_default_temperature,
        {"error": "Input validation error: `temperature` must be strictly positive", "error_type": "validation"},
        422,
    ),
    Wording(
        "moonshot: no quotes", not_default_temperature, openai("invalid temperature: this model allows 1 and no other")
    ),
    Wording(
        "zhipu: without spaces", not_default_temperature, {"error": {"code": "1210", "message": "参数temperature非法"}}
    ),
    # The form of the reply.
    Wording(
        "deepseek: the type is unavailable",
        form("json_schema"),
        openai("This type of response_format is not available at present"),
        strict=True,
    ),
    Wording(
        "lm studio: a string, and the other form",
        form("json_object"),
        {"error": "'response_format.type' has to be 'json_schema' or 'text'"},
    ),
    Wording(
        "no form at all, from the strict one",
        form("json_schema", "json_object"),
        openai("response_format is no parameter of this model", "response_format"),
        calls=3,
        strict=True,
    ),
    Wording("mlx: the form's name", form("json_object"), {"detail": "response_format type 'json_object': unsupported"}),
    Wording(
        "gemini: a key of the schema",
        form("json_schema"),
        [{"error": {"code": 400, "message": _GEMINI.format("additionalProperties"), "status": "INVALID_ARGUMENT"}}],
        strict=True,
    ),
    # The stream.
    Wording(
        "mistral: a location",
        has("stream_options"),
        {
            "object": "error",
            "message": {
                "detail": [{"type": "extra", "loc": ["body", "stream_options", "include_usage"], "msg": "Extra"}]
            },
        },
        422,
        streamed=True,
    ),
    Wording(
        "roo: not allowed",
        has("stream_options"),
        {"error": {"message": '"stream_options" is not allowed'}},
        streamed=True,
    ),
    # The system message.
    Wording(
        "vllm: gemma's template", has_system, {"object": "error", "message": "System role not supported", "code": 400}
    ),
    Wording(
        "llama.cpp: a template's exception",
        has_system,
        {"error": {"code": 500, "message": "at row 1, column 38: System role not supported", "type": "server_error"}},
        500,
    ),
    Wording(
        "mistral's template",
        has_system,
        openai("Conversation roles must alternate user/assistant/user/assistant/...", None, 400),
    ),
    Wording(
        "openai: o1-mini", has_system, openai("'messages[0].role' does not take 'system' here.", "messages[0].role")
    ),
    # The effort.
    Wording(
        "groq: did you mean",
        has("reasoning_effort"),
        openai("property 'reasoning_effort' is unsupported, did you mean 'reasoning_format'?"),
        effort="low",
    ),
    Wording("ollama: thinking", has("reasoning_effort"), {"error": '"m" cannot do thinking'}, effort="high"),
    # Two in a row, and both named at once.
    Wording(
        "gpt-5: one after the other",
        lambda body: "max_tokens" in body or not_default_temperature(body),
        gpt5,
        calls=3,
    ),
    Wording(
        "litellm: a list of names",
        has("temperature", "reasoning_effort"),
        openai("UnsupportedParamsError: m does not support parameters: ['temperature', 'reasoning_effort']"),
        calls=3,
        effort="low",
    ),
    # What no change of a parameter helps against.
    Wording(
        "the context is too small",
        always,
        openai("The maximum context length is 4096 tokens, you asked for 5200 (4600 of messages, 600 of completion)."),
        calls=NEVER,
    ),
    Wording(
        "vllm: the room over what the context leaves",
        always,
        openai(
            "'max_tokens' or 'max_completion_tokens' is too large: 600. The maximum context length is 4096 tokens and "
            "your request has 3900 input tokens (600 > 4096 - 3900)."
        ),
        calls=NEVER,
    ),
    Wording("gemini: the key", always, [{"error": {"code": 400, "message": "API key not valid."}}], calls=NEVER),
    Wording("no such model", always, openai("model 'temperature-1' is not loaded"), 404, calls=NEVER),
    Wording("a proxy", always, None, 400, calls=NEVER),
    # Written with the others, and first run when the work was done.
    Wording(
        "azure: param only",
        has("max_tokens"),
        openai("This parameter is not supported with this model.", "max_tokens", "unsupported_parameter"),
    ),
    Wording(
        "gemini: unknown name",
        has("stream_options"),
        [
            {
                "error": {
                    "code": 400,
                    "message": _GEMINI.format("stream_options"),
                    "status": "INVALID_ARGUMENT",
                    "details": [{"fieldViolations": [{"description": _GEMINI.format("stream_options")}]}],
                }
            }
        ],
        streamed=True,
    ),
    Wording(
        "openai: too large",
        over(512),
        openai(
            "max_tokens of 600 is too large: this model gives at most 512 completion tokens.",
            "max_tokens",
            "invalid_value",
        ),
    ),
    Wording(
        "with a thousands sign", over(1), openai("max_tokens (600) exceeds the model's output limit of 1."), calls=NEVER
    ),
    Wording(
        "scaleway: 416",
        over(512),
        {"message": "max_completion_tokens or max_tokens is limited to 512 for this model"},
        416,
    ),
    Wording(
        "together",
        has_system,
        {
            "error": {
                "message": "Input validation error: messages with role 'system' are not allowed",
                "type": "invalid_request_error",
            }
        },
    ),
    Wording(
        "enum of roles by location",
        has_system,
        {
            "errors": [
                {
                    "loc": ["body", "messages", 0, "role"],
                    "msg": "Input should be 'user' or 'assistant'",
                    "type": "literal_error",
                }
            ]
        },
        422,
    ),
    Wording(
        "gemini: gemma",
        has_system,
        [
            {
                "error": {
                    "code": 400,
                    "message": "Developer instruction is not enabled for models/gemma-3-27b-it",
                    "status": "INVALID_ARGUMENT",
                }
            }
        ],
    ),
    Wording("json schema enum", has_system, openai("'system' is not one of ['user', 'assistant'] - 'messages.0.role'")),
    Wording("system prompts", has_system, {"error": "This model does not accept system prompts"}),
    Wording(
        "gemini: json mode",
        form("json_object", "json_schema"),
        [
            {
                "error": {
                    "code": 400,
                    "message": "JSON mode is not enabled for models/gemma-3-1b-it",
                    "status": "INVALID_ARGUMENT",
                }
            }
        ],
    ),
    Wording(
        "openai: invalid schema",
        form("json_schema"),
        openai(
            "Invalid schema for response_format 'StatementCheck': In context=(), 'additionalProperties' is required",
            "response_format",
        ),
        strict=True,
    ),
    Wording(
        "fireworks: extra inputs",
        has("reasoning_effort"),
        {
            "error": {
                "object": "error",
                "message": "Extra inputs are not permitted, field: 'reasoning_effort', value: 'low'",
                "code": "invalid_request_error",
            }
        },
        effort="low",
    ),
    Wording(
        "openai: value of effort",
        has("reasoning_effort"),
        openai(
            "'reasoning_effort' cannot be 'xhigh' here. It may be 'low', 'medium' or 'high'.",
            "reasoning_effort",
        ),
        effort="xhigh",
    ),
    Wording(
        "deepinfra 422 echo of the request",
        has("reasoning_effort"),
        {
            "detail": [
                {
                    "loc": ["body", "reasoning_effort"],
                    "msg": "Input should be 'none', 'low'",
                    "input": "ultra",
                    "ctx": {"expected": "temperature"},
                }
            ]
        },
        422,
        effort="ultra",
    ),
    Wording(
        "anthropic: deprecated temperature",
        has("temperature"),
        {
            "type": "error",
            "error": {"type": "invalid_request_error", "message": "`temperature` is deprecated for this model."},
        },
    ),
    Wording(
        "two samplers", has("temperature"), openai("temperature and top_p cannot both be specified for this model.")
    ),
    Wording(
        "bedrock gateway: json in a message",
        has("temperature"),
        {"message": '{"message":"the model returned errors: temperature: Extra inputs"}'},
    ),
    Wording(
        "reverse: unknown newer name",
        has("stream_options"),
        {"error": {"message": "Unrecognized request argument supplied: stream_options"}},
        streamed=True,
    ),
    Wording(
        "not implemented",
        form("json_object"),
        {"error": {"message": "response_format json_object: not implemented", "code": 501}},
        501,
    ),
    Wording(
        "llama.cpp: schema to grammar",
        form("json_schema"),
        {
            "error": {
                "code": 400,
                "message": "failed to convert json_schema to grammar: unrecognized schema",
                "type": "invalid_request_error",
            }
        },
        strict=True,
    ),
    Wording(
        "tgi: context",
        always,
        {
            "error": "`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and 600 more",
            "error_type": "validation",
        },
        422,
        calls=NEVER,
    ),
    Wording(
        "llama.cpp: context",
        always,
        {
            "error": {
                "code": 400,
                "message": "the request exceeds the available context size (4096 tokens), try increasing it",
                "type": "exceed_context_size_error",
                "n_prompt_tokens": 5200,
            }
        },
        calls=NEVER,
    ),
    Wording(
        "azure: filter",
        always,
        openai(
            "The response was filtered as the prompt triggered the content management policy",
            "prompt",
            "content_filter",
        ),
        calls=NEVER,
    ),
    Wording(
        "openai: context with param",
        always,
        openai(
            "This model's maximum context length is 4096 tokens. However, your messages resulted in 5200 tokens.",
            "messages",
            "context_length_exceeded",
        ),
        calls=NEVER,
    ),
    Wording(
        "internal 500",
        always,
        {"error": {"message": "The system had an internal error: temperature of the device", "type": "server_error"}},
        500,
        calls=NEVER,
    ),
    Wording("model missing in 400", always, openai("The requested model 'm' does not exist."), calls=NEVER),
    Wording("quota", always, openai("You have no credit; max_tokens can be at most 10 with it"), 402, calls=NEVER),
]
