"""An answer outside of Citewell, as a file or a page: its content, its wording, and its file name."""
