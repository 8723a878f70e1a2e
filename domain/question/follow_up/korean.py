"""Follow-up questions in Korean, read by their particles: there is no tagger here."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from citewell_verify.entities.names import find_names
from citewell_verify.text.words import content_stems, vocabulary
from domain.question.follow_up.values import dated, exchanged, values_of

_LEAD = re.compile(
    r"^(?:(?:그럼|그러면|그렇다면|그리고|그런데|근데|또|또한|아|네|예|좋아요|감사합니다|고마워요)(?=[\s,.!])[\s,.!]*)+"
)
_ASKING = re.compile("^(?:언제|어디|어딘|누가|누구|누굴|왜|어떻게|어때|무엇|무얼|뭐|뭘|무슨|어느|어떤|몇|며칠|얼마)")
_WITH_NOUN = vocabulary("무슨 어느 어떤 몇")
_WHICH = re.compile(r"(?<!\S)(?:무슨|어느|어떤) ")
_SAME = re.compile("(?<=[은는도]) ?(?:어때요|어떤가요|어떻습니까|그런가요|마찬가지인가요)$")
_PREDICATE = re.compile(
    r"(?:[나까가데래]요|[까니]까|[죠지]요?|[어아여해돼와려세예에워러춰]요|는지|을지|줘|[하된한]다|인가|습니다)$"
)
_COPULA = re.compile(r"(?:인가요?|이에요|예요|이죠|입니까|[이였]?었?나요|[이였]었나요|인지)$")
_LIGHT = re.compile("^(?:[하되있없][나는을으어습지면]|해[요야]|돼[요야]|[합됩]니|[할될]|수$|[하되]$)")
_ADVERBS = vocabulary("""
    꼭 더 좀 또 다시 모두 다 가장 제일 보통 지금 최대 최소 약 총 혹시 자주 주로 언제나 원래 자세히 수 정말 진짜 계속
    동안 안에
""")
_PARTICLE = re.compile(
    "(?<=.)(?:에서는|에서의|에서도|에서|에게는|에게|에는|에도|으로는|으로|까지|부터|한테|은|는|이|가|을|를|의|과|와|도|에|로)$"
)
_PAIRS = {particle: pair for pair in ("은는", "이가", "을를", "과와") for particle in pair}
_PLAIN = frozenset([*_PAIRS, "의", "도", ""])
_PRONOUN = re.compile(
    r"(?<!\S)(?P<word>[그이저](?:것|거)들?|[그이저](?=[건게걸](?:\s|$))|거기|거긴|그 ?곳|그 ?때"
    r"|그 ?사람|그 ?분|그녀|그들|(?:그|해당) [가-힣]+?|그(?=의 ))"
    r"(?P<particle>건|게|걸|에서는|에서|에는|에게|에|서|은|는|이|가|을|를|의|과|와|도|로)?(?=[\s?？.,!]|$)"
)
_CONTRACTED = {"건": "은", "게": "이", "걸": "을", "서": "에서", None: ""}
_PROPERTY = re.compile(
    "(?P<syllable>[금비료율률액량수일자도력용인])$|(?:가격|단가|값|기간|기한|시간|번호|주소|매출|이익|방법|크기|무게|길이|온도|압력"
    "|속도|담당|대표|주기|장소|위치|이름|규모|피해|결과|조건|절차|인구|이유|종류|연차|휴가|병가|메일|연락처)$"
)
"""Nouns that belong to another: most end in a syllable for a sum, a share, a day, a person with a part in it."""
_MOST_LED, _MOST_BARE = 8, 4  # words of a fragment


@dataclass(frozen=True, slots=True)
class _Phrase:
    """Nouns up to their particle: `text[start:end]` without that particle."""

    text: str
    start: int
    end: int
    particle: str

    @property
    def whole(self) -> str:
        return self.text + self.particle


@dataclass(frozen=True, slots=True)
class _Question:
    text: str
    asking: tuple[int, int] | None
    phrases: Sequence[_Phrase]
    predicate: str

    @property
    def is_copular(self) -> bool:
        """Whether the question asks for its last phrase: "수도는 어디인가요", "본사는 어디에 있나요"."""
        return not self.predicate

    @property
    def content(self) -> int:
        return sum(len(phrase.text.split()) for phrase in self.phrases) + (not _LIGHT.match(self.predicate or "수"))


def goes_on(question: str) -> bool:
    led = _LEAD.match(question + " ")
    body = _body(question)
    asked = _read(body)
    if _pronoun(body) or not body:
        return True
    if asked.asking or asked.predicate:
        adds = any(phrase.particle.endswith("도") for phrase in asked.phrases)
        # "회의실은 몇 개인가요?" says all itself, "보증금은 얼마인가요?" asks for that of something.
        topics = [phrase.text for phrase in asked.phrases if phrase.particle in _PAIRS or phrase.text.endswith("란")]
        return asked.content <= 1 + adds and (adds or not topics or any(map(_is_property, topics)))
    return len(body.split()) <= (_MOST_LED if led else _MOST_BARE)


def restated(question: str, topic: str) -> str | None:
    body = _body(question)
    new, old = _read(body), _read(_WHICH.sub("", topic).rstrip(" ?？.!"))
    is_asked = new.asking or (new.predicate and question.endswith(("?", "？")))
    if not old.phrases or not (new.phrases or is_asked or _pronoun(body)):
        return None
    if not new.asking and not new.predicate and not _pronoun(body):
        text = _with_fragment(new, old)
    elif new.asking and not new.phrases and not new.predicate and not _COPULA.search(body):
        text = _asked_instead(body.removesuffix("요"), old)
    else:
        text = _about(new, old)
    return text and f"{text}?"


def _body(question: str) -> str:
    led = _LEAD.match(question + " ")
    return _SAME.sub("", question[led.end() if led else 0 :].strip().rstrip(" ?？.!"))


def _read(text: str) -> _Question:
    tokens = list(re.finditer(r"[^\s?？.,!()]+", text))
    first = next((at for at, token in enumerate(tokens) if _ASKING.match(token[0])), None)
    asked: set[int] = set()
    if first is not None:
        last = min(first + (tokens[first][0] in _WITH_NOUN), len(tokens) - 1)
        asked = set(range(first, last + 1))
    end = len(tokens)
    while end and end - 1 not in asked and _is_verbal([token[0] for token in tokens[end - 1 : end + 1]]):
        end -= 1
    verbs = [token[0] for token in tokens[end:] if not _LIGHT.match(token[0])]
    phrases = _phrases(text, [token for at, token in enumerate(tokens[:end]) if at not in asked])
    asking = (tokens[min(asked)].start(), tokens[max(asked)].end()) if asked else None
    # 있나요 and 하나요 say nothing beside a question word; alone they are what is asked.
    light = tokens[end][0] if end < len(tokens) and not asking else ""
    return _Question(text, asking, phrases, verbs[0] if verbs else light)


def _is_verbal(words: Sequence[str]) -> bool:
    """Whether the first of these words is of the verb: the last of the question, or one before a word of the verb."""
    word = words[0]
    if len(words) == 1:
        return _PREDICATE.search(word) is not None and not re.search("[은는도서]요$", word)
    return "수" in words or (re.search("[야고지려]$", word) is not None and word not in _ADVERBS)


def _phrases(text: str, tokens: Sequence[re.Match[str]]) -> list[_Phrase]:
    phrases: list[_Phrase] = []
    start = None
    for at, token in enumerate(tokens):
        if token[0] in _ADVERBS:
            continue
        word = token[0].removesuffix("요") if re.search("[은는도에서이가]요$", token[0]) else token[0]
        particle = _particle_of(word)
        begin = token.start() if start is None else start
        end = token.start() + len(word) - len(particle)
        follows = at + 1 < len(tokens) and not text[token.end() : tokens[at + 1].start()].strip()
        # A year is a phrase of its own: "2024년 매출".
        is_value = [value.kind for value in values_of(text[begin:end])] in (["year"], ["quarter"], ["weekday"])
        if particle or not follows or is_value:
            phrases.append(_Phrase(text[begin:end], begin, end, particle))
            start = None
        else:
            start = begin
    return phrases


def _particle_of(word: str) -> str:
    match = _PARTICLE.search(word)
    if match is None:
        return ""
    base, particle = word[: match.start()], match[0]
    if particle in _PAIRS and "가" <= base[-1] <= "힣" and _agreeing(base, particle) != particle:
        return ""
    return "" if len(base) < 2 and particle in "이가의에로와과도" and re.match("[가-힣]", base) else particle


def _agreeing(noun: str, particle: str) -> str:
    """The form of the particle behind this noun: 은 behind a consonant, 는 behind a vowel."""
    last = noun[-1:].upper()
    is_closed = (ord(last) - ord("가")) % 28 != 0 if "가" <= last <= "힣" else last in "013678LMNR"
    return _PAIRS[particle][not is_closed] if particle in _PAIRS else particle


def _pronoun(body: str) -> re.Match[str] | None:
    pronoun = _PRONOUN.search(body)
    # Words before it in the question already explain the pronoun.
    return pronoun if pronoun and not _read(body[: pronoun.start()]).phrases else None


def _asked_instead(asking: str, old: _Question) -> str:
    if old.asking is None:
        return f"{asking} {old.text}"
    start, end = old.asking
    if not old.is_copular:
        return old.text[:start] + asking + old.text[end:]
    last = old.phrases[-1]
    words = last.text.split()
    if len(words) > 1 and _is_property(words[-1]):
        last = replace(last, text=" ".join(words[:-1]))
        return _joined([*old.phrases[:-1], last], "은") + f" {asking}인가요"
    return f"{old.text[:start]}{asking}인가요"


def _joined(phrases: Sequence[_Phrase], particle: str) -> str:
    """The phrases as they are, with this particle behind the last, unless that has one of place or time."""
    *first, last = phrases
    end = _agreeing(last.text, particle) if last.particle in _PLAIN else last.particle
    return " ".join([*(phrase.whole for phrase in first), last.text + end])


def _things(old: _Question, *, whole: bool = False) -> Sequence[_Phrase]:
    """What the question is about; not `whole`: without what it asks of that."""
    return old.phrases[:-1] if not whole and old.is_copular and len(old.phrases) > 1 else old.phrases


def _about(new: _Question, old: _Question) -> str:
    pronoun = _pronoun(new.text)
    has_subject = any(phrase.particle in _PAIRS for phrase in new.phrases) and not pronoun
    is_person = pronoun is not None and re.match("그 ?(?:사람|분)|그녀|그들|그의", pronoun[0])
    drops = (has_subject or pronoun) and not is_person
    stems = set(content_stems(" ".join(phrase.text for phrase in new.phrases)))
    things = [
        phrase for phrase in _things(old, whole=not drops) if pronoun or not stems & set(content_stems(phrase.text))
    ]
    if not things:
        return new.text
    if pronoun:
        particle = _CONTRACTED.get(pronoun["particle"], pronoun["particle"] or "")
        put = _joined([*things[:-1], replace(things[-1], particle="")], particle)
        return new.text[: pronoun.start()] + put + new.text[pronoun.end() :]
    return f"{_joined(things, '의' if has_subject else '은')} {new.text}"


def _agreed(match: re.Match[str]) -> str:
    return match[1] + _agreeing(match[1], match[2])


def _with_fragment(new: _Question, old: _Question) -> str | None:
    last = new.phrases[-1]
    fragment = " ".join([*(phrase.whole for phrase in new.phrases[:-1]), last.text])
    fragment = re.sub(r"의 경우$", "", dated(fragment, old.text))
    is_property = _is_property(fragment)
    if not is_property and (text := exchanged(fragment, old.text)):
        return re.sub(r"([^\s가-힣]|[번호급층조항팀과반차회년월일])([은는이가을를과와])(?= )", _agreed, text)
    if last.particle not in _PLAIN:
        like = next((phrase for phrase in old.phrases if _case(phrase.particle) == _case(last.particle)), None)
        return _put(fragment + last.particle, like, old) if like else f"{fragment}{last.particle} {old.text}"
    if like := _like(fragment, old):
        return _put(fragment + _agreeing(fragment, like.particle), like, old)
    if is_property:
        asked = old.phrases[-1]
        is_asked = not _is_time(asked) and (" " not in asked.text or _is_property(asked.text))
        return f"{_joined(_things(old, whole=not is_asked), '의')} {new.text}"
    plain = next((phrase for phrase in old.phrases if phrase.particle in _PLAIN and not _is_time(phrase)), None)
    if plain and old.is_copular and len(old.phrases) == 1:
        return f"{fragment}의 {old.text}"
    return plain and _put(fragment + _agreeing(fragment, plain.particle), plain, old)


def _case(particle: str) -> str:
    return particle if particle in _PLAIN else particle.rstrip("는도")


def _put(text: str, place: _Phrase, old: _Question) -> str:
    return old.text[: place.start] + text + old.text[place.end + len(place.particle) :]


def _like(fragment: str, old: _Question) -> _Phrase | None:
    """The phrase with a word of the fragment, or the word with the same last syllable."""
    stems = set(content_stems(fragment))
    for phrase in old.phrases:
        if stems & set(content_stems(phrase.text)):
            return phrase
    for phrase in old.phrases:
        for word in re.finditer(r"\S{2,}", phrase.text):
            is_last = word.end() == len(phrase.text)
            if len(fragment) > 1 and word[0][-1] == fragment[-1] and (is_last or not _is_property(fragment)):
                start, particle = phrase.start + word.start(), phrase.particle if is_last else ""
                return _Phrase(word[0], start, start + len(word[0]), particle)
    return None


def _is_property(noun: str) -> bool:
    match = _PROPERTY.search(noun)
    return match is not None and not (
        match["syllable"] and any(name.kind in ("place", "organisation", "person") for name in find_names(noun))
    )


def _is_time(phrase: _Phrase) -> bool:
    return any(value.kind not in ("name", "code", "number") for value in values_of(phrase.text))
