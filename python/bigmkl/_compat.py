"""What scikit-learn calls differently in its releases: 1.2 to 1.5, and 1.6 or newer."""

from __future__ import annotations

try:
    from sklearn.utils.validation import validate_data
except ImportError:  # Before 1.6 it is a method.
    def validate_data(estimator, *arguments, **options):
        """Validate X, and y if it is given, and set or compare the number and names of features."""
        return estimator._validate_data(*arguments, **options)

__all__ = ["validate_data"]
