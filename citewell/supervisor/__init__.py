"""The embedded form: Postgres, Valkey, API and worker pools as children of one process that leaves no orphans."""
