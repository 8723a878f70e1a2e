"""Detects a model's words that deny its own verdict: named differences, or an explanation that says no beside a yes.

Models write their verdict after comparing, and some, especially small ones, still say yes to a statement that they have
just called different. Such a yes proves nothing, so it counts for less. Favourable words never change a no.
"""

import re

from citewell_verify.prompting.judgements import StatementCheck
from citewell_verify.text.quotes import letters

_MOST = 2_000
"""The characters of each text that are read: explanations should be one sentence."""

_MOST_OF_IT = 0.7  # share of a statement's letters

_NOTHING = re.compile(
    r"(?:there (?:is|are) )?(?:none|nothing|null|nil|n/?a|no (?:\w+ ){0,2}(?:differences?|changes?|additions?|errors?))"
    r"|not applicable|empty|identical|same|the statement (?:is identical|matches|agrees) ?[^.;]{0,60}"
    r"|(?:(?:차이|다른 점|차이점|해당)[은는이가도]? ?)?없(?:음|다|습니다)|동일(?:함|하다|합니다)|"
)
_PLACEHOLDER = re.compile(r"<[^<>]{1,60}>")
_QUOTED = re.compile(r"[“\"「『‘][^“”\"「」『』‘’]{0,400}[”\"」』’]")

_IS = r"(?:is|are|was|were)"
_SAYS = r"match|agree|correspond|align|say|state|mention|support|contain|include|confirm|specify|indicate|appear|give"
_SAID = (
    r"match(?:ed|ing)?|supported|mentioned|stated|said|confirmed|contained|included|accurate|correct|true|the same"
    r"|consistent|given|specified|found|in the (?:source|text|context)"
)
_DENIALS = re.compile(
    rf"\b(?:{_IS}(?: \w+)? different (?:from|than|to)|differ(?:s|ed)? from"
    rf"|(?:do(?:es)?|did) ?n[o’']t (?:\w+ ){{0,2}}(?:{_SAYS})|{_IS} ?n[o’']t (?:\w+ ){{0,2}}(?:{_SAID})"
    r"|instead of|rather than|not the same as|no mention of|contradict(?:s|ed|ing)?|inconsistent with"
    r"|mismatch(?:es|ed)?|discrepanc(?:y|ies)|conflicts? with|contrary to|opposite of"
    rf"|{_IS} (?:\w+ )?(?:in(?:accurate|correct)|wrong|false|unsupported|misattributed|swapped))\b"
    r"|[와과]는? (?:서로 )?(?:다르|다른|다릅|달라|달리)|일치하지 ?(?:않|아니)|불일치|맞지 ?않|모순|상반(?!기)|상충"
    r"|(?:언급|명시|포함|기재|뒷받침|지지|확인)(?:되어 있지|돼 있지|되지|하지|이|은) ?[않없]|나와 ?있지 ?않"
    r"|부정확|틀[렸립린]|[이가] 아니(?:라|고|다|므로|며)|아닙니다|대신(?:에)?(?= )|반대로|잘못[된되]",
    re.IGNORECASE,
)
_NEGATED_BEFORE = re.compile(
    r"\b(?:no|not|nothing|never|without|neither|nor|n[o’']t|hardly)\b[^.;,:]{0,40}$", re.IGNORECASE
)
_NEGATED_AFTER = re.compile(r"[가-힣]{0,4}(?:[은는이가]|하는|되는)? ?(?:점|것|내용|부분)?[은는이가도]? ?(?:없|않|아니)")
_OTHERWISE = re.compile(r" (?:\w+ ){0,2}(?:otherwise|anything|differently|the (?:contrary|opposite))\b", re.IGNORECASE)
_NEGATION = re.compile(r"\b(?:no|not|never|without|cannot|non)\b|n[’']t\b|않|없|아니|못|\b[안불비무]", re.IGNORECASE)


def denies_itself(reply: StatementCheck, statement: str = "") -> str:
    """Return the reason in the model's own words why its "yes" to the `statement` does not count; empty if its words
    agree, or if it says no.

    Two things contradict a yes: `differences` that name more than the statement itself, and an `explanation` that
    source and statement disagree. Words that the explanation quotes, or that are also in the evidence, are the source's
    words and contradict nothing. Linear in the length of the reply; at most 2,000 characters of each text are read.
    """
    if not reply.is_accurate:
        return ""
    named = next(
        (text for difference in reply.differences if (text := _named(difference)) and not _repeats(text, statement)), ""
    )
    if named:
        return f"the model itself names a difference: {named}"
    denial = _denial(reply.explanation[:_MOST], reply.evidence[:_MOST].casefold())
    return f"the model's own explanation denies it: “{denial}”" if denial else ""


def _named(difference: str) -> str:
    """Return a difference without signs; "" for any wording of "none", and for the prompt's placeholder, which models
    write instead of an empty list: "<a difference>"."""
    if _PLACEHOLDER.fullmatch(difference.strip()):
        return ""
    text = " ".join(difference[:_MOST].split()).strip(" .,;:!-–—·。()[]'\"“”")
    return "" if _NOTHING.fullmatch(text.casefold()) else text


def _repeats(difference: str, statement: str) -> bool:
    """Return whether a difference only repeats the whole statement, and so names no difference."""
    said = letters(statement)
    return (again := letters(difference)) in said and len(again) >= _MOST_OF_IT * len(said)


def _denial(explanation: str, evidence: str) -> str:
    """Return the first words of an explanation that deny the verdict, unless words beside them negate them or the
    evidence has the same words; "" if there are none."""
    # Each quoted character is replaced by a blank, so that distances stay the same.
    said = _QUOTED.sub(lambda quoted: " " * len(quoted[0]), explanation)
    for denial in _DENIALS.finditer(said):
        before, after = said[max(0, denial.start() - 60) : denial.start()], said[denial.end() : denial.end() + 40]
        # "nothing contradicts it", "does not say otherwise", "다르지 않다".
        is_affirmed = _NEGATED_BEFORE.search(before) or _NEGATED_AFTER.match(after) or _OTHERWISE.match(after)
        words = denial[0].casefold()
        # The evidence may say "the lamp is not supported" and the explanation "it isn't supported".
        is_in_evidence = words in evidence or (words.split()[-1] in evidence and _NEGATION.search(evidence))
        if not (is_affirmed or is_in_evidence):
            return denial[0].strip()
    return ""
