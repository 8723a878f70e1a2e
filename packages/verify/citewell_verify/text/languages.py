"""Finds the language of a text, and whether the rules read it: they read English and Korean.

Probabilities are those of py3langid, whose model comes in its wheel. They are calibrated for length, so that for a few
names no language is certain: then the text beside them decides.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from py3langid.langid import LanguageIdentifier

Share = Callable[["NDArray[Any]", str], "NDArray[Any]"]
"""Returns an equal table that all processes share under this name."""
_share: Share | None = None

ENGLISH, KOREAN = "en", "ko"
READ = (ENGLISH, KOREAN)
"""The languages that the rules of evidence read."""

_NAMES = {
    pair[:2]: pair[3:]
    for pair in """
    af=Afrikaans am=Amharic ar=Arabic az=Azerbaijani be=Belarusian bg=Bulgarian bn=Bengali bs=Bosnian ca=Catalan
    cs=Czech cy=Welsh da=Danish de=German el=Greek en=English es=Spanish et=Estonian eu=Basque fa=Persian fi=Finnish
    fr=French ga=Irish gl=Galician gu=Gujarati he=Hebrew hi=Hindi hr=Croatian hu=Hungarian hy=Armenian id=Indonesian
    is=Icelandic it=Italian ja=Japanese ka=Georgian kk=Kazakh km=Khmer kn=Kannada ko=Korean ky=Kyrgyz lo=Lao
    lt=Lithuanian lv=Latvian mk=Macedonian ml=Malayalam mn=Mongolian mr=Marathi ms=Malay my=Burmese ne=Nepali nl=Dutch
    no=Norwegian pa=Punjabi pl=Polish ps=Pashto pt=Portuguese ro=Romanian ru=Russian si=Sinhala sk=Slovak sl=Slovenian
    sq=Albanian sr=Serbian sv=Swedish sw=Swahili ta=Tamil te=Telugu th=Thai tl=Filipino tr=Turkish uk=Ukrainian ur=Urdu
    uz=Uzbek vi=Vietnamese zh=Chinese
    """.split()
}
_NO_LANGUAGE = "zxx"
_STANDARDS = {"wuu": "zh", "yue": "zh", "arz": "ar", "ary": "ar", "nn": "no"}
"""For each of these labels of the model, the two-letter code of the written standard."""

_MOST_CHARS = 1_000  # the beginning of a text shows its language
MOST_BESIDE, _CHARS_BESIDE = 20, 200  # so many texts, and so much of each, show which languages stand beside a text
_HANGUL = re.compile("[가-힣]")
_LEAST_HANGUL = 0.15  # share of letters: Korean texts quote names and terms in Latin letters
_LEAST_BYTES = 20  # bytes of letters in UTF-8: fewer are no evidence against the language of the text beside them
_NAME = re.compile("[A-ZÀ-Þ][a-zß-ÿ]{4,}")  # not so short as "The" and "Der"
_LEAST_THE = 0.02
_SURE = 0.98
_LEAST, _ELSEWHERE = 0.01, 0.15  # least probability of any language, and of another one than that of the text beside


@lru_cache(maxsize=512)
def script_of(text: str) -> str:
    """Return the script of most letters at the beginning of `text`, by its name in Unicode: "LATIN", "HANGUL"; "" if
    there are no letters.
    """
    scripts = Counter(
        unicodedata.name(letter, "").partition(" ")[0] for letter in text[:_MOST_CHARS] if letter.isalpha()
    )
    return max(scripts, key=scripts.__getitem__, default="")


def name_of(language: str) -> str:
    return _NAMES.get(language, "another language")


def language_of(text: str, beside: Sequence[str] = (), among: Collection[str] = _NAMES) -> str:
    """Return the code (ISO 639-1) of the language of `text`; the languages of the texts `beside` it count, too.

    The first of those count alike, so that one text in another language does not decide. If there are none, English
    is expected, or Korean for a text with Hangul.
    """
    if isinstance(beside, str):
        raise TypeError("beside is a sequence of texts, not one text")
    if _is_korean(text := text[:_MOST_CHARS]):
        return KOREAN
    expected = _mean_of([probabilities(other[:_CHARS_BESIDE]) for other in beside[:MOST_BESIDE]])
    expected = expected or {KOREAN if _HANGUL.search(text) else ENGLISH: 1.0}
    own = probabilities(text)
    likely = {
        language: (own.get(language, 0.0) + _LEAST) * (expected.get(language, 0.0) + _ELSEWHERE) for language in among
    }
    return max(likely, key=lambda language: likely[language])


def _mean_of(shares: Sequence[Mapping[str, float]]) -> dict[str, float]:
    known = [share for share in shares if share]
    languages = {language for share in known for language in share}
    return {language: sum(share.get(language, 0.0) for share in known) / len(known) for language in languages}


def unread_language(statement: str, sources: Sequence[str]) -> str | None:
    """Return the code of a language that the rules do not read, so that they cannot compare `statement` with its
    `sources`; None if they read both. A statement of a few names counts as written in the language of its sources."""
    share = _MOST_CHARS // max(1, len(sources))
    source = "\n".join(text[:share] for text in sources)
    return next(filter(None, map(_surely_unread, (source, statement, f"{statement}\n{source}"))), None)


def why_unread(language: str) -> str:
    return f"the rules read English and Korean; this is {name_of(language)}"


def _surely_unread(text: str) -> str | None:
    text = text[:_MOST_CHARS]
    # No other language has this word; most English texts need no model.
    words = text.lower().split()
    if words.count("the") > _LEAST_THE * len(words) or _is_korean(text):
        return None
    if len("".join(filter(str.isalpha, text)).encode()) < _LEAST_BYTES:
        return None
    if sum(share for language, share in probabilities(text).items() if language not in READ) <= _SURE:
        return None
    # Foreign names in an English sentence do not put it into their language.
    language = language_of(text)
    return None if language in READ or language_of(_NAME.sub("", text)) in READ else language


def _is_korean(text: str) -> bool:
    return len(_HANGUL.findall(text)) > _LEAST_HANGUL * sum(map(str.isalpha, text))


@lru_cache(maxsize=512)
def probabilities(text: str) -> Mapping[str, float]:
    """Return the probability of each language that has a name here. Together they are less than 1 if a text, such as
    codes and figures, may be in no language. A text without letters has no probabilities."""
    if not any(map(str.isalpha, text)):
        return {}
    shares: dict[str, float] = {}
    for label, probability in _model().rank(text):
        language = _STANDARDS.get(label, label)
        shares[language] = shares.get(language, 0.0) + probability
    shares.pop(_NO_LANGUAGE, None)
    return shares


def warm(share: Share) -> None:
    """Load the model now, with what `share` makes of its two tables (53 MB): a process that forks others shares it with
    them, and a text needs a small part of them, most English texts none.
    """
    global _share
    _share = share
    _model()


@lru_cache(maxsize=1)
def _model() -> "LanguageIdentifier":
    """Load the model here, because commands that only talk to a server start without numpy."""
    import numpy as np  # noqa: PLC0415
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # noqa: PLC0415

    make: Any = LanguageIdentifier
    whole = make.from_model_file(MODEL_FILE)
    # Languages that have no name here are left out, which saves half of the memory.
    columns = [at for at, label in enumerate(whole.nb_classes) if label in {*_NAMES, *_STANDARDS, _NO_LANGUAGE}]
    weights, moves = whole.nb_ptc[:, columns], whole.tk_nextmove
    if _share is not None:
        name = f"py3langid-{version('py3langid')}"
        # A plain array, because every look-up in a mapped one makes another mapped one; and a memory view, whose
        # elements are plain integers.
        weights = np.asarray(_share(weights, f"{name}-weights"))
        moves = _share(np.asarray(moves), f"{name}-moves").data
    return make(
        weights,
        whole.nb_pc[columns],
        [whole.nb_classes[at] for at in columns],
        moves,
        whole.tk_output,
        norm_probs=True,
        tk_row=whole.tk_row,
    )
