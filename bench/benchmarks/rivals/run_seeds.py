"""The sequential flow that Citewell's first designs describe: score each passage, write, check, one call after another.

Asynchronous, so that many questions are in flight in one process; the calls of one question are never. Nothing is
stored. It imports nothing of Citewell.
"""

import asyncio
import json
from typing import Any

from groq import AsyncGroq, DefaultAioHttpClient
from groq.types.chat.completion_create_params import ResponseFormat

from benchmarks.rivals import prompts
from benchmarks.rivals.loop import FAST, MAIN, Outcome, Work, read_work, serve

_PROSE: ResponseFormat = {"type": "text"}
_JSON: ResponseFormat = {"type": "json_object"}


class System:
    """The flow."""

    def __init__(self, work: Work) -> None:
        self._work = work
        url = work.base_url.removesuffix("/v1")
        self._client = AsyncGroq(api_key="none", base_url=url, http_client=DefaultAioHttpClient())

    async def ask(self) -> Outcome:
        """Score, write, check alignment, check facts."""
        question = self._work.question
        scored = [(await self._judge(prompts.score(text, question)), text) for text in self._work.found]
        best = sorted(scored, key=lambda pair: -pair[0]["score"])[: self._work.kept]
        sources = [text for _, text in best]
        answer = await self._complete(MAIN, prompts.write(sources, question))
        alignment = await self._judge(prompts.alignment(sources, question, answer))
        facts = await self._judge(prompts.facts(sources, answer))
        flagged = [claim["claim"] for claim in facts["claims"] if not claim["verified"]]
        return Outcome(flagged, grounded=not flagged and alignment["score"] >= 0.5)

    async def aclose(self) -> None:
        await self._client.close()

    async def _judge(self, messages: prompts.Messages) -> Any:
        return json.loads(await self._complete(FAST, messages, _JSON))

    async def _complete(self, model: str, messages: Any, form: ResponseFormat = _PROSE) -> str:
        reply = await self._client.chat.completions.create(
            model=model, messages=messages, temperature=0.0, response_format=form
        )
        return reply.choices[0].message.content or ""


async def main() -> None:
    work, _ = read_work()
    system = System(work)
    try:
        await serve(system.ask, work)
    finally:
        await system.aclose()


if __name__ == "__main__":
    asyncio.run(main())
