"""What scikit-learn calls differently in its releases: 1.2 to 1.5, and 1.6 or newer."""

from __future__ import annotations

import inspect

from sklearn.utils.validation import _check_sample_weight

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


# Newer releases reject weights that are all 0 in words of their own, unless they are asked not to.
_ZEROS = "allow_all_zero_weights"
_ALL_ZERO = {_ZEROS: True} if _ZEROS in inspect.signature(_check_sample_weight).parameters else {}


def check_weights(weights, X):
    """Return sample weights as an array of float64, one for each row of X."""
    return _check_sample_weight(weights, X, dtype="float64", **_ALL_ZERO)


__all__ = ["check_weights", "finite", "validate_data"]
