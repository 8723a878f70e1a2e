"""Korean particles, which take their form from the sound before them."""

import re

_PARTICLES = re.compile(r"(\w|[^\w\s])(은/는|이/가|을/를|과/와|으로/로|이다/다)")
_ENDS_IN_CONSONANT = "013678LMNRlmnr"


def with_particles(text: str) -> str:
    """Return Korean `text` with the form of each particle that fits the word before it."""
    return _PARTICLES.sub(lambda match: match[1] + _particle(text[: match.start() + 1], match[2]), text)


def _particle(before: str, forms: str) -> str:
    closed, open_ = forms.split("/")
    last = re.sub(r"[^\w%]", "", before)[-1:]
    if "가" <= last <= "힣":
        final = (ord(last) - ord("가")) % 28
        return open_ if final == 0 or (final == 8 and open_ == "로") else closed
    return closed if last in _ENDS_IN_CONSONANT else open_
