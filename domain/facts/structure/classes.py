"""Nouns for classes of things: "the river" may refer to the Nile, "the battery" to no thing that has one (V2)."""

from domain.facts.reading.vocabulary import GENERIC, keys_of
from domain.text.words import vocabulary

_CLASSES = """
    agency aircraft airline airport album animal app application area artist association author award band bank base
    battle bird book border bridge brand building business camera campus car castle cathedral church club college
    committee community compound conference council county disease district drug element establishment event family
    ferry festival film fish fund gallery game garden genus government hall hospital hotel institute institution island
    lake language law library line locomotive machine magazine manufacturer market medicine ministry model monument
    mountain movie municipality museum newspaper novel office opera park party person phone plane plant platform player
    port prison program programme project province publisher railway range region release republic reserve restaurant
    river road robot route ruler school sculpture sea series service ship show singer site software song species stadium
    star state station store street studio substance synod tablet temple theatre tool tower town treaty tribe tunnel
    union unit university valley vehicle version village virus volcano war website work writer zone
    가수 강 게임 공항 공원 교회 국가 기관 기계 기기 노래 다리 대학 대학교 도서관 드라마 마을 모델 박물관 배 배우 병원 산
    선수 섬 소설 시설 식물 약물 역 영화 은행 음반 작가 작품 장치 정당 정부 지역 차량 책 축제 학교 호수
    도로 성 시장 회관 호텔 항구 영화관 건물 시설물 드론 로봇 세탁기 자동차
"""
CLASSES = GENERIC | keys_of(_CLASSES)
_ARTEFACTS = "device machine model product system unit 기계 기기 모델 장치 제품"
ARTEFACTS = keys_of(_ARTEFACTS)
"""Classes of artefacts."""


def has_class(heading: str) -> bool:
    """Say whether a heading states the class of its thing, as "Hotel Adler" does; classes of any artefact do not
    count."""
    words = heading.casefold().split()
    return not (vocabulary(_CLASSES) - vocabulary(_ARTEFACTS)).isdisjoint(words)
