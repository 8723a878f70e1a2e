"""A ChatModel whose positive verdicts on statements a classifier may veto; everything else is the inner model's."""

import asyncio
from collections.abc import AsyncIterator, Collection
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from citewell_verify.prompting.batched_items import Statements, by_id, items_of
from citewell_verify.prompting.judgements import (
    CHECK_STATEMENT,
    CHECK_STATEMENTS,
    ItemCheck,
    Reply,
    StatementCheck,
    StatementChecks,
)
from citewell_verify.prompting.numbered_sources import Sources
from citewell_verify.prompting.reply_reading import ReplyUnreadable, read_reply
from clients.llm.neural.classifier import PairClassifier
from clients.llm.neural.judging import vetoed
from clients.llm.protocol import ChatModel, ModelError, ModelReply, ModelRequest, ModelUnavailable, StreamPart

_OWN = frozenset({CHECK_STATEMENT.name, CHECK_STATEMENTS.name})


class NeuralJudge:
    """Asks `inner`, and lets the classifier veto its verdicts on statements (`models.judge`).

    Vetoes have a queue of their own, because each uses every core; a veto that no caller waits for any more is dropped
    unscored. Several threads and event loops may use one instance.
    """

    def __init__(self, inner: ChatModel, classifier: PairClassifier, languages: Collection[str]) -> None:
        self._inner = inner
        self._classifier = classifier
        self._languages = languages
        self._queue = ThreadPoolExecutor(max_workers=1, thread_name_prefix="judge")

    @property
    def provider(self) -> str:
        # The inner model answers, and this one only objects.
        return self._inner.provider

    def reserves(self, request: ModelRequest) -> int:
        return self._inner.reserves(request)

    async def complete(self, request: ModelRequest) -> ModelReply:
        """The inner model's reply, with its verdicts on statements after any veto.

        Raises ModelError, also when the veto check fails, because the verdict of "supported" was then not fully
        checked.
        """
        reply = await self._inner.complete(request)
        if request.prompt not in _OWN:
            return reply
        work = asyncio.get_running_loop().run_in_executor(self._queue, self._held_against, request, reply)
        try:
            return await asyncio.wait_for(work, request.timeout_s)
        except TimeoutError:
            late = f"{self._classifier.name} gave no answer in {request.timeout_s:.1f} s"
            raise ModelUnavailable(late, usage=reply.usage) from None
        except ModelError as error:
            error.usage = reply.usage  # the inner model was paid
            raise

    def stream(self, request: ModelRequest) -> AsyncIterator[StreamPart]:
        # The classifier judges no prose.
        return self._inner.stream(request)

    async def aclose(self) -> None:
        self._queue.shutdown(wait=False, cancel_futures=True)
        await self._inner.aclose()

    def _held_against(self, request: ModelRequest, reply: ModelReply) -> ModelReply:
        try:
            judgement = self._judgement(request, reply.text)
        except ReplyUnreadable:
            return reply  # the reader of the reply rejects it and reports the fault
        return replace(reply, text=judgement.model_dump_json())

    def _judgement(self, request: ModelRequest, text: str) -> Reply:
        sources = request.fields["sources"]
        if not isinstance(sources, Sources):
            raise TypeError("the judge reads its sources from a Sources object")
        if request.prompt == CHECK_STATEMENT.name:
            check = read_reply(StatementCheck, text)
            return self._check(check, str(request.fields["statement"]), sources)
        items = items_of(request.fields, "statements", Statements)
        replied = read_reply(StatementChecks, text).verdicts
        known, by_number = {item.id: item for item in items}, {source.number: source for source in sources}
        read = by_id(items, replied)

        def held(reply: ItemCheck) -> ItemCheck:
            if reply.id not in read:
                return reply
            item = known[reply.id]
            own = Sources(by_number[number] for number in item.sources)
            return reply.model_copy(update={"verdict": self._check(reply.verdict, item.text, own)})

        return StatementChecks(verdicts=[held(reply) for reply in replied])

    def _check(self, check: StatementCheck, statement: str, sources: Sources) -> StatementCheck:
        return vetoed(check, statement, sources, self._classifier, self._languages)
