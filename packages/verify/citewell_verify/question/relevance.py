"""Estimates how well an answer answers its question, and derives the verdict.

`benchmarks.fitting.fit_question` fits the weights in `model.json` on questions over passages that people answered or
found unanswerable. Whether the answer is true is decided separately, by the checks of its statements.
"""

import json
import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import asdict, dataclass, replace
from functools import cache, lru_cache
from importlib.resources import files
from itertools import pairwise
from typing import Any, Literal

from citewell_verify.answers.refusals import is_idk
from citewell_verify.facts.structure.tables import cells_as_text
from citewell_verify.markers.stripping import plain_text
from citewell_verify.question.features import Standing, answer_features, standings
from citewell_verify.question.named_things import missing_things
from citewell_verify.question.question_parts import QuestionPart, has_kind, parts_of, whole_asked
from citewell_verify.question.units import Unit, units_of
from citewell_verify.support.model import LogisticRegression, parse_regression
from citewell_verify.text.words import content_stems, letters

ANSWERED = 0.15
"""From this probability of its best unit on, a part of a question counts as answered, if only in doubt, and is answered
without a model; below it, passages are shown."""

SURELY_ANSWERED = 0.8
"""From this probability on (`share_right`), about 9 of 10 shown answers were right: their signal is green."""

BESIDE_THE_POINT = 0.1
"""Below this probability, hardly any answer answered its question."""

_MOST_SENTENCES = 60
_ELLIPTICAL = 6  # the most words of an answer that repeats nothing of its question: "30 days."
_UNKNOWN = 0.5
_LABELLED = re.compile(r"\w: |\w · ")


@cache
def _fitted() -> Mapping[str, Any]:
    return json.loads((files("citewell_verify.question") / "model.json").read_text(encoding="utf-8"))


@cache
def question_model() -> LogisticRegression:
    return parse_regression(_fitted())


def measured_languages() -> Sequence[str]:
    """The languages of the questions that the weights were fitted on."""
    return _fitted()["languages"]


def share_right(relevance: float) -> float:
    """Return how often an answer whose best sentence has this relevance was right, by `benchmarks.fitting.fit_shown`.

    The weights are fitted on all sentences that could be answers. The sentence that is chosen as the best is right more
    often than those, most of all if it has few words in common with its question.
    """
    knots: Sequence[Sequence[float]] = _fitted()["shown"]
    for (low, at_low), (high, at_high) in pairwise(knots):
        if relevance <= high:
            return at_low + (at_high - at_low) * (relevance - low) / (high - low)
    return 1.0


@dataclass(frozen=True, slots=True)
class Candidate:
    """A unit with the probability, 0..1, that it answers a part of a question."""

    standing: Standing
    probability: float

    @property
    def unit(self) -> Unit:
        return self.standing.unit


def candidates(asked: QuestionPart, units: Sequence[Unit], rivals: Sequence[Unit] = ()) -> list[Candidate]:
    """Return the units that may answer one part of a question, most probable first. `rivals` are further units for the
    comparison.
    """
    weighed = [
        Candidate(standing, question_model().probability(answer_features(asked, standing)))
        for standing in standings(asked, units, rivals)
    ]
    return sorted(weighed, key=lambda candidate: -candidate.probability)


def answer_relevance(question: str, answer: str, passages: Sequence[str] = ()) -> float:
    """Return the probability, 0..1, that `answer` answers all of `question`, provided that it is true.

    It is 1 without a question, 0 for "I don't know", and else the mean over the question's parts. Citation markers do
    not count. Other sentences of the `passages` that it was written from may answer better. Linear in all lengths.
    """
    if not question.strip():
        return 1.0
    if is_idk(answer) or not answer.strip():
        return 0.0
    shares = [share_right(part_relevance(part, answer, passages)) for part in parts_of(question)]
    return sum(shares) / len(shares) if shares else _UNKNOWN


def part_relevance(asked: QuestionPart, answer: str, passages: Sequence[str] = ()) -> float:
    """Return `answer_relevance` for one part of a question: the probability of the sentence that answers it best."""
    return _part_relevance(asked, answer, tuple(passages))


@lru_cache(maxsize=64)
def _part_relevance(asked: QuestionPart, answer: str, passages: tuple[str, ...]) -> float:
    """The relevance of an answer to a part, cached, because the verdict, its reason and its open parts need it."""
    said = plain_text(answer).text
    units = units_of(said)[:_MOST_SENTENCES]
    if not units:
        return 0.0
    if is_elliptical(asked, said):
        units = (*units, *units_of(f"{asked.text.rstrip('?？ ')} {units[0].text}"))
    elif _is_hangul(asked.text) != _is_hangul(answer):
        return _UNKNOWN
    stated = [unit for text in passages for unit in units_of(text)]
    lines = {letters(unit.text) for unit in units}
    places = {id(unit): line for unit in stated if (line := _quoted_line(unit, lines))}
    # A quoted unit is judged in its passage, with its heading and the sentence before it.
    standing = [candidate for candidate in candidates(asked, stated) if id(candidate.unit) in places] if places else []
    quoted = max((candidate.probability for candidate in standing), default=0.0)
    if lines == set(places.values()):
        return quoted
    said_letters, headings = letters(said), {letters(unit.text) for unit in stated if unit.is_heading}
    rivals = [unit for unit in stated if letters(unit.text) not in said_letters]
    # A line of an answer is a statement, unless it is only a heading of the passages.
    best = candidates(asked, [unit for unit in units if letters(unit.text) not in headings], rivals)
    return max(quoted, best[0].probability if best else 0.0)


def _quoted_line(unit: Unit, lines: Set[str]) -> str:
    """Return the line of an answer that is this unit of a passage, or cells of this row; "" if there is none."""
    row = unit.row
    if row is None:
        return next((said for said in map(letters, (unit.text, unit.below_heading)) if said in lines), "")
    label = letters(row.label)
    alike = [line for line in lines if line.startswith(label)]
    cells = [letters(cells_as_text(replace(row, label=""), [cell])) for cell in row.cells if alike]
    return next((line for line in alike if line == label + "".join(cell for cell in cells if cell in line)), "")


def is_elliptical(asked: QuestionPart, answer: str) -> bool:
    """True for a bare phrase of the kind that is asked for, as in "When?" – "In May 2020"; not for what has a label."""
    if len(answer.split()) > _ELLIPTICAL or _LABELLED.search(answer) or set(content_stems(answer)) & set(asked.stems):
        return False
    return bool(has_kind(asked.kind, answer, asked.text)) or asked.kind == "decision"


def _is_hangul(text: str) -> bool:
    letters = [letter for letter in text if letter.isalpha()]
    return sum("가" <= letter <= "힣" for letter in letters) > 0.3 * len(letters)


Answers = Literal["yes", "partly", "no"]

_MOST_PARTS, _LONGEST_PART = 8, 300
_JUDGED: Mapping[Answers, float] = {"yes": 1.0, "partly": 0.5, "no": 0.1}
"""A model's own verdict as a probability; it decides alone, because common words say less than a reader does."""
_DOUBT = "The answer shares few words with the question, so it may be about something else."
_WHOLE = "Only a reader can tell whether this is what matters of the whole."
_NAMES_MISSING = 0.05
_WANTED = {
    "when": "a date or a time",
    "number": "a number",
    "amount": "an amount",
    "contact": "a telephone number or an address",
}


@dataclass(frozen=True, slots=True)
class ModelJudgement:
    """A model's verdict on the relevance: how much of the question the answer answers, and which parts it leaves
    open.
    """

    answers: Answers
    open_parts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class QuestionVerdict:
    """The verdict of row V8. `complete`: no part of the question is left open. `open_parts` are the parts without an
    answer.

    `missing_names` are names in the question that no passage has: then the answer is about something else, and does not
    count as an answer. `probability`, 0..1, is the probability that the answer, if it is true, answers all of the
    question.
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
    """Judge whether `answer` answers `question`; `passages` are the texts that it was written from, with their names.

    `said` is a model's verdict, which decides unless no passage has a name of the question. `refusal` is the
    workspace's wording of "I don't know". None without a question. Linear in all lengths.
    """
    parts = parts_of(question)
    if not parts:
        return None
    texts = tuple(part.text for part in parts)
    missing = tuple(dict.fromkeys(thing.text for thing in missing_things(question, passages)))
    if is_idk(answer, refusal) or not answer.strip():
        return QuestionVerdict("no", False, texts, missing, 0.0, "The question is not answered.")
    if missing:
        named = ", ".join(f"“{name}”" for name in missing)
        reason = f"No passage names {named}, so the answer is about something else."
        return QuestionVerdict("no", False, texts, missing, _NAMES_MISSING, reason)
    relevance = {part: part_relevance(part, answer, passages) for part in parts}
    if whole_asked(question) == "summary" and not said:
        return QuestionVerdict("partly", False, texts, (), max(_UNKNOWN, *relevance.values()), _WHOLE)
    return _as_model_says(relevance, answer, said) if said else _by_words(relevance, answer)


_Relevance = Mapping[QuestionPart, float]
"""The probability that the answer answers a part of the question, for each part in order."""


def _by_words(relevance: _Relevance, answer: str) -> QuestionVerdict:
    parts, left = list(relevance), _open(relevance, answer)
    in_doubt = _in_doubt(relevance, left, answer)
    probability = round(sum(map(share_right, relevance.values())) / len(parts), 4)
    relevant: Answers = "yes"
    if left:
        relevant = "partly" if in_doubt or len(left) < len(parts) else "no"
    reason = _DOUBT if in_doubt else _reason(parts, left, relevant, answer)
    if relevant == "yes" and probability < SURELY_ANSWERED:
        # If one in ten or more answers with such a number are wrong, it is no plain yes (V10).
        relevant, reason = "partly", _DOUBT
    return QuestionVerdict(relevant, not left, tuple(left), (), probability, reason)


def _as_model_says(relevance: _Relevance, answer: str, said: ModelJudgement) -> QuestionVerdict:
    """The model's verdict; an open part counts half, unless the model doubts all of the answer."""
    parts = list(relevance)
    named = [" ".join(part.split())[:_LONGEST_PART] for part in said.open_parts if part.strip()][:_MOST_PARTS]
    left = named if named or said.answers == "yes" else _open(relevance, answer)
    closed = 1 - 0.5 * min(len(left) / len(parts), 1.0) if said.answers == "yes" else 1.0
    reason = _reason(parts, left, said.answers, answer)
    is_complete = said.answers == "yes" and not left
    return QuestionVerdict(said.answers, is_complete, tuple(left), (), _JUDGED[said.answers] * closed, reason)


def question_of(checks: Mapping[str, Any]) -> Mapping[str, Any] | None:
    alignment: Mapping[str, Any] = checks.get("check_alignment") or {}
    return alignment.get("question")


def _open(relevance: _Relevance, answer: str) -> list[str]:
    said = plain_text(answer).text
    return [
        part.text
        for part, share in relevance.items()
        if share < ANSWERED or (has_kind(part.kind, said, part.text) is False and not is_elliptical(part, said))
    ]


def _in_doubt(relevance: _Relevance, left: Sequence[str], answer: str) -> bool:
    """True if all open parts may have an answer: four of ten such answers were right (`fit_shown`)."""
    opened = [(part, share) for part, share in relevance.items() if part.text in left]
    return bool(opened) and all(
        share >= BESIDE_THE_POINT and has_kind(part.kind, answer, part.text) is not False for part, share in opened
    )


def _reason(parts: Sequence[QuestionPart], left: Sequence[str], relevant: Answers, answer: str) -> str:
    if relevant == "yes" and not left:
        return "Every part of the question is answered." if len(parts) > 1 else "The answer is to the point."
    for part in parts:
        if part.text in left and has_kind(part.kind, answer, part.text) is False:
            return f"The question asks for {_WANTED[part.kind]}, and the answer has none."
    if relevant == "no":
        return "The answer is about something else than the question."
    return "A part of the question is left open."
