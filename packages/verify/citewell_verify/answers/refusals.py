"""Writes and recognises the refusal "I don't know" in all supported languages (S3.4, S5.3, V8)."""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

from citewell_verify.markers.stripping import plain_text
from citewell_verify.text.languages import language_of

RefusalLanguage = Literal["question", "en"]
"""Values of `refusal_language`: the question's language, or English, as in the seeds."""

IDK = "I don't know based on the documents."
"""Replaces an answer that the documents do not support (S3.4)."""

IDK_KOREAN = "해당 정보는 제공된 출처에서 확인되지 않습니다"
"""The Korean refusal of row S5."""

REFUSALS = {
    "en": IDK,
    "ko": IDK_KOREAN,
    "de": "Das lässt sich anhand der Dokumente nicht beantworten.",
    "fr": "Les documents ne permettent pas de répondre à cette question.",
    "es": "Los documentos no permiten responder a esta pregunta.",
    "it": "I documenti non permettono di rispondere a questa domanda.",
    "pt": "Os documentos não permitem responder a esta pergunta.",
    "nl": "Op basis van de documenten is dit niet te beantwoorden.",
    "ru": "По документам ответить на этот вопрос нельзя.",
    "ar": "لا يمكن الإجابة عن هذا السؤال بناءً على المستندات.",
    "ja": "文書からは分かりません。",
    "zh": "根据文档无法回答这个问题。",
}
"""Refusals by language code (ISO 639-1); any other language gets the English refusal."""

_OF_A_MODEL = re.compile(
    r"i (?:do not|don t|dont) know(?: based on(?: the)?(?: provided| given| available)? (?:documents?|sources?))?"
    r"|(?:해당 )?정보는 (?:제공된 )?(?:출처|문서)에서 (?:확인되지 않습니다|확인할 수 없습니다)"
)


def refusal_for(text: str, wanted: RefusalLanguage = "question", beside: Sequence[str] = ()) -> str:
    """Return the refusal in the language of the question `text`; the sources' texts `beside` it help to detect that."""
    return REFUSALS[language_of(text, beside, REFUSALS)] if wanted == "question" else IDK


def is_idk(answer: str, own: str | None = None) -> bool:
    """Return whether all of `answer` is a refusal, in any of the languages, in a usual wording of models, or in its
    workspace's `own` words.

    Case, punctuation, quotes, white space and citation markers do not matter. An answer with any other statement is no
    refusal.
    """
    said = _plain(answer)
    is_own = own is not None and said != "" and said == _plain(own)
    return is_own or said in _KNOWN or _OF_A_MODEL.fullmatch(said) is not None


@lru_cache(maxsize=256)
def _plain(answer: str) -> str:
    return " ".join(re.findall(r"\w+", unicodedata.normalize("NFKC", plain_text(answer).text).casefold()))


_KNOWN = frozenset(_plain(refusal) for refusal in REFUSALS.values())
