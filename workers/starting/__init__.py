"""What starts work: after a commit, and as soon as there is room for it."""
