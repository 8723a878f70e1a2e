"""OpenAI's endpoints: each workspace is a model that any OpenAI client can use (N9)."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Path, Request, Response
from fastapi.concurrency import run_in_threadpool
from pydantic import WithJsonSchema

from api.adapters.completions import model_read
from api.answers.completions import completed, completed_in_chunks, said_aside
from api.http.accepted_requests import require_json
from api.http.capacity import ROOM_FOR_A_QUESTION
from api.http.sse import described
from api.schemas.formats.completion_replies import Completion, ModelList, ModelRead
from api.schemas.formats.completions import CompletionCreate, ConversationNamed
from api.schemas.problem import OpenAIProblem
from api.schemas.texts import ModelName
from domain.query.side_requests import side_reply
from services.queries.workspaces import read_model, read_models

_CHUNK = """data: {"id": "chatcmpl-…", "object": "chat.completion.chunk", "created": 1767225600, "model": "default", \
"choices": [{"index": 0, "delta": {"content": "All"}, "logprobs": null, "finish_reason": null}]}

data: [DONE]

"""
ERRORS: dict[int | str, dict[str, Any]] = {
    "4XX": {"model": OpenAIProblem, "description": "The request cannot be served as it is."},
    404: {"model": OpenAIProblem, "description": "There is no such workspace."},
    422: {"model": OpenAIProblem, "description": "A value of the request cannot be used; `errors` names the fields."},
    503: {
        "model": OpenAIProblem,
        "description": "The database is away, or too much waits; `Retry-After` says how long.",
    },
}
UNANSWERED: dict[int | str, dict[str, Any]] = {
    502: {"model": OpenAIProblem, "description": "The question failed; `code` says how."},
    504: {"model": OpenAIProblem, "description": "Not finished in time; poll `Location`."},
}
_COMPLETION: dict[int | str, dict[str, Any]] = {
    **UNANSWERED,
    200: described(
        "The completion; with `stream` its chunks, then `[DONE]`. An error in a stream is an event too.", _CHUNK
    ),
}

# One pattern for both forms, because client generators do not support headers of several types.
_NAMED = {"type": "string", "pattern": "^(new|[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})$"}

router = APIRouter(prefix="/v1", tags=["openai"], responses=ERRORS)


@router.post(
    "/chat/completions",
    name="create_chat_completion",
    response_model=Completion,
    response_model_exclude_unset=True,
    responses=_COMPLETION,
    dependencies=[Depends(require_json), ROOM_FOR_A_QUESTION],
)
async def create_completion(
    asked: CompletionCreate,
    request: Request,
    response: Response,
    citewell_conversation: Annotated[
        Annotated[ConversationNamed, WithJsonSchema(_NAMED)] | None,
        Header(description="The same as `conversation_id` in `metadata`, which takes precedence."),
    ] = None,
) -> object:
    """Answer the last question of the conversation from the documents of the workspace that `model` names.

    Earlier messages of users and assistants only show what the question refers to; system prompts and tools are
    accepted and not used. Texts that a chat program attaches to messages replace the workspace as the source of the
    answer. A stream contains checked sentences only: each as soon as it and all before it have passed. A client that
    disconnects before the end cancels its question. Requests of chat programs about the conversation (for a title,
    tags, next questions) are answered from the conversation alone, with `citewell` null, and not stored.
    """
    if (reply := side_reply(asked.last)) is not None:
        return await run_in_threadpool(said_aside, asked, reply)
    named = asked.conversation or citewell_conversation
    if asked.stream:
        return await completed_in_chunks(request, response, asked, named)
    return await completed(request, response, asked, named)


@router.get("/models", response_model=ModelList)
def list_models() -> object:
    """The workspaces, which are the values of `model`."""
    return {"object": "list", "data": [model_read(model) for model in read_models()]}


@router.get("/models/{model:path}", response_model=ModelRead)
def get_model(
    model: Annotated[ModelName, Path(description="The value of `model` in a request: `finance`, `finance:high`, …")],
) -> object:
    """One workspace, or one in a given mode."""
    return model_read(read_model(model))
