"""Office papers and questions that were written for this benchmark; half of them are held out for the final check."""
