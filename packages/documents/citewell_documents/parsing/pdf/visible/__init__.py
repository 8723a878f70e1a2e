"""What a page shows of its text."""
