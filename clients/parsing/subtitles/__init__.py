"""Subtitles, SRT and WebVTT. `clients.parsing` finds the reader by name."""
