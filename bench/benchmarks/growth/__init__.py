"""Measures how the cost of every function of `citewell_verify` and `domain` over texts grows with the texts, for
adversarial shapes."""
