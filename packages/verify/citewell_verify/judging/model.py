"""What judges statements: a language model or rules behind one method, and what it returns instead of a reply."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NotRequired, Protocol, TypedDict, TypeVar

from citewell_verify.prompting.judgements import Judgement, Reply

if TYPE_CHECKING:  # What only asks a model needs none of the rules, which take half a second to load.
    from citewell_verify.verdicts.ruling import StoredRuling

FailureKind = Literal["unavailable", "rate_limited", "invalid_reply", "gone", "refused", "deadline"]

UNREADABLE: frozenset[FailureKind] = frozenset({"invalid_reply", "refused"})
"""Failures that a shorter call may avoid. If the model does not answer at all, many calls would fail like the one."""

_R = TypeVar("_R", bound=Reply)


@dataclass(frozen=True, slots=True)
class Failure:
    """No usable reply. `reason` is for users: what failed, with which model, after how many tries; no secrets."""

    reason: str
    kind: FailureKind


class NotJudged(Exception):
    """The rules do not judge such a case, whatever they are sent; the message is all that users are told."""


class JudgeModel(Protocol):
    """A model that gives the judgements of `citewell_verify.prompting`."""

    @property
    def judges_offline(self) -> bool:
        """Whether rules judge, which say the same when they are asked again."""
        ...

    async def ask(self, judgement: Judgement[_R], fields: Mapping[str, object], *, item: str = "") -> _R | Failure:
        """Return the reply, validated against the schema of `judgement`; `item` names the call in records.

        Raises PromptFieldMismatch if `fields` are not those of the prompt.
        """
        ...


class Check(TypedDict):
    """A check, without its verdict. `fallback`: a simpler method was used (S1.2); `not_checked`: it left no verdict;
    `skipped`: the request or a setting left it out.

    `shown` says so if the model saw only excerpts of the sources.
    """

    status: Literal["checked", "fallback", "not_checked", "skipped"]
    reason: NotRequired[str]
    shown: NotRequired[str]


class Checked(Check):
    """The check of a statement; `verdict` is null where none was given."""

    verdict: "StoredRuling | None"
