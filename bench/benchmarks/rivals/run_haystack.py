# type: ignore  # its packages live in an environment of their own
"""Haystack: a pipeline of retriever, LLM ranker, prompt builder, generator and faithfulness evaluator.

Run asynchronously; the evaluator names the statements of the answer and their scores in one call. One process, nothing
is stored.
"""

import asyncio
import re

from haystack import Document, Pipeline, component
from haystack.components.builders import ChatPromptBuilder
from haystack.components.evaluators import FaithfulnessEvaluator
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.components.rankers import LLMRanker
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
from haystack.dataclasses import ChatMessage
from haystack.document_stores.in_memory import InMemoryDocumentStore
from haystack.utils import Secret
from loop import FAST, MAIN, Outcome, Work, read_work, serve

_PROMPT = """Answer the question from the documents only. Cite the number of a document behind each sentence, as [1].

{% for document in documents %}[{{ loop.index }}] {{ document.content }}

{% endfor %}
Question: {{ question }}
"""
_MARKER = re.compile(r"\[\d+\]")


@component
class ForEvaluation:
    """Gives the evaluator what it takes: lists of questions, contexts and answers."""

    @component.output_types(questions=list[str], contexts=list[list[str]], predicted_answers=list[str])
    def run(self, question: str, documents: list[Document], replies: list[ChatMessage]):
        """Put the three into lists."""
        texts = [document.content for document in documents]
        return {"questions": [question], "contexts": [texts], "predicted_answers": [replies[0].text]}


class System:
    """The pipeline."""

    def __init__(self, work: Work):
        self._question = work.question
        store = InMemoryDocumentStore()
        store.write_documents([Document(content=text) for text in work.passages])
        pipeline = Pipeline()
        pipeline.add_component("retriever", InMemoryBM25Retriever(document_store=store, top_k=work.retrieved))
        as_json = {"response_format": {"type": "json_object"}}
        ranker = LLMRanker(chat_generator=_generator(FAST, work, as_json), top_k=work.kept, raise_on_failure=True)
        pipeline.add_component("ranker", ranker)
        prompt = ChatPromptBuilder(template=[ChatMessage.from_user(_PROMPT)], required_variables="*")
        pipeline.add_component("prompt", prompt)
        pipeline.add_component("generator", _generator(MAIN, work, {}))
        pipeline.add_component("for_evaluation", ForEvaluation())
        evaluator = FaithfulnessEvaluator(chat_generator=_generator(FAST, work, as_json), progress_bar=False)
        pipeline.add_component("evaluator", evaluator)
        pipeline.connect("retriever", "ranker")
        pipeline.connect("ranker", "prompt.documents")
        pipeline.connect("prompt", "generator.messages")
        pipeline.connect("ranker", "for_evaluation.documents")
        pipeline.connect("generator", "for_evaluation.replies")
        for name in ("questions", "contexts", "predicted_answers"):
            pipeline.connect(f"for_evaluation.{name}", f"evaluator.{name}")
        self._pipeline = pipeline

    async def ask(self) -> Outcome:
        question = self._question
        told = await self._pipeline.run_async(
            {
                "retriever": {"query": question},
                "ranker": {"query": question},
                "prompt": {"question": question},
                "for_evaluation": {"question": question},
            }
        )
        (result,) = told["evaluator"]["results"]
        scored = zip(result["statements"], result["statement_scores"], strict=True)
        flagged = [_MARKER.sub("", statement) for statement, score in scored if not score]
        return Outcome(flagged=flagged, grounded=not flagged)


def _generator(name, work, more):
    kwargs = {"temperature": 0.0, **more}
    return OpenAIChatGenerator(
        model=name, api_base_url=work.base_url, api_key=Secret.from_token("none"), generation_kwargs=kwargs
    )


async def main():
    work, _ = read_work()
    await serve(System(work).ask, work)


if __name__ == "__main__":
    asyncio.run(main())
