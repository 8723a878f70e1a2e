"""Text recognition (OCR) of pages that are pictures, by Tesseract.

`installed.py` says whether it is there, `engine.py` reads one picture, `lines.py` makes lines of a page of it.
"""
