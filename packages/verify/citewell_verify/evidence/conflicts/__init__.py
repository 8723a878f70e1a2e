"""Documents that disagree: the same statement with another value, and which of two documents replaces the other."""
