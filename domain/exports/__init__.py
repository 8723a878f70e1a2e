"""An answer where it is taken along: what it says there, in which words, and under which name it is saved."""
