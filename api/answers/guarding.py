"""Verifies the text of another model, and decides by the guard's policy what may be delivered."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from uuid import UUID

from fastapi import Request
from fastapi.concurrency import run_in_threadpool

from api.answers.waiting import read_when_final
from citewell_verify.errors import CitewellError
from clients.embeddings.factory import configured_embedder
from clients.notifications import notify_end
from config.settings import Settings
from db.models import QueryKind
from domain.answers.guarded_text import Piece, Policy, ruled
from domain.answers.offered_sources import Offered, storable
from domain.errors.access import Forbidden, Unauthenticated
from domain.errors.missing import QueryNotFound
from domain.errors.state import QueryFinished
from services.core.model_choice import current_settings
from services.external import verification_results
from services.external.acceptance import submit_verification
from services.external.request import NewSource, NewVerification
from services.queries.cancel_and_retry import cancel_query
from services.queries.passage_search import NewSearch, search_passages
from workers.starting.launch import launcher

NO_SOURCES = (
    "The request has no tool results and no documents, so the answer cannot be verified. Texts that a chat program "
    "attached to messages count with `guard.attached_texts`."
)


class Unverifiable(Exception):
    """The text was not checked, and the policy lets no unchecked text through."""


@dataclass(slots=True)
class Guard:
    """Checks pieces of one answer. `home` is the workspace that stores the checks; `workspace` is searched for sources
    that the request did not bring."""

    request: Request
    home: str
    sources: Sequence[Offered]
    policy: Policy
    workspace: str | None = None
    call: str | None = None
    verifications: list[UUID] = field(default_factory=list[UUID])
    _ended: set[UUID] = field(default_factory=set[UUID])

    @property
    def lets_all_through(self) -> bool:
        return not self.sources and self.workspace is None and self.policy.without_sources == "pass"

    async def check(self, text: str) -> list[Piece]:
        """Return the parts of the text that pass, piece by piece. Raises Unverifiable.

        A failed check, for whatever reason, is not a pass unless the policy says so. The policy is ignored if the
        caller may not request checks, or may not any more.
        """
        text = storable(text)
        if not any(map(str.isalnum, text)) or self.lets_all_through:
            return [Piece(len(text), text)]
        try:
            reason = await self._checked(text, current_settings())
        except (Unauthenticated, Forbidden) as error:
            raise Unverifiable(f"The answer could not be verified: {error.message}") from error
        except CitewellError as error:
            reason = error.message
        if isinstance(reason, list):
            return reason
        if self.policy.on_unchecked == "block":
            raise Unverifiable(f"The answer could not be verified: {reason}")
        return [Piece(len(text), text)]

    def abandon(self) -> None:
        """Cancel the checks that have not ended, because their result is no longer needed."""
        for query_id in set(self.verifications) - self._ended:
            self._ended.add(query_id)
            with suppress(QueryFinished, QueryNotFound):
                cancel_query(query_id, QueryKind.VERIFICATION)
                notify_end(query_id)

    async def _checked(self, text: str, settings: Settings) -> list[Piece] | str:
        """Return the pieces, or why they could not be checked. Raises Unverifiable."""
        sources = await self._sources_for(text, settings)
        if not sources:
            raise Unverifiable(NO_SOURCES)
        return await self._verified(text, sources, settings)

    async def _sources_for(self, text: str, settings: Settings) -> list[NewSource]:
        given = [NewSource(text=offered.text, title=offered.title, url=offered.url) for offered in self.sources]
        given = given[-settings.verifying.max_sources :]
        if self.workspace is None or given:
            return given
        new = NewSearch(text[: settings.question_max_chars], self.workspace)
        result = await run_in_threadpool(search_passages, new, settings, configured_embedder())
        return [NewSource(text=passage["text"], title=passage["document_name"]) for passage in result["passages"]]

    async def _verified(self, text: str, sources: Sequence[NewSource], settings: Settings) -> list[Piece] | str:
        """Return the pieces, or why they could not be checked."""
        new = NewVerification(
            text,
            sources,
            checks=("citations",),
            workspace=self.home,
            repair="off" if self.policy.on_failure == "block" else "full",
            custom_id=self.call,
            deadline_s=settings.guard.wait_s,
        )
        query_id, _ = await run_in_threadpool(submit_verification, new, settings)
        self.verifications.append(query_id)
        launcher().queries()
        result = await read_when_final(
            self.request,
            query_id,
            settings.guard.wait_s,
            verification_results.read_verdicts,
            QueryKind.VERIFICATION,
        )
        if result["status"] == "succeeded":
            self._ended.add(query_id)
            return ruled(text, result, self.policy)
        await run_in_threadpool(self.abandon)
        error: Mapping[str, str] = result["error"] or {}
        return error.get("message") or f"it took longer than {settings.guard.wait_s:g} seconds"
