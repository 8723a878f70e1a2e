"""Things that a request names and that do not exist for its caller (404)."""

from citewell_verify.errors import CitewellError


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


class ModelTrialNotFound(NotFound):
    """There is no such trial, it is older than an hour, or it was used before; try the model again."""


class FeedbackNotFound(NotFound):
    """There is no feedback with that id."""


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


class NoUpstream(CitewellError):
    """There is no model behind the guard's proxy; the operator names its server in guard.upstream_url."""

    status = 404
