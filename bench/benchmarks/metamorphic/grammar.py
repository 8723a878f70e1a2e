"""Marks of a sentence's structure, which show where it can be changed so that the truth of the result is known."""

import re

ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth".split(),
    "1st 2nd 3rd 4th 5th 6th 7th 8th 9th 10th".split(),
)
NEGATABLE = re.compile(
    r"\b(?:is|are|was|were|can|could|will|would|should|must|(?:has|have|had)(?= (?:been|[a-z]+ed)\b))\b"
)
DOUBTFUL = re.compile(
    r"\b(?:not|no|never|nor|neither|without|hardly|unless|only|if|whether|none|nobody|nothing|few|little|rather than"
    r"|doubt\w*|myth|alleged\w*|rumou?r\w*|perhaps|probably|maybe|instead|although|but|however|either|except|until|than|as)\b|n['’]t\b|\?",
    re.IGNORECASE,
)
"""Words beside which one more "not" may leave the meaning unchanged, or deny nothing."""

ADDRESSED = re.compile(r"\b(?:I|you|we|We|You|my|our|your|me|us|[Tt]hanks?|[Pp]lease)\b|^\w+:|\"")
"""Words of opinion or small talk, which are no statements of fact."""

SUBORDINATING = re.compile(
    r",|;|:|\b(?:that|which|who|whom|whose|when|where|while|because|since|after|before|and|or|what|how|why)\b"
)

_LIMIT_BEFORE = re.compile(
    r"(?:\b(?:at least|at most|(?:more|less|fewer|higher|lower|greater|larger|later|earlier) than|over|under|up to"
    r"|above|below|around|about|circa|approximately|exceed(?:s|ed|ing)?|since|until|till|before|after|by|through"
    r"|within|as (?:many|much|far back) as)(?: the)?(?: [A-Z][a-z]+)?(?: \d{1,2},)? ?[$€£]?|(?:최대|최소|적어도) ?)$",
    re.IGNORECASE,
)
_LIMIT_AFTER = re.compile(
    r"^[년월일 \d가-힣%]{0,8}? ?(?:이상|이하|초과|미만|이내|안에|이후|이전|전에|까지|부터|넘|내외|을 넘|를 넘|밑|아래"
    r"|경|무렵|쯤)"
)


def is_limit(sentence: str, start: int, end: int) -> bool:
    """Return whether the figure at `start` to `end` covers others, as "since 2019" also says something about 2022."""
    before, after = sentence[max(0, start - 40) : start], sentence[end : end + 20]
    return bool(_LIMIT_BEFORE.search(before) or _LIMIT_AFTER.match(after))
