"""Bytes of any encoding become text that Postgres can store."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell_documents.errors import DocumentUnreadable
from citewell_documents.parsing.decoding import clean, decode
from verify_material.rows import for_all_rows

KOREAN = "한빛시는 2024년 말 현재 전기버스 182대를 14개 노선에서 운행하고 있다. 평균 가동률은 94.1%이다."
GERMAN = "Die Rückgabe geöffneter Geräte ist innerhalb von vierzehn Tagen möglich; die Gebühr beträgt 15 %."
RUSSIAN = "Возврат вскрытой электроники возможен в течение четырнадцати дней после доставки товара."


@for_all_rows(
    ("text", "encoding"),
    [
        (KOREAN, "utf-8"),
        (KOREAN, "utf-8-sig"),
        (KOREAN, "utf-16"),
        (KOREAN, "utf-32"),
        (KOREAN, "cp949"),
        (KOREAN, "euc-kr"),
        ("전기버스", "cp949"),
        (GERMAN, "latin-1"),
        (GERMAN, "cp1252"),
        ("Die Rückgabe ist möglich.", "latin-1"),
        ("“Smart quotes” – café", "cp1252"),
        ("Žluťoučký kůň úpěl ďábelské ódy a žádal o vrácení peněz.", "cp1250"),
        (RUSSIAN, "cp1251"),
        (RUSSIAN.upper(), "cp1251"),  # languages are known by their small letters
        (RUSSIAN, "koi8-r"),
        ("日本語の文章です。返品は十四日以内に可能です。", "shift_jis"),
        ("退货可以在十四天内进行。电子产品除外。", "gb18030"),
        ("plain", "ascii"),
        ("商品,値段\n醤油,240\n味噌,310\n", "shift_jis"),
        ("体育館の利用は夜9時までです。", "euc_jp"),
        ("体育館の利用は夜9時までです。", "iso2022_jp"),
        ("自行车停放处在北门旁边。", "gbk"),
        ("腳踏車停放處在北門旁邊。", "big5"),
        ("자전거 보관소는 북문 옆에 있다.", "cp949"),
        ("Rower stoi w świetlicy, a klucz ma dozorczyni.", "cp1250"),
        ("Rower stoi w świetlicy, a klucz ma dozorczyni.", "iso8859_2"),
        ("Półka;Ilość\nŻarówki;35\n", "cp1250"),
        ("Kolo stojí ve sklepě, klíč má správkyně budovy.", "cp1250"),
        ("Το ποδήλατο βρίσκεται στο υπόγειο.", "cp1253"),
        ("Το ποδήλατο βρίσκεται στο υπόγειο.", "iso8859_7"),
        ("Bisikletler bodrum katındaki odada, anahtarı görevlide.", "cp1254"),
        ("Велосипед стоит в подвале.", "cp866"),
        ("Аренда составляет 700 евро в месяц.", "iso8859_5"),
        ("Das Porto beträgt fünf Mark für größere Briefe.", "cp850"),
        ("Żółte światło oznacza przerwę w pracy.", "cp852"),
        ("Велосипед стоїть у підвалі, ключ у чергової.", "koi8_u"),
        ("La clé du garage est chez la gardienne, où l’on paie aussi.", "mac_roman"),
        ("Fahrräder\t12\n", "utf-16-le"),
        ("자전거 12대\n", "utf-16-be"),
        ("NÃO SÃO PAULO. A devolução é possível em até 14 dias após a entrega do produto.", "latin-1"),
    ],
)
def test_the_encoding_is_recognised(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding), "notes.txt") == text


@pytest.mark.parametrize("mark", [b"\xff\xfe", b"\xfe\xff"])
def test_utf_16_of_either_byte_order_is_read(mark: bytes) -> None:
    order = "utf-16-le" if mark == b"\xff\xfe" else "utf-16-be"
    assert decode(mark + KOREAN.encode(order), "notes.txt") == KOREAN


@for_all_rows(
    "data",
    [
        bytes(range(1, 256)) * 20,  # every byte, as a program has them
        b"\xff\xfe\x00\xd8\x00\xd8",  # UTF-16 with lone surrogates
        b"\xef\xbb\xbf\xff\xff\xff",  # the mark of UTF-8, and then not UTF-8
        b"\x01\x02\x03\x04 text \x05\x06",
        b"\xff\xfe" + "nul\0nul\0".encode("utf-16-le"),
    ],
)
def test_what_is_not_text_is_refused(data: bytes) -> None:
    with pytest.raises(DocumentUnreadable, match=r"notes\.txt is not readable as text; save it as UTF-8"):
        decode(data, "notes.txt")


@pytest.mark.parametrize(
    ("text", "encoding", "names"),
    [
        ("İsim;Yaş\nAyşe;41\nOğuz;37\n", "cp1254", ("Turkish (Windows-1254)", "Western European (Windows-1252)")),
        ("氏名,部署\n", "euc_jp", ("Japanese (EUC-JP)", "Chinese (GB18030)")),
        ("Χωριό;7\nΆνω\n", "iso8859_7", ("Greek (ISO-8859-7)", "Greek (Windows-1253)")),
        (
            "תודה",
            "utf-16-le",
            ("Western European (Windows-1252)", "UTF-16 (little-endian)"),
        ),  # no ASCII shows which it is
    ],
)
def test_text_that_two_encodings_fit_is_refused_with_the_choice(
    text: str, encoding: str, names: tuple[str, ...]
) -> None:  # A8
    with pytest.raises(DocumentUnreadable, match="cannot be told") as raised:
        decode(text.encode(encoding), "notes.txt")
    assert all(name in raised.value.message for name in names)


@for_all_rows(
    "text",
    [
        "Item,Price\nKey,5 €\n",
        "20 °C ± 2",
        "Size 3 × 4 m",
        "© 2026",
        "½ Tasse",
        "5 µg/l",
        "Fee: £5",
        "12 m²",
        "§ 5",
        "A “quoted” word, 5–7 pages …",
        "Price\xa0(€): 1,200\n" + "The room is open from nine to five.\n" * 2_000,
        "20 °C im März",
    ],
)
def test_signs_in_a_text_in_ascii_are_those_of_windows(text: str) -> None:
    assert decode(text.encode("cp1252"), "notes.txt") == text


@pytest.mark.parametrize(
    ("text", "encoding"), [("5 m³", "cp1252"), ("Klucz 5 zł", "cp1250"), ("5 в", "cp1251"), ("10 Ω", "cp1253")]
)
def test_one_letter_does_not_tell_the_encoding(text: str, encoding: str) -> None:  # A8
    with pytest.raises(DocumentUnreadable, match="cannot be told"):
        decode(text.encode(encoding), "notes.txt")


def test_damaged_utf_8_is_said_to_be_damaged_and_a_cut_one_is_read() -> None:  # A8
    with pytest.raises(DocumentUnreadable, match=r"notes\.txt is damaged: it is UTF-8, .* line 2;"):
        decode(GERMAN.encode() + b"\nEnd \xff.", "notes.txt")
    assert decode(KOREAN.encode() + "끝".encode()[:2], "notes.txt") == KOREAN


def test_bytes_of_utf_16_are_not_seen_in_a_text_with_a_nul() -> None:
    assert decode(b"Rule one.\r\nRule two.\0\n" + b"Rule three. " * 20, "notes.txt").startswith(
        "Rule one.\nRule two.\n"
    )


def test_what_no_reader_sees_is_no_text() -> None:  # N3
    assert clean("ware\u00adhouse sta\u200btion \u202etxt\u2066\U000e0041") == "warehouse station txt"
    assert clean("\x1b[1;31mERROR\x1b[0m pump 4 \x1b[38;5;214mstopped\x1b[K") == "ERROR pump 4 stopped"
    assert clean("[31m is a colour") == "[31m is a colour"
    assert clean("می\u200cخواهم 👩\u200d🔧") == "می\u200cخواهم 👩\u200d🔧"


def test_newlines_are_one_character_and_text_is_composed() -> None:
    assert clean("a\r\nb\rc\u2028d\x0ce\x85f") == "a\nb\nc\nd\ne\nf"
    assert clean("e\u0301 \u1112\u1161\u11ab") == "é 한"


@given(st.text())
def test_clean_text_can_be_stored_and_cleaning_it_again_changes_nothing(text: str) -> None:  # N3
    cleaned = clean(text)
    cleaned.encode()
    assert "\0" not in cleaned
    assert "\r" not in cleaned
    assert unicodedata.is_normalized("NFC", cleaned)
    assert clean(cleaned) == cleaned


@given(st.binary(max_size=400))
def test_any_bytes_are_text_or_a_clear_error(data: bytes) -> None:
    try:
        text = decode(data, "any.txt")
    except DocumentUnreadable:
        return
    assert "\0" not in text
