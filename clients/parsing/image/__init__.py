"""Pictures of pages: PNG, JPEG, TIFF and WebP. `clients.parsing` finds the reader by name."""
