"""Scores the relevance of sentences to a question."""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from clients.llm.offline.meaning import Meaning
from clients.llm.offline.passages import Passage, ReadSentence, read_passage, shown_sentence
from clients.llm.offline.tables import read_table
from clients.llm.offline.tuning import TUNING
from domain.prompting.numbered_sources import Source
from domain.question.question_parts import Kind, QuestionPart, has_kind, kind_of, question_stems
from domain.question.relevance import sentence_relevance
from domain.text.words import content_stems, coverage

_ASKED = re.compile(r"(?P<noun>[가-힣]{2,8}?)(?:은|는|이|가) {0,3}(?:무엇|뭐|얼마|몇|어디|누구|언제|어떻|왜|\?|$)")
_SAID_AS = {
    "사망자": ("사망", "숨지", "숨졌", "숨진", "목숨"),
    "부상자": ("부상", "다치", "다쳤", "다친"),
    "피해액": ("피해",),
    "이유": ("이유", "원인", "때문"),
    "원인": ("원인", "때문", "탓"),
}
"""How sentences say what a question asks about by a noun."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence of `source` and its score as an answer: about 0..1, more where `relevance` is added.

    `relevance` is the probability that it answers; `covered` are the question's stems that it contains. `row_text` is
    what an answer says instead of the sentence, which is a row of a table.
    """

    source: Source
    sentence: ReadSentence
    score: float
    relevance: float = 0.0
    covered: frozenset[str] = frozenset()
    row_text: str = ""

    @property
    def shown(self) -> str:
        # A sentence in one line, or the cells of a row with their names.
        return self.row_text or shown_sentence(self.source, self.sentence)

    def adds_to(self, chosen: Sequence["Candidate"]) -> bool:
        return not self.covered <= frozenset[str]().union(*(each.covered for each in chosen))


def ranked_sentences(question: str, sources: Sequence[Source], meaning: Meaning) -> list[Candidate]:
    passages = [read_passage(source.text) for source in sources]
    tables = [read_table(source) for source in sources]
    rarity = _rarity(question_stems(question), [each for passage in passages for each in passage.sentences])
    ranked = [
        Candidate(source, sentence, score - TUNING.sentence_order * order, row_text=table.row_as_text(sentence))
        for order, (source, passage, table) in enumerate(zip(sources, passages, tables, strict=True))
        for sentence, score in _scored(question, passage, frozenset(content_stems(source.label)), rarity, meaning)
        if not table.is_head(sentence)
    ]
    return sorted(ranked, key=lambda candidate: -candidate.score)


def answering_sentences(part: QuestionPart, sources: Sequence[Source], meaning: Meaning) -> list[Candidate]:
    """The best sentences of `sources` for one part of a question, by words, meaning and relevance (V8)."""
    weighed: list[Candidate] = []
    for each in ranked_sentences(part.text, sources, meaning)[: TUNING.weighed]:
        text = each.shown
        relevance = sentence_relevance(part, text)
        if has_kind(part.kind, text, part.text) is False:
            continue
        covered = frozenset(stem for stem in part.stems if coverage([stem], each.sentence.stems))
        weighed.append(
            replace(each, score=each.score + TUNING.relevance * relevance, relevance=relevance, covered=covered)
        )
    return sorted(weighed, key=lambda each: -each.score)


def naming_what_is_asked(question: str, candidates: Sequence[Candidate]) -> Sequence[Candidate]:
    """Those with the noun that a Korean question asks about, 원인 in "화재의 원인은 무엇입니까?": other words of the
    question may stand together in a sentence that says nothing of it. All if none has it, unless it is known how it is
    said.
    """
    asked = _ASKED.search(question)
    if asked is None:
        return candidates
    forms = _SAID_AS.get(asked["noun"], (asked["noun"],))
    naming = [each for each in candidates if any(form in each.sentence.text for form in forms)]
    return naming if naming or asked["noun"] in _SAID_AS else candidates


def texts_of(sources: Sequence[Source]) -> list[str]:
    # Name and context name things, too.
    return [f"{source.label}\n{source.context}\n{source.text}" for source in sources]


def _scored(
    question: str, passage: Passage, label: frozenset[str], rarity: Mapping[str, float], meaning: Meaning
) -> list[tuple[ReadSentence, float]]:
    kind = kind_of(question)
    context = TUNING.sentence_context * coverage(list(rarity), passage.stems | label)
    by_words = [(each, TUNING.sentence_overlap * _overlap(rarity, each, label) + context) for each in passage.sentences]
    by_words.sort(key=lambda pair: -pair[1])
    if not meaning.known:
        scale = TUNING.sentence_overlap + TUNING.sentence_context
        return [(sentence, score / scale + _kind(kind, question, sentence.text)) for sentence, score in by_words]
    closest = by_words[: TUNING.encoded_for_answer]
    likenesses = meaning.likenesses(question, [sentence.text for sentence, _ in closest])
    likenesses += [0.0] * (len(by_words) - len(closest))
    return [
        (sentence, score + TUNING.sentence_meaning * likeness + _kind(kind, question, sentence.text))
        for (sentence, score), likeness in zip(by_words, likenesses, strict=True)
    ]


def _kind(kind: Kind, question: str, text: str) -> float:
    return TUNING.sentence_kind if has_kind(kind, text, question) else 0.0


def _rarity(wanted: Sequence[str], sentences: Sequence[ReadSentence]) -> dict[str, float]:
    # Words in every sentence count little; those in none must still count.
    having = Counter(stem for sentence in sentences for stem in sentence.stems)
    return {stem: math.log(1 + len(sentences) / (having[stem] or 0.5)) for stem in wanted}


def _overlap(rarity: Mapping[str, float], sentence: ReadSentence, label: frozenset[str]) -> float:
    # Words of its headings count less.
    titles = sentence.heading | label
    shares = {stem: max(coverage([stem], sentence.stems), TUNING.heading * coverage([stem], titles)) for stem in rarity}
    total = sum(rarity.values())
    return sum(weight * shares[stem] for stem, weight in rarity.items()) / total if total else 0.0
