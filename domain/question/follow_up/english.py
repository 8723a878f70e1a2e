"""Follow-up questions in English: what is left out of them, and what their pronouns stand for (N9)."""

import re

from domain.question.follow_up.english_omissions import asked_instead, of_the_event, with_owner
from domain.question.follow_up.english_phrases import ASKING, AUXILIARIES, WORD
from domain.question.follow_up.english_references import resolved
from domain.question.follow_up.restatement import Restatement, Verdict
from domain.text.words import words

_LEAD = re.compile(
    r"^(?:(?:and|but|or|so|then|also|ok|okay|alright|well|thanks|thank you|great)\b[\s,.!:]*)+", re.IGNORECASE
)
_ABOUT = re.compile(
    r"^(?:(?:what|how) about|what of|(?:(?:is|are) it |and )?(?:the )?same (?:for|about|with))\s+(?P<rest>.+)$",
    re.IGNORECASE,
)
_MORE = re.compile(
    r"^(?:please )?(?:tell me more|(?:any )?more details?|(?:can|could) you (?:elaborate|explain)|go on|elaborate"
    r"|explain|why(?: not)?|how come|how so|since when|by whom|for whom|really|are you sure|says who)(?: please)?$"
    # These stand for the whole matter, not for a thing.
    r"|\b(?:does|did|will|would) it take$|^(?:which|what) ones?\b",
    re.IGNORECASE,
)
_MOST_WORDS_LED, _MOST_WORDS_BARE, _FEW = 12, 4, 2


def restate(question: str, topic: str) -> Restatement | Verdict:
    flat = " ".join(question.split())
    led = _LEAD.match(flat)
    rest = flat[led.end() :] if led else flat
    body = rest.rstrip(" ?!.")
    if not body:
        return "refers back" if led else "stands alone"
    if _MORE.search(body):
        return "refers back"
    if asked := _left_out(body, rest, led=led is not None):
        return asked_instead(asked, topic) or _how_it_stands(body, led=led is not None)
    found = of_the_event(body, topic) or with_owner(body, topic) or resolved(rest, topic)
    if found:
        return found
    return "refers back" if len(words(body)) <= _FEW else "stands alone"


def _how_it_stands(body: str, *, led: bool) -> Verdict:
    is_short = len(words(body)) <= _FEW
    return "refers back" if led or is_short or _ABOUT.match(body) else "stands alone"


def _left_out(body: str, rest: str, *, led: bool) -> str | None:
    if about := _ABOUT.match(body):
        return about["rest"]
    said = WORD.findall(body)
    first = said[0].casefold() if said else ""
    if first in ASKING or first in AUXILIARIES or first == "please" or not rest.endswith("?"):
        return None
    return body if len(said) <= (_MOST_WORDS_LED if led else _MOST_WORDS_BARE) else None
