"""Programs for the developers of Citewell, which are not installed."""
