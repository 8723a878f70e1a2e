"""HTML pages: their blocks, lists and tables, without navigation and advertising.

Books and e-mail messages are read by it too.
"""
