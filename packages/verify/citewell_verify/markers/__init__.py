"""Citation markers in a text: finds the brackets that are markers, the sources that they point to, and the text without
them.

This is the lowest package: it imports no other package of the domain, and every other package may import it.
"""
