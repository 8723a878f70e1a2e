"""Language models as judges: any model behind one method, and any OpenAI-compatible server by its address."""

import asyncio
from collections.abc import Mapping
from typing import Any, Protocol, TypeVar

from citewell_verify.judging.statement import Failure
from citewell_verify.prompting.judgements import Judgement, Reply
from citewell_verify.prompting.prompts import asked_again, render
from citewell_verify.prompting.reply_reading import ReplyUnreadable, read_reply

_R = TypeVar("_R", bound=Reply)
_AT_ONCE = 8
_TRIES = 2
_PATIENCE_S = 600.0
"""The time for one reply: a model on the caller's own processor may be slow."""


class Judge(Protocol):
    """A language model that judges statements."""

    async def reply(self, system: str, user: str, schema: Mapping[str, Any]) -> str:
        """Return the model's reply to the two messages: a JSON object that follows the JSON `schema`.

        After an exception it is not asked again. The statement is then `not_checked`, with the error as its reason.
        """
        ...


class ChatJudge:
    """A model on a server with OpenAI's chat interface: Ollama, llama.cpp, vLLM, LM Studio, or a hosted server.

    `url` is the server's base address, as `http://127.0.0.1:11434/v1`. Needs httpx (`pip install
    citewell-verify[chat]`).
    """

    def __init__(self, url: str, model: str, key: str | None = None) -> None:
        self._url, self._model = url.rstrip("/"), model
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}

    async def reply(self, system: str, user: str, schema: Mapping[str, Any]) -> str:
        """Ask the server once. Raises httpx.HTTPError, and KeyError or ValueError if the answer is no chat
        completion.
        """
        import httpx  # noqa: PLC0415, the other judges need no network

        body = {
            "model": self._model,
            "messages": [{"role": "system", "content": system}, {"role": "user", "content": user}],
            "temperature": 0,
            "response_format": {"type": "json_schema", "json_schema": {"name": "verdict", "schema": dict(schema)}},
        }
        async with httpx.AsyncClient(timeout=_PATIENCE_S, headers=self._headers) as client:
            response = await client.post(f"{self._url}/chat/completions", json=body)
            if response.status_code in (400, 404, 422):
                # A server that knows no schemas refuses the request; the prompt describes the form, too.
                response = await client.post(
                    f"{self._url}/chat/completions", json={**body, "response_format": {"type": "json_object"}}
                )
            response.raise_for_status()
            return str(response.json()["choices"][0]["message"]["content"])


class LanguageModelJudge:
    """Makes a `Judge` the `JudgeModel` of a verification: renders its prompts, reads its replies, and asks again
    once.
    """

    judges_offline = False

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self._free = asyncio.Semaphore(_AT_ONCE)

    async def ask(self, judgement: Judgement[_R], fields: Mapping[str, object], *, item: str = "") -> _R | Failure:
        """Return the reply; Failure with the judge's error, or if two replies have not the form that was asked for."""
        del item  # Nothing is recorded.
        prompt = render(judgement.name, fields)
        fault = ""
        for _ in range(_TRIES):
            shown = asked_again(prompt, fault) if fault else prompt
            try:
                async with self._free:
                    text = await self._judge.reply(shown.system, shown.user, judgement.reply.model_json_schema())
            except Exception as error:  # noqa: BLE001, whatever a judge raises is why the statement was not checked
                return Failure(f"the judge raised {type(error).__name__}: {error}", "refused")
            try:
                return read_reply(judgement.reply, text)
            except ReplyUnreadable as error:
                fault = f"the reply does not fit: {error}"
        return Failure(f"the judge gave no usable reply in {_TRIES} tries: {fault}", "invalid_reply")
