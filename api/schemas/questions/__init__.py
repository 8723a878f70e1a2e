"""Schemas of questions and answers: asked, listed, shown, judged by people, shared."""
