"""Programs for those who work on Citewell; nothing of it is installed."""
