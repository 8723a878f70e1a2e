"""Recognises the headings of a source, the text below each heading, and the facts that it states about that text (V2,
V4).
"""

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise

from citewell_verify.facts.reading.questions import is_question
from citewell_verify.facts.reading.tokens import Token, tokenize
from citewell_verify.facts.reading.vocabulary import keys_of
from citewell_verify.text.cache import text_cache
from citewell_verify.text.words import vocabulary

_MOST_LINE = 200
_MOST_WORDS = 8  # of a heading directly above its text
_MOST_SMALL = 4  # words of a heading that begins with a small letter
_BOLD, _BARE, _ASKED = 7, 8, 9  # levels of headings without marks, below those of Markdown
_MARKED = re.compile(r"[ \t]{0,3}(#{1,6})[ \t]+(\S[^\n]{0,120}?)[ \t#]*")
_IN_WIKI = re.compile(r"[ \t]*(={1,6})[ \t]*([^=\n](?:[^\n]{0,118}[^=\n])?)[ \t]*\1[ \t]*")
_IN_BOLD = re.compile(
    r"[ \t]*(?:\*\*|__)([^*_\n]{1,80})(?:\*\*|__):?[ \t]*"
    r"|[ \t]*[■▶●◆□][ \t]*([^.!?。\n]{1,60}\??)[ \t]*|[ \t]*\[([^\]\n\d]{1,60})\][ \t]*"
)
_LINE = re.compile(r"[ \t]*([A-Z가-힣\d][^.!?。:;|,\n]{0,60}?):?[ \t]*")
_SMALL_LINE = re.compile(r"[ \t]*([a-z][^.!?。:;|,\n]{0,60})[ \t]*")
_QUESTION_LINE = re.compile(r"[ \t]*([^.!?。|\n]{2,120}[?？])[ \t]*")
_UNDERLINED = re.compile(r"[ \t]*([^\s.!。|][^!。|\n]{0,80}?)[ \t]*")
_UNDERLINE = re.compile(r"[ \t]*(?:={3,}|-{3,})[ \t]*")
_STOPPED = re.compile(r"[.!?。][\"'”’)]*\s*$")
_NUMBERING = re.compile(
    r"(?:(?:chapter|section|part|appendix|article)\s+)?(?:\d{1,3}(?:\.\d{1,3}){0,3}|[IVX]{1,5}|[A-Za-z가-하])[.):]\s+"
    r"|(?:제\s?)?\d{1,3}\s?[장절조항편부][.:]?(?:\s+|(?=\())|\d{1,3}(?:\.\d{1,3}){1,3}\s+|[①-⑳]\s*",
    re.IGNORECASE,
)
PERIOD = keys_of("""
    fiscal financial year ended ending quarter half fy business result election season edition glance update
    회계연도 회계 연도 사업연도 실적 결산 상반기 하반기 분기
""")
_NUMBER_WORD = re.compile(r"[#§]?[\d.]+[.)]?|[ivx]+\.?|제?\d+[장절조항]|[a-z][.)]?|and|of|the|for|in|to|및|&")
# Words of headings that label a part of any text, or an aspect of any thing.
_SECTION_WORDS = vocabulary("""
    abstract access account activity agenda annual answer appendix application approach architecture article award
    background balance basics benefit biography body budget career cast change chapter climate comment company
    compensation conclusion condition configuration construction contact content contract cost culture customer data
    death delivery demographics description design detail development dimension discography discussion document duty
    early economy education eligibility employee employment environment event example facility fact family faq feature
    fee figure film finance financial finding form function general geography glossary goal guide health history
    impact income index information installation introduction issue key later leadership legacy legal life limit list
    location main maintenance management manual market member method mission music name note number objective
    operation organisation organization origin other overview page part payment people performance personal personnel
    picture plan plot policies policy politics population preface price procedure process product production profile
    project property protection purpose quality question range reception reference refund regulation related release
    remark report requirement research responsibility result return review right risk role rule safety sales scope
    section security see service shipping size source specification sport staff standard statement status storage
    strategy structure style subject summary supply support table team technical term test time timeline title topic
    training transport travel use useful value view warranty weather weight work year
    개요 결론 경력 관리 교육 규정 규칙 기간 기능 기후 내용 목록 목적 목차 반품 배경 보수 복리후생 부록 사양 사업 생애
    서론 설명 소개 수상 안내 안전 업무 역사 연혁 예시 요금 요약 인구 작품 장 재무 절 절차 정보 정책 제원 제품 조직
    조직도 주의 줄거리 지리 직원 질문 참고 책임 출연 특징 평가 표 학력 항목 현황 환경 환불 회사 휴가 가족
""")


_SECTION_KEYS = keys_of(" ".join(_SECTION_WORDS))
_TOPIC = re.compile(r"(?:ing|ion|ment|ness|[ae]nce|ity|ogy)$")


@text_cache()
def heading_lines(text: str) -> frozenset[str]:
    return frozenset(line.strip() for line, heading in lines_with_headings(text) if heading is not None)


def heading_path(text: str, position: int) -> tuple[str, ...]:
    ends, paths = _paths(text)
    at = bisect_right(ends, position) - 1
    return paths[at] if at >= 0 else ()


@text_cache()
def _paths(text: str) -> tuple[Sequence[int], Sequence[tuple[str, ...]]]:
    ends: list[int] = []
    paths: list[tuple[str, ...]] = []
    path: list[tuple[int, str]] = []
    position = 0
    for written, (_, heading) in zip(text.splitlines(keepends=True), lines_with_headings(text), strict=True):
        position += len(written)
        if heading is not None:
            path = [above for above in path if above[0] < heading[0]] + [heading]
            ends.append(position)
            paths.append(tuple(title for _, title in path))
    return ends, paths


def split_off_headings(sentence: str, headings: Collection[str]) -> list[str]:
    """Return the heading lines at the beginning of a sentence, each separately, and the rest of the sentence."""
    lines = sentence.split("\n")
    first = next((at for at, line in enumerate(lines) if line.strip() not in headings), len(lines))
    return [*lines[:first], *(["\n".join(lines[first:])] if first < len(lines) else [])]


def is_naming_token(token: Token) -> bool:
    words = [word for word in token.text.casefold().split() if not _NUMBER_WORD.fullmatch(word)]
    return token.kind in ("name", "word") and any(
        word not in _SECTION_WORDS and word.removesuffix("s") not in _SECTION_WORDS for word in words
    )


def is_section_key(key: str) -> bool:
    return key in _SECTION_KEYS


def is_topic_heading(heading: str) -> bool:
    named = [token for token in tokenize(heading) if is_naming_token(token)]
    return all(token.kind == "word" and _TOPIC.search(token.text) for token in named)


def lines_with_headings(text: str) -> Iterator[tuple[str, tuple[int, str] | None]]:
    before = ""
    is_open = False  # True if the last line with words was no heading, and no sentence ended there
    for line, following in pairwise((*text.splitlines(), "")):
        heading: tuple[int, str] | None = None
        if len(line) <= _MOST_LINE:
            heading = _marked_heading(line) or (None if before.strip() else _bare_heading(line, following))
        if heading is None and not (before.strip() or following.strip() or is_open):
            small = _SMALL_LINE.fullmatch(_unnumbered(line))
            heading = (_BARE, small[1]) if small and len(small[1].split()) <= _MOST_SMALL else None
        yield line, heading
        before = line
        is_open = heading is None and not _STOPPED.search(line) if line.strip() else is_open


def _marked_heading(line: str) -> tuple[int, str] | None:
    """Return the level and title of a heading in Markdown or MediaWiki, in bold or after a sign; else None."""
    if marked := _MARKED.fullmatch(line):
        return len(marked[1]), _unnumbered(marked[2].strip(" *_"))
    if wiki := _IN_WIKI.fullmatch(line):
        return len(wiki[1]), _unnumbered(wiki[2].strip(" '"))
    if bold := _IN_BOLD.fullmatch(line):
        return _BOLD, _unnumbered(next(group for group in bold.groups() if group).strip())
    return None


def _bare_heading(line: str, following: str) -> tuple[int, str] | None:
    """Return the level and title of a heading below an empty line: it is underlined, directly above its text, or a
    question.
    """
    if _UNDERLINE.fullmatch(following) and (underlined := _UNDERLINED.fullmatch(line)):
        is_sentence = _STOPPED.search(line) and not is_question(line)
        return None if is_sentence else (1 if "=" in following else 2, _unnumbered(underlined[1]))
    plain = _unnumbered(line)
    is_wrapped = following.lstrip()[:1].islower() or len(plain.split()) > _MOST_WORDS
    stands_alone = not following.strip() or (_STOPPED.search(following) and not is_wrapped)
    if stands_alone and (bare := _LINE.fullmatch(plain)):
        return _BARE, bare[1]
    if (asked := _QUESTION_LINE.fullmatch(plain)) and is_question(line):
        return _ASKED, asked[1]
    return None


def _unnumbered(heading: str) -> str:
    """Return "Batteries" of "3.1 Batteries", 배터리 of "제3장 배터리" and "제3조(배터리)"; a number alone stays."""
    plain = heading.lstrip()
    numbering = _NUMBERING.match(plain)
    title = plain[numbering.end() :] if numbering else ""
    if title.startswith("(") and title.endswith(")") and title.count("(") == 1:
        title = title[1:-1]
    return title or heading
