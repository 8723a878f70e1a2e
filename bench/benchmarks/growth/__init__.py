"""What every function of `domain/` over texts costs as the texts grow, for twelve shapes that are meant to hurt."""
