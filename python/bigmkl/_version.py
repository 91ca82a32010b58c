"""Version of the package. It stands alone, so that a build reads it without NumPy."""

__version__ = "0.1.0"
