"""Recognises instructions, which oblige without a word of duty: "Do not use it", 필터는 3개월마다 청소한다."""

import re

from domain.text.words import vocabulary

_OPENING = re.compile(
    r"(?:^|[.!?;:,]\s+|\band\s)(?:(?:please|always|first|then|finally|also|and|or|next|only)\s)*"
    r"(?P<verb>do not|don['’]t|never|let|[a-z]{2,})\s(?P<object>[a-z']+|\d)",
    re.IGNORECASE,
)
_SURE = vocabulary("do not don't don’t never let") | {"do not"}
_OBJECTS = vocabulary("the a an your it them this these all any each its their one two three half")
_NO_VERBS = vocabulary("""
    in on at for by from to with of as if when while after before since until during all both half over under about
    despite unlike like and or but is are was were has have had not only than because so then that which who whom whose
    where although though unless between among through within without including also there here only even what how
    may might can could must shall should will would do did about near into onto upon per
""")
_NO_VERB = re.compile(r"(?:s|ed|ing|ly)$")
_KOREAN = re.compile(r"(?<![았었였했됐갔왔렸졌켰쳤])(?:[가-힣]다|시오|세요|[ㄹ할될을] 것)[.\s]*$")


def is_instruction(sentence: str) -> bool:
    """Say whether a sentence, or a clause behind a comma or "and", tells the reader what to do.

    In Korean, where rules and manuals use the plain present, every sentence in it may: 먹이지 않는다.
    """
    return _KOREAN.search(sentence) is not None or any(map(_is_instructing, _OPENING.finditer(sentence)))


def _is_instructing(opening: re.Match[str]) -> bool:
    verb = opening["verb"].casefold()
    if verb in _SURE:
        return True
    may_be_verb = verb not in _NO_VERBS and verb not in _OBJECTS and not _NO_VERB.search(verb)
    return may_be_verb and (opening["object"].casefold() in _OBJECTS or opening["object"].isdigit())
