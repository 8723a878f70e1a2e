"""Turns every error of a command into one message and an exit code."""

import traceback

from citewell.cli.errors import FAILED, USAGE, CommandFailed
from citewell_client import ApiKeyUnusable, ApiProblem, ServerUnreachable
from citewell_verify.errors import CitewellError
from config.settings import ConfigurationInvalid


def explain(error: Exception) -> tuple[str, int]:
    match error:
        case CommandFailed():
            return str(error), error.exit_code
        case ApiProblem():
            return error.detail, FAILED if error.status == 500 else USAGE
        case CitewellError():
            return error.message, USAGE
        case ServerUnreachable() | ApiKeyUnusable() | ConfigurationInvalid():
            return str(error), USAGE
        case UnicodeEncodeError():
            return "the input is not text in UTF-8; check the encoding of the terminal", USAGE
        case _:
            place = traceback.extract_tb(error.__traceback__)[-1]
            what = f"{type(error).__name__}: {error} ({place.filename}:{place.lineno})"
            return f"something went wrong inside Citewell, please report it: {what}", FAILED
