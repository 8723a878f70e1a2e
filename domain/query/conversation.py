"""The conversation before a question, as far as it shows what the question is about (N9)."""

from collections.abc import Iterable, Sequence
from typing import Literal, TypeGuard, get_args

from pydantic import BaseModel, ConfigDict

from citewell_verify.safety.prompt_injection import without_orders

MOST_TURNS = 10
MOST_CHARS = 1_000
"""The most of one turn that is read: a question usually refers to the last few turns, and to their beginning."""

MOST_TITLE_CHARS = 80

Role = Literal["user", "assistant"]


class Turn(BaseModel):
    """One message on one line."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    role: Role
    text: str


def last_turns(messages: Iterable[tuple[str, str]]) -> tuple[Turn, ...]:
    """The last turns of (role, text), the newest last, cut to the kept length; roles other than user and assistant are
    left out.

    The result is empty if no turn is the user's, because a question then has nothing to follow up on.
    """
    kept = [Turn(role=role, text=text) for role, raw in messages if _is_kept(role) and (text := _flat(raw))]
    return tuple(kept[-MOST_TURNS:]) if any(turn.role == "user" for turn in kept) else ()


def title_of(question: str) -> str:
    """The title of a conversation, made from its first question: one line, cut between words."""
    flat = " ".join(question.split())
    if len(flat) <= MOST_TITLE_CHARS:
        return flat
    beginning = flat[: MOST_TITLE_CHARS - 1]
    return (beginning.rpartition(" ")[0] or beginning).rstrip(",;:") + "…"


def as_lines(turns: Sequence[Turn]) -> str:
    """The turns as a model sees them, one per line, without text that addresses a model, because answers quote
    documents.
    """
    return "\n".join(f"{turn.role}: {' '.join(without_orders(turn.text).split())}" for turn in turns)


def _is_kept(role: str) -> TypeGuard[Role]:
    return role in get_args(Role)


def _flat(text: str) -> str:
    """The text on one line, without NUL and surrogates, which cannot be stored."""
    storable = (character for character in text if character != "\0" and not "\ud800" <= character <= "\udfff")
    return " ".join("".join(storable).split())[:MOST_CHARS]
