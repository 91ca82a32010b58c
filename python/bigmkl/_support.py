"""Support vectors, dual variables and coefficients, as scikit-learn has them."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from ._errors import BigMKLInputError
from ._inputs import Inputs
from ._linear import is_linear, linear_functions


class SupportMixin:
    """The attributes of scikit-learn's support vector machines.

    _signs and _order are the sign and the number of the classifier of each decision function, None
    where these are the model's. _columns is the column of X of each feature, None where all columns
    are features in their order.
    """

    _signs, _order, _columns = None, None, None

    def _set_support(self, dual: np.ndarray, rows: np.ndarray, inputs: Inputs | None,
                     counts: np.ndarray) -> None:
        """Set the attributes of support vectors.

        Parameters
        ----------
        dual : array of (functions, support vectors)
        rows : array of int
            The row of each support vector among those of inputs.
        inputs : Inputs or None
            The rows of the training; None if they are not known.
        counts : array of int
            The number of support vectors of each class.
        """
        self._n_support, self.dual_coef_ = counts.astype(np.int32), dual
        kept = getattr(self, "_kept", None)
        self.support_ = (rows if kept is None else kept[rows]).astype(np.int32)
        vars(self).pop("support_vectors_", None)
        if inputs is not None:
            self.support_vectors_ = inputs.vectors(rows)
            if sp.issparse(self.support_vectors_):
                self.dual_coef_ = sp.csr_matrix(dual)

    def _arrange_functions(self, values: np.ndarray, axis: int = 0) -> np.ndarray:
        """Return values of classifiers in the order and with the signs of the decision functions."""
        if self._order is not None:
            values = np.take(values, self._order, axis)
        if self._signs is not None:
            values = values * (self._signs[:, None] if axis == 0 and values.ndim == 2 else self._signs)
        return values

    @property
    def n_support_(self) -> np.ndarray:
        """Number of support vectors of each class."""
        if "_n_support" not in vars(self):
            raise AttributeError(f"{type(self).__name__} has no n_support_")
        return self._n_support

    def _check_support(self) -> None:
        """Raise BigMKLInputError if attributes are no longer those of the model, which alone predicts."""
        if "_n_support" in vars(self) and self._n_support.sum() != len(self.support_):
            raise BigMKLInputError(f"The internal representation of {type(self).__name__} was altered")

    @property
    def intercept_(self) -> np.ndarray:
        """Constants of the decision functions; with coef_ those of raw features."""
        if not hasattr(self, "model_info_"):
            raise AttributeError(f"{type(self).__name__} has no intercept_ before fit")
        # Other scalings have no offset, which would move the constant.
        if self.model_info_["scaling"] in ("minmax", "standard") and is_linear(self.model_info_):
            return self._linear()[1].copy()
        return self._arrange_functions(self._bias)

    @property
    def coef_(self) -> np.ndarray:
        """Coefficients of the columns of X, (functions, columns), if all kernels are linear.

        decision_function, or predict of a regression, is X @ coef_.T + intercept_. With classes of a
        multiclass="ovo" there is a row for each pair.
        """
        if not hasattr(self, "model_info_"):
            raise AttributeError(f"{type(self).__name__} has no coef_ before fit")
        if not is_linear(self.model_info_):
            raise AttributeError("coef_ is only available when all kernels are linear")
        return self._linear()[0]

    def _linear(self) -> tuple[np.ndarray, np.ndarray]:
        """Return coef_ and intercept_ of linear kernels, which are computed once for a model."""
        model, found = vars(self).get("_linear_of", (None, None))
        if model is not self.model_bytes_:
            coef, constant = linear_functions(self.model_bytes_, self.scratch)
            # Features behind the last one that the training has seen are unknown to the model.
            columns = np.arange(coef.shape[1]) if self._columns is None else self._columns[:coef.shape[1]]
            whole = np.zeros((len(coef), getattr(self, "n_features_in_", coef.shape[1])))
            np.add.at(whole, (slice(None), columns), coef)
            whole = self._arrange_functions(whole)
            whole.flags.writeable = False
            found = whole, self._arrange_functions(constant)
            self._linear_of = self.model_bytes_, found
        return found
