"""Classes, decisions and probabilities of rows."""

from __future__ import annotations

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import _ovr_decision_function
from sklearn.utils.validation import check_is_fitted

from ._arguments import flag
from ._errors import BigMKLInputError
from ._pairs import first_of_most


def _has_probability(self) -> bool:
    if self.probability or self.loss == "logistic":
        return True
    raise AttributeError("predict_proba is available when probability=True or loss='logistic'")


class DecisionsMixin:
    """The methods by which a classifier predicts."""

    def predict(self, X) -> np.ndarray:
        """Return the class of each row."""
        if self.break_ties and self._shape() == "ovo":
            raise BigMKLInputError("break_ties must be False when decision_function_shape is 'ovo'")
        check_is_fitted(self)
        k = len(self.classes_)
        if k > 2 and self.break_ties:
            return self.classes_[self.decision_function(X).argmax(axis=1)]
        if k > 2 and self.break_ties is not None and self.model_info_["multiclass"] == "ovo":
            return self.classes_[first_of_most(self._decisions(X), k)]
        return self.classes_[self._codes(self._predict_words(X, 1)[:, 0])]

    def _shape(self) -> str:
        """Return what decision_function has a column for: each class ("ovr") or each pair ("ovo")."""
        trained = getattr(self, "model_info_", {}).get("multiclass", self.multiclass)
        if self.decision_function_shape is None:
            return "ovo" if trained == "ovo" else "ovr"
        if self.decision_function_shape not in ("ovr", "ovo"):
            raise BigMKLInputError(f"decision_function_shape={self.decision_function_shape!r}",
                                   "it is 'ovr', 'ovo' or None")
        if self.decision_function_shape == "ovo" and trained != "ovo":
            raise BigMKLInputError("decision_function_shape='ovo' of classifiers that are none of pairs",
                                   "multiclass='ovo' trains one for each pair")
        return self.decision_function_shape

    def decision_function(self, X) -> np.ndarray:
        """Return f(x) of each row.

        Returns
        -------
        array of (rows,) or (rows, functions)
            With two classes, above 0 for the second. Otherwise a column for each class, or for each
            pair in the order of machines_, above 0 for its first class; see decision_function_shape.
        """
        check_is_fitted(self)
        k = len(self.classes_)
        if k == 2:
            return self._signs[0] * self._predict_words(X, 1)[:, 1].astype(float)
        shape, decisions = self._shape(), self._decisions(X)
        if shape == "ovr" and self.model_info_["multiclass"] == "ovo":
            return _ovr_decision_function(decisions < 0, -decisions, k)
        return decisions

    def _decisions(self, X) -> np.ndarray:
        """Return f(x) of each row and classifier of several."""
        words = self._predict_words(X, len(self.machines_), "--decisions")
        return self._arrange_functions(words[:, 1:].astype(float), axis=1)

    @available_if(_has_probability)
    def predict_proba(self, X) -> np.ndarray:
        """Return the probability of each class, rows x classes.

        The class that predict chooses is that of the decision. It may differ from the one of the
        largest probability.
        """
        check_is_fitted(self)
        if "folds" not in self.model_info_ and self.model_info_["task"] != "logistic":
            raise NotFittedError("predict_proba is not available when fitted with probability=False and loss='hinge'")
        words = self._predict_words(X, 1 + len(self._names), "--probability")
        # The columns are in the order of the model: by value if all names are integers, else as text.
        known = self.model_info_.get("classes") or sorted(self._names, key=_model_order(self._names))
        columns = words[:, 2:].astype(float)
        # The command prints six digits, whose sum is 1 to within 1e-6; scikit-learn requires it to within 1e-8.
        columns /= columns.sum(axis=1, keepdims=True)
        return columns[:, [known.index(name) for name in self._names]]

    @available_if(_has_probability)
    def predict_log_proba(self, X) -> np.ndarray:
        """Return the logarithm of the probability of each class, rows x classes."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def predict_set(self, X, coverage=0.9) -> np.ndarray:
        """Return the set of classes that holds the class of a share of the rows, for a model with calibration scores.

        The model has them if it was trained with ``options={"conformal": "split:0.2"}``, ``"by-class"`` or
        ``"folds:10"``, whose coverage is not proven.

        Returns
        -------
        array of bool, rows x classes
            In the order of classes_. A row may have no class: then it is like none.
        """
        lines = self._predict_lines(X, *flag("coverage", float(coverage)))
        found = np.zeros((len(lines), len(self.classes_)), bool)
        # Names may have blanks in them, and have no commas: label, decision and set.
        labels = sorted(self._names, key=len, reverse=True)
        for i, line in enumerate(lines):
            label = next(name for name in labels if line.startswith(name + " "))
            text = line[len(label) + 1:].split(" ", 1)[1]
            if text != "-":
                found[i, [self._names.index(name) for name in text.split(",")]] = True
        return found

    def _codes(self, words: np.ndarray) -> np.ndarray:
        """Return the places of names in classes_."""
        unique, inverse = np.unique(words, return_inverse=True)
        return np.array([self._names.index(word) for word in unique])[inverse]


def _model_order(names: list[str]):
    """Return the key by which a model orders classes: by value if all are integers, else as text."""
    try:
        [int(name) for name in names]
    except ValueError:
        return str
    return int
