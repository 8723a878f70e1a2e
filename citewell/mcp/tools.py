"""The tools. Each is one use of the HTTP API; a model reads their docstrings and descriptions."""

from collections.abc import Mapping
from typing import Annotated, Any

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult
from pydantic import BeforeValidator, Field

from citewell.mcp import shapes, texts
from citewell.mcp.reaching import Reach
from citewell.mcp.working import begun, ended_with_the_call, follow_query, follow_verification
from citewell_client import ApiProblem, AsyncCitewellClient
from citewell_verify.safety.prompt_injection import without_orders
from domain.answers.conflicts_in_words import conflict_in_words

Caller = Context[Any, Any]
_SHOWN_CHANGES = frozenset({"removed", "reattributed", "rewritten", "dropped"})
_MOST_CHARS = 50_000
NEW = "new"
"""The value that stands for the id of a new conversation."""

Workspace = Annotated[str, Field(description="The collection of documents.")]
DocumentId = Annotated[str, Field(description="From list_documents, search_documents or a citation.")]
PresetOrNone = Annotated[
    shapes.Preset | None, Field(description="`cheap` checks with fewer model calls, `standard` one by one.")
]
DeadlineS = Annotated[float | None, Field(gt=0, description="Seconds; what is there by then is the result.")]


class Tools:
    """All tools, in front of one Citewell."""

    def __init__(self, reach: Reach) -> None:
        self._reach = reach

    async def ask(
        self,
        context: Caller,
        question: Annotated[
            str, Field(description="A whole question: earlier messages are not known, but those of a conversation.")
        ],
        workspace: Workspace = "default",
        mode: Annotated[
            shapes.Mode | None, Field(description="How much evidence an answer needs; by default as configured.")
        ] = None,
        preset: PresetOrNone = None,
        deadline_s: DeadlineS = None,
        conversation_id: Annotated[
            str | None,
            Field(
                description="From an earlier result: the question follows up on it, in its workspace. `new` begins a "
                "conversation that later questions can follow up on."
            ),
        ] = None,
    ) -> Annotated[CallToolResult, shapes.AnswerFound]:
        """Ask the user's documents. The answer comes with citations [n], the quoted words behind each, a verdict on
        every sentence, and what was removed or repaired. Cite as it does; when it abstains, the documents do not say
        it.
        """
        options = _without_none(mode=mode, preset=preset, deadline_s=deadline_s)
        async with self._reach.client(context.headers) as client:
            query_id = await begun(lambda: _submitted(client, question, workspace, conversation_id, options))
            async with ended_with_the_call(lambda: client.cancel(query_id)):
                query = await follow_query(client, query_id, context)
        scores: dict[str, Any] = query["verification"] or {}
        asked: dict[str, Any] = scores.get("question") or {}
        answer = shapes.AnswerFound.model_validate(
            {
                **query,
                "query_id": query["id"],
                **_proof(query),
                "abstained": bool(query["abstained"]),
                "conflicts": [conflict_in_words(conflict) for conflict in query["conflicts"]],
                "left_open": asked.get("open_parts", []),
            }
        )
        return texts.result(answer, texts.answer_lines(answer))

    async def verify(
        self,
        context: Caller,
        answer: Annotated[str, Field(description="Any text; [1] in it cites the first source.")],
        sources: Annotated[
            list[shapes.TextOrSource],
            Field(min_length=1, description="What it was written from: texts, or objects with more about them."),
            BeforeValidator(lambda given: [given] if isinstance(given, str) else given),
        ],
        question: Annotated[str | None, Field(description="What was asked, if it is known.")] = None,
        repair: Annotated[
            shapes.Repair, Field(description="Mend or drop what fails, only remove wrong citations, or leave the text.")
        ] = "full",
        preset: PresetOrNone = None,
        deadline_s: DeadlineS = None,
    ) -> Annotated[CallToolResult, shapes.AnswerVerified]:
        """Verify an answer of any origin against its sources: a verdict and the evidence for each sentence and each
        citation, and the repaired text. Use it for your own drafts before you show them.
        """
        given: list[Any] = [source.model_dump(exclude_none=True) for source in sources]
        options = _without_none(repair=repair, preset=preset, deadline_s=deadline_s)
        async with self._reach.client(context.headers) as client:
            found_id = await begun(lambda: client.verify(answer, given, question, wait=0, **options))
            async with ended_with_the_call(lambda: client.cancel_verification(found_id)):
                verified = await follow_verification(client, found_id, context)
        verified = shapes.AnswerVerified.model_validate(
            {**verified, "verification_id": verified["id"], **_proof(verified), "sentences": verified["sentences"]}
        )
        return texts.result(verified, texts.verified_lines(verified))

    async def search_documents(
        self,
        context: Caller,
        query: Annotated[str, Field(description="Words or a question, in the language of the documents if possible.")],
        workspace: Workspace = "default",
        top_k: Annotated[int, Field(ge=1, le=50, description="How many passages.")] = 8,
        filenames: Annotated[list[str] | None, Field(description="Only in documents of these names.")] = None,
    ) -> Annotated[CallToolResult, shapes.PassagesFound]:
        """Find passages by words and meaning, without an answer and without a language model. Use `ask` for a proven
        answer; use this to look around.
        """
        # Models send an empty list to mean none.
        only = {"filenames": filenames} if filenames else None
        async with self._reach.client(context.headers) as client:
            searched = await client.search(query, workspace, k=top_k, filter=only)
        passages = shapes.PassagesFound.model_validate(searched)
        return texts.result(passages, texts.passage_lines(passages))

    async def read_source(
        self,
        context: Caller,
        document_id: DocumentId,
        page: Annotated[int | None, Field(ge=0, description="This page.")] = None,
        chunk_id: Annotated[str | None, Field(description="This passage, from search_documents or a citation.")] = None,
        start: Annotated[int | None, Field(ge=0, description="From this character on (source_start).")] = None,
        end: Annotated[int | None, Field(ge=0, description="Up to this character (source_end).")] = None,
        max_chars: Annotated[int, Field(ge=1, le=_MOST_CHARS, description="At most so many characters.")] = 10_000,
    ) -> Annotated[CallToolResult, shapes.SourceRead]:
        """Read a document as it is stored: a page, a passage, or the characters from `start` to `end`; by default from
        the beginning. Use it to see the text around a citation.
        """
        async with self._reach.client(context.headers) as client:
            document = await client.document(document_id)
            first, stop = start or 0, end
            if page is not None or chunk_id is not None:
                first, stop = await _span(client, document_id, page, chunk_id, start)
            text = await client.document_text(document_id, first, stop)
        shown = text[:max_chars]
        readable = without_orders(shown)
        source = shapes.SourceRead(
            document_id=document["id"],
            document_name=document["filename"],
            page_number=page,
            source_start=first,
            source_end=first + len(shown),
            next_start=first + len(shown) if len(shown) < len(text) else None,
            blanked=readable != shown,
            text=readable,
        )
        return texts.result(source, texts.source_lines(source))

    async def list_documents(
        self,
        context: Caller,
        workspace: Annotated[str | None, Field(description="Only of this collection.")] = None,
        filename: Annotated[str | None, Field(description="Only of exactly this name.")] = None,
        limit: Annotated[int, Field(ge=1, le=200, description="At most so many.")] = 50,
    ) -> Annotated[CallToolResult, shapes.DocumentsListed]:
        """List the documents that can be asked, with their workspaces and ids, the newest first."""
        async with self._reach.client(context.headers) as client:
            listed = [document async for document in client.documents(workspace, limit + 1, filename=filename)]
            if workspace is not None and not listed:
                await client.workspaces.get(workspace)  # says so if there is none of that name
        documents = shapes.DocumentsListed.model_validate({"documents": listed[:limit], "more": len(listed) > limit})
        return texts.result(documents, texts.document_lines(documents))

    async def list_workspaces(self, context: Caller) -> Annotated[CallToolResult, shapes.WorkspacesListed]:
        """List the collections of documents that can be asked, the last used first."""
        async with self._reach.client(context.headers) as client:
            listed = [workspace async for workspace in client.workspaces.list() if workspace["status"] == "active"]
        listed.sort(key=lambda workspace: workspace["used_at"] or "", reverse=True)
        workspaces = shapes.WorkspacesListed.model_validate({"workspaces": listed})
        return texts.result(workspaces, texts.workspace_lines(workspaces))


async def _submitted(
    client: AsyncCitewellClient, question: str, workspace: str, conversation_id: str | None, options: dict[str, Any]
) -> Mapping[str, object]:
    if conversation_id is None:
        return await client.submit(question, workspace=workspace, **options)
    if conversation_id != NEW:
        return await client.conversations.submit(conversation_id, question, **options)
    begun_for_it = (await client.conversations.create(workspace))["id"]
    try:
        return await client.conversations.submit(begun_for_it, question, **options)
    except ApiProblem:
        await client.conversations.delete(begun_for_it)
        raise


async def _span(
    client: AsyncCitewellClient, document_id: str, page: int | None, chunk_id: str | None, start: int | None
) -> tuple[int, int]:
    passages = await client.passages(document_id, page=page, chunk_id=chunk_id, limit=1000)
    if not passages:
        wanted = f"page {page}" if chunk_id is None else f"passage {chunk_id!r}"
        pages = (await client.document(document_id))["pages"]
        known = f"it has {pages} pages" if pages else "it has no pages; read it with start and end"
        raise ToolError(f"The document {document_id} has no text on {wanted}: {known}. search_documents names places.")
    first, stop = (
        min(passage["source_start"] for passage in passages),
        max(passage["source_end"] for passage in passages),
    )
    return (start if start is not None and first <= start <= stop else first), stop


def _without_none(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _proof(work: dict[str, Any]) -> dict[str, Any]:
    scores: dict[str, Any] | None = work["verification"]
    changes = [edit for edit in work["edits"] if edit["kind"] in _SHOWN_CHANGES]
    return {"scores": scores, "changes": changes, "sentences": (scores or {}).get("sentences", [])}
