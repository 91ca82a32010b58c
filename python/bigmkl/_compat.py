"""What scikit-learn calls differently in its releases: 1.2 to 1.5, and 1.6 or newer."""

from __future__ import annotations

try:
    from sklearn.utils.validation import validate_data
    FINITE = "ensure_all_finite"
except ImportError:  # Before 1.6 it is a method.
    FINITE = "force_all_finite"

    def validate_data(estimator, *arguments, **options):
        """Validate X, and y if it is given, and set or compare the number and names of features."""
        return estimator._validate_data(*arguments, **options)


def finite(missing: bool) -> dict:
    """Return the options of a validation that takes NaN if values may be missing, and infinity never."""
    return {FINITE: "allow-nan" if missing else True}


__all__ = ["finite", "validate_data"]
