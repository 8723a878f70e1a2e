"""Failures of this server or of another one, for the moment or for good (429, 500, 502, 503)."""

from citewell_verify.errors import CitewellError


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


class PdfUnavailable(CitewellError):
    """This server cannot write PDF: pip install 'citewell[pdf]' on it, or export HTML and print that."""

    status = 501


class SecretUnreadable(CitewellError):
    """The key of the model that was chosen on the page cannot be read: it was encrypted with another key. Set back
    CITEWELL_MODELS__ENCRYPTION_KEY, or the file encryption.key of the home, for every process; or choose the model on
    the page once more."""

    status = 503
