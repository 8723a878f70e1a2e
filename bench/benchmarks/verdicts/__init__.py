"""Measures whether verdicts are right: planted errors, paraphrases, hand-written cases, citation markers, streamed
answers."""
