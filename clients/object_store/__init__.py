"""Files outside of the database: in a folder of this machine, or in a bucket of an S3-compatible store."""
