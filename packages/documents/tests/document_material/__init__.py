"""What several tests of the package read."""
