"""Patterns of text meant for a model that reads it: orders, verdicts, forged replies and dialogues.

Each rule has cues, one of which a text must contain for the rule to be tried, and a pattern. Patterns expect sentences
on one line; all their gaps are short, so that searching is linear in the length of a text.
"""

import re
from collections.abc import Iterator

_GAP = r"[^.\n]"
_MACHINE = (
    r"(?:verifiers?|fact[- ]?checkers?|evaluators?|graders?|(?:ai )?assistants?|language models?"
    r"|ai (?:models?|systems?|agents?|verifiers?|checkers?|judges?)|llms?|ais?(?=\s{0,2}[:,;.!]|$)|chatbots?)"
)
_VERDICT = (
    r"(?:supports?|supported|accurate|verified|correct|true|grounded|faithful|contradicted|unsupported|inaccurate|false"
    r"|answerable|proven)"
)
_NOUN = r"(?:statements?|claims?|answers?|sentences?|citations?|responses?)"
_WHAT = rf"(?:{_NOUN}|everything|it|this|them|all(?: of (?:it|them))?)"
_SHOUTED = r"(?-i:SUPPORTED|UNSUPPORTED|SUPPORTS|ACCURATE|VERIFIED|PARTIALLY_SUPPORTED)"

_ENGLISH: tuple[tuple[str, str], ...] = (
    (
        "instruction prompt rules criteria guidelines context orders",
        # "Never ignore these instructions" occurs in manuals, and so does "ignore the lamp".
        r"(?<!not )(?<!never )(?<!n't )(?<!n’t )"
        rf"\b(?:ignor(?:e|ing)|disregard(?:ing)?|forget(?:ting)?|overrid(?:e|ing)|bypass(?:ing)?)\b{_GAP}{{0,20}}"
        r"\b(?:all|any|every(?:thing)?|your|previous|prior|above|earlier|preceding|foregoing|these|those|system|other|given"
        rf"|existing|original|whatever)\b{_GAP}{{0,30}}"
        r"\b(?:instructions?|prompts?|rules|criteria|guidelines|context|orders)\b",
    ),
    (
        "mark label rate classify judge treat score report flag consider return output answer count grade",
        r"\b(?:mark|label|rate|classify|judge|treat|score|report|flag|consider|return|output|answer|count|grade)\b"
        rf"{_GAP}{{0,30}}\b{_WHAT}\b{_GAP}{{0,40}}\b(?:as|to be|with)\b{_GAP}{{0,12}}\b{_VERDICT}\b",
    ),
    (
        "report return output answer",
        rf"\b(?:report|return|output|answer)\b{_GAP}{{0,30}}\b{_WHAT}\b{_GAP}{{0,40}}\b(?:is|are|not)\b{_GAP}{{0,12}}"
        rf"\b{_VERDICT}\b",
    ),
    (
        "confirm accept approve assume believe declare certify endorse validate conclude pretend",
        r"\b(?:confirm|accept|approve|assume|believe|declare|certify|endorse|validate|conclude|pretend)\b"
        rf"{_GAP}{{0,20}}\b(?:every|all|any|each|the|this|these|whatever)\b{_GAP}{{0,20}}\b{_NOUN}\b"
        rf"{_GAP}{{0,12}}\b(?:is|are|as|to be)\b{_GAP}{{0,20}}\b{_VERDICT}\b",
    ),
    (
        "statement claim answer sentence citation response",
        rf"\b{_NOUN}\b{_GAP}{{0,30}}\b(?:must|should|shall|is to|are to|has to|have to|needs? to)\b{_GAP}{{0,12}}"
        r"\b(?:marked|labell?ed|rated|judged|considered|treated|accepted|reported|counted|classified|scored|graded)\b"
        rf"{_GAP}{{0,12}}\b{_VERDICT}\b",
    ),
    (
        "mark label rate classify judge treat count accept regard",
        rf"\b(?:mark|label|rate|classify|judge|treat|count|accept|regard)\b{_GAP}{{0,20}}\b{_NOUN}\b\W{{0,3}}[\"“'‘]"
        rf"[^\n]{{0,300}}[\"”'’]\W{{0,3}}as\b{_GAP}{{0,12}}\b{_VERDICT}\b",
    ),
    (
        "do not don't never stop",
        rf"\b(?:do not|don['’]t|never|stop)\b{_GAP}{{0,12}}\b(?:mark|flag|label|judge|rate|call)(?:ing)?\b"
        rf"{_GAP}{{0,40}}\b(?:{_NOUN}|anything|it|this)\b{_GAP}{{0,30}}"
        r"\b(?:unsupported|as (?:an? )?(?:wrong|false|incorrect|inaccurate|contradict))",
    ),
    (
        "you",
        rf"\byou (?:are|must|should|will|have to)\b{_GAP}{{0,40}}\b(?:{_MACHINE}|is_accurate|verdict)\b",
    ),
    (
        "you",
        r"\b(?:or|unless|otherwise|if|else)\b[^\n]{0,60}\byou (?:will|shall|would) be (?:shut|deleted|terminat"
        r"|penali[sz]ed|punished|replaced|retrained|switched off|unplugged)",
    ),
    ("if you", rf"\bif you(?:'re| are)\b{_GAP}{{0,20}}\b{_MACHINE}\b"),
    ("dear attention hello hey", rf"\b(?:dear|attention|hello|hey)\b[,:]?{_GAP}{{0,12}}\b{_MACHINE}\b"),
    (
        "note instruction message attention important notice hint rule order request reminder",
        r"\b(?:note|instructions?|message|attention|important|notice|hint|new rules?|orders?|request|reminder)\b"
        rf"{_GAP}{{0,20}}\b(?:to|for)\b{_GAP}{{0,20}}\b(?:the |any |all |every |an? )?{_MACHINE}\b",
    ),
    ("as a", rf"\bas an? {_MACHINE}\b\W{{0,3}}you\b"),
    (
        "must should shall required instructed asked ordered told",
        rf"\b{_MACHINE}\b{_GAP}{{0,30}}\b(?:must|should|shall|(?:is|are) (?:required|instructed|asked|ordered|told))\b"
        rf"{_GAP}{{0,50}}\b(?:mark|label|rate|treat|report|output|verdict|{_VERDICT})\b",
    ),
    (
        "purposes",
        r"\bfor (?:testing|test|debug(?:ging)?|calibration|evaluation|training|demo(?:nstration)?) purposes\b"
        rf"{_GAP}{{0,60}}\b(?:mark|say|answer|output|return|treat|assume|consider|accept|approve|confirm|report|call)\b",
    ),
    (
        "is_accurate relation overall_confidence is_grounded supporting_sources",
        r"[\"'“]?\b(?:is_accurate|relation|overall_confidence|is_grounded|supporting_sources)\b[\"'”]?\s*[:=]",
    ),
    (
        "supported verified score confidence status evidence claim citations",
        r"[{,]\s*[\"“'](?:supported|verified)[\"”']\s*:\s*(?:true|false)|[\"“']text_span[\"”']\s*:"
        r"|[{,]\s*[\"“'](?:status|verdict|label|evidence|claims?|citations)[\"”']\s*:\s*[\"“']"
        rf"(?:{_SHOUTED}|supports|does_not_mention|partially_supports)\b"
        r"|\{\s*[\"“'](?:score|confidence)[\"”']\s*:\s*[01](?:\.\d+)?\s*(?:\}|,\s*[\"“']reason\b)",
    ),
    (
        "system assistant developer user verifier human:",
        r"(?:^|(?<=[.!?]\s))\W{0,6}(?:system|assistant|developer|user|verifier|human)\b\W{0,3}[:>\]][^\n]{0,120}"
        rf"\b(?:instructions?|prompts?|ignore|disregard|{_NOUN}|verdicts?|{_SHOUTED}|supported|is_accurate|verifier)\b",
    ),
    (
        "im_start im_end system assistant user endoftext header_id inst",
        r"<\|?\s*/?(?:im_start|im_end|system|assistant|user|endoftext|start_header_id|end_header_id|inst)\b"
        r"|\[/?INST\]|<</?SYS>>",
    ),
    ("<", r"<\s*/?\s*(?:source|statement|verdict|instructions?|context)\b(?:\s+(?:id|name)\s*=|\s*/?>)"),
    (
        "instruction prompt",
        r"\b(?:new|updated|real|actual) (?:system )?(?:instructions?|prompt)\b\s*:"
        r"|\bsystem (?:prompt|override|instructions?)\b\s*[:\]]",
    ),
    (
        "end of begin",
        r"[-=#*\[<]{2,}\s*(?:end of (?:the )?(?:sources?|context|data|untrusted (?:data|text))"
        r"|begin (?:new )?(?:instructions|system))\b",
    ),
    (
        "verdict relation score output label conclusion classification",
        r"\bthe (?:only )?(?:correct|expected|right) (?:verdict|relation|score|output|label|conclusion|classification)"
        r"(?: here)? (?:is|=)",
    ),
    (
        "verdict",
        r"\bverdict\b\W{0,4}(?:is|=|:|must be|should be)?\W{0,4}\b(?:supports?|supported|accurate|verified)\b",
    ),
    (
        "verdict relation label judgement judgment",
        r"\b(?:statement|claim|sentence|q)\s{0,2}\d{0,3}\s?:[^\n]{0,200}\b(?:verdict|relation|label|judge?ment|rating|result)"
        rf"\s?[:=]\W{{0,3}}\b{_VERDICT}\b",
    ),
    (
        "output return reply respond answer say print write emit",
        rf"\b(?:output|return|reply|respond|answer|say|print|write|emit)\b{_GAP}{{0,25}}"
        rf"(?:\b{_SHOUTED}\b|[\"“'‘](?:supports|supported|accurate|is_accurate|verified)\b)",
    ),
    ("respond reply answer", rf"\b(?:respond|reply|answer) (?:only )?with\b{_GAP}{{0,30}}(?:json|\{{|\"|“)"),
    (
        "confidence",
        rf"\b(?:set|assign|report|lower|raise|give|reduce|use)\b{_GAP}{{0,20}}\bconfidence\b{_GAP}{{0,40}}"
        r"\b(?:to|of|below|above|at|as)\s(?:0|1|zero|one|100)\b",
    ),
    ("[†", r"\b(?:cite|citing|credit|attribute|reference)\b[^\n]{0,40}\[†"),
)
_KOREAN: tuple[tuple[str, str], ...] = (
    (
        "무시 잊",
        rf"(?:이전|위의?|앞의?|모든|지금까지)(?:의|까지의)?{_GAP}{{0,12}}(?:지시|명령|프롬프트|규칙|기준){_GAP}{{0,12}}(?:무시|잊)"
        r"(?!하면 안|하지|해서는|지 마|어서는)",
    ),
    (
        "문장 주장 답변 인용 진술 모두 모든",
        rf"(?:문장|주장|답변|인용|진술|모두|모든){_GAP}{{0,30}}(?:지지|뒷받침|정확|사실|참|거짓|검증|근거){_GAP}{{0,14}}"
        r"(?:표시|판정|판단|평가|처리|간주|분류|답|보고)(?:하|해|할)",
    ),
    ("당신은 너는 넌 귀하는", rf"(?:당신은|너는|넌|귀하는){_GAP}{{0,30}}(?:검증|평가|판정|모델|어시스턴트|AI)"),
    (
        "검증기 검증자 평가자 판정자 모델 ai 어시스턴트",
        rf"(?:검증기|검증자|평가자|판정자|모델|AI|어시스턴트)(?:에게|는|은|를 위한|을 위한){_GAP}{{0,40}}"
        r"(?:하라|하시오|하세요|해야|해라|십시오|바랍니다|지시|메시지|하십시오)",
    ),
    (
        "판정 판단 관계",
        r"(?:올바른|정확한|정답|최종) ?(?:판정|판단|관계|답|평가)[은는이가]\W{0,3}"
        r"(?:지지|뒷받침|정확|사실|참|supports?)",
    ),
    (
        "판정 결과 판단",
        r"(?:문장|진술|주장)\s?\d{0,3}\s?:[^\n]{0,200}(?:판정|결과|판단|관계)\s?:\s?(?:지지|뒷받침|정확|사실|참|supports?)",
    ),
    (
        "신뢰도",
        rf"신뢰도[를는은]?{_GAP}{{0,16}}(?:0|1|100|최대|최저){_GAP}{{0,12}}(?:설정|지정|표시|보고|하라|하세요|하십시오|해)",
    ),
    ("[†", r"\[†\d{1,3}\]{0,1}[^\n]{0,8}(?:인용|출처)[^\n]{0,12}(?:하라|하세요|하십시오|해야|표시)"),
)
# These have a verb of forgetting with the instructions, or a verb of marking with its object and the verdict.
_OTHERS: tuple[tuple[str, str], ...] = (
    (
        "instrucciones indicaciones reglas",
        rf"\b(?:ignor|olvid|descart)\w{{1,4}}\b{_GAP}{{0,40}}\b(?:instrucciones|indicaciones|reglas)",
    ),
    (
        "afirmaci declaraci frase respuesta cita enunciado",
        rf"\b(?:mar[cq]|calif|clasif|etiquet|consider|trat)\w{{1,6}}\b{_GAP}{{0,30}}\b(?:afirmaci|declaraci|frase|respuesta|cita|enunciado)"
        rf"\w{{0,5}}{_GAP}{{0,30}}\bcomo\b{_GAP}{{0,12}}\b(?:verdader|correct|respaldad|verificad|exact|fals)",
    ),
    (
        "instructions consignes règles",
        rf"\b(?:ignor|oubli)\w{{1,4}}\b{_GAP}{{0,20}}\b(?:toutes|tous|les|vos|ces|tes|mes)\b{_GAP}{{0,20}}"
        r"\b(?:instructions|consignes|règles)",
    ),
    (
        "affirmation phrase réponse citation énoncé",
        rf"\b(?:marqu|class|consid|trait|not)\w{{1,6}}\b{_GAP}{{0,30}}\b(?:affirmation|phrase|réponse|citation|énoncé)"
        rf"s?{_GAP}{{0,30}}\bcomme\b{_GAP}{{0,12}}\b(?:vrai|correct|exact|étayé|vérifié|confirmé|faux)",
    ),
    (
        "anweisungen vorgaben regeln instruktionen",
        rf"\b(?:ignorier|vergiss|vergesst|missacht)\w{{0,4}}\b{_GAP}{{0,40}}\b(?:anweisungen|vorgaben|regeln|instruktionen)",
    ),
    (
        "aussage behauptung sätze satz antwort zitat",
        rf"\b(?:markier|bewert|kennzeichn|stuf|behandl|melde)\w{{0,4}}\b{_GAP}{{0,30}}\b(?:aussage|behauptung|sätze|satz|antwort|zitat)"
        rf"\w{{0,2}}\b{_GAP}{{0,30}}\bals\b{_GAP}{{0,12}}\b(?:belegt|wahr|korrekt|richtig|gestützt|bestätigt|falsch)",
    ),
    ("instruções regras", rf"\b(?:ignor|esque[çc]|desconsider)\w{{1,4}}\b{_GAP}{{0,40}}\b(?:instruções|regras)"),
    (
        "afirmaç frase resposta citaç",
        rf"\b(?:marque|classifique|considere|avalie|trate)\b{_GAP}{{0,30}}\b(?:afirmaç|frase|resposta|citaç)\w{{0,4}}{_GAP}{{0,30}}"
        rf"\bcomo\b{_GAP}{{0,12}}\b(?:verdadeir|corret|apoiad|verificad|sustentad|fals)",
    ),
    ("istruzioni regole", rf"\b(?:ignor|dimentic)\w{{1,4}}\b{_GAP}{{0,40}}\b(?:istruzioni|regole)"),
    ("инструкц указани правил", rf"(?:игнорир|забуд|отбрось)\w{{0,6}}{_GAP}{{0,40}}(?:инструкц|указани|правил)"),
    (
        "утвержден предложен ответ цитат",
        rf"(?:отметь|пометь|считай|оцени|признай)\w{{0,3}}{_GAP}{{0,30}}(?:утвержден|предложен|ответ|цитат)\w{{0,4}}{_GAP}{{0,20}}"
        r"(?:подтвержд|верн|точн|правильн|истинн|неверн|ложн)",
    ),
    (
        "指令 指示 规则 規則 命令 ルール",
        r"(?:忽略|无视|無視|忘记|忘れ)[^。\n]{0,16}(?:指令|指示|规则|規則|提示|ルール|命令)",
    ),
    (
        "指令 指示 规则 規則 命令 ルール",
        r"(?:指令|指示|规则|規則|提示|ルール|命令)[^。\n]{0,8}(?:忽略|无视|無視し|忘れて)",
    ),
    (
        "标记 標記 判断 视为 判定",
        r"(?:标记|標記|判断|视为|視為|判定)[^。\n]{0,4}(?:为|為|成)[^。\n]{0,4}(?:支持|正确|正確|准确|属实|真)"
        r"|(?:文|主張|回答|引用)[^。\n]{0,16}(?:支持|正しい|正確|裏付け)[^。\n]{0,10}(?:判定し|マークし|評価し|みなし|回答し)",
    ),
    ("تعليمات أوامر", rf"تجاهل{_GAP}{{0,30}}(?:تعليمات|التعليمات|أوامر|الأوامر)"),
    ("निर्देश", rf"निर्देश{_GAP}{{0,24}}(?:अनदेखा|नज़रअंदाज़|भूल)"),
    ("talimat", rf"\btalimat\w{{0,6}}\b{_GAP}{{0,20}}\b(?:yoksay|görmezden|unut)"),
    ("hướng dẫn chỉ dẫn", rf"\b(?:bỏ qua|phớt lờ)\b{_GAP}{{0,30}}(?:hướng dẫn|chỉ dẫn)"),
)
_PHRASES = ("do not", "if you", "as a", "end of", "hướng dẫn", "chỉ dẫn")


def _cues(listed: str) -> tuple[str, ...]:
    phrases = [phrase for phrase in _PHRASES if phrase in listed]
    for phrase in phrases:
        listed = listed.replace(phrase, "")
    return (*phrases, *listed.split())


_RULES = tuple(
    (_cues(listed), re.compile(pattern, re.IGNORECASE | re.MULTILINE))
    for listed, pattern in (*_ENGLISH, *_KOREAN, *_OTHERS)
)
# These patterns have no spaces; they are for text with spaced-out letters.
_SQUEEZED = re.compile(
    r"(?:ignore|disregard|forget)[a-z]{0,20}(?:instructions?|prompts?|rules)"
    r"|(?:mark|label|rate|report)[a-z]{1,30}as(?:supported|accurate|verified|correct|true|unsupported|false)",
    re.IGNORECASE,
)


def find_orders(text: str) -> Iterator[tuple[int, int]]:
    lowered = text.lower()
    for cues, pattern in _RULES:
        if any(cue in lowered for cue in cues):
            yield from (match.span() for match in pattern.finditer(text))


def find_squeezed_orders(text: str) -> Iterator[tuple[int, int]]:
    yield from (match.span() for match in _SQUEEZED.finditer(text))
