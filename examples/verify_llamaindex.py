"""Verify what a LlamaIndex query engine answers.

    pip install llama-index-core
    citewell up                                (in another terminal)
    python examples/verify_llamaindex.py

CITEWELL_URL names another server, CITEWELL_API_KEY is sent when it is set.
"""

import sys
from typing import Any

from rag_verification import from_llamaindex, show, verify

try:
    from llama_index.core import Document, SummaryIndex
    from llama_index.core.llms import CompletionResponse, CustomLLM, LLMMetadata
    from llama_index.core.query_engine import CitationQueryEngine
except ImportError:
    sys.exit("this example needs LlamaIndex: pip install llama-index-core")

QUESTION = "How long do customers have to return a product, and what do they need?"
POLICY = Document(
    text="All returns must be made within 30 days of the purchase date. A receipt is required for every return.",
    metadata={"file_name": "refund-policy.pdf", "page_label": "2"},
)


class WrongModel(CustomLLM):
    """Stands in for your model, and gets the number wrong."""

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(model_name="wrong")

    def complete(self, prompt: str, formatted: bool = False, **_: Any) -> CompletionResponse:
        return CompletionResponse(text="Returns must be made within 60 days [1]. A receipt is required [1].")

    def stream_complete(self, prompt: str, formatted: bool = False, **_: Any) -> Any:
        yield self.complete(prompt)


engine = CitationQueryEngine.from_args(SummaryIndex.from_documents([POLICY]), llm=WrongModel())
response = engine.query(QUESTION)
print(f"LlamaIndex: {response}\n")
show(verify(from_llamaindex(response, QUESTION)))
