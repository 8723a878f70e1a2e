"""Pictures of pages: PNG, JPEG, TIFF and WebP. `citewell_documents.parsing` finds the reader by name."""
