"""What estimators have in common whose rows have a number each."""

from __future__ import annotations

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ._compat import check_weights
from ._inputs import Inputs, leave_out


def _as_labels(y) -> np.ndarray:
    """Return targets as numbers, or as the words that they are."""
    y = np.asarray(y)
    return y if y.dtype.kind == "U" else y.astype(float)


class TargetsMixin:
    """Rows with a number each: a target, or a time."""

    @staticmethod
    def _targets_of(y):
        """Return y as the command takes it."""
        return y

    def _rows_of(self, X, y, sample_weight, **checks) -> tuple[Inputs, np.ndarray, object, object]:
        """Return the rows of a training with their numbers and weights, without those of weight 0, and which are left."""
        inputs, y = self._inputs_of(X, self._targets_of(y), reset=True, y_numeric=True, **checks)
        y = _as_labels(y)
        if sample_weight is not None:
            sample_weight = check_weights(sample_weight, y)
        return leave_out(inputs, y, sample_weight)

    def verify(self, X, y, sample_weight=None) -> dict:
        """Recompute the gap on the data of the training; see BigMKLClassifier.verify."""
        check_is_fitted(self)
        inputs, y = self._inputs_of(X, self._targets_of(y))
        inputs, y, weights, _ = leave_out(inputs, _as_labels(y), sample_weight if
                                          sample_weight is None else np.asarray(sample_weight))
        return self._verify(inputs, y, weights)
