"""Places that documents come from: folders, web sites, feeds, Git repositories, buckets."""
