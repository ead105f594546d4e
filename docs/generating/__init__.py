"""The pages below docs/reference, each written from code or data; docs/generate.py calls them."""
