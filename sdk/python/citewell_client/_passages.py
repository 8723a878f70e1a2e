"""The passages of documents in both clients: searches, trials of a search, and the care of chunks."""

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict, Unpack

from citewell_client._calls import without_none
from citewell_client._requests import documents as requests
from citewell_client._transport import AsyncTransport, Transport
from citewell_client.types import Chunk, ChunkCorrected, ChunkList, DocumentEdit, Passage, SearchExplained, SearchResult


class TrialOptions(TypedDict, total=False):
    """The options of a search trial: those of a question, and `limit`, the most passages in the result. None means as
    configured."""

    rerank: bool | None
    k: int | None
    top_k: int | None
    mode: str | None
    method: str | None
    filter: Mapping[str, Any] | None
    run: str | None
    multi_query: int | None
    graph: str | None
    max_cost_usd: float | None
    limit: int | None


class Passages(Transport):
    """Passages and chunks, in the sync client."""

    def passages(
        self,
        document_id: str,
        *,
        page: int | None = None,
        chunk_id: str | None = None,
        first: int = 0,
        limit: int | None = None,
    ) -> list[Passage]:
        """Return the passages of a document in order, from `chunk_index` `first` on; optionally of one page, or just
        one passage."""
        wanted = without_none(page=page, chunk_id=chunk_id, first=first or None, limit=limit)
        return self.send(requests.passages(document_id, wanted))

    def search(
        self,
        query: str,
        workspace: str | Sequence[str] = "default",
        *,
        k: int | None = None,
        filter: Mapping[str, Any] | None = None,
    ) -> SearchResult:
        """Return the passages that a question would find first, in one workspace or several, without a language
        model."""
        return self.send(requests.search(query, workspace, without_none(k=k, filter=filter)))

    def explain_search(
        self, question: str, workspace: str | Sequence[str] = "default", **options: Unpack[TrialOptions]
    ) -> SearchExplained:
        """Try the retrieval for a question: return the scores of each part, and the passages that an answer would be
        written from.

        Without `rerank` the result does not say which passages would be shown, and only `run`, `multi_query` and
        `graph` ask a model.
        """
        return self.send(requests.explain_search(question, workspace, without_none(**options)))

    def chunks(
        self,
        document_id: str,
        *,
        excluded: bool | None = None,
        corrected: bool | None = None,
        contains: str | None = None,
        first: int = 0,
        limit: int | None = None,
    ) -> ChunkList:
        """Return the chunks of a document in order, from `chunk_index` `first` on, including excluded ones."""
        wanted = without_none(
            excluded=excluded, corrected=corrected, contains=contains, first=first or None, limit=limit
        )
        return self.send(requests.chunks(document_id, wanted))

    def exclude_chunk(self, document_id: str, chunk_index: int, *, reason: str | None = None) -> Chunk:
        """Take a chunk out of every search."""
        return self.send(requests.update_chunk(document_id, chunk_index, excluded=True, reason=reason))

    def include_chunk(self, document_id: str, chunk_index: int, *, reason: str | None = None) -> Chunk:
        """Put an excluded chunk back."""
        return self.send(requests.update_chunk(document_id, chunk_index, excluded=False, reason=reason))

    def correct_chunk(
        self, document_id: str, chunk_index: int, text: str, *, reason: str | None = None
    ) -> ChunkCorrected:
        """Correct the text of a chunk, which creates the next version of the document."""
        return self.send(requests.correct_chunk(document_id, chunk_index, text, reason))

    def document_edits(self, document_id: str) -> list[DocumentEdit]:
        """Return the history of exclusions, inclusions and corrections of chunks in all versions of the document."""
        return self.send(requests.document_edits(document_id))


class AsyncPassages(AsyncTransport):
    """Passages with awaitable methods."""

    async def passages(
        self,
        document_id: str,
        *,
        page: int | None = None,
        chunk_id: str | None = None,
        first: int = 0,
        limit: int | None = None,
    ) -> list[Passage]:
        """Return the passages of a document in order, from `chunk_index` `first` on; optionally of one page, or just
        one passage."""
        wanted = without_none(page=page, chunk_id=chunk_id, first=first or None, limit=limit)
        return await self.send(requests.passages(document_id, wanted))

    async def search(
        self,
        query: str,
        workspace: str | Sequence[str] = "default",
        *,
        k: int | None = None,
        filter: Mapping[str, Any] | None = None,
    ) -> SearchResult:
        """Return the passages that a question would find first, in one workspace or several, without a language
        model."""
        return await self.send(requests.search(query, workspace, without_none(k=k, filter=filter)))

    async def explain_search(
        self, question: str, workspace: str | Sequence[str] = "default", **options: Unpack[TrialOptions]
    ) -> SearchExplained:
        """Try the retrieval for a question: return the scores of each part, and the passages that an answer would be
        written from.

        Without `rerank` the result does not say which passages would be shown, and only `run`, `multi_query` and
        `graph` ask a model.
        """
        return await self.send(requests.explain_search(question, workspace, without_none(**options)))

    async def chunks(
        self,
        document_id: str,
        *,
        excluded: bool | None = None,
        corrected: bool | None = None,
        contains: str | None = None,
        first: int = 0,
        limit: int | None = None,
    ) -> ChunkList:
        """Return the chunks of a document in order, from `chunk_index` `first` on, including excluded ones."""
        wanted = without_none(
            excluded=excluded, corrected=corrected, contains=contains, first=first or None, limit=limit
        )
        return await self.send(requests.chunks(document_id, wanted))

    async def exclude_chunk(self, document_id: str, chunk_index: int, *, reason: str | None = None) -> Chunk:
        """Take a chunk out of every search."""
        return await self.send(requests.update_chunk(document_id, chunk_index, excluded=True, reason=reason))

    async def include_chunk(self, document_id: str, chunk_index: int, *, reason: str | None = None) -> Chunk:
        """Put an excluded chunk back."""
        return await self.send(requests.update_chunk(document_id, chunk_index, excluded=False, reason=reason))

    async def correct_chunk(
        self, document_id: str, chunk_index: int, text: str, *, reason: str | None = None
    ) -> ChunkCorrected:
        """Correct the text of a chunk, which creates the next version of the document."""
        return await self.send(requests.correct_chunk(document_id, chunk_index, text, reason))

    async def document_edits(self, document_id: str) -> list[DocumentEdit]:
        """Return the history of exclusions, inclusions and corrections of chunks in all versions of the document."""
        return await self.send(requests.document_edits(document_id))
