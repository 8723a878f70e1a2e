"""Writes and recognises the refusal "I don't know" in all supported languages (S3.4, S5.3, V8)."""

import re
import unicodedata
from functools import lru_cache
from typing import Literal

from domain.markers.stripping import plain_text
from domain.text.words import vocabulary

RefusalLanguage = Literal["question", "en"]
"""Values of `refusal_language`: that of the question, or English, as in the seeds."""

IDK = "I don't know based on the documents."
"""Replaces an answer that the documents do not support (S3.4)."""

IDK_KOREAN = "해당 정보는 제공된 출처에서 확인되지 않습니다"
"""S5's own sentence for the same."""

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
"""By language code (ISO 639-1); English for any other language."""

_READ = 4_000  # characters of a text that are read to detect its language
_SCRIPTS = (
    ("ko", re.compile("[가-힣]")),
    ("ja", re.compile("[\u3040-\u30ff]")),
    ("zh", re.compile("[\u4e00-\u9fff]")),
    ("ar", re.compile("[\u0600-\u06ff]")),
    ("ru", re.compile("[\u0400-\u04ff]")),
)
_COMMON = {
    "en": vocabulary("""
        the of and is are was were to in what which who when where why how does did do can for with it much many
    """),
    "de": vocabulary("""
        der die das den dem des ein eine einen ist sind war wird und oder nicht wie was wer wann wo warum welche welcher
        für mit von im am auf zu es gibt
    """),
    "fr": vocabulary("""
        le la les des du un une est sont était et ou ne pas que qui quel quelle quels quelles quand où pourquoi comment
        combien pour avec dans sur ce il y
    """),
    "es": vocabulary("""
        el la los las del un una es son fue y o no qué que quién cuál cuáles cuándo dónde cómo cuánto cuántos cuántas
        por para con en se hay
    """),
    "it": vocabulary("""
        il lo la gli dei del della un una è sono era e non che chi cosa quale quali quando dove perché come quanto
        quanti per con di nel si
    """),
    "pt": vocabulary("""
        o os as do da dos das um uma é são foi e não que quem qual quais quando onde como quanto quantos para com em por
        se há
    """),
    "nl": vocabulary("""
        de het een is zijn was en of niet wat wie welke wanneer waar waarom hoe hoeveel voor met van in op te er
    """),
}
"""Small words of each language, by which a text is recognised."""

_OF_A_MODEL = re.compile(
    r"i (?:do not|don t|dont) know(?: based on(?: the)?(?: provided| given| available)? (?:documents?|sources?))?"
    r"|(?:해당 )?정보는 (?:제공된 )?(?:출처|문서)에서 (?:확인되지 않습니다|확인할 수 없습니다)"
)


def language_of(text: str) -> str:
    """Return the language code of `text`, if `REFUSALS` has the language; "en" when in doubt.

    A text with Hangul is Korean, whatever names it contains. Others are recognised by their letters or their small
    words.
    """
    read = text[:_READ]
    if script := next((code for code, script in _SCRIPTS if script.search(read)), None):
        return script
    tokens = re.findall(r"[^\W\d_]+", unicodedata.normalize("NFC", read).casefold())
    counts = {code: sum(token in common for token in tokens) for code, common in _COMMON.items()}
    best = max(counts, key=lambda code: counts[code])
    return best if counts[best] > counts["en"] else "en"


def refusal_for(text: str, wanted: RefusalLanguage = "question") -> str:
    return REFUSALS[language_of(text)] if wanted == "question" else IDK


def is_idk(answer: str, own: str | None = None) -> bool:
    """Say whether all of `answer` is a refusal, in any of the languages, as models word it, or in its workspace's `own`
    words.

    Case, punctuation, quotes, white space and citation markers do not matter; any other statement does.
    """
    said = _plain(answer)
    is_own = own is not None and said != "" and said == _plain(own)
    return is_own or said in _KNOWN or _OF_A_MODEL.fullmatch(said) is not None


@lru_cache(maxsize=256)
def _plain(answer: str) -> str:
    return " ".join(re.findall(r"\w+", unicodedata.normalize("NFKC", plain_text(answer).text).casefold()))


_KNOWN = frozenset(_plain(each) for each in REFUSALS.values())
