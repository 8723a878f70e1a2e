"""Requests that cannot be accepted as they are (422, and 400)."""

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
    """A text is attached, and the question beside it cannot be told from the words of the program's template. Send the
    question behind the text, in one line or as <user_query>…</user_query>; or in a message of its own, with the text in
    the system prompt."""


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
        """The errors, by the item's place from 0."""
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


class SignInFailed(CitewellError):
    """The sign-in did not succeed."""

    status = 400

    def __init__(self, reason: str, message: str) -> None:
        self.reason = reason
        """The reason's code for the page, which has the words in its own language."""
        super().__init__(message)


class PlaceNotFound(BadInput):
    """The result has no sentence or citation at that position."""


class ConversationTooLong(CitewellError):
    """The conversation has too many turns for one file; save its answers one by one."""

    status = 422
