"""An answer as the server writes and shows it: without frames around its text, by sentences while it grows, and as
continuous text.
"""
