"""Accepting answers from elsewhere, with their sources, to be verified (N2). Nothing is judged here."""

import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Literal

from sqlalchemy.orm import Session

from clients.webhooks.addresses import AddressPolicy, check_url
from config.settings import Settings
from db.models import Document, QueryKind
from db.queries.batches import add_batch
from db.queries.given import add_given_sources, read_document
from db.queries.idempotency import Repeatable, claim_key
from db.queries.queries import add_queries
from db.queries.steps import add_outcomes
from db.queries.workspaces import get_or_add_workspaces
from db.session import transaction
from domain.citations import plan_checks
from domain.errors import BatchInvalid, DocumentNotFound, DocumentNotRead, VerificationInvalid
from domain.given import GivenCitation, mark
from domain.options import QueryOptions
from domain.outcomes import Checked, Drafted, Selected
from services.submission import NewQuery, Submitted, checked_question, resolve_options

Check = Literal["alignment", "coverage", "facts", "claims", "answerability", "citations"]
CHECKS: tuple[Check, ...] = ("alignment", "coverage", "facts", "claims", "answerability", "citations")
_ABOUT_THE_QUESTION: frozenset[Check] = frozenset({"alignment", "answerability"})
# The database keeps the numbers of pages in 4 bytes.
_LAST_PAGE = 2**31 - 1
_NOT_ASKED_FOR, _NO_QUESTION = "it was not asked for", "no question was given"
# What is stored at a time: few statements, and yet no statement that holds everything.
_MOST_ITEMS, _MOST_CHARS = 500, 4_000_000
_MOST_WRONG = 20


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
    """An answer and its sources as they came in; None means: as configured, or all of them."""

    answer: str
    sources: Sequence[NewSource]
    question: str | None = None
    citations: Sequence[NewCitation] = ()
    checks: Sequence[Check] | None = None
    workspace: str = "default"
    model: str | None = None
    repair: Literal["full", "citations", "off"] | None = None
    citation_confidence: float | None = None
    show_claims: bool | None = None
    custom_id: str | None = None
    callback_url: str | None = None


def submit_verification(new: NewVerification, settings: Settings, request: Repeatable | None = None) -> Submitted:
    """Store the verification, once for all requests with one Idempotency-Key; publishing it is the caller's next step.

    Raises VerificationInvalid, IdempotencyKeyReused, QuestionInvalid, ModelNotAllowed, WebhookUrlInvalid,
    AddressForbidden, DocumentNotFound, DocumentNotRead, DatabaseUnavailable.
    """
    check_verification(new, settings)
    workspaces = _make_workspaces([new])
    query_id = uuid.uuid4()
    with transaction() as session:
        if request is not None and (first := claim_key(session, request, query_id)) != query_id:
            return Submitted(first, repeated=True)
        store = _Store(session, settings, workspaces)
        store.add([_Item(query_id, new, store.rows(new))])
    return Submitted(query_id, repeated=False)


def submit_batch(
    items: Sequence[NewVerification],
    callback_url: str | None,
    settings: Settings,
    request: Repeatable | None = None,
) -> Submitted:
    """Store many, all or none, each of which `check_verification` found good; the id is that of the batch.

    Raises BatchInvalid for what only the database knows to be wrong with items, at most _MOST_WRONG of them, and
    IdempotencyKeyReused, WebhookUrlInvalid, AddressForbidden, DatabaseUnavailable.
    """
    _check_callback(callback_url, settings)
    workspaces = _make_workspaces(items)
    batch_id = uuid.uuid4()
    with transaction() as session:
        if request is not None and (first := claim_key(session, request, batch_id)) != batch_id:
            return Submitted(first, repeated=True)
        store = _Store(session, settings, workspaces)
        rows = _all_rows(store, items)
        add_batch(session, batch_id, len(items), callback_url)
        store.add([_Item(uuid.uuid4(), new, rows[n], batch_id, n) for n, new in enumerate(items)])
    return Submitted(batch_id, repeated=False)


def _make_workspaces(items: Sequence[NewVerification]) -> dict[str, int]:
    # Not with the items: whoever wants to make one of them would wait for all of those.
    with transaction() as session:
        return get_or_add_workspaces(session, (new.workspace for new in items))


def _all_rows(store: "_Store", items: Sequence[NewVerification]) -> list[list[dict[str, Any]]]:
    rows: list[list[dict[str, Any]]] = []
    wrong: dict[int, str] = {}
    for position, new in enumerate(items):
        try:
            rows.append(store.rows(new))
        except (VerificationInvalid, DocumentNotFound, DocumentNotRead) as error:
            wrong[position] = error.message
        if len(wrong) == _MOST_WRONG:
            break
    if wrong:
        raise BatchInvalid(wrong)
    return rows


def check_verification(new: NewVerification, settings: Settings) -> None:
    """Raise what `submit_verification` raises, except for what only the database knows."""
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
    if any(not 0 <= each.start < each.end <= len(new.answer) for each in new.citations):
        raise VerificationInvalid("A citation needs 0 ≤ start < end ≤ the length of the answer, in code points.")
    if new.question is not None:
        checked_question(new.question, settings.question_max_chars)
    _options(new, settings)
    _check_callback(new.callback_url, settings)


def _check_callback(url: str | None, settings: Settings) -> None:
    if url is not None:
        check_url(url, AddressPolicy(settings.webhooks.allowed_networks, settings.webhooks.allowed_ports))


def _check_source(number: int, source: NewSource) -> None:
    if (source.text is None) == (source.document_id is None):
        raise VerificationInvalid(f"Source {number} needs either a text or a document_id.")
    if source.text is None:
        if source.pages is not None:
            raise VerificationInvalid(f"Source {number} is a stored document, which has its own pages; leave them out.")
        return
    if not source.text.strip():
        raise VerificationInvalid(f"Source {number} has no text.")
    position = 0
    for page, start, end in source.pages or ():
        if not 1 <= page <= _LAST_PAGE or not position <= start <= end <= len(source.text):
            raise VerificationInvalid(
                f"The pages of source {number} must be [number, start, end] in order, within its text; "
                f"numbers go from 1 to {_LAST_PAGE:,}."
            )
        position = end


def _options(new: NewVerification, settings: Settings) -> QueryOptions:
    asked = NewQuery(
        question=new.question or "",
        model=new.model,
        enable_verification=True,
        show_claims=new.show_claims,
        citation_confidence=new.citation_confidence,
        max_crag_attempts=0,
        repair=new.repair,
    )
    return resolve_options(asked, settings)


def _skipped(new: NewVerification) -> dict[Check, str]:
    """The checks that are not made, and why."""
    asked = CHECKS if new.checks is None else new.checks
    unasked: dict[Check, str] = {check: _NOT_ASKED_FOR for check in CHECKS if check not in asked}
    if new.question is not None:
        return unasked
    return {**unasked, **{check: _NO_QUESTION for check in CHECKS if check in _ABOUT_THE_QUESTION and check in asked}}


@dataclass(frozen=True, slots=True)
class _Item:
    """A verification that is to be stored; `rows` are its sources."""

    query_id: uuid.UUID
    new: NewVerification
    rows: Sequence[Mapping[str, Any]]
    batch_id: uuid.UUID | None = None
    position: int | None = None


def _portions(items: Sequence[_Item]) -> Iterator[list[_Item]]:
    portion: list[_Item] = []
    characters = 0
    for item in items:
        size = len(item.new.answer) + sum(len(row["text"]) for row in item.rows)
        if portion and (len(portion) == _MOST_ITEMS or characters + size > _MOST_CHARS):
            yield portion
            portion, characters = [], 0
        portion.append(item)
        characters += size
    yield portion


class _Store:
    """Adds verifications in one transaction; a stored document that many of them name is read once."""

    def __init__(self, session: Session, settings: Settings, workspaces: Mapping[str, int]) -> None:
        self._session, self._settings, self._workspaces = session, settings, workspaces
        self._documents: dict[uuid.UUID, Document] = {}

    def rows(self, new: NewVerification) -> list[dict[str, Any]]:
        """The sources as they are stored. Raises VerificationInvalid, DocumentNotFound, DocumentNotRead."""
        rows = [self._row(number, source) for number, source in enumerate(new.sources, start=1)]
        if sum(len(row["text"]) for row in rows) > self._settings.verifying.max_bytes:
            limit = self._settings.verifying.max_bytes
            raise VerificationInvalid(f"The sources have more than {limit:,} characters together; send fewer of them.")
        return rows

    def add(self, items: Sequence[_Item]) -> None:
        """Store them with what no worker has to find out, in a few statements for many."""
        for some in _portions(items):
            add_queries(self._session, [self._query(item) for item in some])
            sources = [{**row, "query_id": item.query_id} for item in some for row in item.rows]
            keys = iter(add_given_sources(self._session, sources))
            outcomes = [
                (item.query_id, *outcome)
                for item in some
                for outcome in _outcomes(item.new, list(islice(keys, len(item.rows))), item.rows)
            ]
            add_outcomes(self._session, outcomes)

    def _query(self, item: _Item) -> dict[str, Any]:
        new = item.new
        return {
            "id": item.query_id,
            "workspace_id": self._workspaces[new.workspace],
            "question": checked_question(new.question, self._settings.question_max_chars) if new.question else "",
            "mode": "balanced",
            "provider": self._settings.provider,
            "options": _options(new, self._settings).model_dump(mode="json"),
            "kind": QueryKind.VERIFICATION,
            "callback_url": new.callback_url,
            "custom_id": new.custom_id,
            "batch_id": item.batch_id,
            "position": item.position,
        }

    def _row(self, number: int, source: NewSource) -> dict[str, Any]:
        told = {"number": number, "url": source.url, "document_id": source.document_id}
        if source.document_id is None:
            pages = None if source.pages is None else [list(page) for page in source.pages]
            title, details = source.title or f"Source {number}", dict(source.metadata)
            return {**told, "title": title, "details": details, "text": source.text, "pages": pages, "sections": None}
        document = self._document(source.document_id)
        return {
            **told,
            "title": source.title or document.filename,
            "details": {**document.details, **source.metadata},
            "text": document.text,
            "pages": document.pages,
            "sections": document.sections,
        }

    def _document(self, document_id: uuid.UUID) -> Document:
        if document_id not in self._documents:
            self._documents[document_id] = read_document(self._session, document_id)
        return self._documents[document_id]


def _outcomes(
    new: NewVerification, keys: list[int], rows: Sequence[Mapping[str, Any]]
) -> list[tuple[str, str, dict[str, Any]]]:
    """(step, item, outcome) of all that no worker has to find out."""
    draft = _draft(new)
    found: list[tuple[str, str, Mapping[str, Any]]] = [
        ("select", "", _selected(new, keys, rows)),
        ("generate", "", draft),
        ("extract_citations", "", {"status": "extracted", "citations": []}),
    ]
    for check, reason in _skipped(new).items():
        outcome = Checked(status="skipped", verdict=None, reason=reason)
        if check == "citations":
            found += [("check_statements", each.item, outcome) for each in plan_checks(draft["text"], len(keys))]
        else:
            found.append((f"check_{check}", "", outcome))
    return [(step, item, dict(outcome)) for step, item, outcome in found]


def _selected(new: NewVerification, keys: list[int], rows: Sequence[Mapping[str, Any]]) -> Selected:
    sources = [
        {
            "number": row["number"],
            "id": source.id,
            "title": row["title"],
            "url": row["url"],
            "document_id": str(source.document_id) if source.document_id else None,
            "metadata": row["details"],
            "characters": len(row["text"]),
        }
        for source, row in zip(new.sources, rows, strict=True)
    ]
    return Selected(status="selected", selected=keys, ranked=keys, sources=sources, issues=[])


def _draft(new: NewVerification) -> Drafted:
    numbers = {source.id: number for number, source in enumerate(new.sources, start=1) if source.id is not None}
    told = [(each, _number(each.source, numbers, len(new.sources))) for each in new.citations]
    marked = mark(new.answer, [GivenCitation(each.start, each.end, number) for each, number in told if number])
    return Drafted(
        status="complete",
        text=marked.text,
        model=None,
        given=new.answer,
        inserted=list(marked.inserted),
        citations=[
            {"start": each.start, "end": each.end, "source": each.source, "number": number} for each, number in told
        ],
    )


def _number(source: int | str, numbers: Mapping[str, int], count: int) -> int | None:
    number = numbers.get(source) if isinstance(source, str) else source
    return number if number is not None and 1 <= number <= count else None
