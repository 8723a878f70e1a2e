"""`python -m benchmarks.search.scans [FOLDER]`: how much of scanned pages search finds.

Ten pages of text, in English and Korean, are printed to pictures and degraded as scans are: turned by up to 1.2°,
blurred, with noise, and compressed as JPEG. Each is read as when it is ingested: in the confined child, by text
recognition. A word is found if search would find the page by it: all its lexemes are among those that were read.
The text is that of `api/dashboard/example`, and of the `.txt`, `.md` and `.jsonl` files (field `source`) of FOLDER.
Needs the extras `ocr` and `pdf` (its font), and Tesseract's data for Korean.
"""

import json
import random
import re
import resource
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont
from pylopdf_fonts_ko import sans_path, serif_path
from rich.console import Console
from rich.table import Table

from citewell_documents.boxes import confidence_of
from citewell_documents.document import ParsedDocument
from citewell_documents.parsing.sandbox.isolated import parse_isolated
from citewell_documents.parsing.sandbox.servers import servers
from config.settings import IngestionSettings
from domain.retrieval.lexemes import lexemes
from services.documents.reading_limits import limits_of

DPI = 200
PAGES = 5  # of each language
HEADINGS = ("language", "pages", "words", "found", "as written", "confidence", "CPU s per page", "peak MB")
_WIDTH, _HEIGHT, _MARGIN = int(8.27 * DPI), int(11.69 * DPI), int(0.9 * DPI)
_SIZE, _LEADING = 31, 48
_PAPER, _INK = 250, 25
_MARKDOWN = re.compile(r"[|#*`>]|^-{3,}|-{3,}|\[|\]\([^)]*\)")
_SIGNS = ".,:;!?()[]{}\"'“”‘’«»<>|%"
_HANGUL = re.compile("[가-힣]")


@dataclass(slots=True)
class Tally:
    """Words on the pages, those found by search, and those recognised exactly."""

    pages: int = 0
    words: int = 0
    found: int = 0
    same: int = 0
    confidences: list[float] = field(default_factory=list[float])
    cpu_s: float = 0.0

    @property
    def share(self) -> float:
        return self.found / max(1, self.words)


def scanned(text: str, seed: int, font: str) -> tuple[bytes, str]:
    """Return a degraded picture of the first page of a text, as PNG, and the words on it."""
    lines = list(_wrapped(text, ImageFont.truetype(font, _SIZE)))[: (_HEIGHT - 2 * _MARGIN) // _LEADING]
    page = Image.new("L", (_WIDTH, _HEIGHT), _PAPER)
    draw = ImageDraw.Draw(page)
    for number, line in enumerate(lines):
        draw.text((_MARGIN, _MARGIN + number * _LEADING), line, fill=_INK, font=ImageFont.truetype(font, _SIZE))
    out = BytesIO()
    _degraded(page, seed).save(out, "PNG", dpi=(DPI, DPI))
    return out.getvalue(), "\n".join(lines)


def _wrapped(text: str, font: ImageFont.FreeTypeFont) -> Iterator[str]:
    for paragraph in text.split("\n"):
        line = ""
        for word in paragraph.split():
            longer = f"{line} {word}".strip()
            if line and font.getlength(longer) > _WIDTH - 2 * _MARGIN:
                yield line
                longer = word
            line = longer
        yield line


def _degraded(page: Image.Image, seed: int) -> Image.Image:
    chance, noise = random.Random(seed), np.random.default_rng(seed)
    turned = page.rotate(chance.uniform(-1.2, 1.2), resample=Image.Resampling.BICUBIC, fillcolor=_PAPER)
    blurred = np.asarray(turned.filter(ImageFilter.GaussianBlur(chance.uniform(0.7, 1.1))), dtype=np.float64)
    noisy = (blurred + noise.normal(0, 12, blurred.shape)).clip(0, 255).astype(np.uint8)
    out = BytesIO()
    Image.fromarray(noisy).save(out, "JPEG", quality=50)
    return Image.open(BytesIO(out.getvalue()))


def count(text: str, document: ParsedDocument, tally: Tally) -> None:
    """Compare a page with the text that was recognised on it."""
    known, written = set(lexemes(document.text)), Counter(_words(document.text))
    for word, times in Counter(_words(text)).items():
        tally.words += times
        tally.found += times * (set(lexemes(word)) <= known)
        tally.same += min(times, written[word])
    tally.pages += 1
    sure = confidence_of(document.boxes[0].recognised, 0, len(document.text)) if document.boxes else None
    tally.confidences.append(sure or 0.0)


def _words(text: str) -> list[str]:
    return [word for each in text.casefold().split() if (word := each.strip(_SIGNS)) and any(map(str.isalnum, word))]


def texts(folder: Path | None) -> Iterator[str]:
    """Yield long texts, the project's own first."""
    for path in sorted(Path("api/dashboard/example").glob("*.md")):
        yield _plain(path.read_text(encoding="utf-8"))
    for path in sorted(folder.iterdir()) if folder else ():
        if path.suffix in (".txt", ".md"):
            yield _plain(path.read_text(encoding="utf-8"))
        elif path.suffix == ".jsonl":
            rows = path.read_text(encoding="utf-8").splitlines()
            yield "\n".join(dict.fromkeys(str(json.loads(row).get("source", "")) for row in rows))


def _plain(text: str) -> str:
    return re.sub(r"\n{3,}", "\n\n", _MARKDOWN.sub(" ", text))


def _pages(folder: Path | None) -> dict[str, list[str]]:
    """Return as many pages of each language as there are, at most `PAGES`; a text gives several."""
    found: dict[str, list[str]] = {"English": [], "Korean": []}
    length = {"English": 2_600, "Korean": 1_200}
    for text in texts(folder):
        language = "Korean" if len(_HANGUL.findall(text)) * 4 > len(text) else "English"
        for start in range(0, len(text) - length[language] // 2, length[language]):
            if len(found[language]) < PAGES:
                found[language].append(text[start : start + length[language]])
    return found


def main(folder: Path | None) -> None:
    table = Table(title=f"Scans of {DPI} dots per inch")
    for heading in HEADINGS:
        table.add_column(heading, justify="left" if heading == "language" else "right")
    limits = limits_of(IngestionSettings())
    for language, pages in _pages(folder).items():
        tally = Tally()
        for number, text in enumerate(pages):
            data, words = scanned(text, number, str(serif_path() if number % 2 else sans_path()))
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            document = parse_isolated(data, "page.png", limits)
            servers.replace()  # its children count with this process once it has ended
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            tally.cpu_s += after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            count(words, document, tally)
        sure = f"{min(tally.confidences, default=0):.2f} to {max(tally.confidences, default=0):.2f}"
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
        counts = (f"{tally.found / tally.words:.1%}", f"{tally.same / tally.words:.1%}", sure)
        table.add_row(
            language, str(tally.pages), f"{tally.words:,}", *counts, f"{tally.cpu_s / tally.pages:.1f}", f"{peak:,}"
        )
    Console().print(table)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
