"""For those who run Citewell: keys, webhooks, tenants, workers, backups.

What covers all tenants works in the database and without the API.
"""
