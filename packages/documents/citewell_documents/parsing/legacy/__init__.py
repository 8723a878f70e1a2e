"""Old Office formats, through LibreOffice where it is installed."""
