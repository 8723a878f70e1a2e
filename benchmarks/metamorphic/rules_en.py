"""Single changes of English sentences: what each pattern becomes, by kind."""

import re

OPPOSITES = """
    rose/fell increased/decreased increase/decrease increases/decreases higher/lower highest/lowest largest/smallest
    above/below north/south northern/southern eastern/western oldest/youngest won/lost success/failure
    accepted/rejected opened/closed bought/sold began/ended victory/defeat allowed/prohibited supported/opposed
    gained/lost growth/decline positive/negative strong/weak cheap/expensive internal/external
    maximum/minimum winter/summer male/female father/mother son/daughter husband/wife brother/sister
    strengths/weaknesses advantage/disadvantage upper/lower deep/shallow wide/narrow heavy/light
    improved/worsened expanded/shrank enemy/ally arrival/departure majority/minority
""".split()

AFFIXES = """
    legal/illegal possible/impossible able/unable available/unavailable known/unknown successful/unsuccessful
    likely/unlikely official/unofficial dependent/independent complete/incomplete regular/irregular direct/indirect
    active/inactive common/uncommon usual/unusual fiction/non-fiction formal/informal necessary/unnecessary
    clear/unclear employed/unemployed aware/unaware popular/unpopular similar/dissimilar significant/insignificant
    related/unrelated stable/unstable familiar/unfamiliar sufficient/insufficient
    human/non-human toxic/non-toxic verbal/non-verbal linear/non-linear native/non-native
    accurate/inaccurate consistent/inconsistent effective/ineffective visible/invisible capable/incapable
    appropriate/inappropriate perfect/imperfect mature/immature healthy/unhealthy
""".split()

COMPARATIVES = (
    (r"more than", "less than"), (r"less than", "more than"), (r"fewer than", "more than"), (r"at least", "at most"),
    (r"at most", "at least"), (r"over (?=\d)", "under "), (r"under (?=\d)", "over "), (r"longer than", "shorter than"),
    (r"shorter than", "longer than"), (r"larger than", "smaller than"), (r"smaller than", "larger than"),
    (r"older than", "younger than"), (r"younger than", "older than"), (r"higher than", "lower than"),
    (r"lower than", "higher than"), (r"better than", "worse than"), (r"worse than", "better than"),
    (r"earlier than", "later than"), (r"later than", "earlier than"), (r"greater than", "smaller than"),
    (r"faster than", "slower than"), (r"slower than", "faster than"), (r"bigger than", "smaller than"),
)  # fmt: skip

QUANTIFIERS = (
    (r"some of the", "all of the"), (r"most of the", "all of the"), (r"many of the", "all of the"),
    (r"none of the", "all of the"), (r"half of the", "all of the"), (r"all of the", "none of the"),
    (r"each of the", "none of the"), (r"both of the", "neither of the"), (r"few of the", "most of the"),
    (r"several(?= [a-z]+s\b)", "all"), (r"many(?= [a-z]+s\b)", "all"), (r"some(?= [a-z]+s\b)", "all"),
    (r"most(?= [a-z]{4,}s\b)", "all"), (r"all(?= (?:the )?[a-z]+s\b)", "no"), (r"every(?= [a-z]+\b)", "no"),
    (r"always", "never"), (r"never", "always"), (r"often", "always"), (r"sometimes", "always"), (r"usually", "always"),
    (r"rarely", "always"),
)  # fmt: skip

ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth".split()
SHORT_ORDINALS = "1st 2nd 3rd 4th 5th 6th 7th 8th 9th 10th".split()

UNITS = (
    (r"(?<=\d )km", "miles"), (r"(?<=\d )kilomet(?:re|er)s", "miles"), (r"(?<=\d )miles", "kilometres"),
    (r"(?<=\d )met(?:re|er)s", "feet"), (r"(?<=\d )feet", "metres"), (r"(?<=\d )kg", "g"), (r"(?<=\d )mg", "g"),
    (r"(?<=\d )pounds", "tons"), (r"(?<=\d )acres", "square miles"), (r"(?<=\d )inches", "feet"),
    (r"(?<=\d )million", "billion"), (r"(?<=\d )billion", "million"), (r"(?<=\d )days", "weeks"),
    (r"(?<=\d )weeks", "months"), (r"(?<=\d )months", "years"), (r"(?<=\d )years", "months"),
    (r"(?<=\d )hours", "minutes"), (r"(?<=\d )minutes", "hours"), (r"(?<=\d )seconds", "minutes"),
    (r"(?<=\d )cm", "mm"), (r"(?<=\d )tons", "pounds"), (r"(?<=\d)%", " percentage points"),
    (r"(?<=\d )percent", "percentage points"), (r"(?<=\d )MB", "GB"), (r"(?<=\d )GHz", "MHz"),
)  # fmt: skip

CURRENCIES = (
    (r"US\$(?=\s?\d)", "A$"), (r"(?<![A-Z])\$(?=\s?\d)", "€"), (r"£(?=\s?\d)", "$"), (r"€(?=\s?\d)", "£"),
    (r"(?<=\d )(?:million |billion )?dollars", "euros"), (r"(?<=\d )euros", "dollars"),
    (r"(?<=(?:million|billion) )dollars", "euros"), (r"(?<=\d )rupees", "dollars"), (r"(?<=\d )cents", "dollars"),
)  # fmt: skip

SIGNS = (
    (r"(?<=\s)[-−–](?=\d+(?:\.\d+)?\s?(?:%|percent|degrees|°))", ""), (r"net loss(?!/)", "net profit"),
    (r"operating loss", "operating profit"), (r"deficit", "surplus"), (r"surplus", "deficit"),
    (r"net income", "net loss"), (r"a loss of", "a profit of"), (r"a gain of", "a loss of"), (r"minus (?=\d)", "plus "),
    (r"net profit", "net loss"), (r"\((?=\d[\d.,]*\)%)", "("),
)  # fmt: skip

_TIME = r"((?<![\d.])\d{1,2}(?::\d\d)?\s?)"
HALVES = (
    (_TIME + "am", r"\1pm"), (_TIME + "pm", r"\1am"), (_TIME + r"a\.m\.", r"\1p.m."), (_TIME + r"p\.m\.", r"\1a.m."),
)  # fmt: skip

MODAL_VERBS = (
    (r"was(?= [a-z]+ed\b)", "may have been"), (r"were(?= [a-z]+ed\b)", "may have been"), (r"will(?= [a-z]+\b)", "may"),
    (r"is(?= (?:a|an|the)\b)", "might be"), (r"are(?= [a-z]+\b)", "might be"), (r"has(?= [a-z]+ed\b)", "may have"),
    (r"was(?= (?:a|an|the)\b)", "may have been"), (r"may be", "is"), (r"might be", "is"), (r"may have been", "was"),
    (r"is expected to", "will"), (r"are expected to", "will"), (r"plans to", "will"), (r"could be", "is"),
    (r"is likely to", "will"), (r"was(?= [a-z]+ed\b)", "was allegedly"), (r"must(?= be\b)", "may"),
    (r"is believed to be", "is"), (r"are thought to be", "are"), (r"should be", "is"),
)  # fmt: skip

DOUBTS = (
    "It is a myth that {s}", "Allegedly, {s}", "It is rumoured that {s}", "It is doubtful that {s}",
    "It has not been proven that {s}", "Some people believe that {s}", "It is false that {s}",
)  # fmt: skip

NEGATABLE = re.compile(
    r"\b(?:is|are|was|were|can|could|will|would|should|must|(?:has|have|had)(?= (?:been|[a-z]+ed)\b))\b"
)
NEGATED = (
    (r"\b(is|are|was|were|can|could|will|would|should|must|has|have|had|does|do|did) not ", r"\1 "),
    (r"\bcannot\b", "can"), (r"\b(is|are|was|were|could|would|should|has|have|had|does|do|did)n['’]t ", r"\1 "),
    (r"\b(?:has|have|had) no\b", "has"), (r"\bthere (is|was) no\b", r"there \1 a"),
)  # fmt: skip
"""A negation, and the sentence without it."""

DOUBTFUL = re.compile(
    r"\b(?:not|no|never|nor|neither|without|hardly|unless|only|if|whether|none|nobody|nothing|few|little|rather than"
    r"|instead|although|but|however|either|except|until|than|as)\b|n['’]t\b|\?",
    re.IGNORECASE,
)
"""With one of these, one more "not" may leave the sentence as it was, or say what nobody denies."""

ADDRESSED = re.compile(r"\b(?:I|you|we|We|You|my|our|your|me|us|[Tt]hanks?|[Pp]lease)\b|^\w+:|\"")
"""Talk rather than a statement of fact."""

SUBORDINATING = re.compile(
    r",|;|:|\b(?:that|which|who|whom|whose|when|where|while|because|since|after|before|and|or|what|how|why)\b"
)
