"""How right the verdicts are: planted errors, paraphrases, readers' cases, citation markers, streamed checks."""
