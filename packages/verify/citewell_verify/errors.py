"""The errors of Citewell that a caller can act on, and their base.

A class's docstring is its default message. `status` is the HTTP status that a server answers with, `code` the
machine-readable name.
"""

import re


class CitewellError(Exception):
    """Citewell could not do what was asked."""

    status: int = 500

    def __init__(self, message: str | None = None) -> None:
        self.message = message or " ".join((type(self).__doc__ or "").split())
        super().__init__(self.message)

    @property
    def code(self) -> str:
        """The class name in snake_case: `QuestionInvalid` is `question_invalid`."""
        return re.sub(r"(?<!^)(?=[A-Z])", "_", type(self).__name__).lower()


class BadInput(CitewellError):
    """The request has a value that Citewell cannot use."""

    status = 422


class VerificationInvalid(BadInput):
    """The answer or its sources cannot be verified as they are."""


class CitationUnreadable(BadInput):
    """The citation points to no source, or to no part of the answer."""
