"""Measures how the cost of every function of `domain/` over texts grows with the texts, for twelve adversarial
shapes."""
