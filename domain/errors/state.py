"""Requests that the present state of a thing does not allow (409, 423)."""

from citewell_verify.errors import CitewellError


class PicturesMissing(CitewellError):
    """Only pages of PDFs are shown as pictures; `/blocks` has what other documents are made of, `/text` the text."""

    status = 409


class BoxesMissing(CitewellError):
    """The words of this document have no places on pages: only those of PDFs have."""

    status = 409


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


class AnswerHeld(CitewellError):
    """A person has to release this answer before anybody may see it; its status tells when that was decided."""

    status = 423


class NotHeld(CitewellError):
    """This answer is not held back, or no more, so there is nothing to decide; give a verdict instead."""

    status = 409


class ReviewUndecided(CitewellError):
    """This answer is held back until somebody decides: send a `decision`, which is `release`, `correct` or `reject`."""

    status = 409


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


class SecretUnstorable(CitewellError):
    """A key of a model is stored encrypted only, and there is nothing to encrypt it with. Set
    CITEWELL_MODELS__ENCRYPTION_KEY to the same value for every process: 32 bytes in base64, as
    `openssl rand -base64 32 | tr '+/' '-_'` makes them."""

    status = 409
