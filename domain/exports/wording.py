"""The words between the parts of an exported answer, in the two languages that questions may have."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from domain.documents.text_marks import IN_ENGLISH
from domain.exports.messages import Told


def _as_it_is(text: str) -> str:
    return text


@dataclass(frozen=True, slots=True)
class Wording:
    """Titles and phrases of one language. The keys of `states`, `edits`, `citations`, `since`, `steps` and `marks` are
    names of the API; `told` translates the API's reasons and errors. A step without a phrase appears under its own
    name.
    """

    understood: str
    sources: str
    conflicts: str
    replaced: str
    disagree: str
    closest: str
    closest_unread: str
    changes: str
    left_out: str
    checked: str
    page: str
    answered: str
    answered_by: str
    unanswered: str
    states: Mapping[str, str]
    edits: Mapping[str, str]
    citations: Mapping[str, str]
    since: Mapping[str, str]
    short_page: str = "p.{}"
    replaces: str = ", in place of "
    asked: str = "asked"
    audit: str = "audit"
    told: Told = _as_it_is
    steps: Mapping[str, str] = field(default_factory=dict[str, str])
    marks: Mapping[str, str] = field(default_factory=lambda: IN_ENGLISH)


ENGLISH = Wording(
    understood="Understood as",
    sources="Sources",
    conflicts="Your documents disagree",
    replaced="The answer uses the value that was replaced.",
    disagree="Other documents say something else about this.",
    closest="These passages come closest",
    closest_unread="Closest passages; no model read them",
    changes="What was changed",
    left_out="What was left out",
    checked="What was checked",
    page="page {}",
    answered="Answered on {at:%Y-%m-%d} at {at:%H:%M} UTC.",
    answered_by="Answered on {at:%Y-%m-%d} at {at:%H:%M} UTC by {model}.",
    unanswered="No answer",
    states={
        "supported": "supported",
        "partial": "partly supported",
        "contradicted": "contradicted",
        "unsupported": "not in the sources",
        "no_claim": "claims nothing",
        "not_checked": "not checked",
    },
    edits={
        "removed": "Citation removed",
        "rewritten": "Sentence rewritten",
        "dropped": "Sentence removed",
        "reattributed": "Citation moved to a source that says it",
        "reworded": "Wording adjusted",
        "references_stripped": "List of references removed",
    },
    citations={
        "inaccurate": "does not prove the sentence that cites it",
        "uncertain": "whether it proves the sentence could not be checked",
    },
    since={
        "stale": "Since then a cited document has changed.",
        "invalidated": "Since then the documents say otherwise.",
    },
)

KOREAN = Wording(
    understood="이해한 질문",
    sources="출처",
    conflicts="문서마다 내용이 다릅니다",
    replaced="답변은 바뀌기 전의 값을 사용합니다.",
    disagree="다른 문서에는 이와 다르게 적혀 있습니다.",
    closest="가장 가까운 구절",
    closest_unread="가장 가까운 구절(모델이 읽지 않음)",
    changes="바뀐 내용",
    left_out="생략된 내용",
    checked="확인한 내용",
    page="{}쪽",
    answered="{at:%Y-%m-%d} {at:%H:%M}(UTC)의 답변입니다.",
    answered_by="{at:%Y-%m-%d} {at:%H:%M}(UTC)의 답변입니다. 모델: {model}.",
    unanswered="답변 없음",
    states={
        "supported": "근거 있음",
        "partial": "일부만 근거 있음",
        "contradicted": "출처와 다름",
        "unsupported": "출처에 없음",
        "no_claim": "주장 없음",
        "not_checked": "확인 안 됨",
    },
    edits={
        "removed": "인용 삭제",
        "rewritten": "문장 고침",
        "dropped": "문장 삭제",
        "reattributed": "근거가 있는 출처로 인용을 옮김",
        "reworded": "표현 조정",
        "references_stripped": "참고 문헌 목록 삭제",
    },
    citations={
        "inaccurate": "인용한 문장의 근거가 아님",
        "uncertain": "문장의 근거인지 확인하지 못함",
    },
    since={
        "stale": "그 뒤에 인용된 문서가 바뀌었습니다.",
        "invalidated": "그 뒤에 문서의 내용이 달라졌습니다.",
    },
    short_page="{}쪽",
    replaces=", 바뀌기 전: ",
    asked="질문",
    audit="감사 기록",
)
