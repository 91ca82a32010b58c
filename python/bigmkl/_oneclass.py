"""The support of a distribution."""

from __future__ import annotations

import os

import numpy as np
from sklearn.base import OutlierMixin
from sklearn.utils.validation import check_is_fitted

from ._arguments import loss_flags
from ._base import BigMKLEstimator
from ._compat import check_weights
from ._inputs import Inputs, Problem, leave_out


class BigMKLOneClass(OutlierMixin, BigMKLEstimator):
    """Support of a distribution by multiple kernel learning with a block norm.

    Parameters
    ----------
    nu : float, default=0.5
        Share of the rows that may be left out, above 0 and at most 1.
    kernels, norm, scale, normalize, gap, views, max_iter, max_time, memory, disk, threads, \
random_state, warm_start, scratch, verbose, options, impute, objects
        As of BigMKLClassifier.

    Attributes
    ----------
    offset_ : float
        decision_function is score_samples less this. Dual variables sum to 1 here, and to nu times the
        number of rows in scikit-learn: with one kernel, times that number dual_coef_, intercept_,
        offset_, decision_function and score_samples are those of its OneClassSVM.
    weights_, w_norms_, kernel_names_, feature_importances_, view_names_, support_, \
support_vectors_, n_support_, dual_coef_, intercept_, coef_, gap_, converged_, n_iter_, report_, \
model_info_, model_bytes_
        As of BigMKLClassifier, for one classifier.
    """

    _tasks = ("oneclass",)
    _failing = {"check_sample_weights_invariance":
                "the order of the rows differs, and so the model within its gap"}

    def __init__(self, kernels=None, norm=4 / 3, nu=0.5, scale="auto", normalize="multiplicative",
                 gap=1e-3, views=None, max_iter=None, max_time=None, memory=None, disk=None,
                 threads=None, random_state=None, warm_start=False, scratch=None, verbose=False,
                 options=None, impute=None, objects=None) -> None:
        self.kernels = kernels
        self.norm = norm
        self.nu = nu
        self.scale = scale
        self.normalize = normalize
        self.gap = gap
        self.views = views
        self.max_iter = max_iter
        self.max_time = max_time
        self.memory = memory
        self.disk = disk
        self.threads = threads
        self.random_state = random_state
        self.warm_start = warm_start
        self.scratch = scratch
        self.verbose = verbose
        self.options = options
        self.objects = objects
        self.impute = impute

    def fit(self, X, y=None, sample_weight=None) -> BigMKLOneClass:
        """Train on rows; y is not looked at.

        A row of sample_weight 2 counts as two rows, if all others have 1. A row of weight 0 is left out.
        """
        inputs, _ = self._inputs_of(X, reset=True)
        inputs, weights, kept = self._weigh(inputs, sample_weight)
        self._train(Problem(inputs, None, weights, kept, ["--task", "oneclass", *loss_flags(self, "oneclass")]))
        self.offset_ = -self.intercept_[0]
        return self

    @staticmethod
    def _weigh(inputs: Inputs, weights) -> tuple[Inputs, np.ndarray | None, np.ndarray | None]:
        """Return rows without those of weight 0, their weights divided by the mean, and their numbers."""
        if weights is None:
            return inputs, None, None
        weights = check_weights(weights, np.empty((inputs.rows, 1)))
        inputs, _, weights, kept = leave_out(inputs, None, weights)
        if weights is not None:
            weights = None if np.ptp(weights) == 0 else weights / weights.mean()
        return inputs, weights, kept

    @classmethod
    def from_model(cls, path: str | os.PathLike, **parameters) -> BigMKLOneClass:
        """Return an estimator with the model of a file; see BigMKLEstimator.from_model."""
        estimator = super().from_model(path, **parameters)
        estimator.offset_ = -estimator.intercept_[0]
        return estimator

    def predict(self, X) -> np.ndarray:
        """Return 1 for each row within the support, and -1 for the others."""
        return self._predict_words(X, 1)[:, 0].astype(int)

    def decision_function(self, X) -> np.ndarray:
        """Return f(x) of each row, which is at least 0 within the support."""
        return self._predict_words(X, 1)[:, 1].astype(float)

    def score_samples(self, X) -> np.ndarray:
        """Return f(x) without its bias."""
        return self.decision_function(X) + self.offset_

    def verify(self, X, sample_weight=None) -> dict:
        """Recompute the gap on the data of the training; see BigMKLClassifier.verify."""
        check_is_fitted(self)
        inputs, weights, _ = self._weigh(self._inputs_of(X)[0], sample_weight)
        return self._verify(inputs, None, weights)
