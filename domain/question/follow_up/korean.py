"""Follow-up questions in Korean: what is left out of them, and what their pronouns stand for (N9)."""

import re

from domain.question.follow_up.korean_omissions import asked_instead, left_out, without_owner
from domain.question.follow_up.korean_phrases import tokens_of, with_particle
from domain.question.follow_up.korean_subjects import of_class, person_of, thing_of
from domain.question.follow_up.restatement import Restatement, Verdict

_LEAD = re.compile(
    r"^(?:(?:그럼|그러면|그렇다면|그리고|그런데|근데|또|또한|아|네|예|좋아요|감사합니다)(?=[\s,.!])[\s,.!]*)+"
)
_MORE = re.compile(
    "^(?:왜(?:요|죠|인가요|그런가요| 그런가요| 그렇죠)?|더 자세히(?:요)?|자세히(?:요)?|정말(?:요|인가요)?"
    "|(?:좀 )?더 (?:자세히 )?(?:알려|설명해|말해) ?(?:줘|주세요|주십시오)|설명해 ?주세요|계속해 ?주세요"
    "|언제부터(?:요)?|누가요|어디서요|언제요|어떻게요|예를 들면요?|그래서요|어느 것(?:인가요|이요)?)$"
)
_FEW = 3


def restate(question: str, topic: str) -> Restatement | Verdict:
    flat = " ".join(question.split())
    led = _LEAD.match(flat + " ")
    rest = flat[led.end() :] if led and led.end() < len(flat) else flat
    body = rest.rstrip(" ?？.!")
    if not body:
        return "stands alone"
    if _MORE.match(body):
        return "refers back"
    if found := resolved(rest, topic):
        return found
    if thing := left_out(body):
        return asked_instead(thing, topic) or ("refers back" if len(body.split()) <= _FEW else "stands alone")
    return without_owner(body, rest, topic) or "stands alone"


_WORD_END = r"(?=[\s?？.,!]|$)"
_PLACES = "에서는|에서|에는|에"
_THAT = re.compile(
    "(?P<word>그것들|그것|그거|이것|이거|저것|저거|그건|이건|저건|그게|이게|그걸|이걸)"
    rf"(?P<particle>{_PLACES}|으로|로|은|는|이|가|을|를|의|과|와|도)?{_WORD_END}"
)
_CONTRACTED = {"건": "은", "게": "이", "걸": "을"}
_HE = re.compile(rf"(?P<word>그 ?사람|그 ?분|그녀|그이|그)(?P<particle>에게|은|는|이|가|을|를|의|과|와|도){_WORD_END}")
_THERE = re.compile(rf"(?P<word>거기|그곳|그 곳|거긴)(?P<particle>{_PLACES}|은|는|서|의|도)?{_WORD_END}")
_THIS_NOUN = re.compile(
    r"(?:그|이|해당|위) (?P<noun>[가-힣A-Za-z]{1,10}?)"
    rf"(?P<particle>{_PLACES}|으로|로|은|는|이|가|을|를|의|과|와|도)?{_WORD_END}"
)


def resolved(question: str, topic: str) -> Restatement | Verdict | None:
    said = tokens_of(topic)
    for pattern, meant in ((_THAT, thing_of), (_THERE, thing_of), (_HE, person_of)):
        found = pattern.search(question)
        if found is None or _is_bound(question, found.start()):
            continue
        text = meant(topic, said)
        return "refers back" if text is None else _put_in(question, found, text, _particle(found))
    found = _THIS_NOUN.search(question)
    if found is None or _is_bound(question, found.start()):
        return None
    if text := of_class(found["noun"], topic, said):
        return _put_in(question, found, text, found["particle"] or "")
    return "refers back" if found[0].startswith(("그 ", "해당 ")) else None


def _particle(found: re.Match[str]) -> str:
    # It may be a part of the pronoun: 그건 is 그것은.
    word, particle = found["word"], found["particle"] or ""
    if word == "거긴":
        return "은"
    if particle == "서":
        return "에서"
    return particle or _CONTRACTED.get(word[-1], "")


def _put_in(question: str, found: re.Match[str], text: str, particle: str) -> Restatement:
    return Restatement(question[: found.start()] + with_particle(text, particle) + question[found.end() :])


def _is_bound(question: str, start: int) -> bool:
    """Whether the word at `start` is only a part of one, or the question says before it what it stands for."""
    if start and not question[start - 1].isspace():
        return True
    return any(not (token.is_asking or token.is_adverb) for token in tokens_of(question[:start]))
