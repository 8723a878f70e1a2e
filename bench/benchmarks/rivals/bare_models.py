"""Models asked with nothing around the call: one session, Citewell's prompts and schemas, no retries, no records."""

import json
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeVar

import aiohttp

from benchmarks.rivals.loop import FAST, MAIN
from citewell_verify.prompting.judgements import Composition, Judgement, Reply
from citewell_verify.prompting.prompts import render

_R = TypeVar("_R", bound=Reply)
_NOTES = {"title", "description"}


class BareModels:
    """For use on one event loop."""

    def __init__(self, base_url: str) -> None:
        self._url = f"{base_url}/chat/completions"
        self._session = aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0))

    async def ask(self, judgement: Judgement[_R], fields: Mapping[str, object]) -> _R | None:
        """Return the judgement. Raises ClientError and ValidationError."""
        body = _body(judgement, fields) | {"response_format": _format(judgement.reply)}
        async with self._session.post(self._url, json=body, raise_for_status=True) as response:
            reply = await response.json()
        return judgement.reply.model_validate_json(reply["choices"][0]["message"]["content"])

    async def write(
        self, composition: Composition, fields: Mapping[str, object], on_text: Callable[[str], None]
    ) -> str:
        """Stream the text. Raises ClientError."""
        text = ""
        body = _body(composition, fields) | {"stream": True}
        async with self._session.post(self._url, json=body, raise_for_status=True) as response:
            async for line in response.content:
                if line.startswith(b"data: {"):
                    text += json.loads(line[6:])["choices"][0]["delta"].get("content", "")
                    on_text(text)
        return text

    async def aclose(self) -> None:
        await self._session.close()


def _body(task: Judgement[Any] | Composition, fields: Mapping[str, object]) -> dict[str, Any]:
    prompt = render(task.name, fields)
    return {
        "model": MAIN if task.role == "main" else FAST,
        "messages": [{"role": "system", "content": prompt.system}, {"role": "user", "content": prompt.user}],
        "temperature": task.temperature,
        "max_completion_tokens": task.max_tokens,
    }


@cache
def _format(reply: type[Reply]) -> dict[str, Any]:
    schema = _without_notes(reply.model_json_schema())
    return {"type": "json_schema", "json_schema": {"name": reply.__name__, "strict": True, "schema": schema}}


def _without_notes(node: Any) -> Any:
    """Return the schema as Citewell sends it: without titles and docstrings, which cost prompt tokens."""
    if not isinstance(node, dict):
        return node
    items: list[tuple[str, Any]] = list(node.items())  # pyright: ignore[reportUnknownArgumentType] JSON is untyped
    return {k: _without_notes(v) for k, v in items if not (k in _NOTES and isinstance(v, str))}
