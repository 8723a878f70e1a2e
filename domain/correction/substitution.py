"""Replaces the wrong values of a claim with those of the source: the smallest possible correction (S4.4)."""

import re
from collections.abc import Sequence

from domain.evidence.contradictions import Disagreement, disagreements, readable
from domain.evidence.equivalence import is_stated_in, is_worded_so, keeps_subjects
from domain.facts.heading_context import with_headings
from domain.facts.reading.tokens import tokenize
from domain.text.languages import unread_language

# After a consonant, after a vowel. ㄹ counts as a vowel before 로.
_PARTICLES = (("은", "는"), ("이", "가"), ("을", "를"), ("과", "와"), ("으로", "로"))
_FORMS = {form: pair for pair in _PARTICLES for form in pair}
_PARTICLE = r"(?P<particle>으로|은|는|이|가|을|를|과|와|로)(?=(?:부터|는|도|서|써)?(?![가-힣]))"
_PARTICLE_OF_NAME = re.compile(r"(?<=[A-Za-z0-9])(?:으로|은|는|이|가|을|를|의|과|와|로)(?![가-힣])")
_SYLLABLES, _FINALS, _RIEUL = 0xAC00, 28, 8
_VALUES = frozenset({"number", "date", "unit"})
"""The kinds in which subject, verb and direction stay the same when the source's value is inserted (V6)."""
_DIGIT_FINALS = dict(zip("0123456789", (21, 8, 0, 16, 0, 0, 1, 8, 8, 0), strict=True))
"""The final consonant of a digit when read: 영, 일, 이, 삼 …; 0 for none. As in Unicode, 8 is ㄹ."""
_UNIT_FINALS = {"%": 0, "g": 16, "m": 0, "l": 0, "b": 0, "c": 0, "p": 0}
"""The same for the last sign of a unit: 퍼센트, 그램, 미터, 리터, 바이트."""
_UNIT = re.compile(r"\D*$")
_HANGUL, _LATIN_WORD = re.compile("[가-힣]"), re.compile("[A-Za-z]{3,}")


def corrected(claim: str, source: str, context: str = "") -> str | None:
    """Return `claim` with its wrong values replaced by those of `source`; None if anything else differs (V6).

    A sentence of the source must begin with the corrected claim word for word, or a row of a table must have all of its
    words: what was sold to someone is not what was bought from him, whatever it cost. None in a language that the
    rules do not read.
    """
    if unread_language(claim, [source]):
        return None
    read = with_headings(claim, source, context)
    wrong = disagreements(claim, read)
    # "Minimum" for "maximum" counts as another number, but it is another matter.
    if not all(_has_value(text) for value in wrong for text in (value.claim_value, value.source_value or "")):
        return None
    text = substituted(claim, wrong)
    if text is None or not keeps_subjects(claim, text) or not is_stated_in(read, text):
        return None
    return text if is_worded_so(read, _PARTICLE_OF_NAME.sub("", text)) else None


def _has_value(text: str) -> bool:
    return any(token.value for token in tokenize(text))


def is_proven(text: str, source: str, context: str = "") -> bool:
    """Say whether a place of `source` has the subjects and values of `text`, and nothing there contradicts it (V6).

    The headings and columns of its `context` belong to the place.
    """
    return is_stated_in(with_headings(text, source, context), text)


def substituted(claim: str, found: Sequence[Disagreement]) -> str | None:
    """Return `claim` with each wrong value replaced by the source's, and the Korean particle that then fits.

    None if the source's value of some disagreement is unknown or the same, if it would mix languages, if the claim has
    the wrong value twice, or if nothing is found. "a" and "an" stay as they are.
    """
    text = readable(claim)
    values = _values(found, text)
    if not values:
        return None
    longest_first = "|".join(re.escape(value) for value in sorted(values, key=len, reverse=True))
    pattern = re.compile(rf"(?<![A-Za-z0-9])(?P<value>{longest_first})(?![A-Za-z0-9])(?:{_PARTICLE})?")
    if sorted(match["value"] for match in pattern.finditer(text)) != sorted(values):
        return None
    return pattern.sub(lambda match: _replaced(match, values), text)


def _values(found: Sequence[Disagreement], claim: str) -> dict[str, str]:
    """Return the claim's values with the source's; {} if one of them has none, or two."""
    values: dict[str, str] = {}
    for each in found:
        new = each.source_value if each.kind in _VALUES else None
        old, new = (
            (each.claim_value, new) if each.claim_value in claim else _without_shared_unit(each.claim_value, new or "")
        )
        if not new or not _is_replaceable(old, new) or values.setdefault(old, new) != new:
            return {}
    return values


def _without_shared_unit(old: str, new: str) -> tuple[str, str]:
    # A claim that says "16 percent" states the value "16%".
    one, other = _UNIT.search(old), _UNIT.search(new)
    if one and other and one[0].strip() == other[0].strip():
        return old[: one.start()], new[: other.start()]
    return old, new


def _is_replaceable(old: str, new: str) -> bool:
    if old == new:
        return False
    korean, latin = _HANGUL.search(old), _LATIN_WORD.search(old)
    return not (korean and not latin and _LATIN_WORD.search(new) and not _HANGUL.search(new)) and not (
        latin and not korean and _HANGUL.search(new)
    )


def _replaced(match: re.Match[str], values: dict[str, str]) -> str:
    new = values[match["value"]]
    return new + _fitting_particle(match["particle"] or "", _final_consonant(new))


def _fitting_particle(particle: str, final: int | None) -> str:
    if final is None or particle not in _FORMS:
        return particle
    closed, open_form = _FORMS[particle]
    is_open = final == 0 or (final == _RIEUL and open_form == "로")
    return open_form if is_open else closed


def _final_consonant(text: str) -> int | None:
    """Return the final consonant of `text` read aloud, 0 for none; None if unknown."""
    last = text[-1]
    if _HANGUL.fullmatch(last):
        return (ord(last) - _SYLLABLES) % _FINALS
    if last in _DIGIT_FINALS:
        # 10, 100 and 1,000 end in 십, 백 and 천; 0 alone in 영.
        return _DIGIT_FINALS[last]
    return _UNIT_FINALS.get(last.lower()) if re.search(r"\d\s?[A-Za-z%]+$", text) else None
