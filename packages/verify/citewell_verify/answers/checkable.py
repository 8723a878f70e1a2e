"""Decides which sentences claim something that sources can support or contradict (S5.4, N4)."""

import re

from citewell_verify.answers.refusals import is_idk
from citewell_verify.text.negation import negations

_MIN_CHARS, _MIN_LETTERS = 5, 2

_QUESTION = re.compile(r"[?？][\"'”’»)\]*_]*$")
_HEADING = re.compile(r"#{1,6}\s.*(?<![.!。])|(\*\*|__)[^*_]{1,80}(?<![.!。])\1:?", re.DOTALL)
_LEAD_IN = re.compile(r"[^\d\n]{1,80}[:：][*_]*")
_LISTED = re.compile(r"\s*(?:[-*+•·|]|\(?\d{1,2}[.)]|[①-⑳])\s?")
_CONNECTIVE = re.compile(
    r"(?:however|therefore|thus|also|additionally|furthermore|moreover|overall|finally|for (?:example|instance)"
    r"|in (?:summary|short|conclusion|addition|other words|detail)|to (?:summari[sz]e|sum up)|on the other hand"
    r"|(?:here is|here's|this is) (?:a|an|the|my) (?:short |brief )?(?:summary|answer|overview|list)"
    r"|(?:i )?hope (?:this|that) helps|sure|of course|certainly|based on the (?:provided |given )?(?:sources|documents)"
    r"|따라서|그러나|하지만|또한|그리고|결론적으로|예를 들어|요약하면|정리하면|반면에?|한편"
    r"|(?:요약하면 |정리하면 |내용은 |답변은 )?다음과 같습니다|도움이 되(?:었으면|길) (?:좋겠습니다|바랍니다))"
)

_RULE = re.compile(r"[ \t>]*\|?[ \t]*:?-{2,}:?[ \t]*(?:\|[ \t]*:?-{2,}:?[ \t]*)*\|?[ \t]*")
_UNDERLINED = re.compile(r"[^\n]{1,100}\n[ \t]*(?:={3,}|-{3,})[ \t]*")
_CAPTION = re.compile(
    r"[*_]{0,2}(?:table|figure|fig\.|chart|exhibit|box|표|그림|도표|图|表|図)\s?\d{1,3}(?:\s?[.:：–—-]\s?(?P<title>\D{0,120}))?[*_]{0,2}",
    re.IGNORECASE,
)
_STOPPED = re.compile(r"[.!?。！？…][\"'”’)\]*_]*$")
_SMALL_WORDS = frozenset("a an and as at by for from in into of on or over per the to under vs with".split())
_KOREAN_PREDICATE = re.compile(r"[다요죠까함됨임음]$")
_LONGEST_HEADING, _MOST_HEADING_WORDS = 60, 8
_LONGEST_LINE = 1000  # of a table's head: all sentences may be on one line, and each of them scans it


def is_checkable(words: str) -> bool:
    """Row S5.4's filter: at least 5 characters and 2 letters.

    Letters of every script count, because a Japanese sentence is as much a claim as a Korean one.
    """
    return len(words) >= _MIN_CHARS and sum(map(str.isalpha, words)) >= _MIN_LETTERS


def is_claim(sentence: str, words: str, refusal: str | None = None) -> bool:
    """Say whether `sentence` needs a verdict; `words` is it without bullet and heading mark, `refusal` what its
    workspace says for "I don't know".

    Not a claim: what is not checkable, questions, "I don't know", headings, lead-ins ("The steps are:") and connectives
    ("In summary."). A lead-in that denies something is one ("Opened goods can never be returned:") unless a list is
    below it (`labels_what_follows`). In doubt it is one: an unchecked claim does more harm than a checked phrase.
    """
    if not is_checkable(words) or _QUESTION.search(words) or is_idk(words, refusal):
        return False
    if _HEADING.fullmatch(sentence) or (_LEAD_IN.fullmatch(words) and not negations(words)):
        return False
    return not _CONNECTIVE.fullmatch(words.casefold().strip(" ,.:;!…。*_\"'"))


def labels_what_follows(text: str, start: int, end: int, *, cites: bool) -> bool:
    """Say whether `text[start:end]` only names what is below it: the head of a table, a caption, a heading.

    A line that `cites` a source is a statement, unless it is the head of a table.
    """
    line_start = max(text.rfind("\n", max(0, start - _LONGEST_LINE), start) + 1, start - _LONGEST_LINE, 0)
    line_end = text.find("\n", end, end + _LONGEST_LINE)
    line_end = min(len(text), end + _LONGEST_LINE) if line_end < 0 else line_end
    below = text[line_end + 1 : line_end + 1 + _LONGEST_LINE]
    next_line = below.split("\n", 1)[0]
    if "|" in text[line_start:line_end] and "|" in next_line and _RULE.fullmatch(next_line):
        return True
    words = text[start:end].strip()
    if _LEAD_IN.fullmatch(words) and _LISTED.match(below):
        return not cites
    if _UNDERLINED.fullmatch(words):
        return True
    if cites or len(words) > 2 * _LONGEST_HEADING or "\n" in words or text[end:line_end].strip(" \t*_:："):
        return False
    if (caption := _CAPTION.fullmatch(words)) and not _STOPPED.search(caption["title"] or ""):
        return True
    is_alone = not next_line.strip() and bool(below.strip())
    return is_alone and not text[line_start:start].strip() and _is_title(words)


def _is_title(words: str) -> bool:
    """True for a short text without full stop or figure, with its important words capitalised."""
    if len(words) > _LONGEST_HEADING or _STOPPED.search(words) or any(map(str.isdigit, words)):
        return False
    tokens = words.split()
    if any("가" <= sign <= "힣" for sign in words):
        return len(tokens) <= _MOST_HEADING_WORDS and not _KOREAN_PREDICATE.search(words)
    weighty = [word for word in tokens if word.lower() not in _SMALL_WORDS]
    return 2 <= len(tokens) <= _MOST_HEADING_WORDS and all(
        word[:1].isupper() or not word[0].isalpha() for word in weighty
    )
