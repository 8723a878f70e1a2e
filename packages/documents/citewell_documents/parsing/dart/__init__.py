"""Reports of the Korean disclosure system DART: its own XML, and the HTML that its viewer saves."""
