"""Which sentences claim something that sources can support or contradict (S5.4, N4)."""

import re

from domain.modes import is_idk

_MIN_CHARS, _MIN_LETTERS = 5, 2

_QUESTION = re.compile(r"[?？][\"'”’»)\]*_]*$")
_HEADING = re.compile(r"#{1,6}\s.*|(\*\*|__)[^*_]{1,80}(?<![.!。])\1:?", re.DOTALL)
_LEAD_IN = re.compile(r"[^\d\n]{1,80}[:：][*_]*")
_CONNECTIVE = re.compile(
    r"(?:however|therefore|thus|also|additionally|furthermore|moreover|overall|finally|for (?:example|instance)"
    r"|in (?:summary|short|conclusion|addition|other words|detail)|to (?:summari[sz]e|sum up)|on the other hand"
    r"|(?:here is|here's|this is) (?:a|an|the|my) (?:short |brief )?(?:summary|answer|overview|list)"
    r"|(?:i )?hope (?:this|that) helps|sure|of course|certainly|based on the (?:provided |given )?(?:sources|documents)"
    r"|따라서|그러나|하지만|또한|그리고|결론적으로|예를 들어|요약하면|정리하면|반면에?|한편"
    r"|(?:요약하면 |정리하면 |내용은 |답변은 )?다음과 같습니다|도움이 되(?:었으면|길) (?:좋겠습니다|바랍니다))"
)


def is_checkable(words: str) -> bool:
    """Row S5.4's filter: at least 5 characters and 2 letters.

    Letters of every script count, because a Japanese sentence is no less a claim than a Korean one.
    """
    return len(words) >= _MIN_CHARS and sum(map(str.isalpha, words)) >= _MIN_LETTERS


def is_claim(sentence: str, words: str) -> bool:
    """Say whether `sentence` needs a verdict; `words` is it without bullet and heading sign.

    Not a claim: what is not checkable, questions, "I don't know", headings, lead-ins ("The steps are:") and
    connectives ("In summary."). In doubt it is one: an unchecked claim does more harm than a checked phrase.
    """
    if not is_checkable(words) or _QUESTION.search(words) or is_idk(words):
        return False
    if _HEADING.fullmatch(sentence) or _LEAD_IN.fullmatch(words):
        return False
    return not _CONNECTIVE.fullmatch(words.casefold().strip(" ,.:;!…。*_\"'"))
