"""A request to verify an external answer, and those of its checks that need no database (N2)."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from citewell_verify.errors import VerificationInvalid
from citewell_verify.pipeline import check_source
from clients.webhooks.addresses import check_url
from config.settings import Settings
from domain.query.options import Preset, QueryOptions, WorkspaceSettings
from services.queries.submission import NewQuery, checked_question, resolve_options
from services.webhooks.outbox import address_policy

Check = Literal["alignment", "coverage", "facts", "claims", "answerability", "citations"]
CHECKS: tuple[Check, ...] = ("alignment", "coverage", "facts", "claims", "answerability", "citations")
ABOUT_SENTENCES: frozenset[Check] = frozenset({"facts", "claims", "citations"})
"""These three follow from the verdicts on the sentences, which are skipped only when none of the three is wanted."""
_ABOUT_THE_QUESTION: frozenset[Check] = frozenset({"alignment", "answerability"})
_NOT_ASKED_FOR, _NO_QUESTION = "it was not asked for", "no question was given"


@dataclass(frozen=True, slots=True)
class NewSource:
    """A text, or a stored document. `pages` are [number, start, end] in code points; `id` is the submitter's own."""

    text: str | None = None
    document_id: uuid.UUID | None = None
    title: str | None = None
    url: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])
    pages: Sequence[tuple[int, int, int]] | None = None
    id: str | None = None


@dataclass(frozen=True, slots=True)
class NewCitation:
    """`answer[start:end]` cites a source, by its number or by its id."""

    start: int
    end: int
    source: int | str


@dataclass(frozen=True, slots=True)
class NewVerification:
    """A submitted answer and its sources; None means: as configured, or all checks."""

    answer: str
    sources: Sequence[NewSource]
    question: str | None = None
    citations: Sequence[NewCitation] = ()
    first_number: Literal[0, 1] | None = None
    """The number that the answer gives its first source; None: 1, unless its numbers show that it is 0."""
    checks: Sequence[Check] | None = None
    workspace: str = "default"
    preset: Preset | None = None
    model: str | None = None
    repair: Literal["full", "citations", "off"] | None = None
    citation_confidence: float | None = None
    show_claims: bool | None = None
    custom_id: str | None = None
    callback_url: str | None = None
    deadline_s: float | None = None
    max_cost_usd: float | None = None


def check_verification(new: NewVerification, settings: Settings) -> None:
    """Raise the errors of `submit_verification`, except for those that only the database shows."""
    limits = settings.verifying
    if not any(map(str.isalnum, new.answer)):
        raise VerificationInvalid("The answer is empty; there is nothing to verify.")
    if len(new.answer) > limits.max_answer_chars:
        raise VerificationInvalid(
            f"The answer has {len(new.answer):,} characters; the limit is {limits.max_answer_chars:,}."
        )
    if not 1 <= len(new.sources) <= limits.max_sources:
        raise VerificationInvalid(f"Send 1 to {limits.max_sources} sources, not {len(new.sources)}.")
    for number, source in enumerate(new.sources, start=1):
        _check_source(number, source)
    ids = [source.id for source in new.sources if source.id is not None]
    if len(set(ids)) < len(ids):
        raise VerificationInvalid("Two sources have the same id.")
    if any(not 0 <= citation.start < citation.end <= len(new.answer) for citation in new.citations):
        raise VerificationInvalid("A citation needs 0 ≤ start < end ≤ the length of the answer, in code points.")
    if new.question is not None:
        checked_question(new.question, settings.question_max_chars)
    options_of(new, settings)
    check_callback(new.callback_url, settings)


def check_callback(url: str | None, settings: Settings) -> None:
    """Raise WebhookUrlInvalid or AddressForbidden for an address that no message could be sent to."""
    if url is not None:
        check_url(url, address_policy(settings.webhooks))


def _check_source(number: int, source: NewSource) -> None:
    if (source.text is None) == (source.document_id is None):
        raise VerificationInvalid(f"Source {number} needs either a text or a document_id.")
    if source.text is None:
        if source.pages is not None:
            raise VerificationInvalid(f"Source {number} is a stored document, which has its own pages; leave them out.")
        return
    check_source(number, source.text, source.pages)


def options_of(new: NewVerification, settings: Settings, workspace: WorkspaceSettings | None = None) -> QueryOptions:
    """Resolve every setting that shapes the result. Raises ModelNotAllowed.

    Only repairs are written, so the model of the request is the one that judges; without it the workspace's model
    judges.
    """
    asked = NewQuery(
        question=new.question or "",
        preset=new.preset,
        model=new.model,
        fast_model=new.model or (workspace.models.fast if workspace else None),
        enable_verification=True,
        show_claims=new.show_claims,
        citation_confidence=new.citation_confidence,
        max_crag_attempts=0,
        repair=new.repair,
        deadline_s=new.deadline_s,
        max_cost_usd=new.max_cost_usd,
    )
    return resolve_options(asked, settings)


def skipped_checks(new: NewVerification) -> dict[Check, str]:
    asked = CHECKS if new.checks is None else new.checks
    unasked: dict[Check, str] = {check: _NOT_ASKED_FOR for check in CHECKS if check not in asked}
    if new.question is not None:
        return unasked
    return {**unasked, **{check: _NO_QUESTION for check in CHECKS if check in _ABOUT_THE_QUESTION and check in asked}}
