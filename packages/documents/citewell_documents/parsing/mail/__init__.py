"""E-mail messages: headers, text and attachments."""
