"""The guard: answers of other models, verified before they go out (issue 44)."""

from typing import Any

from fastapi import APIRouter, Depends, Request, Response

from api.answers.guarded_completion import guarded, upstream_models
from api.answers.guarded_gateway import asked_by_gateway
from api.http.accepted_requests import require_json
from api.http.capacity import ROOM_FOR_A_QUESTION
from api.http.sse import described
from api.schemas.formats.completion_replies import ModelList
from api.schemas.formats.guard import GuardedCompletion, GuardedCreate, GuardrailAnswered, GuardrailAsked
from api.schemas.problem import OpenAIProblem

_CHUNK = """data: {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": "All returns …"}}]}

data: [DONE]

"""
_PROXY: dict[int | str, dict[str, Any]] = {
    200: described(
        "The completion; with `stream` its chunks, then `[DONE]`. An error in a stream is an event.", _CHUNK
    ),
    502: {"model": OpenAIProblem, "description": "The model's server failed; `detail` says how."},
    504: {"model": OpenAIProblem, "description": "The model's server fell silent."},
}

router = APIRouter(prefix="/v1/guard", tags=["guard"])
GATEWAY = "/beta/litellm_basic_guardrail_api"
PROXY = "/chat/completions"


@router.post(
    GATEWAY,
    name="guard_for_gateway",
    response_model=GuardrailAnswered,
    response_model_exclude_none=True,
    dependencies=[Depends(require_json), ROOM_FOR_A_QUESTION],
)
async def for_gateway(asked: GuardrailAsked, request: Request) -> object:
    """LiteLLM's Generic Guardrail API: for a request it stores the sources; for an answer it verifies the texts.

    A text passes, comes back repaired, or is blocked. A text that could not be checked is blocked unless the policy
    says otherwise.
    """
    return await asked_by_gateway(request, asked)


@router.post(
    PROXY,
    name="create_guarded_completion",
    response_model=GuardedCompletion,
    responses=_PROXY,
    dependencies=[Depends(require_json), ROOM_FOR_A_QUESTION],
)
async def proxied(asked: GuardedCreate, request: Request, response: Response) -> object:
    """Have the operator's model answer, and verify the answer against the tool results and documents of the request.

    A stream contains verified sentences only. Blocked answers end with the `finish_reason` `content_filter`.
    """
    return await guarded(request, response, asked)


@router.get("/models", name="list_guarded_models", response_model=ModelList, responses={502: _PROXY[502]})
def models(request: Request) -> object:
    """The models of the operator's server, for programs that let people choose one."""
    return upstream_models(request)
