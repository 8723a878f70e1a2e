"""Commands for those who run Citewell: keys, webhooks, tenants, workers, backups.

Commands that cover all tenants work in the database and without the API.
"""
