"""Regression."""

from __future__ import annotations

import numpy as np
from sklearn.base import RegressorMixin

from ._arguments import cost_flag, flag, loss_flags
from ._base import BigMKLEstimator
from ._importance import ImportanceMixin
from ._inputs import Problem
from ._selection import SelectMixin
from ._targets import TargetsMixin


class BigMKLRegressor(TargetsMixin, RegressorMixin, ImportanceMixin, SelectMixin, BigMKLEstimator):
    """Regression by multiple kernel learning with a block norm.

    Parameters
    ----------
    loss : {"svr", "square", "quantile", "huber", "expectile"}, default="svr"
        The epsilon-insensitive, the squared, the pinball, Huber's or the asymmetric squared loss.
    C : float, default=None
        Cost of the loss. None stands for the standard deviation of y with svr, for half of it with quantile, and
        for 1 with the others. inf stands for 1e10.
    epsilon : float, default=None
        Half-width of the tube of svr and quantile, in units of y. None stands for a tenth of the standard deviation of y with svr,
        and for 0 with quantile.
    tau : float or list of float, default=0.5
        The quantile, in (0, 1), of loss quantile, or the expectile of loss expectile. A list of several quantiles, which ascend, is one
        model with a regressor for each: predict has a column for each.
    delta : float, default=None
        Distance from the target at which Huber's loss becomes a line, in units of y. None stands for half of the standard deviation of y.
    kernels, norm, scale, normalize, gap, views, max_iter, max_time, memory, disk, threads, \
random_state, warm_start, scratch, verbose, options, impute, objects
        As of BigMKLClassifier.

    Attributes
    ----------
    weights_, w_norms_, kernel_names_, feature_importances_, view_names_, support_, \
support_vectors_, n_support_, dual_coef_, intercept_, coef_, gap_, converged_, n_iter_, report_, \
model_info_, model_bytes_
        As of BigMKLClassifier, for one classifier. With several quantiles there is one for each.
    """

    _tasks = ("svr", "square", "quantile", "huber", "expectile")
    _failing = {"check_sample_weights_invariance":
                "the order of the rows differs, and so the model within its gap"}

    def __init__(self, kernels=None, norm=4 / 3, C=None, loss="svr", epsilon=None, scale="auto",
                 normalize="multiplicative", gap=1e-3, views=None, max_iter=None, max_time=None,
                 memory=None, disk=None, threads=None, random_state=None, warm_start=False,
                 scratch=None, verbose=False, options=None, impute=None, tau=0.5, delta=None, objects=None) -> None:
        self.kernels = kernels
        self.norm = norm
        self.C = C
        self.loss = loss
        self.epsilon = epsilon
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
        self.tau = tau
        self.delta = delta

    def fit(self, X, y, sample_weight=None) -> BigMKLRegressor:
        """Train on rows and their targets; see BigMKLClassifier.fit."""
        self._train(self._problem(X, y, sample_weight))
        return self

    def _problem(self, X, y, sample_weight) -> Problem:
        """Return the problem of rows and their targets."""
        inputs, y, weights, kept = self._rows_of(X, y, sample_weight)
        flags = ["--task", self.loss]
        if self.C is not None:
            flags += cost_flag(self.C)
        return Problem(inputs, y, weights, kept, flags + loss_flags(self, self.loss))

    def _known_parameters(self, info: dict) -> dict:
        known = {**super()._known_parameters(info), "loss": info["task"]}
        if "taus" in info:
            known["tau"] = info["taus"]
        return known

    def _quantiles(self) -> int:
        """Return the number of quantiles of the model, 0 if it does not have several."""
        return len(getattr(self, "model_info_", {}).get("taus", []))

    def predict(self, X, no_crossing=False) -> np.ndarray:
        """Return the number that is predicted for each row, or a column for each of several quantiles.

        Parameters
        ----------
        X
            The rows.
        no_crossing : bool, default=False
            Sort the quantiles of each row, of a model of several.
        """
        several = self._quantiles()
        words = self._predict_words(X, max(several - 1, 0), *(["--no-crossing"] if no_crossing else []))
        return words.astype(float) if several else words[:, 0].astype(float)

    def score(self, X, y, sample_weight=None) -> float:
        """Return R2, or for several quantiles minus the mean of the pinball losses, so that larger is better."""
        if not self._quantiles():
            return super().score(X, y, sample_weight)
        taus, short = np.array(self.model_info_["taus"]), np.asarray(y, float)[:, None] - self.predict(X)
        losses = np.maximum(taus * short, (taus - 1) * short).mean(axis=1)
        return -float(np.average(losses, weights=sample_weight))

    def predict_interval(self, X, coverage=0.9) -> np.ndarray:
        """Return the interval that holds the target of a share of the rows, for a model with calibration scores.

        The model has them if it was trained with ``options={"conformal": "split:0.2"}``, or ``"folds:10"``,
        whose coverage is not proven.

        Returns
        -------
        array of (rows, 2)
            Low and high ends.
        """
        words = self._predict_words(X, max(self._quantiles(), 1) + 1, *flag("coverage", float(coverage)))
        return words[:, -2:].astype(float)
