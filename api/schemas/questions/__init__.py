"""Questions and their answers: asked, listed, shown, judged by people, shared."""
