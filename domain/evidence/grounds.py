"""Tests whether a disagreement has a positive ground: the source gives the same subject another value or polarity (V3).

Without one the statement is unproven, not contradicted: a plan for an announcement, a denial of something that the
compared sentence is not about.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from domain.facts.kinds import Disagreement
from domain.facts.reading.korean import is_korean
from domain.facts.reading.token_alignment import Alignment, align, tokens_match
from domain.facts.reading.tokens import Token, Value, tokenize
from domain.facts.reading.vocabulary import keys_of

_VALUES = ("number", "date", "unit")
_TOGETHER = re.compile(
    r"\b(?:together|totals?|sum|combined|altogether|in all|overall|difference|both|more than in|fewer than in)\b"
    r"|합쳐|합치면|합하면|합계|모두|통틀어|총 |차이|사이에",
    re.IGNORECASE,
)
_AHEAD = re.compile(
    r"\b(?:(?:vot(?:es?|ed)|decid(?:es?|ed)|agree[sd]?) to|next|coming|tomorrow|upcoming|not)\b"
    r"|내년|다음|앞으로|향후|계획|기로"
)
_PAST = re.compile(r"[았었였했됐갔왔렸졌꼈켰쳤녔]다[.\s]*$")
_COPIED, _MOSTLY = 4, 0.75
_THAN = re.compile(r"\bthan\b|보다")
_LATEST = re.compile(r"\b(?:no later than|at the latest|by|not after|up to|maximum)\b|늦어도|이내|안에")
_SAYING = re.compile(
    r"\b(?:sa(?:ys?|id)|report(?:s|ed)?|stat(?:es?|ed)|announc(?:es?|ed)|t(?:ells?|old)|explain(?:s|ed)?|add(?:s|ed)"
    r"|writes?|wrote|not(?:es?|ed))\b|보고[하했한]|말[하했한]|밝히|밝혔|밝힌|전하|전했|설명[하했한]|발표[하했한]",
    re.IGNORECASE,
)
_PERMITTING = re.compile(
    r"\b(?:may|can|able|allow(?:s|ed)?|permit(?:s|ted)?|possible|entitled)\b|수 있|도 [된됩]|가능|허용|허가",
    re.IGNORECASE,
)
_DENIAL = (
    r"\b(?:not|no|never|none|cannot|nothing|neither|nor|without)\b|n['’]t\b"
    r"|않|못[하했한]|없|안 [되된됩돼]|말아|마십|마세"
)
_SAME_MEANING = tuple(
    (re.compile(one, re.IGNORECASE), re.compile(other, re.IGNORECASE))
    for one, other in (
        (r"\b(?:prohibit|forbid|forbad|bann?ed\b|barred\b)|금지|불가", _DENIAL),
        (r"\bfree\b|무료|공짜", _DENIAL),
        (r"\b(?:closed|closes|shut)\b|닫|쉬는|쉰다|쉽니다|휴관|휴무|휴업", _DENIAL),
        (r"\bonly\b|야만|[가-힣]만(?![가-힣])", _DENIAL),
        (
            r"\b(?:requires?|required|needs?|necessary|must|subject to)\b|필요|있어야|해야",
            r"\bnot\b[^.]*\bwithout\b|없이[^.]*[없않못]",
        ),
    )
)
"""What denies something without a word of denial, and what denies it with one: they agree in polarity."""
_ALIKE = tuple(
    map(
        keys_of,
        (
            "rise increase grow climb improve gain advance jump surge",
            "fall decrease decline drop shrink worsen slip cut reduce",
            "begin start open launch commence",
            "end finish close expire conclude",
            "oppose against object reject",
            "work run operate function",
        ),
    )
)
"""Verbs that may tell the same: one for another is no contradiction, though nor is it proven."""
_SUBORDINATE = re.compile(r"(?:후|뒤|다음|전|때|동안)(?:에|에는)?\s")


def with_grounds(statement: str, place: str, found: Sequence[Disagreement]) -> tuple[Disagreement, ...]:
    """Return the disagreements of a statement with a `place` of its source; those without a positive ground are not
    `sure`."""
    if not found:
        return ()
    compared = _Compared(statement, place)
    return tuple(each if compared.has_ground(each) else replace(each, sure=False) for each in found)


@dataclass(frozen=True)
class _Compared:
    """A statement beside the place of its source with which it disagrees."""

    statement: str
    place: str

    def has_ground(self, found: Disagreement) -> bool:
        if found.kind in _VALUES:
            return self._is_another_value(found)
        if found.kind == "negation":
            return not self._agree_in_polarity and (self._is_copy or self._denies_the_same(found))
        if found.kind == "modality":
            is_permitted = _PERMITTING.search(self.statement) and _PERMITTING.search(self.place)
            is_other_way = is_permitted or self._agree_in_polarity or self._is_in_other_mood(found)
            return not is_other_way and (self._is_copy or self._has_all_words)
        if found.kind == "quantifier":
            is_compared = _THAN.search(self.statement) and not _THAN.search(self.place)
            return not is_compared and (self._is_copy or self._has_all_words)
        if found.kind == "attribution":
            return bool(_SAYING.search(self.statement)) or not _SAYING.search(self.place)
        if found.kind == "order":
            return not self._is_topic_of_two_clauses(found)
        return self._is_copy or not self._may_tell_the_same(found)

    @cached_property
    def _alignment(self) -> Alignment:
        return align(self._tokens, self._known)

    @cached_property
    def _is_copy(self) -> bool:
        # But for a word or two: what differs then means something else.
        found = self._alignment
        same = sum(found.statement[at].is_content for at in found.matched_statement)
        return same >= _COPIED and found.coverage >= _MOSTLY and found.local_similarity >= _MOSTLY

    @cached_property
    def _tokens(self) -> Sequence[Token]:
        return tokenize(self.statement)

    @cached_property
    def _known(self) -> Sequence[Token]:
        return tokenize(self.place)

    @cached_property
    def _lost(self) -> Sequence[Token]:
        known = [each for each in self._known if each.is_content]
        unmatched = (each for at, each in enumerate(self._tokens) if at not in self._alignment.matched_statement)
        lost = (each for each in unmatched if each.is_content and not each.value)
        return [each for each in lost if not any(tokens_match(each, other) for other in known)]

    @property
    def _has_all_words(self) -> bool:
        return not self._lost

    def _values(self, found: Disagreement) -> Iterator[Value]:
        for each in self._tokens:
            if each.value and (found.claim_value in each.text or each.text in found.claim_value):
                yield each.value

    def _is_another_value(self, found: Disagreement) -> bool:
        values = list(self._values(found))
        if not values:
            return not (found.source_value is None and _LATEST.search(self.place)) and not self._agree_in_polarity
        is_measured = found.kind != "date" and found.source_value
        if is_measured and _digits(found.source_value or "") == _digits(found.claim_value) != "":
            return True  # another sign, currency or unit
        copied = found.source_value is not None and (self._is_copy or self._has_all_words)
        copied = copied and not (_TOGETHER.search(self.statement) and not _TOGETHER.search(self.place))
        if copied:
            return True
        counted = all(each.quantity is not None and each.quantity.weak for each in values)
        return not counted and (self._has_all_words or not self._has_values(values))

    def _has_values(self, values: Sequence[Value]) -> bool:
        sizes = {each.value.quantity.value for each in self._known if each.value and each.value.quantity}
        return all(each.quantity is not None and each.quantity.value in sizes for each in values)

    @cached_property
    def _agree_in_polarity(self) -> bool:
        both = ((self.statement, self.place), (self.place, self.statement))
        return any(one.search(text) and other.search(rest) for one, other in _SAME_MEANING for text, rest in both)

    def _denies_the_same(self, found: Disagreement) -> bool:
        """Say whether both are about the same: the opposite stands in the clause of the values that the statement has,
        or the place has all that it denies."""
        if found.source_value in (None, found.claim_value):
            return self._has_all_words
        opposite = next((each for each in self._known if each.text == found.source_value), None)
        mine = [each for each in self._tokens if each.value]
        stated = [each for each in self._known if each.value and any(tokens_match(one, each) for one in mine)]
        return opposite is None or not stated or any(each.clause == opposite.clause for each in stated)

    def _is_in_other_mood(self, found: Disagreement) -> bool:
        # A plan announces without the word that the statement has.
        if found.source_value:
            return False
        cue = next((each.cue for each in self._tokens if each.cue and each.text == found.claim_value), "")
        if cue != "planned":
            return False
        return _AHEAD.search(self.place) is not None or (is_korean(self.place) and not _PAST.search(self.place))

    def _is_topic_of_two_clauses(self, found: Disagreement) -> bool:
        # 수프가 식은 다음에 크림을 넣는다.
        exchanged = next((each for each in self._tokens if each.text == found.claim_value), None)
        is_noun = exchanged is not None and exchanged.case in ("topic", "subject", "object")
        has_topic = any(each.case == "topic" for each in self._tokens)
        return is_noun and has_topic and all(_SUBORDINATE.search(each) for each in (self.statement, self.place))

    def _may_tell_the_same(self, found: Disagreement) -> bool:
        # One word may stand for the other, or more than that word is told in other words.
        named = found.claim_value[:1].isupper() or " " in found.claim_value
        if self._alignment.unmatched[0] > 1 and not named:
            return True
        words = [_key(found.claim_value), _key(found.source_value or "")]
        return any(each.issuperset(words) for each in _ALIKE)


def _digits(text: str) -> str:
    return "".join(filter(str.isdigit, text))


def _key(word: str) -> str:
    return next(iter(keys_of(word)), "") if " " not in word else word
