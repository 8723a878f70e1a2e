"""A conversation before a question, as far as it says what the question is about (N9)."""

from collections.abc import Iterable, Sequence
from typing import Literal, TypeGuard, get_args

from pydantic import BaseModel, ConfigDict

from domain.attacks import without_orders

MOST_TURNS = 10
MOST_CHARS = 1_000
"""Of one turn: what a question refers to stands in the last few turns, and near their beginning."""

Role = Literal["user", "assistant"]


class Turn(BaseModel):
    """One message on one line."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    role: Role
    text: str


def last_turns(messages: Iterable[tuple[str, str]]) -> tuple[Turn, ...]:
    """The last turns of (role, text), the newest at the end, cut to what is kept; other roles are left out.

    Nothing when none is the user's: there is nothing that a question could go on from.
    """
    told = [Turn(role=role, text=text) for role, raw in messages if _is_told(role) and (text := _flat(raw))]
    return tuple(told[-MOST_TURNS:]) if any(turn.role == "user" for turn in told) else ()


def as_lines(turns: Sequence[Turn]) -> str:
    """As a model is shown them, a line for each turn; what addresses a model is left out: answers quote documents."""
    return "\n".join(f"{turn.role}: {' '.join(without_orders(turn.text).split())}" for turn in turns)


def _is_told(role: str) -> TypeGuard[Role]:
    return role in get_args(Role)


def _flat(text: str) -> str:
    # Neither can be stored.
    storable = (character for character in text if character != "\0" and not "\ud800" <= character <= "\udfff")
    return " ".join("".join(storable).split())[:MOST_CHARS]
