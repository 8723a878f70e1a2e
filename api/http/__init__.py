"""HTTP itself: errors, security, headers, uploads, pages and streams of events. The routes import it."""
