"""Computes features of units of text for the question that they should answer (V8)."""

import heapq
import math
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from citewell_verify.evidence.closed_classes import read
from citewell_verify.question.asked_nouns import Kind, asked_noun
from citewell_verify.question.question_parts import QuestionPart, has_kind
from citewell_verify.question.units import Unit
from citewell_verify.support.comparison import AnalysedText
from citewell_verify.text.opposites import opposites
from citewell_verify.text.words import as_spelt, coverage, stem, vocabulary

_MOST_CHARS, _MOST_STEMS = 1_500, 200  # of a unit or a question: a longer text is neither
_SAME_WORD = 0.6  # similarity of two stems from which on they are one word
_HEADING, _TITLE = 0.8, 0.5  # the weight of a word of the question that only the heading, or only the title, has
_WEIGHED = 12  # units for which all features are computed: the units with most of the question's words
FORMS: frozenset[Kind] = frozenset({"contact", "when", "where", "who", "number", "amount", "why"})
"""Kinds of question whose answers have a form that can be looked for."""
_OPEN = frozenset(("if", "reported", "planned"))
_LACKS = {True: 0.0, None: 0.5, False: 1.0}
# These words only name the kind of thing that is asked for: "which year", "what type of".
_ASKED_WORDS = frozenset(
    map(
        stem,
        vocabulary("""
            year years date name names named type types kind kinds term amount number percentage percent called many
            much long often part group person people thing things happen happened reason way example say says tell
            show give get list summaris summar summari overview point key main step steps
            procedure 년도 날짜 이름 종류 이유 방법 사람 금액 비율 퍼센트 요약 개요 핵심
        """),
    )
)
_ASKING = re.compile("^(?:몇|며칠|얼마|언제|누구|누가|어디|무엇|무슨|왜|어떻게|어떤)")
# The endings of a question and of its verbs, as in 청소하나요, 사요 and 내야; 분야 and 필요 are nouns.
_POLITE = re.compile(
    "(?:[하했되됐이인있합]|합니|입니)?(?:나요|까요|습니까|ㅂ니까|니까|가요|는지|은지|ᆫ지|(?<!분)야|(?<![필주중개수소동])요)$"
)
_NEGATED = re.compile(r"\b(?:not|never|cannot|without)\b|n['’]t\b|않|못|없|아닌")
_RULES = re.compile(
    r"\b(?:rules?|polic\w+|conditions?|restrict\w+|exceptions?|limit\w*|allow\w*|permit\w*|forbidden|prohibited)\b|규정|규칙|조건|제한",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Standing:
    """The question's words in a unit, each weighed by its rarity among the units.

    `words` is their share, 0..1; words that are only above the unit count less. `margin` is the lead over the best
    share of other units. `own` are the words in the unit itself, `has` the words in it or above it. `before` is the
    share of the words that only the sentence before the unit has; `lacks_noun`: the unit lacks the noun that the
    question asks for.
    """

    unit: Unit
    words: float
    margin: float
    own: frozenset[str]
    has: frozenset[str]
    before: float
    lacks_noun: bool


def standings(asked: QuestionPart, units: Sequence[Unit], rivals: Sequence[Unit] = ()) -> list[Standing]:
    """Return the units with most of the question's words, best first, at most twelve; headings are none.

    `rivals` are further units for the comparison. Linear in the number of units.
    """
    everything = (*units, *rivals)
    known = frozenset[str]().union(*(unit.read.related_stems.stems | unit.above | unit.title for unit in everything))
    asked_weights = question_weights(asked)
    spelt = dict(zip(asked_weights, as_spelt(list(asked_weights), known), strict=True))
    weights = {spelt[word]: weight for word, weight in asked_weights.items()}
    noun = asked_noun(asked.text) if asked.kind not in FORMS else None
    wanted = spelt.get(noun.words[0]) if noun else None
    shares = [_shares(weights, unit) for unit in everything]
    having = Counter(word for _, best in shares for word, share in best.items() if share >= _SAME_WORD)
    rarity = {word: weight * math.log(1 + len(shares) / max(having[word], 1)) for word, weight in weights.items()}
    total = sum(rarity.values()) or 1.0
    scores = [sum(rarity[word] * best[word] for word in rarity) / total for _, best in shares]
    alone = [sum(rarity[word] * own[word] for word in rarity) / total for own, _ in shares]
    lists = _lists(everything)
    sections = [_section(unit, name) for unit, name in zip(everything, lists, strict=True)]
    best_of_section, best_in_section = _Best(), defaultdict[object, _Best](_Best)
    answering = [not unit.is_heading and _adds(asked, unit) for unit in everything]
    for at, is_answering in enumerate(answering):
        if is_answering:
            best_of_section.add(sections[at], scores[at])
            best_in_section[sections[at]].add(lists[at], alone[at])
    ranked = sorted((at for at in range(len(units)) if answering[at] and scores[at]), key=lambda at: -scores[at])
    ranked = ranked[:_WEIGHED]
    chosen: list[Standing] = []
    for at in ranked:
        margin = scores[at] - max(best_of_section.beside(sections[at]), best_in_section[sections[at]].beside(lists[at]))
        has, earlier = _words(shares[at][1]), shares[at - 1][0] if goes_on_from(everything, at) else {}
        before = sum(rarity[word] for word, share in earlier.items() if share >= _SAME_WORD and word not in has)
        lacks_noun = wanted is not None and not coverage([wanted], has)
        chosen.append(Standing(units[at], scores[at], margin, _words(shares[at][0]), has, before / total, lacks_noun))
    return chosen


def goes_on_from(units: Sequence[Unit], at: int) -> bool:
    """Whether the unit at this place is the next sentence behind the unit before it."""
    before, unit = units[at - 1], units[at]
    is_prose = before.row is None and unit.row is None
    return (
        at > 0 and is_prose and (before.title, before.heading, before.group) == (unit.title, unit.heading, unit.group)
    )


def _adds(asked: QuestionPart, unit: Unit) -> bool:
    """True if the unit says more than the question, itself or in the list that it introduces, and is no question. For a
    question that asks for yes or no, it may also just repeat the question's words. A line that states nothing must have
    what is asked for: a date, or the noun."""
    if unit.text.endswith(("?", "？")):
        return False
    if unit.is_bare and not (has_kind(asked.kind, unit.text, asked.text) or _has_asked_noun(asked, unit)):
        return False
    if unit.text.endswith((":", "：")) or asked.kind == "decision":
        return True
    known = set(asked.stems)
    return not all(coverage([word], known) for word in unit.read.related_stems.stems)


def _has_asked_noun(asked: QuestionPart, unit: Unit) -> bool:
    noun = asked_noun(asked.text)
    return noun is not None and coverage(noun.words[:1], unit.read.related_stems.stems) > 0


class _Best:
    """The best scores of several things, to compare a thing with all others."""

    def __init__(self) -> None:
        self._scores: dict[object, float] = {}

    def add(self, name: object, score: float) -> None:
        self._scores[name] = max(score, self._scores.get(name, 0.0))

    def beside(self, name: object) -> float:
        """The best score of any other thing, 0 if there is none."""
        ranked = heapq.nlargest(2, self._scores, key=self._scores.__getitem__)
        return next((self._scores[best] for best in ranked if best != name), 0.0)


def _section(unit: Unit, own_list: object) -> object:
    """A key for the units that have the same head: the section below a heading, or the rows of a table. Words of the
    head are no reason to prefer one unit of a section to another.
    """
    if unit.row is not None:
        return unit.title, unit.heading, unit.row.table
    return (unit.title, unit.heading) if unit.heading else own_list


def _lists(units: Sequence[Unit]) -> list[object]:
    """A key for the list of each unit: a list and the line that introduces it are one answer, and any other unit is an
    answer by itself. Passages overlap, so the same text has the same key."""
    names: list[object] = []
    for unit, following in zip(units, [*units[1:], None], strict=False):
        if unit.lead:
            names.append((unit.group, unit.lead))
        elif following is not None and following.lead == unit.text:
            names.append((following.group, unit.text))
        else:
            names.append(unit.text)
    return names


def _shares(weights: Mapping[str, float], unit: Unit) -> tuple[dict[str, float], dict[str, float]]:
    own = {word: unit.read.related_stems.similarity(word) for word in weights}
    best = {
        word: share
        if share >= _SAME_WORD
        else max(share, _HEADING * coverage([word], unit.above), _TITLE * coverage([word], unit.title))
        for word, share in own.items()
    }
    return own, best


def _words(shares: Mapping[str, float]) -> frozenset[str]:
    return frozenset(word for word, share in shares.items() if share >= _TITLE * _SAME_WORD)


def answer_features(asked: QuestionPart, standing: Standing) -> dict[str, float]:
    """The features of a unit as an answer. All are 0..1, except the margin, which may be negative."""
    unit, question = standing.unit, _question(asked.text)
    said = _read(unit.below_heading[:_MOST_CHARS])
    # The head and the text are on lines of their own, because the number of an item is known by the start of its line.
    kind = has_kind(asked.kind, f"{unit.head}\n{unit.text}"[:_MOST_CHARS], asked.text)
    if asked.kind in FORMS:
        lacks = _LACKS[kind]
    else:  # a sentence that supposes, reports or plans the matter leaves the question open
        lacks = 0.5 * (asked.kind == "decision" and any(token.cue in _OPEN for token in read(said.text)))
    return {
        "words": standing.words,
        "margin": standing.margin,
        "all_of_many": min(1.0, len(question_weights(asked)) / 8)
        if standing.has >= question_weights(asked).keys()
        else 0,
        "before": standing.before,
        "lacks": lacks,
        "lacks_noun": float(standing.lacks_noun),
        "denied": float(_is_denied(asked.kind, question, said)),
        "opposed": float(_is_opposed(question, said)),
    }


@lru_cache(maxsize=256)
def _question(text: str) -> AnalysedText:
    return AnalysedText(text[:_MOST_CHARS])


@lru_cache(maxsize=4096)
def _read(text: str) -> AnalysedText:
    return AnalysedText(text)


@lru_cache(maxsize=256)
def question_weights(asked: QuestionPart) -> Mapping[str, float]:
    names = _question(asked.text).names
    weights: dict[str, float] = {}
    for word in without_asking(asked.stems[:_MOST_STEMS]):
        kind = 1.0 if word[0].isdigit() else 0.7 if word in names else 0
        weights[word] = 1 + 0.5 * min(1, len(word) / 8) + kind
    return weights


def without_asking(stems: Sequence[str]) -> Sequence[str]:
    """Return the stems that name the topic of a question; all stems if none does."""
    return [word for word in without_question_words(stems) if word not in _ASKED_WORDS] or stems


def without_question_words(stems: Sequence[str]) -> Sequence[str]:
    """Return the stems without Korean question words and the endings of questions; all, if there are no others."""
    plain = [(_POLITE.sub("", word), word) for word in stems]
    # The single syllable that remains of 있나요 is no word.
    return [word for word, whole in plain if (len(word) > 1 or word == whole) and not _ASKING.search(word)] or stems


def _is_denied(kind: Kind, question: AnalysedText, said: AnalysedText) -> bool:
    """True if one denies what the other asserts: "what is not exempt" and "exempt from", "who has" and "do not have".

    Questions that ask for yes or no, or which rules apply, may be answered with a denial.
    """
    if _NEGATED.search(question.text) or question.denied:
        return not question.denied & said.denied
    if kind in ("decision", "definition", "how", "matter") or _RULES.search(question.text):
        return False
    return bool(said.denied & question.related_stems.stems)


def _is_opposed(question: AnalysedText, said: AnalysedText) -> bool:
    """Return whether one has the opposite of a word of the other: accept and reject, formal and informal."""
    asked, stated = question.related_stems.stems, said.related_stems.stems
    return opposites(asked, stated) is not None
