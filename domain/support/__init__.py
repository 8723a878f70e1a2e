"""How far a source supports a statement: what is compared, and the fitted weights that make a probability of it."""
