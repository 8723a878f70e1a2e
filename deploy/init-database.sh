#!/bin/sh
# Run once by the Postgres image, on an empty volume: Citewell's role owns its database and is no superuser, because
# nothing would keep tenants apart for one. Extensions need the superuser, so they are made here.
set -eu

psql --no-psqlrc --set ON_ERROR_STOP=1 --set password="$POSTGRES_PASSWORD" --username "$POSTGRES_USER" --dbname postgres <<'SQL'
CREATE ROLE citewell LOGIN PASSWORD :'password';
CREATE DATABASE citewell OWNER citewell;
\connect citewell
CREATE EXTENSION vector;
CREATE EXTENSION pg_trgm;
-- Under row-level security the full-text match may use its index only if it is known to leak nothing.
ALTER FUNCTION ts_match_vq(tsvector, tsquery) LEAKPROOF;
-- The password is Citewell's alone: over the network the superuser cannot log in.
ALTER ROLE CURRENT_USER PASSWORD NULL;
SQL
