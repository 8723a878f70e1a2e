"""Send what a RAG framework wrote to Citewell, and print what its sources say of it. Needs nothing but Python.

`from_llamaindex` and `from_langchain` are all that an adapter is: source N of the request is what [N] cites.
"""

import json
import os
import re
import urllib.error
import urllib.request
from typing import Any

URL = os.environ.get("CITEWELL_URL", "http://127.0.0.1:8000")
KEY = os.environ.get("CITEWELL_API_KEY")


def from_llamaindex(response: Any, question: str) -> dict[str, Any]:
    """The request for a LlamaIndex `Response`: its text and its `source_nodes`."""
    # CitationQueryEngine puts "Source 1:" above each text, which the document does not say.
    texts = [re.sub(r"\ASource \d+:\s+", "", scored.node.get_content()) for scored in response.source_nodes]
    metadata = [scored.node.metadata for scored in response.source_nodes]
    return _request(str(response), question, texts, metadata)


def from_langchain(answer: str, documents: list[Any], question: str) -> dict[str, Any]:
    """The request for a LangChain answer and the `Document`s that were put into the prompt, in their order."""
    texts = [document.page_content for document in documents]
    return _request(answer, question, texts, [document.metadata for document in documents])


def _request(answer: str, question: str, texts: list[str], metadata: list[dict[str, Any]]) -> dict[str, Any]:
    sources = [
        {"text": text, "title": _title(found, number)}
        for number, (text, found) in enumerate(zip(texts, metadata, strict=True), 1)
    ]
    return {"question": question, "answer": answer, "sources": sources}


def _title(metadata: dict[str, Any], number: int) -> str:
    name = metadata.get("file_name") or metadata.get("title") or metadata.get("source") or f"Source {number}"
    page = metadata.get("page_label", metadata.get("page"))
    return str(name) if page is None else f"{name}, p.{page}"


def verify(request: dict[str, Any]) -> dict[str, Any]:
    """POST /v1/verifications, and wait for the result."""
    headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {KEY}"} if KEY else {})}
    url, body = f"{URL}/v1/verifications?wait=60", json.dumps(request).encode()
    sent = urllib.request.Request(url, body, headers)  # noqa: S310 - the address is your own
    try:
        with urllib.request.urlopen(sent, timeout=90) as response:  # noqa: S310
            return json.load(response)
    except urllib.error.HTTPError as error:
        raise SystemExit(f"Citewell refused: {json.load(error)['detail']}") from None
    except urllib.error.URLError as error:
        raise SystemExit(f"No Citewell at {URL} ({error.reason}); start one with `citewell up`") from None


def show(result: dict[str, Any]) -> None:
    """Print a verdict per sentence, then the repaired text."""
    if result["status"] != "succeeded":
        raise SystemExit(f"The verification {result['id']} is {result['status']}: {result['error']}")
    for sentence in result["sentences"]:
        print(f"{sentence['status']:>12}  {sentence['text']}\n{'':>14}{sentence['reason']}")
    print(f"\nrepaired: {result['repaired_answer']}")
