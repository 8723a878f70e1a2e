"""Measures the quality of answers: questions over passages and files with answers that people gave."""
