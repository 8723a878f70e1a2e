"""Everything that can go wrong in a way a user can act on.

CitewellError
├── BadInput (422) ── QuestionInvalid, ModeUnknown, ModelNotAllowed, CursorInvalid, WorkspaceNameInvalid
│   ├── ConversationElsewhere, TextAttached
│   ├── IdempotencyKeyInvalid, IdempotencyKeyReused, VerificationInvalid, BatchInvalid
│   ├── EventTypeUnknown, WebhookUrlInvalid, WebhookSecretInvalid, AddressForbidden
│   ├── DocumentSourceInvalid ── PlaceForbidden
│   ├── PathForbidden
│   ├── CorrectionInvalid
│   ├── ItemUnusable ── RobotsDisallow, RedirectRefused, NotOfTheSource
│   └── DocumentUnusable ── DocumentEmpty, DocumentEncrypted, DocumentUnreadable, DocumentTypeUnknown (415)
│       ├── DocumentTooLarge (413), DocumentTooSlow, PageNotFound (404)
│       └── ArchiveTypeUnknown (415), DocumentNameInvalid, DocumentNameTaken
├── Unauthenticated (401) ── KeyRequired, KeyInvalid, KeyExpired, KeyRevoked, SignInRequired
├── Forbidden (403) ── ScopeMissing, KeyRequiredHere, WorkspaceForbidden, KeyLimited, RoleMissing, PersonRequired
│   └── ForeignPage, RoleOfGroup, ConversationOfAnother
├── NotFound (404) ── ResponseNotFound, PreviousResponseNotFound (400)
│   ├── QueryNotFound, DocumentNotFound, ChunkNotFound, WorkspaceNotFound, KeyNotFound
│   ├── AuditNotFound, ConversationNotFound, TurnNotFound, ThreadNotFound, DocumentSourceNotFound
│   └── WebhookNotFound, DeliveryNotFound, VerificationNotFound, BatchNotFound, ImportNotFound, TenantNotFound
│       ReingestionNotFound, PersonNotFound, MemberNotFound
├── NotReady (503) ── DatabaseUnavailable, EmbeddingUnavailable, PlaceUnreachable, OriginalUnavailable
├── Overload ── BacklogFull (429), Overloaded (503)
├── SchemaUnknown, SecretUnreadable (503), EmbeddingRejected (502), OriginalDamaged (502)
└── EmbeddingMismatch, ReembeddingRuns, DocumentNotRead, QueryFinished, WebhookDisabled, DeliveryPending (409)
    NotReplayable, NotReverifiable, DocumentNotFailed, TurnUnfinished, WorkspaceNameTaken, WorkspaceNotEmpty (409)
    WorkspaceDeleting, EmbeddingsDiffer, PicturesMissing, BoxesMissing (409)
    DocumentSourceNameTaken, DocumentSourceDeleting, DocumentNotInForce, SecretUnstorable (409)

A class's docstring is its default message. `status` is the HTTP status, `code` the machine-readable name.
"""

from collections.abc import Mapping

from citewell_verify.errors import BadInput, CitewellError


class QuestionInvalid(BadInput):
    """The question is empty; ask with at least one word."""


class ModeUnknown(BadInput):
    """The mode is not known; use one of low, balanced, high."""


class ModelNotAllowed(BadInput):
    """The model is not in the list of allowed models (`models.catalogue` in the configuration)."""


class AnswerSchemaInvalid(BadInput):
    """The JSON Schema for the answer cannot be used."""


class TextAttached(BadInput):
    """The request has a text beside the question, such as an attached file. Answers rest on the documents of the
    workspace alone, so it would not count: add it to the workspace, or leave it out. An answer that exists already can
    be verified against it with POST /v1/verifications."""


class ConversationElsewhere(BadInput):
    """The conversation is about another workspace."""


class WorkspaceNameInvalid(BadInput):
    """This cannot be the name of a workspace."""

    RULE = (
        "Use letters, digits, '.', '_' and '-', at most 100 of them, and begin with a letter or a digit, as in "
        "`finance-2026`."
    )


class BatchInvalid(BadInput):
    """Items of the batch cannot be verified as they are."""

    def __init__(self, wrong: Mapping[int, str]) -> None:
        self.wrong = wrong
        """What is wrong, by the item's place from 0."""
        super().__init__("; ".join(f"Item {place + 1}: {message}" for place, message in wrong.items()))


class EventTypeUnknown(BadInput):
    """There are no events of that type."""


class WebhookUrlInvalid(BadInput):
    """The address of a webhook must be a URL such as https://example.com/hooks."""


class WebhookSecretInvalid(BadInput):
    """The secret of a webhook must be whsec_ followed by 24 to 64 bytes in base64."""


class AddressForbidden(BadInput):
    """Webhooks go to public addresses only."""


class ModelServerUnusable(BadInput):
    """The server of models cannot be used like this."""


class DocumentSourceInvalid(BadInput):
    """The source of documents cannot be set up like this."""


class PlaceForbidden(DocumentSourceInvalid):
    """Documents are not taken from there."""


class ItemUnusable(BadInput):
    """This cannot be taken from its source."""


class RobotsDisallow(ItemUnusable):
    """The site's robots.txt asks programs to leave this page alone."""


class RedirectRefused(ItemUnusable):
    """The page leads to others without end."""


class NotOfTheSource(ItemUnusable):
    """This is not a part of the source."""


class CorrectionInvalid(BadInput):
    """The corrected text cannot be used."""


class CursorInvalid(BadInput):
    """The cursor is none that this list gave out; start without one."""


class IdempotencyKeyInvalid(BadInput):
    """The Idempotency-Key has to be 1 to 255 visible ASCII characters, such as a UUID."""


class IdempotencyKeyReused(BadInput):
    """This Idempotency-Key came with another request before; use a new one for a new request."""


class Unauthenticated(CitewellError):
    """Nobody is known who may do this."""

    status = 401


class KeyRequired(Unauthenticated):
    """Send a key as `Authorization: Bearer cw_…`; `citewell keys create` makes one."""


class KeyInvalid(Unauthenticated):
    """There is no such key; check that it was copied whole."""


class KeyExpired(Unauthenticated):
    """The key has expired; use another one."""


class KeyRevoked(Unauthenticated):
    """The key was revoked; use another one."""


class SignInRequired(Unauthenticated):
    """Sign in; a program sends a key as `Authorization: Bearer cw_…`."""


class SignInFailed(CitewellError):
    """The sign-in did not succeed."""

    status = 400

    def __init__(self, reason: str, message: str) -> None:
        self.reason = reason
        """For the page, which has the words in its own language."""
        super().__init__(message)


class Forbidden(CitewellError):
    """This is not allowed."""

    status = 403


class ScopeMissing(Forbidden):
    """The key does not have the scope that this needs."""


class SharingOff(Forbidden):
    """Answers are not shared here; `access.share_max_hours` allows it."""


class ModelChoiceForbidden(Forbidden):
    """Models are not chosen on the page here; `models.from_page` allows it."""


class KeyRequiredHere(Forbidden):
    """Without a key only this machine is served, at a loopback address; or make a key: `citewell keys create`"""


class WorkspaceForbidden(Forbidden):
    """This workspace is not open to you."""


class RoleMissing(Forbidden):
    """This needs a role that you do not have."""


class ConversationOfAnother(Forbidden):
    """Somebody else began this conversation. Go on in one of your own: POST to its `branches`, and ask there; or ask an
    owner of its workspace for the role 'contributor'."""


class PersonRequired(Forbidden):
    """Only a person who is signed in has personal keys."""


class ForeignPage(Forbidden):
    """A session counts only for requests of Citewell's own page; a program sends a key."""


class RoleOfGroup(Forbidden):
    """This role comes from a group at the identity provider, and ends there."""


class KeyLimited(Forbidden):
    """This concerns all workspaces, and you may use some; ask an administrator, or use a key without a limit."""


class NotFound(CitewellError):
    """There is nothing with that id."""

    status = 404


class QueryNotFound(NotFound):
    """There is no query with that id."""


class ResponseNotFound(NotFound):
    """There is no response with that id: it was never stored, or it was deleted."""


class PreviousResponseNotFound(NotFound):
    """There is no response with the id in `previous_response_id`: it was never stored, or it was deleted."""

    status = 400


class DocumentNotFound(NotFound):
    """There is no document with that id."""


class OriginalNotFound(NotFound):
    """The file of the document is not stored any more; send it again, or read its text under `/text`."""


class PicturesMissing(CitewellError):
    """Only pages of PDFs are shown as pictures; `/blocks` has what other documents are made of, `/text` the text."""

    status = 409


class BoxesMissing(CitewellError):
    """The words of this document have no places on pages: only those of PDFs have."""

    status = 409


class ModelTrialNotFound(NotFound):
    """There is no such trial, it is older than an hour, or it was used before; try the model again."""


class FeedbackNotFound(NotFound):
    """There is no feedback with that id."""


class PlaceNotFound(BadInput):
    """The result has no sentence or citation at that position."""


class ShareNotFound(NotFound):
    """There is no such link, or it has expired or was revoked; ask whoever sent it for a new one."""


class ChunkNotFound(NotFound):
    """The document has no chunk with that index."""


class WorkspaceNotFound(NotFound):
    """There is no workspace with that name; create it, or ingest a document into it."""


class ConversationNotFound(NotFound):
    """There is no conversation with that id."""


class TurnNotFound(NotFound):
    """The conversation has no current turn with that id."""


class ThreadNotFound(NotFound):
    """There is no thread with that id."""


class VerificationNotFound(NotFound):
    """There is no verification with that id."""


class SourceNotFound(NotFound):
    """The verification has no source of that number; `sources` of its result lists them."""


class DocumentSourceNotFound(NotFound):
    """There is no source of documents with that id."""


class BatchNotFound(NotFound):
    """There is no batch with that id."""


class ImportNotFound(NotFound):
    """There is no import with that id."""


class ReingestionNotFound(NotFound):
    """There is no re-ingestion with that id."""


class KeyNotFound(NotFound):
    """There is no key with that id."""


class PersonNotFound(NotFound):
    """There is no person with that id."""


class MemberNotFound(NotFound):
    """There is no membership with that id."""


class TenantNotFound(NotFound):
    """There is no tenant with that name."""


class WebhookNotFound(NotFound):
    """There is no webhook with that id."""


class AuditNotFound(NotFound):
    """The query has no audit."""


class DeliveryNotFound(NotFound):
    """There is no delivery with that id."""


class NotReady(CitewellError):
    """Citewell is not ready; try again in a few seconds."""

    status = 503


class DatabaseUnavailable(NotReady):
    """The database does not answer, or is busy; if it stays so, check Postgres and CITEWELL_DATABASE_URL."""


class OutcomeUnknown(DatabaseUnavailable):
    """The database went away while storing this, which may be stored; look, or repeat it with its Idempotency-Key."""


class Overload(CitewellError):
    """More waits than can be done in time; try again later."""

    status = 503

    def __init__(self, message: str, retry_after_s: int) -> None:
        self.retry_after_s = retry_after_s
        super().__init__(message)


class BacklogFull(Overload):
    """So much of yours waits already that nothing more is accepted; try again later."""

    status = 429


class Overloaded(Overload):
    """So much of everybody waits already that nothing more is accepted; try again later."""


class PlaceUnreachable(NotReady):
    """The place that documents come from does not answer; it is tried again at the next run."""


class OriginalUnavailable(NotReady):
    """The place of the documents' files does not answer; their texts and citations are there. Check `originals`."""


class OriginalDamaged(CitewellError):
    """The stored file is not the one that was sent, by its checksum. The document's text and citations are there; send
    the same file again under the same name, or restore it from a backup."""

    status = 502


class SchemaUnknown(CitewellError):
    """The database's schema is not known to this version of Citewell; use the version that made it, or a newer one."""

    status = 503


class EmbeddingUnavailable(NotReady):
    """The embedding model does not answer; try again in a moment."""


class EmbeddingRejected(CitewellError):
    """The embedding model refused the texts, or gave something that is no vectors; check `embeddings`."""

    status = 502


class EmbeddingMismatch(CitewellError):
    """The stored vectors come from another embedding model; make them anew with `citewell reembed`."""

    status = 409


class ReembeddingRuns(CitewellError):
    """The workspace is being embedded anew already, by another `citewell reembed`."""

    status = 409


class SourceDeleted(CitewellError):
    """A document that the answer was written from was deleted meanwhile; ask again."""

    status = 409


class DocumentNotInForce(CitewellError):
    """Only the version in force can be changed, once it is ready and while no newer one is being read."""

    status = 409


class DocumentNotRead(CitewellError):
    """The document has no text yet: it is still being read, or could not be; its status tells which."""

    status = 409


class WebhookDisabled(CitewellError):
    """The webhook is disabled and is sent nothing; set its status to active first."""

    status = 409


class DeliveryPending(CitewellError):
    """The delivery is not finished; it is tried again by itself, and can be replayed once it has ended."""

    status = 409


class NotReplayable(CitewellError):
    """Only what failed, was cancelled or has parked steps is asked again as it was."""

    status = 409


class DocumentSourceNameTaken(CitewellError):
    """The workspace has a source of that name; its documents are named after it, so choose another one."""

    status = 409


class DocumentSourceDeleting(CitewellError):
    """The source is being deleted."""

    status = 409


class DocumentNotFailed(CitewellError):
    """Only a document that failed can be tried again."""

    status = 409


class NotReverifiable(CitewellError):
    """There is no answer, or not all of its evidence is left, so it cannot be verified again."""

    status = 409


class QueryUnfinished(CitewellError):
    """Only a question that has succeeded can be exported or shared; its status tells how far it is."""

    status = 409


class ConversationTooLong(CitewellError):
    """The conversation has too many turns for one file; save its answers one by one."""

    status = 422


class AnswerHeld(CitewellError):
    """A person has to release this answer before anybody may see it; its status tells when that was decided."""

    status = 423


class NotHeld(CitewellError):
    """This answer is not held back, or no more, so there is nothing to decide; give a verdict instead."""

    status = 409


class ReviewUndecided(CitewellError):
    """This answer is held back until somebody decides: send a `decision`, which is `release`, `correct` or `reject`."""

    status = 409


class PdfUnavailable(CitewellError):
    """This server cannot write PDF: pip install 'citewell[pdf]' on it, or export HTML and print that."""

    status = 501


class QueryFinished(CitewellError):
    """The query has ended already; there is nothing left to cancel."""

    status = 409


class WorkspaceNameTaken(CitewellError):
    """There is a workspace with that name already."""

    status = 409


class WorkspaceNotEmpty(CitewellError):
    """The workspace is not empty; confirm that everything in it is to be deleted."""

    status = 409


class WorkspaceDeleting(CitewellError):
    """The workspace is being deleted; it accepts nothing any more."""

    status = 409


class EmbeddingsDiffer(EmbeddingMismatch):
    """The workspaces have vectors of different embedding models, so they cannot be searched together."""


class TurnUnfinished(CitewellError):
    """The turn before is still in work; wait for its end, cancel it, or replace it."""

    status = 409


class SecretUnreadable(CitewellError):
    """The key of the model that was chosen on the page cannot be read: it was encrypted with another key. Set back
    CITEWELL_MODELS__ENCRYPTION_KEY, or the file encryption.key of the home, for every process; or choose the model on
    the page once more."""

    status = 503


class SecretUnstorable(CitewellError):
    """A key of a model is stored encrypted only, and there is nothing to encrypt it with. Set
    CITEWELL_MODELS__ENCRYPTION_KEY to the same value for every process: 32 bytes in base64, as
    `openssl rand -base64 32 | tr '+/' '-_'` makes them."""

    status = 409


class NoUpstream(CitewellError):
    """There is no model behind the guard's proxy; the operator names its server in guard.upstream_url."""

    status = 404
