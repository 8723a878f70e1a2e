"""HTTP itself, for the routes: errors, security, headers, uploads, pages and streams of events."""
