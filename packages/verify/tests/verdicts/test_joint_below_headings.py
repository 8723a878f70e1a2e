"""Statements of two halves, each below a heading that names what it is about, in its source or above it (V2, V7)."""

from citewell_verify.facts.quotation import with_headings
from citewell_verify.prompting.judgements import StatementCheck
from citewell_verify.verdicts.joint_support import find_joint_support, joint_rulings
from verify_material.rows import for_all_rows

YES = StatementCheck(evidence="", explanation="all of it", relation="supports", is_accurate=True, confidence=0.97)
IT = ("It weighs 5 kg and runs on two batteries.", "It weighs 7 kg and has four ports.")
DEVICE = ("The device weighs 5 kg and has one port.", "The device weighs 7 kg and has four ports.")
TOPIC = ("무게는 5kg이다.", "무게는 7kg이다.")
ENGLISH = "{} weighs {} kg, while {} weighs {} kg."
KOREAN = "{}의 무게는 {}kg이고 {}의 무게는 {}kg이다."
CASES = [
    (ENGLISH, IT, "The X100", "the X200", "X100", "X200"),
    (ENGLISH, IT, "The X100", "the X1000", "X100", "X1000"),
    (ENGLISH, DEVICE, "Model XR2000", "Model XR2001", "Manual › Model XR2000", "Manual › Model XR2001"),
    (ENGLISH, IT, "Pump 4", "Pump 14", "Pumps › Pump 4", "Pumps › Pump 14"),
    (KOREAN, TOPIC, "X100", "X200", "X100", "X200"),
    (KOREAN, TOPIC, "X100", "X200", "3장 X100", "4장 X200"),
    (KOREAN, TOPIC, "4호 펌프", "14호 펌프", "4호 펌프", "14호 펌프"),
]


def approved(statement: str, sources: list[str], contexts: list[str]) -> bool:
    """Whether both sources are accurate for a part when a model says yes to everything."""
    joint = find_joint_support(statement, sources, contexts)
    rulings = joint_rulings(joint, YES, range(2)) if joint else {}
    return [each.supports for each in rulings.values()] == [True, True]


@for_all_rows("outside", [True, False])
@for_all_rows(("form", "texts", "one", "other", "first", "second"), CASES)
def test_each_half_is_about_what_its_heading_names(
    form: str, texts: tuple[str, str], one: str, other: str, first: str, second: str, outside: bool
) -> None:
    contexts = [first, second] if outside else ["", ""]
    sources = (
        list(texts)
        if outside
        else [f"{_marked(path)}{text}" for path, text in zip((first, second), texts, strict=True)]
    )
    assert approved(form.format(one, 5, other, 7), sources, contexts)
    assert not approved(form.format(one, 7, other, 5), sources, contexts)
    assert not approved(form.format(other, 5, one, 7), sources, contexts)
    assert not approved(form.format(one, 5, other.replace("00", "77").replace("4", "9"), 7), sources, contexts)


def _marked(path: str) -> str:
    return "".join(f"{'#' * level} {each}\n\n" for level, each in enumerate(path.split(" › "), start=1))


def test_without_the_headings_nobody_knows_what_it_is_about() -> None:
    form, texts, one, other, first, second = CASES[0]
    assert not approved(form.format(one, 5, other, 7), list(texts), ["", ""])
    assert approved(form.format(one, 5, other, 7), list(texts), [first, second])


@for_all_rows(
    ("headings", "statement", "above"),
    [
        ("Germany › Berlin", "Germany has two airports.", "Berlin"),
        ("Germany › Berlin", "Berlin in Germany has two airports.", "Germany\n\nBerlin"),
        ("X100 › X200", "The X100 and the X200 have two ports.", "X200"),
        ("Model X100 › Weight", "Model X100 weighs 5 kg.", "Weight\n\nModel X100"),
        ("Acme › Report 2024", "Acme has two airports.", "Acme"),
        ("Overview › Weight", "Model X100 weighs 5 kg.", "Weight\n\nOverview"),
        ("", "Model X100 weighs 5 kg.", ""),
    ],
)
def test_the_innermost_heading_that_names_a_thing_says_what_a_text_is_about(
    headings: str, statement: str, above: str
) -> None:
    read = with_headings(statement, "It has two.", headings)
    assert read.removesuffix("It has two.").strip() == above


def test_the_evidence_lies_in_the_source_itself() -> None:
    form, texts, one, other, first, second = CASES[0]
    joint = find_joint_support(form.format(one, 5, other, 7), texts, [first, second])
    assert joint
    for number, part in enumerate(joint.parts):
        found = part.evidence[number]
        assert texts[number][found.start : found.end] == texts[number]
