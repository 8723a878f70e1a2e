"""Reads files of thirty kinds into one text with its pages, sections, tables and places."""
