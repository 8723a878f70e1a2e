"""Judges whether an answer answers its question: the verdict beside groundedness (V8)."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from domain.markers.stripping import plain_text
from domain.query.refusals import is_idk
from domain.question.named_things import missing_things
from domain.question.question_parts import QuestionPart, has_kind, parts_of
from domain.question.relevance import ANSWERED, BESIDE_THE_POINT, is_elliptical, part_relevance, share_right

Answers = Literal["yes", "partly", "no"]

_MOST_PARTS, _LONGEST_PART = 8, 300
_MODEL_SURE, _MODEL_DENIES = 0.85, 0.15
_DOUBT = "The answer shares few words with the question, so it may be about something else."
_WANTED = {"when": "a date or a time", "number": "a number", "amount": "an amount"}


@dataclass(frozen=True, slots=True)
class ModelJudgement:
    """A model's verdict on the same: how much of the question the answer answers, and which parts it leaves open."""

    answers: Answers
    open_parts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class QuestionVerdict:
    """Row V8. `complete`: nothing of the question is left open. `open_parts` are the parts without an answer.

    `missing_names` are named by the question and by no passage: then the answer is about something else, and does not
    count as one. `probability`, 0..1, is that of answering all of the question if what the answer says is true.
    """

    relevant: Answers
    complete: bool
    open_parts: tuple[str, ...]
    missing_names: tuple[str, ...]
    probability: float
    reason: str

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "open_parts": list(self.open_parts), "missing_names": list(self.missing_names)}


def judge_question(
    question: str,
    answer: str,
    passages: Sequence[str],
    said: ModelJudgement | None = None,
    refusal: str | None = None,
) -> QuestionVerdict | None:
    """Judge whether `answer` answers `question`; `passages` are what it was written from, with their names.

    `said` is a model's verdict, which outweighs comparison by letters, but not a name that no passage has. `refusal` is
    what the workspace says for "I don't know". None without a question. Linear in all lengths.
    """
    parts = parts_of(question)
    if not parts:
        return None
    missing = tuple(dict.fromkeys(thing.text for thing in missing_things(question, passages)))
    if is_idk(answer, refusal) or not answer.strip():
        return QuestionVerdict("no", False, _texts(parts), missing, 0.0, "The question is not answered.")
    shares = [part_relevance(part, answer) for part in parts]
    left = _open(parts, shares, answer)
    in_doubt = _in_doubt(parts, shares, left, answer)
    shares = [share_right(each) for each in shares]
    if said is not None:
        shares, left = _with_model_judgement(shares, left, said)
    if missing:
        named = ", ".join(f"“{each}”" for each in missing)
        reason = f"No passage names {named}, so the answer is about something else."
        return QuestionVerdict("no", False, _texts(parts), missing, round(min(_mean(shares), 0.05), 4), reason)
    relevant = said.answers if said else _relevant(parts, left, in_doubt)
    reason = _DOUBT if in_doubt and not said else _reason(parts, left, relevant, answer)
    return QuestionVerdict(relevant, not left and relevant == "yes", tuple(left), (), round(_mean(shares), 4), reason)


def question_of(checks: Mapping[str, Any]) -> Mapping[str, Any] | None:
    alignment: Mapping[str, Any] = checks.get("check_alignment") or {}
    return alignment.get("question")


def _open(parts: Sequence[QuestionPart], shares: Sequence[float], answer: str) -> list[str]:
    said = plain_text(answer).text
    return [
        part.text
        for part, share in zip(parts, shares, strict=True)
        if share < ANSWERED or (has_kind(part.kind, said, part.text) is False and not is_elliptical(part, said))
    ]


def _with_model_judgement(shares: list[float], left: list[str], said: ModelJudgement) -> tuple[list[float], list[str]]:
    """Combine with a model's verdict, which reads what words do not show: open parts are those it names, if any."""
    named = [" ".join(each.split())[:_LONGEST_PART] for each in said.open_parts if each.strip()][:_MOST_PARTS]
    match said.answers:
        case "yes":
            return [max(share, _MODEL_SURE) for share in shares], named
        case "partly":
            return [min(max(share, 0.4), 0.6) for share in shares], named or left
        case "no":
            return [min(share, _MODEL_DENIES) for share in shares], named or left


def _in_doubt(parts: Sequence[QuestionPart], shares: Sequence[float], left: Sequence[str], answer: str) -> bool:
    # Four of ten answers whose open parts all may have one were right (`fit_shown`).
    opened = [(part, share) for part, share in zip(parts, shares, strict=True) if part.text in left]
    return bool(opened) and all(
        share >= BESIDE_THE_POINT and has_kind(part.kind, answer, part.text) is not False for part, share in opened
    )


def _relevant(parts: Sequence[QuestionPart], left: Sequence[str], in_doubt: bool) -> Answers:
    if not left:
        return "yes"
    return "partly" if in_doubt or len(left) < len(parts) else "no"


def _reason(parts: Sequence[QuestionPart], left: Sequence[str], relevant: Answers, answer: str) -> str:
    if relevant == "yes" and not left:
        return "Every part of the question is answered." if len(parts) > 1 else "The answer is to the point."
    for part in parts:
        if part.text in left and has_kind(part.kind, answer, part.text) is False:
            return f"The question asks for {_WANTED[part.kind]}, and the answer has none."
    if relevant == "no":
        return "The answer is about something else than the question."
    return "A part of the question is left open."


def _texts(parts: Sequence[QuestionPart]) -> tuple[str, ...]:
    return tuple(part.text for part in parts)


def _mean(shares: Sequence[float]) -> float:
    return sum(shares) / len(shares)
