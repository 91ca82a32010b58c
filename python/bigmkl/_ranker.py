"""Rankings of the rows of groups."""

from __future__ import annotations

import numpy as np
from sklearn.utils import check_consistent_length, column_or_1d
from sklearn.utils.validation import check_is_fitted

from ._arguments import cost_flag
from ._base import BigMKLEstimator
from ._errors import BigMKLInputError
from ._importance import ImportanceMixin
from ._inputs import Problem
from ._selection import SelectMixin


def groups_of(qid, rows: int) -> np.ndarray:
    """Return the number of the group of each row, in the order of their names. Without groups, all rows are one."""
    if qid is None:
        return np.zeros(rows, int)
    qid = column_or_1d(qid)
    check_consistent_length(qid, np.arange(rows))
    return np.unique(qid, return_inverse=True)[1].reshape(-1)


def relevances_of(y) -> np.ndarray:
    """Return relevances as numbers of at least 0."""
    y = column_or_1d(y, warn=True).astype(float)
    wrong = np.flatnonzero(~(y >= 0) | np.isinf(y))
    if len(wrong):
        raise BigMKLInputError(f"row {wrong[0]} of y, counted from 0, has the relevance {y[wrong[0]]:g}", "relevances are numbers of at least 0")
    return y


def gain(relevances, scores) -> float:
    """Return the discounted cumulative gain of an order by scores, in which rows of equal scores share the mean of their gains."""
    order = np.argsort(-scores, kind="stable")
    gains, discounts = 2.0 ** relevances[order] - 1, 1 / np.log2(np.arange(len(order)) + 2.0)
    starts = np.flatnonzero(np.append(True, np.diff(scores[order]) != 0))
    sizes = np.diff(np.append(starts, len(order)))
    return float(np.sum(np.add.reduceat(gains, starts) / sizes * np.add.reduceat(discounts, starts)))


def ndcg(relevances, groups, scores) -> float:
    """Return the mean over groups of the discounted gain divided by its largest value (Järvelin and Kekäläinen 2002), NaN without any."""
    found = []
    for group in np.unique(groups):
        own, by = relevances[groups == group], scores[groups == group]
        if np.any(own > 0):
            found.append(gain(own, by) / gain(own, own))
    return float(np.mean(found)) if found else float("nan")


class BigMKLRanker(ImportanceMixin, SelectMixin, BigMKLEstimator):
    """Ranking of the rows of groups by multiple kernel learning with a block norm.

    Every two rows of one group and different relevances are a pair. A pair costs what its scores lack of a difference of 1 (Joachims 2002).

    Parameters
    ----------
    C : float, default=1
        Cost of each pair. inf stands for 1e10.
    kernels, norm, scale, normalize, gap, views, max_iter, max_time, memory, disk, threads, \
random_state, warm_start, scratch, verbose, options, impute, objects
        As of BigMKLClassifier. warm_start has no effect.

    Attributes
    ----------
    weights_, w_norms_, kernel_names_, feature_importances_, view_names_, support_, \
support_vectors_, n_support_, dual_coef_, intercept_, coef_, gap_, converged_, n_iter_, report_, \
model_info_, model_bytes_
        As of BigMKLClassifier, for one classifier.
    """

    _tasks = ("rank",)
    _positive = True

    def __init__(self, kernels=None, norm=4 / 3, C=1.0, scale="auto",
                 normalize="multiplicative", gap=1e-3, views=None, max_iter=None, max_time=None,
                 memory=None, disk=None, threads=None, random_state=None, warm_start=False,
                 scratch=None, verbose=False, options=None, impute=None, objects=None) -> None:
        self.kernels = kernels
        self.norm = norm
        self.C = C
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

    def fit(self, X, y, qid=None) -> BigMKLRanker:
        """Train on rows and their relevances.

        Parameters
        ----------
        X
            The rows, as in BigMKLClassifier.fit.
        y : array of (rows,)
            The relevance of each row, a number of at least 0.
        qid : array of (rows,), default=None
            The group of each row, such as the number of a query. The rows of a group need not follow each other. Only rows of one group
            are compared. None stands for one group.
        """
        self._train(self._problem(X, y, qid))
        return self

    def _problem(self, X, y, qid) -> Problem:
        """Return the problem of rows, their relevances and groups."""
        inputs, y = self._inputs_of(X, y, reset=True, y_numeric=True, ensure_min_samples=2)
        return Problem(inputs, self._words(y, qid), None, None, ["--task", "rank", *cost_flag(self.C)])

    def _words(self, y, qid) -> np.ndarray:
        """Return relevances and groups as the command takes them."""
        y = relevances_of(y)
        return np.array([f"{float(r)!r}:{g}" for r, g in zip(y, groups_of(qid, len(y)))])

    def _restarts(self) -> bool:
        return False

    def predict(self, X) -> np.ndarray:
        """Return the score of each row. The larger score comes first in its group."""
        return self._predict_words(X, 0)[:, 0].astype(float)

    def verify(self, X, y, qid=None) -> dict:
        """Recompute the gap on the data of the training; see BigMKLClassifier.verify."""
        check_is_fitted(self)
        inputs, y = self._inputs_of(X, y)
        return self._verify(inputs, self._words(y, qid), None)

    def score(self, X, y, qid=None) -> float:
        """Return the NDCG of the order by the scores: the mean over the groups that have a relevance above 0."""
        y = relevances_of(y)
        return ndcg(y, groups_of(qid, len(y)), self.predict(X))

    def importance(self, X, y, qid=None, **options) -> dict:
        """Measure what each source of data is worth; see BigMKLClassifier.importance. Rows of one group are held out together."""
        return super().importance(X, y, qid, **options)

    def select(self, X, y, qid=None, **options) -> tuple:
        """Choose kernels, norm and C by cross-validation; see BigMKLClassifier.select. Rows of one group are held out together."""
        return super().select(X, y, qid, **options)
