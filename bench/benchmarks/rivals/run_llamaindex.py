# type: ignore  # its packages live in an environment of their own
"""LlamaIndex: a query engine with LLM rerank and cited answer, then its faithfulness evaluator for every sentence.

All through its asynchronous interface; the evaluators of one answer run together. One process, nothing is stored.
"""

import asyncio
import re
import time

from llama_index.core.evaluation import FaithfulnessEvaluator
from llama_index.core.postprocessor import LLMRerank
from llama_index.core.query_engine import CitationQueryEngine
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, TextNode
from llama_index.llms.openai_like import OpenAILike
from loop import FAST, MAIN, Outcome, Work, read_work, serve

_SENTENCE_END = re.compile(r"(?<=\.)\s+")
_MARKER = re.compile(r"\[\d+\]")


class Given(BaseRetriever):
    """Finds what it was given."""

    def __init__(self, texts):
        self._nodes = [NodeWithScore(node=TextNode(text=text), score=1.0) for text in texts]
        super().__init__()

    def _retrieve(self, query_bundle):
        return list(self._nodes)


class System:
    """The query engine and the evaluator."""

    def __init__(self, work: Work):
        self._question = work.question
        fast, main = (_model(name, work.base_url) for name in (FAST, MAIN))
        self._engine = CitationQueryEngine.from_args(
            None,
            llm=main,
            retriever=Given(work.found),
            node_postprocessors=[LLMRerank(llm=fast, choice_batch_size=10, top_n=work.kept)],
        )
        self._evaluator = FaithfulnessEvaluator(llm=fast)

    async def ask(self) -> Outcome:
        outcome = Outcome()
        response = await self._engine.aquery(self._question)
        contexts = [found.node.get_content() for found in response.source_nodes]

        async def check(sentence):
            result = await self._evaluator.aevaluate(
                query=self._question, response=_MARKER.sub("", sentence), contexts=contexts
            )
            if not result.passing:
                outcome.flagged.append(sentence)
            outcome.first_at = outcome.first_at or time.monotonic()

        await asyncio.gather(*(check(sentence) for sentence in _SENTENCE_END.split(str(response))))
        outcome.grounded = not outcome.flagged
        return outcome


def _model(name, base_url):
    return OpenAILike(
        model=name, api_base=base_url, api_key="none", is_chat_model=True, context_window=131_072, temperature=0.0
    )


async def main():
    work, _ = read_work()
    await serve(System(work).ask, work)


if __name__ == "__main__":
    asyncio.run(main())
