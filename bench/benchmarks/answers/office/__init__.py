"""Office papers and questions that were written for this benchmark, half of which are kept to check with."""
