"""HTML pages: their blocks, lists and tables, without navigation and advertising.

Its modules also read the HTML of books and e-mail messages.
"""
