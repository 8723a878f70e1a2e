"""Detects the language of a text among those that the verifiers were measured on: English, Korean, or another."""

import unicodedata
from typing import Literal

from domain.text.words import STOP_WORDS, vocabulary, words

Language = Literal["en", "ko", "other"]

_MOST_CHARS = 5_000  # the beginning of a text shows its language
_LEAST_HANGUL = 0.3  # share of letters: Korean texts quote names and terms in Latin letters
_LEAST_LATIN = 0.7
# Short words of nearly every sentence in another language, and of no English one.
_ELSEWHERE = vocabulary("""
    der das und ist nicht ein eine einer einen dem den des mit von für auf zu im sich auch wird werden sind oder bei
    nach aus le les du et est une dans pour que qui pas sur avec sont aux ce cette ou par au el los las del y es un una
    por con para se su lo como más pero está son il gli della delle di che e per sono nel dei alla os da do dos uma em
    não na no com ao são het een van en niet voor met zijn dat op te och att det som inte på av är för med till nie się
    jest że oraz ve bir bu için ile de la
""")
_OTHERS = _ELSEWHERE - STOP_WORDS


def language_of(text: str) -> Language:
    """Return the language of `text`: by its letters and, among languages in Latin letters, by their commonest words.

    A text in Latin letters without any such word counts as English: names, figures and single terms indicate nothing
    else.
    """
    head = text[:_MOST_CHARS]
    hangul, latin, letters = _letters(head)
    if not letters:
        return "en"
    if hangul / letters >= _LEAST_HANGUL:
        return "ko"
    if latin / letters < _LEAST_LATIN:
        return "other"
    said = words(head)
    english = sum(word in STOP_WORDS for word in said)
    return "other" if sum(word in _OTHERS for word in said) > english else "en"


def _letters(text: str) -> tuple[int, int, int]:
    scripts = [unicodedata.name(each, "").partition(" ")[0] for each in text if each.isalpha()]
    return scripts.count("HANGUL"), scripts.count("LATIN"), len(scripts)
