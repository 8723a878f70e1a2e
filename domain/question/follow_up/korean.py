"""Follow-up questions in Korean: what is left out of them, and what their pronouns stand for (N9)."""

import re

from domain.question.follow_up.korean_omissions import asked_instead, left_out, without_owner
from domain.question.follow_up.korean_references import resolved
from domain.question.follow_up.restatement import Restatement, Verdict

_LEAD = re.compile(
    r"^(?:(?:그럼|그러면|그렇다면|그리고|그런데|근데|또|또한|아|네|예|좋아요|감사합니다)(?=[\s,.!])[\s,.!]*)+"
)
_MORE = re.compile(
    "^(?:왜(?:요|죠|인가요|그런가요| 그런가요| 그렇죠)?|더 자세히(?:요)?|자세히(?:요)?|정말(?:요|인가요)?"
    "|(?:좀 )?더 (?:자세히 )?(?:알려|설명해|말해) ?(?:줘|주세요|주십시오)|설명해 ?주세요|계속해 ?주세요"
    "|언제부터(?:요)?|누가요|어디서요|언제요|어떻게요|예를 들면요?|그래서요|어느 것(?:인가요|이요)?)$"
)
_FEW = 3


def restate(question: str, topic: str) -> Restatement | Verdict:
    """Say what `question` means after the question `topic`, which stands alone."""
    flat = " ".join(question.split())
    led = _LEAD.match(flat + " ")
    rest = flat[led.end() :] if led and led.end() < len(flat) else flat
    body = rest.rstrip(" ?？.!")
    if not body:
        return "stands alone"
    if _MORE.match(body):
        return "refers back"
    if found := resolved(rest, topic):
        return found
    if thing := left_out(body):
        return asked_instead(thing, topic) or ("refers back" if len(body.split()) <= _FEW else "stands alone")
    return without_owner(body, rest, topic) or "stands alone"
