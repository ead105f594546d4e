"""The version of the package. It stands below everything, so that nothing imports the package's own root for it."""

__version__ = "0.1.0"
