"""Completes the beginning of an id, as people copy it from a list, to the whole id."""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, Literal
from uuid import UUID

from citewell.cli.errors import CommandFailed
from citewell_client import CitewellClient

SHORTEST = 6
_START = re.compile(rf"[0-9a-f-]{{{SHORTEST},}}", re.IGNORECASE)
_SHOWN = 3

Kind = Literal["question", "verification", "document", "webhook", "conversation", "feedback", "source"]


def whole_id(client: CitewellClient, text: str, *kinds: Kind) -> str:
    """Return the only id of these kinds that begins with `text`; a whole id is returned unchanged.

    Raises CommandFailed when there is none or there are several, or when `text` is too short.
    """
    what = " or ".join(kinds)
    if is_whole(text, what):
        return text
    listed = chain.from_iterable(_listed(client, kind) for kind in kinds)
    return only_one(text, [row["id"] for row in listed if row["id"].startswith(text.lower())], what)


def is_whole(text: str, what: str) -> bool:
    """Return whether `text` is an id, and not only the beginning of one. Raises CommandFailed when it can be
    neither."""
    try:
        return bool(UUID(text))
    except ValueError:
        if _START.fullmatch(text):
            return False
    raise CommandFailed(f"{text!r} is not the id of a {what}, nor the first {SHORTEST} or more characters of one")


def only_one(text: str, ids: Sequence[str], what: str) -> str:
    """Return the one id that was found for `text`. Raises CommandFailed when there is none or there are several."""
    if not ids:
        raise CommandFailed(f"there is no {what} whose id begins with {text!r}")
    if len(ids) > 1:
        some = ", ".join(ids[:_SHOWN]) + (", …" if len(ids) > _SHOWN else "")
        raise CommandFailed(f"{len(ids)} ids begin with {text!r}: {some}; give more of it")
    return ids[0]


def _listed(client: CitewellClient, kind: Kind) -> Iterable[Mapping[str, Any]]:
    match kind:
        case "question":
            return client.queries()
        case "verification":
            return client.verifications()
        case "document":
            return client.documents(all_versions=True)
        case "webhook":
            return client.webhooks.list()
        case "conversation":
            return client.conversations.list()
        case "feedback":
            return client.feedback.list()
        case "source":
            return client.sources.list()
