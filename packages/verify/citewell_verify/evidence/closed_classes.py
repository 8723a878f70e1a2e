"""Closed classes of English and Korean words that limit, deny, allow or compare what a sentence says (V3).

All words of a class, in any inflection, have the same meaning, so `rose` equals `increased`, and `at most` equals
"up to". No class is open: this module does not deal with nouns and verbs of opposite meaning.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from citewell_verify.facts.kinds import Kind
from citewell_verify.facts.reading.phrases import normalised
from citewell_verify.facts.reading.tokens import Token, tokenize

_MORE = (
    r"\b(?:more|higher|greater|larger|bigger|longer|older"
    r"|increas\w+|ris(?:es?|en|ing)|rose|gr[eo]w(?:s|n|th|ing)?|gain(?:s|ed)?)\b"
    r"|(?<![가-힣])(?:높[은아았게다]|많[아았다]|큰|크[다며]|컸|길[다어]|긴(?= )"
    r"|비싸|비쌌|늘[었어]|증가|상승|오[르른]|올[랐라]|빠[르른])\w*"
)
_LESS = (
    r"\b(?:less|fewer|lower|smaller|shorter|younger"
    r"|decreas\w+|f[ae]ll(?:s|en|ing)?|declin\w+|drop(?:s|ped|ping)?|shr[aiu]nk\w*|reduc\w+|los[et]s?)\b"
    r"|(?<![가-힣])(?:낮[은아았게다]|적[은었다]|작[은았다]|짧|싸(?=다|고|며)|쌌|줄[었어]|감소|하락|내[리린]|내렸|떨어[지졌진]"
    r"|느[리린])\w*"
)
_PERIODS = (
    ("hour", "hourly", "시간"),
    ("day", "daily", "일"),
    ("week", "weekly", "주"),
    ("month", "monthly", "월|달"),
    ("quarter", "quarterly", "분기"),
    ("year", "yearly|annual(?:ly)?|per annum", "연|년|해"),
)
_EVERY = tuple(
    (
        f"every {period}",
        rf"\b(?:{adverb}|(?:per|each|every) {period})\b|(?<![가-힣])(?:매(?:{korean})|(?:{korean})간)(?![가-힣])",
    )
    for period, adverb, korean in _PERIODS
)
_MARKS = tuple(
    (kind, re.compile(pattern, re.IGNORECASE))
    for kind, pattern in (
        ("possible", r"\bcan\b|(?<=[가-힣] )수(?:도|는|가)?(?=\s?[있없])|가능(?!성)(?:하\w*|합\w*|한|해|할)?"),
        ("obliged", r"\bneed(?:s|ed)? to\b"),
        (
            "except",
            r"\b(?:except(?:ing|ed)?(?: for)?|exclud(?:es?|ed|ing)|apart from|other than)\b|제외\w*|이외\w*|뺀|빼고",
        ),
        ("including", r"\b(?:includ(?:es?|ed|ing)|inclusive)\b|포함\w*"),
        ("within", r"\b(?:within|inside)\b"),
        ("outside", r"\boutside\b"),
        ("over", r"(?<=[가-힣])(?:이상|초과)(?![가-힣])|초과(?:하\w*|한|할|된)|\bor more\b"),
        ("under", r"(?<=[가-힣])(?:이하|미만|이내)(?![가-힣])|\bor less\b|\bup to(?=\s\S{1,4}\s?\d)"),
        ("more", _MORE),
        ("less", _LESS),
        ("all", r"(?<![가-힣])각(?=\s)"),
        ("also", r"(?<=[가-힣]{2})도(?=\s)"),
        *_EVERY,
        ("below zero", r"영하"),
        ("above zero", r"영상(?=\s?\d)"),
    )
)
"""Classes in addition to those with which every sentence is read (`citewell_verify.facts.reading.vocabulary.CUES`)."""
_OPPOSED = frozenset(
    frozenset(pair.split(","))
    for pair in ("over,under", "within,outside", "more,less", "before,after", "possible,obliged")
)
_FAMILIES = (
    *_OPPOSED,
    frozenset(("denied", "possible", "obliged", "advised", "planned", "reported")),
    frozenset(("denied", "all", "most", "some", "few", "many", "only", "except", "including", "also")),
    frozenset(("below zero", "above zero")),
    frozenset(period for period, _ in _EVERY),
)
"""Classes whose exchange changes the meaning of a sentence; the exchange of two opposed classes reverses it."""
_ADDED = frozenset("denied obliged all most few only over under before except".split())
_OMITTED = frozenset("denied possible planned reported most some few only over under before except".split())
"""Classes whose omission changes the meaning of a sentence: "may be" says less than "is", so it is an error to leave it
out, and none to add it."""
_KINDS: Mapping[str, Kind] = {
    **dict.fromkeys(("denied", "more", "less"), "negation"),
    **dict.fromkeys(("possible", "obliged", "advised", "planned"), "modality"),
    **dict.fromkeys(("below zero", "above zero"), "number"),
    **dict.fromkeys(
        "all most some few many only except including also over under within outside".split(), "quantifier"
    ),
    **dict.fromkeys(("before", "after"), "order"),
    "reported": "attribution",
    **dict.fromkeys((period for period, _ in _EVERY), "unit"),
}
_MOST_CHANGED = 3
_MODAL = frozenset(kind for kind, name in _KINDS.items() if name == "modality")
_SIGNS = frozenset(("below zero", "above zero"))
_BESIDE = frozenset(("all", "also", "including"))
REVERSING = frozenset("denied possible reported planned if except only before after".split())
"""Classes that may reverse the sentence beside them, or make it conditional."""


@lru_cache(maxsize=2048)
def read(sentence: str) -> tuple[Token, ...]:
    """Return the tokens of a sentence, with the words of `_MARKS` as cues."""
    tokens = tokenize(sentence)
    text = normalised(sentence)
    marks = sorted((m.start(), m.end(), kind) for kind, pattern in _MARKS for m in pattern.finditer(text))
    return tuple(_marked(tokens, text, marks))


def _marked(tokens: Sequence[Token], text: str, marks: Sequence[tuple[int, int, str]]) -> Iterator[Token]:
    rest = list(marks)
    for token in tokens:
        while rest and rest[0][0] < token.start:
            start, end, kind = rest.pop(0)
            yield Token(text[start:end], kind, "cue", start, cue=kind, clause=token.clause)
        if rest and rest[0][0] == token.start and not token.value:
            start, end, kind = rest.pop(0)
            yield replace(token, text=text[start:end], key=kind, kind="cue", cue=kind, case="")
            continue
        yield token
    for start, end, kind in rest:
        yield Token(text[start:end], kind, "cue", start, cue=kind, clause=tokens[-1].clause if tokens else 0)


def makes_condition(tokens: Sequence[Token]) -> bool:
    """Say whether the tokens restrict the rest of their sentence: "except …", "unless …", "if …", "only …"."""
    return any(token.cue in ("except", "if", "only") for token in tokens)


class ChangedMarks:
    """The words of closed classes that one sentence has and the other lacks."""

    def __init__(self) -> None:
        self._stated, self._known = Counter[str](), Counter[str]()
        self._words: dict[tuple[bool, str], str] = {}

    def add(self, stated: Sequence[Token], known: Sequence[Token]) -> None:
        for side, tokens in ((self._stated, stated), (self._known, known)):
            for token in tokens:
                if token.cue:
                    side[token.cue] += 1
                    self._words.setdefault((side is self._stated, token.cue), token.text)

    @property
    def are_signs(self) -> bool:
        """True if the changed marks are only signs of numbers, or if there are none."""
        return (self._added + self._omitted).keys() <= _SIGNS

    @property
    def leave_values(self) -> bool:
        """True if the changed marks do not affect whether a value is right: "all returns" and "returns"."""
        return (self._added + self._omitted).keys() <= _SIGNS | _BESIDE

    def change(self, *, denied: bool) -> tuple[Kind, str | None, str | None] | None:
        """Return the kind of the change with the words of the statement and of the source; None if both may mean the
        same: "not allowed" equals "must not", and two denials cancel each other. `denied`: both sentences deny."""
        added, omitted = self._added, self._omitted
        if not 0 < sum((added + omitted).values()) <= _MOST_CHANGED:
            return None
        denials = added["denied"] + omitted["denied"]
        if denials and denials % 2 == 0:
            return None
        if added and omitted:
            if denied and _MODAL.issuperset(added + omitted):
                return None
            decisive = {
                kind for family in _FAMILIES if family & added.keys() and family & omitted.keys() for kind in family
            }
        else:
            decisive = _ADDED if added else _OMITTED
        changed = ["denied"] if denials else added or omitted
        mark = next((kind for kind in changed if kind in decisive), None)
        if mark is None:
            return None
        here = next((self._words[True, kind] for kind in (changed if denials else added) if added[kind]), None)
        there = next((self._words[False, kind] for kind in (changed if denials else omitted) if omitted[kind]), None)
        return self._kind(mark), here, there

    def _kind(self, mark: str) -> Kind:
        """Return "negation" only if nothing else can be meant: "not often" may mean "rarely", and "until" may mean
        "by".
        """
        kind, changed = _KINDS.get(mark, "wording"), self._added + self._omitted
        if mark == "denied":
            return kind if {"denied", *_MODAL, *_BESIDE}.issuperset(changed) else "wording"
        if self._added and self._omitted and frozenset(changed) in _OPPOSED:
            return "negation"
        return "wording" if kind in ("negation", "order") else kind

    @property
    def _added(self) -> Counter[str]:
        return self._stated - self._known

    @property
    def _omitted(self) -> Counter[str]:
        return self._known - self._stated
