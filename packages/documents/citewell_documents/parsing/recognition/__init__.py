"""Text recognition (OCR) of pages that are pictures, by Tesseract.

`installed.py` says whether Tesseract is there, `engine.py` reads one picture, and `lines.py` makes lines from the
result.
"""
