"""Recognises a refusal that a model words in its own way, in English and Korean (S5.3, V8).

A model is told what to say when the sources have no answer, but may say it in other words: "The documents do not
mention the price." Such an answer claims nothing about the matter and must not be published as an answer. An answer
that only begins with such words is no refusal: every sentence has to refuse, or to be a courtesy that follows a
refusal.
"""

import re

from citewell_verify.answers.refusals import is_idk
from citewell_verify.markers.stripping import plain_text
from citewell_verify.text.sentences import split_sentences

_MOST_SENTENCES, _LONGEST = 4, 300  # the sentences of a refusal, and the characters of each
_TEXTS = r"(?:documents?|sources?|passages?|context|texts?|excerpts?|materials?|information|content|data)"
_GIVEN = (
    r"(?:(?:the|these|this|any of the|all(?: of)? the) )?"
    rf"(?:provided|given|available|retrieved|supplied|above) {_TEXTS}"
    r"|(?:the|these|any of the) (?:documents|sources|passages|context|excerpts)"
    r"(?: (?:provided|given|available|above))?"
)
_SAYING = (
    r"(?:contain|mention|provide|include|specify|state|say|have(?! to)|give|indicate|address|answer|discuss|cover"
    r"|reveal|tell|describe|offer|list|explain)"
)
_SAID = (
    r"(?:mentioned|stated|specified|provided|included|available|given|found|contained|answered|addressed|discussed"
    r"|covered|described|indicated|listed)"
)
_EXCUSE = r"(?:(?:i(?:'m| am) )?(?:sorry|afraid)|unfortunately|i apologi[sz]e)(?:,? but|,? that|,)? "
_IN_THEM = rf"(?: (?:based on|from|in|using|with|by|given|within) (?:{_GIVEN}))"
_UNABLE = (
    r"(?:cannot|can not|can't|could not|couldn't|am unable to|am not able to)"
    r" (?:answer|find|determine|tell|say|provide|be determined|be answered|locate|give)"
)
_NOTHING = r"no (?:information|answer|mention|data|details)"
_ENGLISH = re.compile(
    rf"(?:{_EXCUSE})?(?:"
    rf"i (?:do not|don't) know(?: the answer| that| this)?(?: to (?:this|that|the|your) question)?{_IN_THEM}?"
    r"|i (?:do not|don't) have (?:enough|sufficient|any|the|that|this|access to)[^.;]*"
    rf"|(?:based on (?:{_GIVEN}),? )(?:i|we|it) {_UNABLE}\b[^.;]*"
    rf"|(?:i|we|it) {_UNABLE}\b[^.;]*?{_IN_THEM}[^.;]*"
    rf"|i {_UNABLE}(?: (?:this|that|it|your question|the answer|(?:this|that|the) question))?"
    rf"|(?:{_GIVEN}) (?:do|does|did) ?(?:not|n't) {_SAYING}\b[^.;]*"
    rf"|(?:{_GIVEN}) (?:contain|have|provide|give)s? no [^.;]*"
    rf"|there (?:is|are) (?:no|not any|not enough|insufficient) [^.;]*\b(?:in|within|from) (?:{_GIVEN})[^.;]*"
    rf"|{_NOTHING}\b[^.;]*\b(?:in|within|from) (?:{_GIVEN})[^.;]*"
    rf"|{_NOTHING}(?: (?:about|on|of|regarding) [^.;]*?)? (?:is|was|are|were) {_SAID}"
    r"|(?:it|this|that|this information|that information|the answer|the information)"
    rf" (?:is|was|has) (?:not|n't)(?: been)? {_SAID}[^.;]*(?:{_GIVEN})[^.;]*"
    rf"|not {_SAID} in (?:{_GIVEN})"
    r")",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    r"[,;:–—] ?(?:but|however|although|though|yet|while|whereas|only|except)\b"
    r"| (?:but|however|although|though|except|whereas) |[;:]",
    re.IGNORECASE,
)
_KOREAN_TEXTS = "(?:문서|출처|자료|본문|내용|글|정보|맥락|컨텍스트|구절)(?:들)?"
_KOREAN_PLACE = "(?:에는|에서는|에서|에|만으로는|으로는|로는|상에는|상)"
_KOREAN_ANSWER = "(?:정보|내용|언급|답변|답|근거|설명)(?:은|는|이|가|을|를|도)?"
_KOREAN_LACKING = (
    "(?:모르겠습니다|모릅니다|알 수 없습니다|알 수가 없습니다|알지 못합니다"
    "|(?:답변?|대답)(?:을|를)? ?(?:드릴|할) 수 없습니다"
    "|(?:확인|파악|판단|답변)(?:이|하기가?|드리기가?)? ?어렵습니다"
    "|확인할 수 없습니다|확인되지 않습니다|확인이 불가능합니다|찾을 수 없습니다|찾지 못했습니다|파악할 수 없습니다"
    "|(?:나와|언급되어|포함되어|기재되어|명시되어|제시되어|들어)(?: )?있지 않습니다"
    "|(?:언급|포함|기재|명시|제시)되지 않았습니다)"
)
_KOREAN_MISSING = f"(?:{_KOREAN_LACKING}|(?<!수 )없습니다|부족합니다)"
_KOREAN_EXCUSE = "(?:(?:죄송(?:합니다만|하지만|합니다)|안타깝게도|유감스럽게도)[,.]? ?)?"
_KOREAN = re.compile(
    f"{_KOREAN_EXCUSE}(?:"
    "(?:저는 |잘 |정확히 |그것은 |그건 |그 질문에 대해서는 |질문에 대한 답을 |답을 )*"
    "(?:모르겠습니다|모르겠어요|모릅니다|알 수 없습니다)"
    f"|(?:제공된|주어진|검색된) {_KOREAN_TEXTS}{_KOREAN_PLACE} ?[^.;]*{_KOREAN_MISSING}"
    f"|[^.;]*{_KOREAN_TEXTS}{_KOREAN_PLACE} [^.;]*{_KOREAN_LACKING}"
    f"|[^.;]*{_KOREAN_TEXTS}{_KOREAN_PLACE} [^.;]*{_KOREAN_ANSWER} ?[^.;]*{_KOREAN_MISSING}"
    "|(?:관련 |해당 )?정보가 부족[^.;]*"
    f"|[^.;]*(?:해당|관련|대한|관한|대해) {_KOREAN_ANSWER} ?[^.;]*{_KOREAN_MISSING}"
    ")"
)
_KOREAN_GOES_ON = re.compile(r"(?:지만|으나|는데|[가-힣]나)[,\s]")
_COURTESY = re.compile(
    r"(?:please |kindly )?(?:let me know|feel free|provide (?:more|additional|further|another|other)\b)[^;]*"
    r"|if you (?:have|can|could|would|want|need|provide)\b[^;]*"
    r"|(?:would|could|can) you [^;]*\?|is there anything else[^;]*"
    r"|[^;]*(?:추가|다른|더 많은) (?:정보|문서|자료|질문)[^;]*(?:주시면|주세요|있으시면|바랍니다)[^;]*"
    r"|(?:더 |추가로 )?(?:궁금한|도움이 필요)[^;]*",
    re.IGNORECASE,
)
_BARE = frozenset(
    phrase.casefold()
    for phrase in (
        "ich weiß es nicht",
        "das weiß ich nicht",
        "je ne sais pas",
        "no lo sé",
        "non lo so",
        "não sei",
        "ik weet het niet",
        "я не знаю",
        "لا أعرف",
        "分かりません",
        "わかりません",
        "我不知道",
    )
)
"""Refusals of a few words in other languages."""


def refuses(answer: str, own: str | None = None) -> bool:
    """Return whether all of `answer` is a refusal; `own` is its workspace's wording of "I don't know".

    Citation markers do not matter. The time is linear in the length; a long answer is no refusal.
    """
    if is_idk(answer, own):
        return True
    text = plain_text(answer).text.replace("’", "'")
    if len(text) > _MOST_SENTENCES * _LONGEST:
        return False
    said = [" ".join(sentence.text.split()).strip(" \"'“”.!。") for sentence in split_sentences(text, cites=False)]
    first, *rest = [sentence for sentence in said if sentence] or [""]
    if len(rest) >= _MOST_SENTENCES or not _is_one(first):
        return False
    return all(_is_one(sentence) or _COURTESY.fullmatch(sentence) for sentence in rest)


def _is_one(sentence: str) -> bool:
    if len(sentence) > _LONGEST:
        return False
    if is_idk(sentence) or sentence.casefold() in _BARE:
        return True
    return _matches(sentence, _ENGLISH, _EXCUSE, _GOES_ON) or _matches(
        sentence, _KOREAN, _KOREAN_EXCUSE, _KOREAN_GOES_ON
    )


def _matches(sentence: str, form: re.Pattern[str], excuse: str, goes_on: re.Pattern[str]) -> bool:
    """True if the sentence is a refusal and does not go on with an answer, as in "…, but pump 4 runs at 11 bar"."""
    if form.fullmatch(sentence) is None:
        return False
    begun = re.match(excuse, sentence, re.IGNORECASE)
    return goes_on.search(sentence, begun.end() if begun else 0) is None
