"""Replaces phrases by single words before tokenization: `United States`, `more than`."""

import re
import unicodedata

from citewell_verify.entities.numbers import BEFORE_ONE
from citewell_verify.facts.reading import korean

_BE = r"(?:is|are|was|were|be|been|am)"
_DETERMINER = "an?|the|this|that|these|those|their|his|her|its|our|my|your|any|all|some|no|each|every"
_NUMBER = r"(?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fourteen|thirty|sixty|ninety)"
_PERIOD = r"(?:(?:business|working|calendar|full|more) )?(?:second|minute|hour|day|week|month|quarter|year)s?"
_PAST = (
    r"(?:[a-z]{2,}ed|began|beat|broke|came|cut|fell|got|hit|lost|made|met|missed|ran|sank|sold|spent|stopped|struck"
    r"|took|went|won)"
)
_PREVENTED = r"(?:prevent|stop|block|bar|ban|keep|kept|discourag|prohibit|forb)[a-z]*(?: [\w'’]+){1,5}?"
_INTENTION = r"(?:plan|proposal|bill|motion|request|bid|attempt|promise|pledge|idea)s?"
_ACCENT = re.compile("[\u0300-\u036f]")
_PHRASES = tuple(
    (re.compile(pattern, flags), plain, needed)
    # A match has one of the words in `needed`, in small letters; searching for these first is much cheaper.
    for pattern, plain, flags, *needed in (
        (r"\bUnited States(?: of America)?\b|\bU\.S\.A\.?|\bU\.S\.(?=\W|$)|\bUSA\b", "US", 0),
        (r"\bUnited Kingdom\b|\bU\.K\.(?=\W|$)|\bGreat Britain\b", "UK", 0),
        (r"\bEuropean Union\b|\bE\.U\.(?=\W|$)", "EU", 0),
        (r"\bUnited Nations\b|\bU\.N\.(?=\W|$)", "UN", 0),
        (r"(?<=\d)\s?(?:per ?cent\b|퍼센트|％)", "%", re.IGNORECASE),
        (r"\bDr\.(?=\s)", "Doctor", 0),
        (r"\bProf\.(?=\s)", "Professor", 0),
        (r"\b(?:Mr|Mrs|Ms)\.?(?=\s)", "", 0),
        (r"\b(?:Incorporated|Inc\.|Corp\.|Ltd\.|Co\.|GmbH|AG)(?=\W|$)", "", 0),
        (r"\be\.g\.,?", "for example", re.IGNORECASE),
        (r"\bi\.e\.,?", "that is", re.IGNORECASE),
        (r"\bapprox\.", "approximately", re.IGNORECASE),
        (r"\bvs\.?(?=\s)", "versus", re.IGNORECASE),
        (r"\betc\.", "and so on", re.IGNORECASE),
        (r"\bNo\.\s?(?=\d)", "number ", 0),
        (r"\bunless\b", "if not", re.IGNORECASE),
        (
            r"\b(?:nearly|almost|virtually|practically) (?:all(?: of)?|every)\b",
            "most",
            re.IGNORECASE,
            *(" all", " every"),
        ),
        (
            r"\b(?:in no (?:case|way|event)|under no circumstances|on no account|by no means)\b",
            "never",
            re.IGNORECASE,
            " no ",
        ),
        (r"\bcan(?:not|['’]t)\b", "can not", re.IGNORECASE),
        (r"\bwon['’]t\b", "will not", re.IGNORECASE),
        (r"n['’]t\b", " not", re.IGNORECASE),
        (r"\bneither\b(?=[^.;]{1,80}\bnor\b)", " ", re.IGNORECASE),
        (r"\b(?:is|are) to be\b(?= [a-z]+(?:ed|en|n|t)\b)", "planned", re.IGNORECASE, " to be "),
        # These state that something was not done, or leave it open.
        (
            r"\b(?:fail(?:ed|s)?|refus(?:es?|ed)|declin(?:es?|ed)|forg(?:ets?|ot)|neglect(?:s|ed)?|unable) to\b",
            "not",
            re.IGNORECASE,
            " to",
        ),
        (
            r"\b(?:avoid(?:s|ed)?|without|(?:vot(?:es?|ed)|decid(?:es?|ed)|argu(?:es?|ed)) against)\b(?= [a-z]+ing\b)",
            "not",
            re.IGNORECASE,
            *("avoid", "without", "against"),
        ),
        (rf"\b({_PREVENTED}) from(?= [a-z]+ing\b)", r"\1 not", re.IGNORECASE, " from "),
        (rf"\b(?:almost|nearly)\b(?= {_PAST}\b)", "not", re.IGNORECASE, "almost", "nearly"),
        (
            rf"\b(?:an?|the|its|their|his|her|this|that|any) (?:[a-z]+ )?{_INTENTION}"
            r" (?:to(?= [a-z]+ )|of(?= [a-z]+ing\b))",
            "planned",
            re.IGNORECASE,
            *("plan", "propos", "bill", "motion", "request", "bid", "attempt", "promise", "pledge", "idea"),
        ),
        (
            rf"\b(?:agree[sd]?|pretend(?:s|ed)?) to\b(?= [a-z])(?! (?:{_DETERMINER})\b)",
            "planned",
            re.IGNORECASE,
            *("agree", "pretend"),
        ),
        (
            r"(?<!is )(?<!are )(?<!was )(?<!were )(?<!been )\b(?:consider(?:s|ed)?|debat(?:es?|ed))\b(?= [a-z]+ing\b)",
            "planned",
            re.IGNORECASE,
            *("consider", "debate"),
        ),
        (
            rf"\b{_BE} (?:ready|willing|about|set|due|expected|scheduled|supposed|reluctant|unwilling|going) to\b"
            r"(?= [a-z])",
            "planned",
            re.IGNORECASE,
            " to ",
        ),
        # Permission and obligation in the words of their usual cues; "entitled to a refund" is neither.
        (
            rf"\b{_BE} (not )?(?:now |still |also |legally |explicitly )?"
            r"(?:allowed|permitted|able|entitled|eligible|free|authori[sz]ed) to\b(?=\s[a-z])"
            rf"(?!\s(?:{_DETERMINER})\b)",
            r"can \1",
            0,
            " to",
        ),
        (
            r"\bha(?:s|ve|d) the (?:right|option|opportunity|chance|ability|freedom|permission|possibility) to\b",
            "can",
            re.IGNORECASE,
            " to",
        ),
        (
            rf"\b(?:has|have|had|gets?|got) (?:up to )?({_NUMBER} {_PERIOD}(?: (?:from|after) (?:\w+ ){{0,4}}\w+)?)"
            r" to (?!go\b|come\b|spare\b)([a-z][^,;.:()]*+)",
            r"can \2 within \1",
            re.IGNORECASE,
            " to ",
        ),
        # "Does not have to" is no prohibition; "all they have to offer" no duty.
        (r"(?<!not )\b(?:has|have) to\b(?=\s[a-z])(?! (?:do with|offer|say)\b)", "must", re.IGNORECASE, " to"),
        (rf"\b{_BE} (?:obliged|obligated|forced|bound|compelled) to\b", "must", re.IGNORECASE, " to"),
        (r"\black(?:s|ed|ing)?\b(?: of\b)?", "had no", re.IGNORECASE),
        (
            r"\b(?:is|are|was|were|be|been|ran|runs?|running) out of (?!(?:date|order|control|work|service|print|reach"
            r"|range|place|town|the|an?|its|their|his|her|my|our)\b)(?=[a-z])",
            "had no ",
            re.IGNORECASE,
            " out of ",
        ),
        (r"\bat least\b", "minimum", re.IGNORECASE),
        (
            r"\b(?:at most|(?:no|not) more than)\b|\bup to(?=\s(?:[\d$€£]|an?\s|one\b|two\b|three\b))",
            "maximum",
            re.IGNORECASE,
            *("at most", "more than", "up to"),
        ),
        (
            r"(?<!\ba )(?<!\bthe )(?<!\bour )(?<!\bany )(?<!\bare )\b(?:plan(?:s|ned|ning)?|aim(?:s|ed)?|hop(?:es?|ed)"
            r"|intend(?:s|ed)?|propos(?:es?|ed)|tr(?:y|ies|ied)|attempt(?:s|ed)?"
            r"|want(?:s|ed)?|promis(?:es?|ed)|offer(?:s|ed)?|threaten(?:s|ed)?|wish(?:es|ed)?|seeks?|sought) to\b",
            "planned",
            0,
            " to",
        ),
        (r"\b(?:more|other) than just\b", "over", re.IGNORECASE, " than"),
        (
            r"\b(?:believ(?:es?|ed)|thinks?|thought|argu(?:es?|ed)|claim(?:s|ed)?|assert(?:s|ed)?|contend(?:s|ed)?"
            r"|alleg(?:es?|ed)|speculat(?:es?|ed)|accus(?:es?|ed)"
            r"|insist(?:s|ed)?|suspect(?:s|ed)?|fear(?:s|ed)?|guess(?:es|ed)?) that\b",
            "contends that",
            0,
            " that",
        ),
        (
            r"\b(?:doubt(?:s|ed|ful)?|den(?:y|ies|ied)|untrue|wrong|false|a myth|a hoax|a rumou?r) that\b",
            "not that",
            re.IGNORECASE,
            " that",
        ),
        (r"\bnot (?:sure|certain)\b|\bit should be noted(?: that)?\b", " ", re.IGNORECASE, "not"),
        (
            rf"\b(?:each|every|(?!{BEFORE_ONE}|(?<=half\s))an?|per)"
            r" (?=(?:year|month|week|day|hour|minute|second|person|unit|night)\b)",
            "per ",
            re.IGNORECASE,
            *("year", "month", "week", "day", "hour", "minute", "second", "person", "unit", "night"),
        ),
        (r"\b(?:two|2) times\b(?! (?:as|more|the)\b)", "twice", re.IGNORECASE, " times"),
        (r"\bwhether or not\b", "whether", re.IGNORECASE),
        (r"\b(?:the|its|their|his|her|our|a|at) most\b(?! of)|\bmost(?= \w+ly\b)", " ", re.IGNORECASE, "most"),
        (r"\b(?:no|not) (?:less|fewer) than\b", "minimum", re.IGNORECASE, " than"),
        (r"\b(?:more|greater|higher|larger) than\b", "over", re.IGNORECASE, " than"),
        (r"\b(?:less|fewer|lower|smaller) than\b", "under", re.IGNORECASE, " than"),
        (r"\bno later than\b", "by", re.IGNORECASE),
        (r"\b(?:not only|not just|no doubt|no longer than)\b", " ", re.IGNORECASE, "no"),
        (r"\bno longer\b", "not", re.IGNORECASE),
        (r"\bin advance\b(?! of)", "beforehand", re.IGNORECASE),
        (r"\b(?:regardless|irrespective) of whether\b", "regardless", re.IGNORECASE),
        (r"\bfor instance\b", "for example", re.IGNORECASE),
        (r"(?<=[a-z])-(?=[a-z])", " ", re.IGNORECASE, "-"),
        # An identifier becomes one word, whatever its spelling: F-16 and F16, COVID-19 and COVID19.
        (r"(?<![\w-])([A-Z]{1,6})-(\d{1,5})(?![\d-]|[.,]\d|[a-z]{2})", r"\1\2", 0, "-"),
        (r"(?<=\d)\s?[–—-]\s(?=\d)|(?<=\d)\s[–—-]\s?(?=\d)|(?<=\d)[–—](?=\d)", "-", 0, *"–—-"),
        (r"&", " and ", 0),
    )
)
_KOREAN_PHRASES = tuple((re.compile(pattern, flags), plain) for pattern, plain, flags in korean.PHRASES)


def normalised(sentence: str) -> str:
    text = sentence
    if not sentence.isascii():
        decomposed = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", sentence))
        text = unicodedata.normalize("NFC", _ACCENT.sub("", decomposed))
    small = _small(text)
    for pattern, plain, needed in _PHRASES:
        if needed and not any(part in small for part in needed):
            continue
        text, count = pattern.subn(plain, text)
        small = _small(text) if count else small
    for pattern, plain in _KOREAN_PHRASES if korean.is_korean(text) else ():
        text = pattern.sub(plain, text)
    return text


def _small(text: str) -> str:
    """Return a text in small letters; patterns that ignore case take a dotless i for an i."""
    return text.lower().replace("ı", "i")
