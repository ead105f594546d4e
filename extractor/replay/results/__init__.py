"""What comes of a replay: manifests and reports, and what two of them show beside each other."""
