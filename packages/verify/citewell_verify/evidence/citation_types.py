"""Classifies how a claim uses the words it cites: it quotes them, restates them or concludes from them (S4.2)."""

import re
from collections.abc import Sequence

from citewell_verify.evidence.contradictions import without_markers
from citewell_verify.prompting.judgements import CitationType
from citewell_verify.text.words import content_stems, coverage, words

CONFIDENCE_ORDER: tuple[CitationType, ...] = ("direct_quote", "paraphrase", "inference")
"""The seed's order: a direct quote deserves the highest confidence, a paraphrase high, an inference medium."""

_MOST = 0.5  # a paraphrase shares more than this with the span
_QUOTED_WORDS = 3  # fewer words between quotation marks are a term, not a quotation
_QUOTED = re.compile(
    r'"([^"\n]{1,400})"|“([^“”]{1,400})”|「([^「」]{1,400})」|『([^『』]{1,400})』'
    r"|‘([^‘’\n]{1,400})’|(?<!\w)'((?:[^'\n]|(?<=\w)'(?=\w)){1,400})'(?!\w)"
)
_CUE = re.compile(
    r"\b(?:suggest(?:s|ed|ing)?|impl(?:y|ies|ied|ying)|indicat(?:es?|ing)|infer(?:s|red)?|therefore|thus|hence"
    r"|consequently|presumably|apparently|probably|likely|must mean|(?:this|which) means|(?:it|this) follows|seems?"
    r"|appears? to|conclude(?:s|d)?)\b"
    r"|시사|암시|함의|추론|추측|추정|짐작|따라서|그러므로|결론"
    r"|뜻한다|뜻합니다|의미한다|의미합니다|것으로 보[이인입]|볼 수 있"
)


def citation_type(claim: str, span: str) -> CitationType:
    """Return the type of the citation of `span` by `claim`, the first line that applies (S4.2):

    | the claim                                                                | is a         |
    |--------------------------------------------------------------------------|--------------|
    | stands in the span word for word, or all that it puts in quotation marks | direct_quote |
    | has a word of concluding ("suggests", "therefore") which the span lacks  | inference    |
    | shares more than half of its content words with the span                 | paraphrase   |
    | is none of these                                                         | inference    |

    Case, punctuation and citation markers do not matter. A term of one or two words in quotation marks is no quotation.
    The type says how the claim was made, not whether it is right.
    """
    claim = without_markers(claim)
    said = _spaced(words(span))
    quoted = [words(part) for part in dict.fromkeys(quoted_parts(claim) or [claim])]
    if all(part and _spaced(part) in said for part in quoted):
        return "direct_quote"
    if _cues(claim) - _cues(span):
        return "inference"
    return "paraphrase" if coverage(content_stems(claim), set(content_stems(span))) > _MOST else "inference"


def quoted_parts(claim: str) -> list[str]:
    parts = [match[match.lastindex or 0] for match in _QUOTED.finditer(claim)]
    return [part for part in parts if len(words(part)) >= _QUOTED_WORDS]


def weaker(left: CitationType, right: CitationType) -> CitationType:
    """Return the type that deserves less confidence, for when the model and the words disagree (S4.2)."""
    return left if CONFIDENCE_ORDER.index(left) >= CONFIDENCE_ORDER.index(right) else right


def _spaced(said: Sequence[str]) -> str:
    return f" {' '.join(said)} "


def _cues(text: str) -> set[str]:
    return {match[0] for match in _CUE.finditer(text.casefold())}
