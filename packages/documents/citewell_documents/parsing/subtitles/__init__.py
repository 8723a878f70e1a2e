"""Subtitles, SRT and WebVTT. `citewell_documents.parsing` finds the reader by name."""
