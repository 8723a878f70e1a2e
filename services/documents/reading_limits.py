"""The limits that the settings set for reading one file."""

from citewell_documents.parsing.limits import ParseLimits
from citewell_documents.parsing.recognition.installed import recognition_data
from config.settings import IngestionSettings


def limits_of(settings: IngestionSettings) -> ParseLimits:
    data = recognition_data(settings.ocr_languages)
    return ParseLimits(
        max_pages=settings.max_pages,
        max_chars=settings.max_chars,
        memory_mb=settings.parse_memory_mb,
        base_s=settings.parse_base_s,
        max_s=settings.parse_max_s,
        recognise="later" if data else "off",
        ocr_data=data,
        ocr_page_s=settings.ocr_page_s,
        ocr_max_s=settings.ocr_max_s,
    )
