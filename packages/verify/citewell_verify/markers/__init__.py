"""Citation markers in a text: which brackets are markers, what they point to, and the text without them.

The lowest package of the domain: it imports nothing of it, and every other package may import it.
"""
